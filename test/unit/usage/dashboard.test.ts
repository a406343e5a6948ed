import assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as fc from 'fast-check';
import { Dashboard } from '../../../src/usage/show/dashboard';
import {
  lengthOf,
  firstState,
  pageState,
  queryOf,
  usageProtocol,
  type Preset,
  type Start,
  type TabReport,
} from '../../../src/usage/show/protocol';
import { bounds, people } from '../../fakes/usageReports';
import { FakeUsageSource } from '../../fakes/usageSource';
import { until } from '../../until';

interface Message {
  readonly kind: string;
  readonly name?: string;
  readonly id?: number;
  readonly reason?: string;
  readonly value?: unknown;
  readonly payload?: unknown;
}

interface Sent {
  readonly report: TabReport;
  readonly fetched?: string;
}

const stages: Stage[] = [];

class Stage {
  readonly source = new FakeUsageSource();
  readonly posted: Message[] = [];
  readonly acts: string[] = [];
  readonly problems: string[] = [];
  readonly #heard = new Set<() => void>();
  readonly dashboard: Dashboard;

  constructor(kept?: unknown) {
    this.dashboard = new Dashboard(
      this.source,
      {
        language: 'en',
        ready: () => undefined,
        texts: undefined,
        post: message => {
          this.posted.push(message as Message);
          for (const look of this.#heard) look();
        },
        save: (name, text) => {
          this.acts.push(`save ${name} ${text.length}`);
          return Promise.resolve(undefined);
        },
        copy: text => {
          this.acts.push(`copy ${text.length}`);
          return Promise.resolve();
        },
        signIn: () => this.acts.push('signIn'),
        describe: error => (error as Error).message,
        onProblem: problem => this.problems.push(problem),
      },
      kept,
    );
    stages.push(this);
  }

  /** Resolves with the first message that fits, sent already or later. */
  async message(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.posted.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>(resolve => {
        const look = () => {
          this.#heard.delete(look);
          resolve();
        };
        this.#heard.add(look);
      });
    }
  }

  tell(name: string, params: unknown = {}): void {
    this.dashboard.receive({ name, params });
  }

  /** What was sent under a name since the page was ready. */
  sent<T>(name: string): T[] {
    return this.posted.filter(message => message.name === name).map(({ payload }) => payload as T);
  }

  /** The first report there is, or the first that fits. */
  async report(fits: (sent: Sent) => boolean = () => true): Promise<TabReport> {
    const found = await this.message(({ name, payload }) => name === 'report' && fits(payload as Sent));
    return (found.payload as Sent).report;
  }

  async start(state?: unknown): Promise<Start> {
    this.posted.length = 0;
    this.tell('ready', state === undefined ? {} : { state });
    return (await this.message(({ name }) => name === 'start')).payload as Start;
  }
}

const query = queryOf(firstState, bounds);
const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10));

describe('the range of the dashboard', () => {
  it('always lies within what may be asked for, whatever is chosen', () => {
    const preset = fc.constantFrom<Preset>('7', '30', '90', 'all', 'custom');
    fc.assert(
      fc.property(preset, day, day, (chosen, a, b) => {
        const custom = a <= b ? { start: a, end: b } : { start: b, end: a };
        const { range } = queryOf({ ...firstState, preset: chosen, custom }, bounds);
        assert.ok(range.start >= bounds.start && range.end <= bounds.end && range.start <= range.end);
        if (chosen !== 'custom' && chosen !== 'all') assert.equal(lengthOf(range), Number(chosen));
      }),
    );
  });
});

