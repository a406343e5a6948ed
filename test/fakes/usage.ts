import { once } from 'node:events';
import { Analytics, type Row } from '../../src/sample/analytics';
import { dayOf, EARLIEST_DAY, seeded } from '../../src/sample/random';
import { addDays, daysOf } from '../../src/usage/report/calendar';
import { report } from '../../src/usage/report/report';
import type { Day, DayRange, Steps, TabId, TabReport, UsageQuery } from '../../src/usage/report/types';
import { Dashboard, type UsageSource } from '../../src/usage/dashboard';
import type { UsageProtocol } from '../../src/usage/protocol';
import { Emitter } from '../../src/util/lifecycle';
import { panelSide, type PanelHandlers, type PanelSide } from '../../src/webview/ipc';

/** People who work with agents; those that `names` has none for have addresses. */
function peopleOf(count: number, names: readonly string[] = []) {
  return Array.from({ length: count }, (_, index) => ({
    id: `user_${seeded('person', index).hex(20)}`,
    email: names[index] ?? `person.${index}@acme.example`,
  }));
}

/** An organization of any size, from the sample's first day on; the same for the same size. */
type Size = Readonly<Record<'days' | 'people', number>>;
const usageOf = ({ people }: Size): Analytics => new Analytics(peopleOf(people));
const spanOf = ({ days }: Size) => ({ first: EARLIEST_DAY, last: EARLIEST_DAY + days - 1 });

/** Rows of section 2.6, person after person, as the service pages them. */
export const userRows = (size: Size): Row[] => usageOf(size).users(spanOf(size), Infinity).rows;

/** Rows of section 2.2. */
export const tokenRows = (size: Size): Row[] => usageOf(size).tokens(spanOf(size));

export function answerOf(rows: readonly unknown[], extra: Record<string, unknown> = {}): string {
  const meta = { org_id: 'org_acme', has_more: false, next_cursor: null, ...extra };
  return JSON.stringify({ data: rows, meta });
}

export const bounds: DayRange = { start: '2026-01-14', end: '2026-11-20' };

export const hostileNames = [
  '<img src=x onerror="document.title=1">',
  '=HYPERLINK("http://example.invalid","x")',
  '[x](command:workbench.action.reloadWindow)',
  'exe.\u202etxt\u202c "quoted", comma\nnew line',
  'Ωμέγα \u{1f9ea} 名前がとても長い人'.repeat(4),
] as const;

const first = ['ada', 'bo', 'chidi', 'dörte', 'émile', 'fatima', 'gao', 'håkon', 'ines', "o'neil"];
const last = ['abel', 'brandt', 'castillo', 'dube', 'eriksen', 'fontaine', 'grün', 'hashimoto'];
const usual = Array.from({ length: 80 }, (_, n) => `${first[n % 10]}.${last[n % 8]}.${n}@example.com`);

const working = peopleOf(usual.length, [...hostileNames, ...usual.slice(hostileNames.length)]);
export const people = working.map(({ id, email }) => ({ id, name: email }));

const usage = new Analytics(working);
const span = { first: dayOf(Date.parse(bounds.start)), last: dayOf(Date.parse(bounds.end)) };
const hostileTools = [
  { tool: hostileNames[2], invocations: 100 },
  { tool: hostileNames[3], invocations: 1 },
];
const by_extension = Array.from({ length: 600 }, (_, count) => ({ extension: `e${count}`, count }));
const makers: Readonly<Record<TabId, () => readonly Row[]>> = {
  tokens: () => usage.tokens(span),
  people: () => usage.users(span, Infinity).rows,
  tools: () =>
    usage.tools(span).map(row => ({ ...row, by_tool: [...(row['by_tool'] as Row[]), ...hostileTools] })),
  activity: () => usage.activity(span),
  productivity: () =>
    usage
      .productivity(span)
      .map((row, at, { length }) => ({ ...row, by_extension: at === length - 1 ? by_extension : [] })),
};
const made = new Map<TabId, ReadonlyMap<unknown, readonly Row[]>>();

