import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Dashboard } from '../../../src/usage/show/dashboard';
import {
  addDays,
  lengthOf,
  firstState,
  pageState,
  queryOf,
  type Preset,
  type Situation,
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

  constructor() {
    this.dashboard = new Dashboard(this.source, {
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
    });
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
const again = { again: true, state: firstState };
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
    const stage = new Stage();
    const kept = { ...firstState, tab: 'people', person: people[7]!.id };
    assert.deepEqual((await stage.start(kept)).state, kept);
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
    await until(() => stage.source.asked.length === 4);
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
      stage.tell('fetch', again);
      await stage.message(({ name }) => name === 'fetching');
      stage.source.fetchedAt = asked;
      stage.source.become({ kind: 'ready' });
      if (end === 'fails') fail(new Error('No.'));
      else stage.tell('cancel');
      const { fetchedAt, missing } = await stage.report();
      assert.deepEqual([fetchedAt, missing?.problem], [asked, end === 'fails' ? 'No.' : undefined]);
    }
  });

  it('says that a fetch is through, whatever was shown meanwhile, and of a cancel that none is under way', async () => {
    const stage = new Stage();
    const hasNone = () => stage.message(({ name, payload }) => name === 'fetching' && payload === null);
    await stage.start();
    await stage.report();
    let arrive = (): void => undefined;
    stage.source.fetchGate = new Promise<void>(resolve => (arrive = resolve));
    stage.tell('fetch', again);
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
    for (const kept of hostile) assert.ok(!pageState(kept), JSON.stringify(kept));
    assert.deepEqual((await new Stage().start()).state, firstState);
    assert.ok(pageState(structuredClone(firstState)));
  });

  it('never asks beyond the first and the last day', async () => {
    const stage = new Stage();
    await stage.start();
    const custom = { start: '2020-01-01', end: '2030-01-01' };
    stage.tell('show', { ...query, range: custom });
    stage.tell('fetch', { again: true, state: { ...firstState, preset: 'custom', custom } });
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
      () => stage.tell('fetch', again),
      () => stage.tell('show', { ...query, tab: 'tools' }),
      () => stage.tell('cancel'),
      () => stage.dashboard.pageGone(),
    ];
    for (const act of acts) {
      stage.tell('fetch', again);
      await until(() => stage.source.running === 1);
      const { ended } = stage.source;
      act();
      await until(() => stage.source.ended === ended + 1);
      stage.tell('cancel');
      await until(() => stage.source.running === 0);
    }
    assert.deepEqual(stage.problems, []);
  });

  it('tells the page of another finished day when somebody looks again, and fetches all that it shows on Refresh', async () => {
    const stage = new Stage();
    await stage.start();
    await stage.report();
    const nextDay = () => {
      const end = addDays(stage.source.bounds.end, 1);
      stage.source.bounds = { ...bounds, end };
      stage.posted.length = 0;
    };
    // As the page does that is told of it.
    const follow = () => stage.tell('show', queryOf(firstState, stage.source.bounds));
    stage.dashboard.lookAgain();
    nextDay();
    stage.dashboard.lookAgain();
    assert.deepEqual(
      stage.sent<Situation>('situation').map(sent => sent.bounds),
      [stage.source.bounds],
    );
    follow();
    await stage.report(({ fetched }) => fetched === 'missing');
    nextDay();
    stage.tell('fetch', again);
    follow();
    const { range } = (await stage.report(({ fetched }) => fetched === 'again')).query;
    assert.equal(range.end, stage.source.bounds.end);
    assert.equal(stage.source.ended, 0);
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
});
