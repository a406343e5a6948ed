import { createHmac } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { UserDay } from '../../api';
import { byAmount, combined, knownOf, sum, type Amount } from '../../util/amount';
import { compareText } from '../../util/compare';
import type { KnownDays } from '../days';
import { dayAt, isEarly } from './calendar';
import {
  addUp,
  byDay,
  column,
  ofDays,
  shown,
  summed,
  tableOf,
  type ColumnOf,
  type Context,
  type Metric,
  type Period,
  type Tab,
} from './parts';
import type { Day, Section, Steps } from './types';

/** Someone of the organization, as its list of users has them (section 2.11). */
export interface DirectoryPerson {
  readonly id: string;
  readonly name?: string | undefined;
  /** Unix ms. */
  readonly lastSignInAt?: number | undefined;
}

const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** What people are called in reports: by e-mail address or name, or by names made up from a salt, the same in every report. */
export class PeopleNames {
  readonly #salt: string | undefined;
  readonly #names: Map<string, string | undefined>;

  constructor(salt: string | undefined, directory: readonly DirectoryPerson[]) {
    this.#salt = salt;
    this.#names = new Map(directory.map(({ id, name }) => [id, name]));
  }

  /** Remembers the address that came with usage. */
  learn(id: string, email: string | null | undefined): void {
    if (typeof email === 'string' && email !== '') this.#names.set(id, email);
  }

