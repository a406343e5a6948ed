import assert from 'node:assert/strict';
import type { AgentConsole } from '../../../api';
import { SessionIndex } from '../../../src/sessions/sessionIndex';
import { silentLog } from '../../fakes/log';
import { cleanUp, later } from '../../fakes/cleanUp';
import { openStorage } from '../../fakes/storage';
import { installed, Uri } from '../../fakes/vscode';
import { until } from '../../until';
import { activate } from './consumer';
import { NOON, open, person, stored, type Scene } from './scene';

const EVENTS = 1_000;

const consumer = ({ tools }: Scene, id?: string) =>
  activate({ getApi: version => tools.apiOf(version) } satisfies AgentConsole, id);

describe('the API for other extensions', () => {
  beforeEach(() =>
    installed.set('ann.consumer', { id: 'Ann.consumer', packageJSON: { displayName: 'Ann $(zap) [x](y)' } }),
  );
  afterEach(() => {
    installed.clear();
    return cleanUp();
  });

  it('tells of sessions, opens them, and drafts without sending', async () => {
    const acts: unknown[] = [];
    const act = (what: unknown): Promise<void> => Promise.resolve(void acts.push(what));
    const waits = { signal: { kind: 'waiting', at: NOON, message: 'Which port?' } } as const;
    const words = ['fine', 'a\u200bb <img src=x>'];
    const root = stored({ sessions: [{}, waits, { local: { removedAt: 1 } }], words });
    const scene = open(root, { open: act, prefill: act });
    const { api, waiting } = await consumer(scene);
    assert.equal((await api.sessions()).map(({ sessionId }) => sessionId).join(), 's0,s1');
    const [session] = await waiting();
    const told = [session?.sessionId, session?.title, session?.statusAt];
    assert.deepEqual(told, ['s1', 'ab < img src=x>', NOON]);
    assert.doesNotMatch(JSON.stringify(session), /Which port/, 'what agents say is content of messages');
    await api.openSession('s1');
    const files = [Uri.file('/a.ts') as never];
    await api.draft('s1', { text: 'Look', files });
    assert.deepEqual(acts, ['s1', { sessionId: 's1', text: 'Look', files }]);
    await assert.rejects(api.openSession(''), /by its id/);
    await assert.rejects(scene.tools.apiOf(2), /version 1/);
    scene.connection.signOut();
    await assert.rejects(api.sessions(), /Sign in first/);
  });

  it('gives messages only to who the person has allowed, who is asked once for each extension', async () => {
    const messages = Array.from({ length: 120 }, (_, at) => ({ id: `m${at}`, text: `word ${at} <b>` }));
    const root = stored({ messages });
    const all = async (scene: Scene): Promise<string[]> => {
      const said: string[] = [];
      for await (const { text } of (await consumer(scene)).transcript('s0')) said.push(text);
      return said;
    };
    const read = person(undefined, 'Allow');
    const refused = open(root);
    await assert.rejects(all(refused), /would rather not/);
    await assert.rejects(all(refused), /would rather not/);
    assert.equal(read.length, 1);
    assert.match(read[0]!, /“Ann \$\(zap\) \[x\] \(y\)”.*\nIt is Ann\.consumer\./s);
    assert.deepEqual(
      await all(open(root)),
      messages.map(({ text }) => text.replace('<b', '< b')),
    );
    await all(open(root));
    assert.equal(read.length, 2);
    const { api } = await consumer(open(root));
    await assert.rejects(api.messages('s0', { extensionId: 'nobody.there' }), /Name the extension/);
    await assert.rejects(api.messages('gone', { extensionId: 'ann.consumer' }), /no session with this id/);
  });

  it(`tells each of ${EVENTS} changes of three windows once, and no answer that says nothing new`, async () => {
    const root = stored({ sessions: Array.from({ length: EVENTS }, () => ({})) });
    const scene = open(root);
    const { heard, deactivate } = await consumer(scene);
    const other = () => openStorage({ root, log: silentLog() });
    const windows = [scene.storage, other(), other()];
    const indexes = await Promise.all(
      windows.map(async storage => {
        const index = new SessionIndex(storage);
        await index.use('one');
        later(async () => {
          index.dispose();
          await storage.settled();
          storage.dispose();
        });
        return index;
      }),
    );
    await Promise.all(
      Array.from({ length: EVENTS }, async (_, at) => {
        const index = indexes[at % indexes.length]!;
        const session = index.get(`s${at}`)!.session!;
        await index.observe('one', session, NOON + 1_000);
        await index.keep(`s${at}`, local => ({ ...local, pinned: true }));
      }),
    );
    await until(() => new Set(heard.map(({ sessionId }) => sessionId)).size === EVENTS);
    await indexes[1]!.keep('s7', local => ({ ...local, removedAt: NOON }));
    await until(() => heard.some(({ session }) => session === undefined));
    assert.equal(heard.length, EVENTS + 1);
    assert.ok(heard.slice(0, EVENTS).every(({ session }) => session?.isPinned === true));
    assert.equal(heard.at(-1)?.sessionId, 's7');
    deactivate();
    scene.connection.signOut();
  });
});
