import { parentPort, workerData } from 'node:worker_threads';
import { Database } from './database';
import type { Asked, FromWorker } from './engine';
import { StorageError } from './sqlite';

/** The thread that holds the database, so that a slow disk never holds up the extension host. */
function serve(port: NonNullable<typeof parentPort>): void {
  const send = (message: FromWorker): void => port.postMessage(message);
  const database = new Database({
    root: (workerData as { readonly root: string }).root,
    now: Date.now,
    onChanged: rows => send({ event: 'onChanged', args: [rows] }),
    onReplaced: restored => send({ event: 'onReplaced', args: [restored] }),
    onProblem: (message, error) => send({ event: 'onProblem', args: [message, error] }),
  });
  port.on('message', ({ name, args }: Asked) => {
    try {
      send({ result: database[name](...(args as [never, never, never])) });
    } catch (failure) {
      send({ failure, isOfStorage: failure instanceof StorageError });
    }
  });
}

if (parentPort !== null) serve(parentPort);
