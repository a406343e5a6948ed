import assert from 'node:assert/strict';
import { SessionIndex } from '../../../src/sessions/sessionIndex';
import { SessionMonitor } from '../../../src/sessions/monitor';
import { startSampleService, type RecordedRequest, type SampleService } from '../../fakes/sampleService';
import { Slot, type IDisposable } from '../../../src/util/disposable';
import { ObservableValue } from '../../../src/util/event';
import { afterwards, cleanUp, clientOf, storageIn, temporaryFolder } from './support';

afterEach(cleanUp);

/** An open panel's questions about its session, as a real service counts them. */
class Polled {
  readonly focused = new ObservableValue(true);
  readonly #watch = new Slot<IDisposable>();

  constructor(
    readonly service: SampleService,
    readonly monitor: SessionMonitor,
    readonly sessionId: string,
  ) {
    afterwards(() => this.#watch.dispose());
  }

  /** As a panel does that is shown or hidden. */
  setVisible(visible: boolean): void {
    this.#watch.set(visible ? this.monitor.watch(this.sessionId, 'inFront') : undefined);
  }

  get asked(): readonly RecordedRequest[] {
    return this.service.requests.filter(
      ({ method, path }) => method === 'GET' && path.includes(this.sessionId),
    );
  }

  /** Resolves when the service has been asked so often in all. */
  async until(count: number): Promise<void> {
    if (this.asked.length >= count) return;
    await new Promise<void>(resolve => {
      const subscription = this.service.onDidReceive(() => {
        if (this.asked.length < count) return;
        subscription.dispose();
        resolve();
      });
    });
  }
}

async function polled(fastestMs: number): Promise<Polled> {
  const service = await startSampleService({ pace: 1000 });
  afterwards(() => service.close());
  const client = clientOf(service);
  const [computer] = (await client.computers.list()).items;
  const session = await client.sessions.create({ computerId: computer!.id });
  const index = new SessionIndex(storageIn(temporaryFolder()));
  await index.use('service');
  await index.learn('service', { session, origin: 'created', at: 1 });
  const focused = new ObservableValue(true);
  const monitor = new SessionMonitor({
    index,
    api: () => client,
    focused,
    fastestMs: () => fastestMs,
    apartMs: 0,
    sentence: error => String(error),
  });
  afterwards(() => {
    monitor.dispose();
    index.dispose();
  });
  return Object.assign(new Polled(service, monitor, session.sessionId), { focused });
}

describe('the questions of an open panel', () => {
  it('come fast while the agent works, and ever slower while nothing changes', async () => {
    const it = await polled(20);
    await clientOf(it.service).messages.sendBody(it.sessionId, JSON.stringify({ text: 'Work' }));
    const before = it.asked.length;
    it.setVisible(true);
    await it.until(before + 6);
    const times = it.asked.slice(before).map(({ receivedAt }) => receivedAt);
    const later = times[5]! - times[4]!;
    assert.ok(later > 20 * 1.5, `${later} ms after several without news`);
  });

  it('rest while nobody sees the panel or the window has no focus', async () => {
    const it = await polled(5);
    await clientOf(it.service).messages.sendBody(it.sessionId, JSON.stringify({ text: 'Work' }));
    it.setVisible(true);
    await it.until(1);
    it.setVisible(false);
    const hidden = it.asked.length;
    it.focused.set(false);
    it.setVisible(true);
    // That nothing is asked has no event: twenty times the shortest pause between questions.
    await new Promise(resolve => setTimeout(resolve, 100));
    assert.ok(it.asked.length <= hidden + 1, 'only what was under way');
  });

  it('come at once when the window gets the focus again, however long it had been idle', async () => {
    const it = await polled(100_000);
    it.setVisible(true);
    await it.until(1);
    it.focused.set(false);
    // Its answer has to be known: a window that comes back goes on from there.
    await it.monitor.check(it.sessionId);
    const away = it.asked.length;
    it.focused.set(true);
    await it.until(away + 1);
  });

  it('are one at a time, and an answer that comes too late is dropped', async () => {
    const it = await polled(1);
    it.service.fail({
      kind: 'delay',
      ms: 200,
      match: { method: 'GET', path: new RegExp(it.sessionId) },
      times: 1,
    });
    const first = it.monitor.check(it.sessionId);
    it.setVisible(true);
    const second = it.monitor.check(it.sessionId);
    await Promise.all([first, second]);
    assert.equal(it.asked.length, 1, 'whoever asks meanwhile gets the same answer');
  });
});
