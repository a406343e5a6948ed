/** A window of its own process, for the test of the inbox: `ROOT STORAGE FOLDER FOCUSED STEP_MS`. Says of which session each event is that it takes. */
import { hookPlace } from '../../../src/hooks/installation';
import { silentLog } from '../../fakes/log';
import { eventsIn, focusedAs, inboxOf } from './support';

const [root = '', stored, folder = '', focused = '', stepMs = ''] = process.argv.slice(2);

process.once('message', () => {
  inboxOf(hookPlace(root, ''), {
    events: eventsIn(stored),
    folders: () => [folder],
    focused: focusedAs(focused === 'true'),
    take: ({ sessionId }) => process.send?.(sessionId),
    // Why nothing comes would else be nowhere.
    log: { ...silentLog(), error: (...said) => void process.stderr.write(`${said.join(' ')}\n`) },
    stepMs: Number(stepMs),
  });
});
// Watchers and timers let a window end; this one stays until it is ended.
setInterval(() => undefined, 1_000_000);
process.send?.('ready');
