import { parentPort, workerData } from 'node:worker_threads';
import { Database } from './database';
import type { Asked, Event, FromWorker } from './engine';

/** The thread that holds the database, so that a slow disk never holds up the extension host. */
function serve(port: NonNullable<typeof parentPort>): void {
  const send = (message: FromWorker): void => port.postMessage(message);
  const tell =
    (event: Event) =>
    (...args: readonly unknown[]): void =>
      send({ event, args });
  const database = new Database({
    root: (workerData as { readonly root: string }).root,
    now: Date.now,
    onChanged: tell('onChanged'),
    onOpened: tell('onOpened'),
    onRestored: tell('onRestored'),
    onProblem: tell('onProblem'),
  });
  port.on('message', ({ name, args }: Asked) => {
    try {
      send({ result: database[name](...(args as [never, never, never])) });
    } catch (failure) {
      send({ failure });
    }
  });
}

if (parentPort !== null) serve(parentPort);
