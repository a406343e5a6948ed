import assert from 'node:assert/strict';
import { ApiClient } from '../../../src/api';
import { ComputerList, type ComputerListState } from '../../../src/computers/computerList';
import { followLooking, type Visible } from '../../../src/computers/looking';
import { computerRow } from '../../../src/computers/row';
import type { SharedList } from '../../../src/computers/sharedList';
import { startSampleService, type SampleService } from '../../../src/sample';
import { errorSentence } from '../../../src/util/errorSentence';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { silentLog } from '../../fakes/log';

describe('the list of computers', () => {
  let service: SampleService;
  let client: ApiClient;
  let signedIn: boolean;
  let list: ComputerList;

  beforeEach(async () => {
    service = await startSampleService({ pace: 0 });
    client = new ApiClient({
      baseUrl: service.baseUrl,
      appUrl: service.appUrl,
      key: () => Promise.resolve(service.apiKey),
      log: silentLog(),
      delay: () => Promise.resolve(),
    });
    signedIn = true;
    list = new ComputerList({
      api: () => (signedIn ? client : undefined),
      usualMs: () => 30_000,
      sentence: error => errorSentence(error),
      language: 'en',
    });
  });
  afterEach(async () => {
    list.dispose();
    client.dispose();
    await service.close();
  });

  /** Resolves with the first state that holds. */
  const until = (holds: (state: ComputerListState) => boolean): Promise<ComputerListState> =>
    new Promise(resolve => {
      if (holds(list.state.current)) resolve(list.state.current);
      const subscription = list.state.onDidChange(state => {
        if (!holds(state)) return;
        subscription.dispose();
        resolve(state);
      });
    });
  const listings = (): number => service.requests.filter(({ path }) => path === '/api/v0/computers').length;

  it('is read when somebody looks, once for all who ask at the same time', async () => {
    await Promise.all([list.refresh(), list.refresh(), list.refresh()]);
    assert.equal(listings(), 1);
    assert.ok(list.state.current.computers.length > 3);
  });

  it('keeps what was listed when a later reading fails, with the reason and its age', async () => {
    await list.refresh();
    const { at, computers } = list.state.current;
    service.fail({ kind: 'status', status: 503 });
    await list.refresh();
    assert.deepEqual(list.state.current.computers, computers);
    assert.equal(list.state.current.at, at);
    assert.match(list.state.current.failure?.sentence ?? '', /503/);
    const [first] = computers;
    assert.ok(first);
    assert.equal(list.unknownSince(first.id), at);
    assert.match(computerRow(first, new Formatter('en'), at).description, /^unknown, \w+.* 0 sec ago · /);
  });

  it('does not know how a computer stands after a failed list, but where it was asked for by itself since', async () => {
    let now = 1_000_000;
    const others = new ComputerList({
      api: () => client,
      usualMs: () => 30_000,
      sentence: () => 'No answer.',
      language: 'en',
      now: () => now,
    });
    await others.refresh();
    const [first, second] = others.state.current.computers;
    assert.ok(first && second);
    assert.equal(others.unknownSince(first.id), undefined);
    now += 5_000;
    const failing = service.fail({ kind: 'status', status: 503 });
    await others.refresh();
    failing.dispose();
    now += 5_000;
    await others.refreshOne(second.id);
    assert.deepEqual([others.unknownSince(first.id), others.unknownSince(second.id)], [1_000_000, undefined]);
    await others.refresh();
    assert.equal(others.unknownSince(first.id), undefined);
    others.dispose();
  });

  it('shows the others when one computer cannot be read, and names that one', async () => {
    service.fail({
      kind: 'alter',
      alter: body => {
        const { computers } = body as { computers: Record<string, unknown>[] };
        delete computers[0]?.['name'];
        return { computers };
      },
    });
    await list.refresh();
    assert.equal(list.state.current.problems.length, 1);
    assert.ok(list.state.current.computers.length > 3);
  });

  it('rests while there is no client, and wakes when there is one again', async () => {
    signedIn = false;
    list.setVisible(true);
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(listings(), 0);
    signedIn = true;
    list.wake();
    await until(state => state.at !== undefined);
    assert.equal(listings(), 1);
  });

  it('is read while any view that shows computers is visible, in a window with the focus', async () => {
    const changed = { computers: new Emitter<void>(), sessions: new Emitter<void>() };
    const shown = { computers: false, sessions: false };
    const show = (name: keyof typeof shown, visible: boolean): void => {
      shown[name] = visible;
      changed[name].fire();
    };
    const view = (name: keyof typeof shown): Visible => ({
      get visible() {
        return shown[name];
      },
      onDidChangeVisibility: changed[name].event,
    });
    const focused = new ObservableValue(true);
    const told: boolean[] = [];
    const looking = followLooking([view('computers'), view('sessions')], focused, seen => {
      told.push(seen);
      list.setVisible(seen);
    });
    assert.equal(list.state.current.at, undefined);
    show('sessions', true);
    await until(state => state.at !== undefined);
    assert.equal(listings(), 1);
    focused.set(false);
    focused.set(true);
    show('sessions', false);
    show('computers', true);
    assert.deepEqual(told, [false, true, false, true, false, true]);
    looking.dispose();
    show('computers', false);
    assert.equal(told.length, 6);
  });

  it('is not asked for again when an answer has come while the turn was taken', async () => {
    const told = new Emitter<unknown>();
    let [give, begun] = [(): void => undefined, (): void => undefined];
    const taking = new Promise<void>(resolve => (begun = resolve));
    const shared = {
      onDidChange: new Emitter<void>().event,
      take: () => {
        begun();
        return new Promise<number>(resolve => (give = () => resolve(0)));
      },
      tell: (answer: unknown) => {
        told.fire(answer);
        return Promise.resolve();
      },
    } as unknown as SharedList;
    const slow = new ComputerList({
      api: () => client,
      usualMs: () => 30_000,
      sentence: String,
      language: 'en',
      shared,
    });
    slow.setVisible(true);
    await taking;
    await slow.refresh();
    const letGo = new Promise(resolve => told.event(resolve));
    give();
    assert.equal(await letGo, undefined);
    assert.equal(listings(), 1);
    slow.dispose();
  });

  it('reads one computer in its place', async () => {
    await list.refresh();
    const before = list.state.current.computers;
    await list.refreshOne(before[1]!.id);
    assert.deepEqual(
      list.state.current.computers.map(({ id }) => id),
      before.map(({ id }) => id),
    );
  });

  it('does not put an answer that was asked for earlier in the place of a newer one', async () => {
    await list.refresh();
    const [first] = list.state.current.computers;
    assert.ok(first);
    const { computers } = client;
    let answer: (() => void) | undefined;
    const held = new Promise<void>(resolve => (answer = resolve));
    let asked: (() => void) | undefined;
    const begun = new Promise<void>(resolve => (asked = resolve));
    const slow = new ComputerList({
      api: () => api,
      usualMs: () => 30_000,
      sentence: error => errorSentence(error),
      language: 'en',
    });
    const api = {
      computers: {
        list: async (...of: Parameters<typeof computers.list>) => {
          const known = await computers.list(...of);
          asked?.();
          await held;
          return known;
        },
        get: (id: string) => Promise.resolve({ ...first, id, name: 'renamed meanwhile' }),
      },
    };
    const listing = slow.refresh();
    await begun;
    await slow.refreshOne(first.id);
    answer?.();
    await listing;
    assert.equal(slow.find(first.id)?.name, 'renamed meanwhile');
    assert.equal(slow.state.current.computers.length, list.state.current.computers.length);
    await slow.refresh();
    assert.equal(slow.find(first.id)?.name, first.name, 'a list asked for later counts again');
    slow.dispose();
  });

  it('forgets everything of another service', async () => {
    await list.refresh();
    list.clear();
    assert.deepEqual(list.state.current, { computers: [], problems: [] });
  });
});
