import { parentPort, workerData } from 'node:worker_threads';
import { messageBody, type BodySource } from './body';

/** The thread that builds large bodies: takes the source as its data, posts the body, and ends. */
const body = messageBody(workerData as BodySource);
parentPort?.postMessage(body, [body.buffer]);
