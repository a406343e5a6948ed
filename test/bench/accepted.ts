import { Conversation } from '../../src/chat/conversation';
import { SessionIndex } from '../../src/sessions/store/sessionIndex';
import type { Write } from '../../src/storage/database';
import { silentLog } from '../fakes/log';
import { localEngine, openStorage } from '../fakes/storage';
import { attachmentsIn } from '../unit/chat/support';
import { atMost, type Row } from './rows';

const [SERVICE, SESSION] = ['service', 'session'];

/** How often an accepted message goes to the disk, from what is typed until the transcript and the list of sessions have it. */
export async function acceptedRows(root: string): Promise<Row[]> {
  const log = silentLog();
  let durable = 0;
  const storage = openStorage({
    root,
    log,
    engine: options => {
      const database = localEngine(options);
      return {
        close: () => database.close(),
        call: (name, ...args) => {
          const writes = name === 'write' ? (args[0] as readonly Write[]) : [];
          if (writes.some(write => write.durable)) durable++;
          return database.call(name, ...args);
        },
      };
    },
  });
  const index = new SessionIndex(storage);
  await index.use(SERVICE);
  const session = { sessionId: SESSION, title: 'Session', status: 'idle', messageCount: 0, updatedAt: 1 };
  await index.learn(SERVICE, { session, origin: 'created', at: 1 });
  const one = (name: string) =>
    name === 'sendMessage'
      ? Promise.resolve({ messageId: 'message', status: 'running' })
      : Promise.reject(new Error('not asked'));
  const conversation = new Conversation({
    ...{ serviceId: SERVICE, sessionId: SESSION, storage, log, describe: String },
    sessions: {
      onDidChange: index.onDidChange,
      get: () => ({ ...session, statusAt: 1 }),
      watch: () => ({ dispose: () => undefined }),
      pick: () => Promise.resolve(undefined),
      ensure: () => Promise.resolve(),
      refresh: () => Promise.reject(new Error('not asked')),
      noteSend: (id, sent) => index.noteSend(SERVICE, id, sent),
    },
    attachments: attachmentsIn(root),
    extras: () => false,
    buildBody: ({ text }) => Promise.resolve(text as never),
    api: () => ({ one }) as never,
  });
  await conversation.load();
  const before = durable;
  const settled = new Promise<unknown>(resolve => conversation.onDidSettle(resolve));
  conversation.composition.setText('Hello');
  await conversation.submit('Hello');
  await settled;
  const figure = durable - before;
  for (const each of [conversation, index]) each.dispose();
  await storage.settled();
  storage.dispose();
  return [atMost('durable writes of one accepted message (before: 10 to 12)', figure, 4, String)];
}