  of(id: string): string {
    if (this.#salt === undefined) return shown(this.#names.get(id) ?? id);
    const digest = createHmac('sha256', this.#salt).update(id).digest();
    const made = [...digest.subarray(0, 6)].map(byte => LETTERS[byte % 32] ?? '');
    return l10n.t('Person {0}', made.join(''));
  }

  /** User ids; none among pseudonyms. */
  idColumn<T>(of: (item: T) => string | undefined): ColumnOf<T>[] {
    if (this.#salt !== undefined) return [];
    const text = (id: string | undefined): string => (id === undefined ? '' : shown(id));
    return [column('user_id', l10n.t('User id'), 'text', item => text(of(item)))];
  }
}

/** A day's rows of section 2.6, one a person. */
type People = readonly UserDay[];

/**
 * Who worked on a day, where that is known. Whoever did not has no row: on a day without any, nobody worked, unless it may still come
 * or some of it could not be read.
 */
export function peopleOn(day: Day, known: KnownDays): People | undefined {
  const { at = 0, rows = [], problems = [] } = known.get(day) ?? {};
  const isKnown = rows.length > 0 || (problems.length === 0 && !isEarly(at, day));
  return isKnown ? (rows as People) : undefined;
}

/** The counts of a row that add up over days and people, in the order they are shown. */
function counted() {
  return [
    ['billable_tokens', l10n.t('Billable tokens')],
    ['tool_calls', l10n.t('Tool calls')],
    ['sessions', l10n.t('Sessions')],
    ['messages', l10n.t('Messages')],
    ['files_created', l10n.t('Files created')],
    ['files_edited', l10n.t('Files edited')],
    ['git_commits', l10n.t('Commits')],
    ['git_prs_created', l10n.t('Pull requests')],
    ['user_messages', l10n.t('Messages from people')],
    ['assistant_messages', l10n.t('Messages from agents')],
    ['mcp_calls', l10n.t('MCP calls')],
    ['skill_calls', l10n.t('Skills used')],
    ['slash_commands', l10n.t('Slash commands used')],
    ['hooks', l10n.t('Hooks run')],
  ] as const;
}

/** Section 2.6. */
export function* peopleTab(
  context: Context<People>,
  directory: readonly DirectoryPerson[],
  known: KnownDays,
): Steps<Tab<People>> {
  const { now, names } = context;
  const groups = yield* byPerson(now);
  for (const [id, days] of groups) names.learn(id, emailOf(days));
  const before = context.before && (yield* byPerson(context.before));
  const metrics = yield* dayMetrics(context);
  const people: Metric<People> = {
    ...{ id: 'people', label: l10n.t('Active people'), of: rows => rows.length },
    make: (known, period) => (known.length === 0 ? undefined : (period === now ? groups : before)?.size),
    explanation: l10n.t('Distinct people with usage in the period.'),
  };
  const figures = [people, ...metrics];
  const sections = [
    byDay(context, {
      ...{ id: 'days', title: l10n.t('People by day'), chart: 'bars' },
      explanation: l10n.t('Distinct people with usage on each day. They do not add up over days.'),
      metrics: [people, ...metrics.map(metric => ({ ...metric, isCharted: false }))],
    }),
    everybody(now, groups, names),
  ];
  // Of days of which nothing is known nobody can be said to be missing.
  if (directory.length > 0 && now.rows.some(row => row !== undefined)) {
    const inactive = directory.filter(({ id }) => !groups.has(id));
    figures.splice(1, 0, {
      ...{ id: 'inactive', label: l10n.t('Without activity'), of: people.of },
      make: (_, period) => (period === now ? inactive.length : undefined),
      explanation: l10n.t('People in the organization without usage in this range.'),
    });
    sections.push(withoutActivity(inactive, names, known));
  }
  return { figures, sections };
}

/** Only one person's days: the context has no others. */
export function* personTab(context: Context<People>, person: string): Steps<Tab<People>> {
  const { now, names } = context;
  names.learn(person, emailOf(now.rows.flatMap(rows => rows ?? [])));
  const metrics = yield* dayMetrics(context);
  const whole = (day: People): Amount => (day.every(hasRatio) ? 0 : undefined);
  const ratioIn = ({ rows }: Period<People>): Amount => {
    const days = rows.map(day => day && whole(day));
    return combined(days, () => knownOf(ratioOf(rows.flatMap(day => day ?? []))));
  };
  const ratio: Metric<People> = {
    ...{ id: 'autonomy_ratio', label: l10n.t('Autonomy ratio'), unit: 'ratio', of: ratioOf, total: ratioIn },
    make: (_, period) => knownOf(ratioIn(period)),
    explanation: l10n.t('Tool calls per user message; each day is weighted by its messages.'),
  };
  const activeDays: Metric<People> = {
    ...{ id: 'days', label: l10n.t('Active days'), of: rows => Number(rows.length > 0), make: addUp },
    explanation: l10n.t('Days with usage.'),
  };
  return {
    figures: [activeDays, ...metrics, { ...ratio, of: whole }],
    sections: [
      byDay(context, {
        ...{ id: 'person', title: l10n.t('Days of {0}', names.of(person)), chart: 'bars' },
        explanation: l10n.t('The chart shows billable tokens; days without usage are empty.'),
        metrics: [...metrics, ratio].map(each => ({ ...each, isCharted: each.id === 'billable_tokens' })),
        more: detailColumns((_, at) => now.rows[at] ?? []),
      }),
    ],
  };
}

/** Each day is added up once, for all of its figures. */
function* dayMetrics({ now, before }: Context<People>): Steps<Metric<People>[]> {
  const known = new Map<People, readonly Amount[]>();
  const fields = counted();
  for (const rows of [...now.rows, ...(before?.rows ?? [])]) {
    // Of a day that the service has and this person is not in, there is nothing to count.
    if (rows !== undefined) known.set(rows, rows.length === 0 ? fields.map(() => 0) : sumsOf(fields, rows));
    yield;
  }
  return fields.map(([id, label], at) => summed<People>(id, label, rows => known.get(rows)?.[at]));
}

function sumsOf(fields: ReturnType<typeof counted>, rows: People): Amount[] {
  return fields.map(([field]) => sum(rows.map(row => row[field])));
}

function* byPerson({ rows }: Period<People>): Steps<Map<string, UserDay[]>> {
  const groups = new Map<string, UserDay[]>();
  for (const day of rows) {
    for (const row of day ?? []) {
      const group = groups.get(row.user_id);
      if (group === undefined) groups.set(row.user_id, [row]);
      else group.push(row);
    }
    yield;
  }
  return groups;
}

/** The newest that is there. */
function emailOf(days: People): string | null | undefined {
  return days.findLast(day => day.user_email)?.user_email;
}

/** Tool calls per message of a person over several days: each day's ratio weighs as many messages as it had. */
function ratioOf(days: People): Amount {
  let [weight, weighted] = [0, 0];
  const weights = days.map((day): Amount => {
    const { autonomy_ratio: ratio = 0, user_messages: messages = 0 } = day;
    if (!hasRatio(day)) return undefined;
    weight += messages;
    weighted += ratio * messages;
    return messages;
  });
  return combined(weights, () => (weight > 0 ? weighted / weight : undefined));
}

/** A day without messages needs no ratio. */
function hasRatio({ autonomy_ratio: ratio, user_messages: messages }: UserDay): boolean {
  return messages === 0 || (ratio !== undefined && messages !== undefined);
}

/** What is there on most days, the first by name of equals. */
function usual(values: readonly (string | undefined)[]): string {
  const known = Map.groupBy(
    values.filter(value => value !== undefined),
    value => value,
  );
  const [first] = [...known].sort(([a, x], [b, y]) => y.length - x.length || compareText(a, b));
  return first === undefined ? '' : shown(first[0]);
}

function detailColumns<T>(daysOf: (item: T, at: number) => People): ColumnOf<T>[] {
  const usually = (field: 'primary_model' | 'primary_model_tier' | 'delegation_level', label: string) =>
    column<T>(field, label, 'text', (item, at) => usual(daysOf(item, at).map(day => day[field])));
  const languages: ColumnOf<T>['of'] = (item, at) =>
    [...new Set(daysOf(item, at).flatMap(day => day.languages ?? []))].map(shown).sort().join(', ');
  return [
    usually('primary_model', l10n.t('Main model')),
    usually('primary_model_tier', l10n.t('Tier')),
    usually('delegation_level', l10n.t('Delegation')),
    column('languages', l10n.t('Languages'), 'text', languages),
  ];
}

function* everybody(
  now: Period<People>,
  groups: ReadonlyMap<string, People>,
  names: PeopleNames,
): Steps<Section> {
  interface Person {
    readonly id: string;
    readonly days: People;
    readonly sums: readonly Amount[];
  }
  const fields = counted();
  const people: Person[] = [];
  for (const [id, days] of groups) {
    people.push({ id, days, sums: sumsOf(fields, days) });
    yield;
  }
  people.sort((a, b) => byAmount(a.sums[0], b.sums[0]) || compareText(a.id, b.id));
  const all = [...groups.values()].flat();
  const columns = [
    column<Person>('person', l10n.t('Person'), 'text', ({ id }) => names.of(id), { total: l10n.t('Total') }),
    column<Person>('days', l10n.t('Active days'), 'count', ({ days }) => days.length, { total: all.length }),
    column<Person>('last', l10n.t('Last active (UTC)'), 'day', ({ days }) => lastDay(days)),
    ...fields.map(([id, label], at) => {
      const total = sum(people.map(({ sums }) => sums[at]));
      return column<Person>(id, label, 'count', ({ sums }) => sums[at], { total });
    }),
    column<Person>('autonomy_ratio', l10n.t('Autonomy ratio'), 'ratio', ({ days }) => ratioOf(days), {
      total: ratioOf(all),
    }),
    ...detailColumns<Person>(({ days }) => days),
    ...names.idColumn<Person>(({ id }) => id),
  ];
  const explanation = l10n.t(
    'Counts are sums over the days. The autonomy ratio weights each day by its user messages. Main model, tier and delegation are the ones of most days.',
  );
  const known = now.rows.filter(row => row !== undefined).length;
  return {
    ...{ id: 'people', title: l10n.t('People'), explanation: ofDays(known, now.rows.length, explanation) },
    table: yield* tableOf(columns, people, ({ id }) => ({ id, person: id })),
  };
}

function* withoutActivity(
  people: readonly DirectoryPerson[],
  names: PeopleNames,
  known: KnownDays,
): Steps<Section> {
  /** Of all the days known, and not only those of a range. */
  const last = new Map<string, Day>();
  for (const day of [...known.keys()].sort()) {
    for (const { user_id: id } of peopleOn(day, known) ?? []) last.set(id, day);
    yield;
  }
  const signedIn = ({ lastSignInAt: at }: DirectoryPerson) => (at === undefined ? null : dayAt(at));
  const columns = [
    column<DirectoryPerson>('person', l10n.t('Person'), 'text', ({ id }) => names.of(id)),
    column<DirectoryPerson>('last', l10n.t('Last active (UTC)'), 'day', ({ id }) => last.get(id)),
    column<DirectoryPerson>('lastSignIn', l10n.t('Last sign-in (UTC)'), 'day', signedIn),
  ];
  const sorted = people.toSorted((a, b) => compareText(names.of(a.id), names.of(b.id)));
  return {
    ...{ id: 'inactive', title: l10n.t('No activity in this range') },
    explanation: l10n.t(
      'Users without usage in this range. Their last active day comes from all the days fetched so far.',
    ),
    table: yield* tableOf(columns, sorted, ({ id }) => ({ id })),
  };
}

function lastDay(days: People): Day | undefined {
  return days.at(-1)?.date.slice(0, 10);
}

/** What each person used on days, some of which may not be known: the last such day (UTC), and billable tokens; `none`: what all others used. */
export function activityOfPeople(days: readonly (People | undefined)[]) {
  const known = days.filter(rows => rows !== undefined);
  const without = days.length - known.length;
  const groups = Map.groupBy(known.flat(), row => row.user_id);
  const people = new Map(
    [...groups].map(([id, rows]) => {
      const figures = rows.map(row => row.billable_tokens);
      const value = addUp(figures.filter(figure => figure !== undefined));
      const missing = without + figures.filter(figure => figure === undefined).length;
      const part = { value: value ?? 0, known: days.length - missing, of: days.length };
      const tokens = value === undefined || missing === 0 ? value : part;
      return [id, { lastActiveDay: lastDay(rows) ?? '', tokens }];
    }),
  );
  const none = known.length === 0 ? undefined : { value: 0, known: known.length, of: days.length };
  return { people, none: without === 0 ? 0 : none };
}
