/** A window of its own process, for the test of the hand-over: `ROOT ID FOLDER FOCUSED STEP_MS`. Says each event it takes. */
import { Handover } from '../../../src/hooks/handover';
import { hookPlace } from '../../../src/hooks/place';
import { WindowBoard } from '../../../src/hooks/windowBoard';

const [root = '', id = '', folder = '', focused = '', stepMs = ''] = process.argv.slice(2);
const place = hookPlace(root);
const isShown = (): Promise<void> => Promise.resolve();
const board = new WindowBoard({
  folder: place.windows,
  id,
  describe: () => Promise.resolve({ folders: [folder], focused: focused === 'true', focusedAt: 0 }),
  isShown,
  onFailure: error => process.stderr.write(String(error)),
  heartbeatMs: 1_000,
});

process.on('message', message => {
  if (message !== 'begin') return;
  new Handover({
    place,
    id,
    windows: () => board.windows(),
    isShown,
    take: event => process.send?.({ id: event.id, sessionId: event.sessionId }),
    onProblem: sentence => process.stderr.write(sentence),
    stepMs: Number(stepMs),
  });
});
// Watchers and timers let a window end; this one stays until it is ended.
setInterval(() => undefined, 1_000_000);
void board.publish().then(() => process.send?.('ready'));