describe('the dashboard', () => {
  afterEach(() => {
    for (const { dashboard } of stages.splice(0)) dashboard.dispose();
  });

  it('sends the report of what a page kept, and asks for it once', async () => {
    const stage = new Stage({ ...firstState, tab: 'people', person: people[7]!.id });
    assert.equal((await stage.start()).state.tab, 'people');
    assert.equal((await stage.report()).query.person, people[7]!.id);
    assert.equal(stage.source.asked.length, 1);
    // A page built anew brings what it kept.
    stage.dashboard.pageGone();
    await stage.start({ ...firstState, tab: 'tools' });
    assert.equal((await stage.report()).query.tab, 'tools');
  });

  it('sends only the report of what is shown last, and fetches what is missing once', async () => {
    const stage = new Stage();
    stage.source.forget(2);
    await stage.start();
    assert.equal((await stage.report()).missing?.days.length, 2);
    assert.equal((await stage.report(({ fetched }) => fetched === 'missing')).missing, undefined);
    let open = (): void => undefined;
    stage.source.gate = new Promise<void>(resolve => (open = resolve));
    stage.posted.length = 0;
    stage.tell('show', { ...query, tab: 'tools' });
    stage.tell('show', { ...query, tab: 'activity' });
    await until(() => stage.source.asked.length === 3);
    open();
    assert.equal((await stage.report()).query.tab, 'activity');
    assert.deepEqual(
      stage.sent<{ report: TabReport }>('report').map(({ report }) => report.query.tab),
      ['activity'],
    );
    assert.equal(stage.source.fetched.length, 1);
  });

  it('looks at what changed while it fetched, also where that fetch failed or was cancelled', async () => {
    const stage = new Stage();
    await stage.start();
    await stage.report();
    for (const end of ['fails', 'is cancelled']) {
      let fail: (error: Error) => void = () => undefined;
      stage.source.fetchGate = new Promise((_, reject) => (fail = reject));
      stage.source.fetchGate.catch(() => undefined);
      stage.posted.length = 0;
      const asked = stage.source.asked.length;
      stage.tell('fetch', { again: true });
      await stage.message(({ name }) => name === 'fetching');
      stage.source.fetchedAt = asked;
      stage.source.become({ kind: 'ready' });
      if (end === 'fails') fail(new Error('No.'));
      else stage.tell('cancel');
      assert.equal((await stage.report()).fetchedAt, asked, end);
      await stage.message(({ name, payload }) => name === 'fetching' && payload === null);
      if (end === 'fails')
        await stage.message(({ name, payload }) => name === 'refused' && payload === 'No.');
    }
  });

  it('says that a fetch is through, whatever was shown meanwhile, and of a cancel that none is under way', async () => {
    const stage = new Stage();
    const hasNone = () => stage.message(({ name, payload }) => name === 'fetching' && payload === null);
    await stage.start();
    await stage.report();
    let arrive = (): void => undefined;
    stage.source.fetchGate = new Promise<void>(resolve => (arrive = resolve));
    stage.tell('fetch', { again: true });
    await until(() => stage.source.running === 1);
    stage.posted.length = 0;
    stage.tell('show', { ...query, compare: true });
    stage.source.gate = Promise.reject(new Error('No.'));
    stage.source.gate.catch(() => undefined);
    arrive();
    await hasNone();
    stage.posted.length = 0;
    stage.tell('cancel');
    await hasNone();
  });

  it('begins anew with whatever a page is said to have kept', async () => {
    const hostile = [
      null,
      'x',
      { ...firstState, tab: 'passwords' },
      { ...firstState, custom: { start: '2026-02-30', end: '2026-03-01' } },
      { ...firstState, custom: { start: '2026-03-02', end: '2026-03-01' } },
      { ...firstState, extra: 1 },
      { ...firstState, sections: [{ tab: 'tools', id: 'x', sort: { column: 5 } }] },
    ];
    for (const kept of hostile) {
      const { state } = await new Stage(kept).start();
      assert.deepEqual(state, firstState);
    }
    assert.ok(pageState(structuredClone(firstState)));
  });

  it('never asks beyond the first and the last day', async () => {
    const stage = new Stage();
    await stage.start();
    stage.tell('show', { ...query, range: { start: '2020-01-01', end: '2030-01-01' } });
    stage.tell('fetch', { again: true });
    await stage.report(({ fetched }) => fetched === 'again');
    assert.deepEqual(stage.source.asked.at(-1)?.range, bounds);
    assert.deepEqual(stage.source.fetched.at(-1)?.query.range, bounds);
  });

  it('ends a fetch for a newer one, for other days, when it is cancelled, and when the page goes', async () => {
    const stage = new Stage();
    await stage.start();
    await stage.report();
    stage.source.fetchGate = new Promise(() => undefined);
    const acts: (() => void)[] = [
      () => stage.tell('fetch', { again: true }),
      () => stage.tell('show', { ...query, tab: 'tools' }),
      () => stage.tell('cancel'),
      () => stage.dashboard.pageGone(),
    ];
    for (const act of acts) {
      stage.tell('fetch', { again: true });
      await until(() => stage.source.running === 1);
      const { ended } = stage.source;
      act();
      await until(() => stage.source.ended === ended + 1);
      stage.tell('cancel');
      await until(() => stage.source.running === 0);
    }
    assert.deepEqual(stage.problems, []);
  });

  it('tells a page that listens of changes, and nobody else', async () => {
    const stage = new Stage();
    stage.source.become({ kind: 'forbidden', sentence: 'No.' });
    assert.deepEqual(stage.posted, []);
    const { situation } = await stage.start();
    assert.equal(situation.state.kind, 'forbidden');
    stage.source.become({ kind: 'ready' });
    await stage.message(({ name }) => name === 'situation');
    await stage.report();
    stage.dashboard.dispose();
    stage.posted.length = 0;
    stage.source.become({ kind: 'ready' });
    assert.deepEqual(stage.posted, []);
  });

  it('answers 10,000 messages of any shape without an act beyond the documented ones', () => {
    const stage = new Stage();
    const names = Object.keys(usageProtocol.requests);
    const legal: unknown[] = [query, { again: true }, { format: 'csv' }];
    const message = fc.oneof(
      fc.anything(),
      fc.record({
        id: fc.oneof(fc.nat(), fc.anything()),
        name: fc.oneof(fc.constantFrom(...names, '__proto__', 'constructor'), fc.string()),
        params: fc.oneof(
          fc.anything(),
          fc.constantFrom(...legal).map(params => mutate(params)),
        ),
      }),
    );
    fc.assert(
      fc.property(message, sent => stage.dashboard.receive(sent)),
      { numRuns: 10_000 },
    );
    for (const { range } of stage.source.asked)
      assert.ok(range.start >= bounds.start && range.end <= bounds.end);
    assert.ok(stage.problems.length > 9000);
    assert.ok(
      stage.acts.every(act => /^(save usage-[\w-]+\.(csv|json) \d+|copy \d+|signIn)$/.test(act)),
      stage.acts.join(),
    );
  });

  it('tells an open page of each new finished day, and no page that is gone', async () => {
    const noon = Date.UTC(2026, 10, 21, 12);
    const stage = new Stage();
    await stage.start();
    stage.dashboard.pageGone();
    // From here on time is made up.
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: noon });
    try {
      await stage.start();
      const told = () => stage.posted.filter(({ name }) => name === 'situation').length;
      pass(12 * 60);
      assert.equal(told(), 0);
      pass(11);
      assert.equal(told(), 1);
      pass(24 * 60);
      assert.equal(told(), 2);
      pass(12 * 60);
      // Timers stand still while the machine sleeps.
      mock.timers.setTime(Date.now() + 12 * 3_600_000);
      pass(5);
      assert.equal(told(), 3);
      stage.dashboard.pageGone();
      pass(48 * 60);
      assert.equal(told(), 3);
    } finally {
      mock.timers.reset();
      stage.dashboard.dispose();
    }
  });
});

/** Lets minutes pass one after another. */
function pass(minutes: number): void {
  for (let minute = 0; minute < minutes; minute++) mock.timers.tick(60_000);
}

/** The same with one thing too much. */
function mutate(params: unknown): unknown {
  return { ...(params as object), surprise: true };
}