/** Made as reports of a real organization are: always the same for the same query, with odd and hostile names. */
export function makeReport(
  query: UsageQuery,
  { days, at = 0, problems = [] }: { days: ReadonlySet<Day>; at?: number; problems?: readonly string[] },
  problem?: string,
): TabReport {
  const { tab } = query;
  const rows = made.get(tab) ?? Map.groupBy(makers[tab](), ({ date }) => date);
  made.set(tab, rows);
  const recordOf = (day: Day) => ({ at, rows: (rows.get(day) ?? []) as never, problems });
  const steps = report(query, new Map([...days].map(day => [day, recordOf(day)])), {
    ...{ bounds, orgId: 'org_01JH7ZK3QF5Y8', salt: 'salt', problem },
    directory: [...people, { id: 'user_nobody' }],
    revisions: [
      { revision: 45, day: '2026-11-03', changed: ['maxAutonomyLevel'] },
      { revision: 31, day: addDays('2026-11-03', -140), changed: ['<b>allowedModels</b>'] },
    ],
  });
  return drained(steps);
}

/** Does work without a pause. */
export function drained<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

type State = ReturnType<UsageSource['state']>;

/** A source of made-up reports whose moods a test sets. */
export class FakeUsageSource implements UsageSource {
  bounds = bounds;
  readonly asked: UsageQuery[] = [];
  readonly fetched: { readonly query: UsageQuery; readonly again: boolean }[] = [];
  /** Why days cannot be fetched; only a fetch tells. */
  problem: string | undefined;
  /** Not known of a new key. */
  orgId: string | undefined = 'org_01JH7ZK3QF5Y8';
  /** What could not be read of each day. */
  problems: readonly string[] = [];
  /** Awaited before a report from the cache is answered, and between the first half of a fetch and the rest. */
  gate: Promise<unknown> = Promise.resolve();
  fetchGate: Promise<unknown> = Promise.resolve();
  /** Fetches under way, and those that were given up. */
  running = 0;
  ended = 0;
  /** Unix ms; when the newest day was fetched. */
  #fetchedAt = Date.now() - 12 * 60_000;
  #known = new Set(daysOf(bounds));
  #told: string | undefined;
  #state: State = { kind: 'ready' };
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly state = (): State => this.#state;

  become(state: State): void {
    this.#state = state;
    this.#changed.fire();
  }

  /** Forgets days: all of them, or the newest so many. */
  forget(count = Infinity): void {
    const days = daysOf(bounds);
    this.#known = new Set(days.slice(0, Math.max(0, days.length - count)));
  }

  async report(query: UsageQuery): Promise<TabReport> {
    this.asked.push(query);
    await this.gate;
    const known = { days: this.#known, at: this.#fetchedAt, problems: this.problems };
    return { ...makeReport(query, known, this.problem && this.#told), orgId: this.orgId };
  }

  async fetch(
    query: UsageQuery,
    { again = false, signal, onPage }: Parameters<UsageSource['fetch']>[1],
  ): Promise<string | undefined> {
    this.fetched.push({ query, again });
    this.running++;
    onPage?.(1);
    const left = once(signal, 'abort').then(() => this.ended++);
    await Promise.race([this.fetchGate, left]).finally(() => this.running--);
    signal.throwIfAborted();
    this.#told = this.problem;
    if (this.problem !== undefined) return this.problem;
    for (const day of daysOf(query.range)) this.#known.add(day);
    this.#fetchedAt = Date.now();
    return undefined;
  }
}

/** A dashboard without a panel, and what its page has had it do. `post` hands a message to the page. */
export class FakeDashboard {
  readonly dashboard: Dashboard;
  readonly saved: { readonly name: string; readonly text: string }[] = [];
  readonly copied: string[] = [];
  readonly problems: string[] = [];
  signIns = 0;
  panel: PanelSide<UsageProtocol> | undefined;

  constructor(
    post: (message: unknown) => unknown,
    readonly source = new FakeUsageSource(),
  ) {
    const onProblem = (problem: string, error?: unknown) => this.problems.push(`${problem} ${String(error)}`);
    const acts: Partial<PanelHandlers<UsageProtocol>> = {
      save: file => {
        this.saved.push(file);
        return file.name;
      },
      copy: ({ text }) => this.copied.push(text),
      signIn: () => this.signIns++,
    };
    this.dashboard = new Dashboard(source, {
      connect: ({ protocol, handlers }) => {
        const options = { protocol, handlers: { ...handlers, ...acts }, post, describe: String, onProblem };
        return (this.panel = panelSide(options));
      },
    });
  }
}
