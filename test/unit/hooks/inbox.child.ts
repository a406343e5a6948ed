/** A window of its own process, for the test of the inbox: `ROOT STORAGE FOLDER FOCUSED STEP_MS`. Says each event it takes. */
import { hookPlace } from '../../../src/hooks/installation';
import { hookEvent } from '../../../src/hooks/events';
import { Inbox } from '../../../src/hooks/inbox';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { focusedAs } from './support';

const [root = '', stored = '', folder = '', focused = '', stepMs = ''] = process.argv.slice(2);
const events = openStorage({ root: stored, log: silentLog() }).collection({
  path: 'hook-events',
  version: 1,
  schema: hookEvent,
});

process.on('message', message => {
  if (message !== 'begin') return;
  new Inbox({
    spool: hookPlace(root, '').spool,
    events,
    folders: () => [folder],
    focused: focusedAs(focused === 'true'),
    take: ({ sessionId }) => process.send?.({ sessionId }),
    // Why nothing comes would else be nowhere.
    log: { ...silentLog(), error: (...said) => void process.stderr.write(`${said.join(' ')}\n`) },
    stepMs: Number(stepMs),
  });
});
// Watchers and timers let a window end; this one stays until it is ended.
setInterval(() => undefined, 1_000_000);
process.send?.('ready');
