import assert from 'node:assert/strict';
import { sampleRecord } from '../../../src/sample';
import { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { until } from '../../until';
import { Sample } from './harness';

/** Two windows that share the store of one machine, each with its own copy of the sample. */
describe('the sample in several windows', () => {
  let root: string;
  beforeEach(() => (root = temporaryFolder()));
  afterEach(cleanUp);

  function window(): Sample & { close(): Promise<void> } {
    const storage = openStorage({ root, log: silentLog() });
    const close = async (): Promise<void> => {
      storage.dispose();
      await storage.settled();
    };
    later(close);
    const records = storage.collection({ path: 'sample', version: 1, schema: sampleRecord });
    return Object.assign(new Sample({ records }), { close });
  }

  it('shows the same sessions and messages, with the same ids, while agents work', async () => {
    const [one, two] = [window(), window()];
    const session = await one.newSession({ model: 'onyx-large' });
    const { messageId } = await one.send(session, 'Explain this');
    two.time += 3_600;
    one.time = two.time;
    assert.deepEqual(await two.session(session), await one.session(session));
    assert.equal((await two.session(session)).status, 'running');
    assert.deepEqual(await two.messages(session), await one.messages(session));
    assert.equal((await two.messages(session))[0]?.id, messageId);
    const { status } = await two.send(session, 'And now');
    assert.equal(status, 'running');
    await until(async () => (await one.messages(session)).at(-1)?.role === 'user');
    one.time = two.time += 60_000;
    assert.deepEqual(await two.messages(session), await one.messages(session));
    assert.deepEqual(await two.sessions(), await one.sessions());
    assert.equal((await one.sessions()).length, 9, 'those of the sample once');
  });

  it('loses nothing that windows do at the same moment', async () => {
    const windows = [window(), window(), window()];
    const session = await windows[0]!.newSession();
    const sent = await Promise.all(
      Array.from({ length: 30 }, (_, index) => windows[index % 3]!.send(session, `Message ${index}`)),
    );
    const late = window();
    late.time += 10_000_000;
    const all = await late.all<{ id: string; role: string }>(
      `/api/v0/sessions/${session}/messages`,
      'messages',
      100,
    );
    const said = all.filter(({ role }) => role === 'user').map(({ id }) => id);
    assert.deepEqual(said.toSorted(), sent.map(({ messageId }) => messageId).toSorted());
  });

  it('has everything at the next start: sessions, unfinished answers, and how far a computer is', async () => {
    const first = window();
    const session = await first.newSession();
    await first.send(session, 'Explain this');
    first.time += 2_000;
    const [before, computers] = [await first.session(session), await first.ok('/api/v0/computers')];
    await first.close();
    const second = window();
    second.time = first.time;
    assert.deepEqual(await second.session(session), before);
    assert.equal(before.status, 'running');
    assert.deepEqual(await second.ok('/api/v0/computers'), computers);
    second.time += 20_000;
    assert.equal((await second.session(session)).status, 'idle');
  });
});
