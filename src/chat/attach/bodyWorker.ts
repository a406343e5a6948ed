import { Blob } from 'node:buffer';
import { parentPort, workerData } from 'node:worker_threads';
import { messagePieces, type BodySource } from './body';

/**
 * The thread that builds large bodies: takes the source as its data, posts the body, and ends. A blob crosses threads without a
 * copy, and is read piece by piece while it is sent.
 */
const pieces: Blob[] = [];
for (const piece of messagePieces(workerData as BodySource)) pieces.push(new Blob([piece]));
parentPort?.postMessage(new Blob(pieces));
