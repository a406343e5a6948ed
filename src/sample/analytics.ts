import { dayText, EARLIEST_DAY, SEED, seeded, type Random } from './random';

export interface Days {
  readonly first: number;
  readonly last: number;
}

/** A deleted one has no address. */
interface Person {
  readonly id: string;
  readonly email: string | null;
}

/** A row of an answer, in the names of the interface (section 2). */
export type Row = Readonly<Record<string, unknown>>;
/** What somebody did on a day (interface 2.6). Every other row is a sum of these, so all rows agree. */
type PersonDay = NonNullable<ReturnType<typeof personDay>>;
/** Names with whole numbers above zero. */
type Counts = readonly (readonly [name: string, count: number])[];

const MODELS = [
  { model_id: 'onyx-large', model_tier: 'standard' },
  { model_id: 'lumen-thinking', model_tier: 'thinking' },
  { model_id: 'onyx-mini', model_tier: 'standard' },
  { model_id: 'quill-thinking', model_tier: 'thinking' },
] as const;
const LEVELS = ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'] as const;
const HOOKS = [
  { event: 'PostToolUse', matcher: 'Edit|Create', command: 'npm run format' },
  { event: 'Stop', matcher: '', command: 'npm test -- --changed' },
  { event: 'Notification', matcher: '', command: './scripts/notify.sh "agent is waiting"' },
  { event: 'SessionEnd', matcher: '', command: 'node tools/session-report.js' },
];
/** From here on, names that are used most come first. */
const TOOLS = ['Read', 'Execute', 'Edit', 'Grep', 'Glob', 'ListFolder', 'Create', 'Plan', 'WebSearch'];
/** One is there twice, as the service tells it now and then. */
const SERVERS = ['issue-tracker', 'docs-search', 'Issue-Tracker', 'browser', 'database'];
const SKILLS = ['write-tests', 'release-notes', 'security-review', 'explain-code'];
const SLASH_COMMANDS = ['/review', '/compact', '/model', '/cost', '/help'];
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  TypeScript: ['.ts', '.tsx'],
  Python: ['.py'],
  Go: ['.go'],
  SQL: ['.sql'],
  Markdown: ['.md'],
  YAML: ['.yml', '.yaml'],
};
const LANGUAGES = Object.keys(EXTENSIONS);

const LAST_DAY_OF_DELETED = EARLIEST_DAY + 240;

/** Usage of who works with agents, and of an account that has been deleted. Days are UTC and inclusive; past ones never change. */
export class Analytics {
  readonly #people: readonly Person[];
  readonly #known = new Map<number, readonly PersonDay[]>();

  constructor(members: readonly Person[]) {
    const deleted = { id: `user_${seeded(SEED, 'deleted').hex(20)}`, email: null };
    this.#people = [...members, deleted];
  }

  /** Interface 2.2. */
  tokens(days: Days): Row[] {
    return this.#daily(days, (date, rows) => {
      const by_user = rows.map(row => {
        const { user_id, user_email, billable_tokens } = row;
        return { user_id, user_email: user_email ?? '', billable_tokens, by_model: perModel([row]) };
      });
      const by_model = perModel(rows);
      const billable_tokens = sum(by_model, 'billable_tokens');
      const input_tokens = sum(by_model, 'input_tokens');
      const output_tokens = sum(by_model, 'output_tokens');
      // Billable is input plus output, less nine tenths of what came from the cache.
      const cache_read_tokens = Math.round((input_tokens + output_tokens - billable_tokens) / 0.9);
      const cache_write_tokens = Math.round((input_tokens - cache_read_tokens) / 2);
      const cache = { cache_read_tokens, cache_write_tokens };
      return { date, billable_tokens, input_tokens, output_tokens, ...cache, by_model, by_user };
    });
  }

  /** Interface 2.3. */
  tools(days: Days): Row[] {
    return this.#daily(days, (date, rows, random) => {
      const total = (name: Figure): number => sum(rows, name);
      const [tool_calls, turns] = [total('tool_calls'), total('user_messages')];
      const split = (name: Figure, among: readonly string[]): Row[] =>
        named(shared(random, total(name), among), 'name', 'count');
      const servers = shared(random, total('mcp_calls'), SERVERS);
      const tools = [
        ...shared(random, tool_calls - total('mcp_calls'), TOOLS),
        ...servers.map(([server, count]) => [`${server}__query`, count] as const),
      ];
      const hooks = shared(random, total('hooks'), Object.keys(HOOKS));
      const ratios = rows.map(row => row.autonomy_ratio).sort((a, b) => a - b);
      const percentile = (share: number): number => ratios[Math.ceil(ratios.length * share) - 1] ?? 0;
      const share = (...levels: readonly string[]): number => {
        const ofLevel = rows.filter(row => levels.includes(row.delegation_level));
        return ratio(sum(ofLevel, 'tool_calls'), tool_calls);
      };
      return {
        date,
        tool_calls,
        by_tool: named(tools, 'tool', 'invocations'),
        mcp_users_with_mcp: rows.filter(row => row.mcp_calls > 0).length,
        mcp_by_server: named(servers, 'server', 'invocations'),
        skills_invocations: total('skill_calls'),
        skills_by_name: split('skill_calls', SKILLS),
        slash_commands_invocations: total('slash_commands'),
        slash_commands_by_name: split('slash_commands', SLASH_COMMANDS),
        hooks_invocations: total('hooks'),
        hooks_by_event: hooks.map(([index, count]) => ({ ...HOOKS[Number(index)], count })),
        web_users: rows.filter(CLIENTS.web).length,
        autonomy_ratio_avg: ratio(tool_calls, turns),
        autonomy_ratio_p50: percentile(0.5),
        autonomy_ratio_p90: percentile(0.9),
        tool_calls_per_session_avg: ratio(tool_calls, total('sessions')),
        user_turns_per_session_avg: ratio(turns, total('sessions')),
        tool_autonomy_level_ratio: {
          auto_high: share('auto-high'),
          auto_medium: share('auto-medium'),
          auto_low: share('auto-low', 'spec'),
          manual: share('manual'),
        },
      };
    });
  }

  /** Interface 2.4. */
  activity(days: Days): Row[] {
    return this.#daily(days, (date, rows, _random, day) => {
      const active = (span: number): number => {
        const lately = Array.from({ length: span }, (_, index) => this.#rows(day - index));
        return new Set(lately.flat().map(row => row.user_id)).size;
      };
      const clients = Object.entries(CLIENTS).map(([client, uses]) => [client, rows.filter(uses).length]);
      return {
        date,
        daily_active_users: rows.length,
        weekly_active_users: active(7),
        monthly_active_users: active(30),
        daily_active_users_by_client: Object.fromEntries(clients) as Row,
        sessions: sum(rows, 'sessions'),
        messages: sum(rows, 'messages'),
        user_messages: sum(rows, 'user_messages'),
      };
    });
  }

  /** Interface 2.5. */
  productivity(days: Days): Row[] {
    return this.#daily(days, (date, rows, random) => {
      const [files_created, files_edited] = [sum(rows, 'files_created'), sum(rows, 'files_edited')];
      const used = LANGUAGES.filter(language => rows.some(({ languages }) => languages.includes(language)));
      const languages = shared(random, files_created + files_edited, used);
      const extensions = languages.flatMap(([language, count]) =>
        shared(random, count, EXTENSIONS[language] ?? []),
      );
      return {
        date,
        files_created,
        files_edited,
        by_extension: named(extensions, 'extension', 'count'),
        by_language: named(languages, 'language', 'count'),
        git_commits: sum(rows, 'git_commits'),
        git_prs_created: sum(rows, 'git_prs_created'),
      };
    });
  }

  /** Interface 2.6: all days of up to `limit` users after the user `cursor` in the order of ids; `next` where more follow. */
  users({ first, last }: Days, limit: number, cursor = '') {
    const days = Array.from({ length: last - first + 1 }, (_, index) => this.#rows(first + index));
    const byUser = Map.groupBy(days.flat(), row => row.user_id);
    const rest = [...byUser.keys()].sort().filter(id => id > cursor);
    const page = rest.slice(0, limit);
    const next = rest.length > page.length ? (page.at(-1) ?? null) : null;
    return { rows: page.flatMap(id => byUser.get(id) ?? []), next };
  }

  #daily(
    { first, last }: Days,
    row: (date: string, rows: readonly PersonDay[], random: Random, day: number) => Row,
  ): Row[] {
    return Array.from({ length: last - first + 1 }, (_, index) => first + index).map(day =>
      row(dayText(day), this.#rows(day), seeded(SEED, 'shares', day), day),
    );
  }

  #rows(day: number): readonly PersonDay[] {
    const rows =
      this.#known.get(day) ?? this.#people.flatMap((person, index) => personDay(day, index, person) ?? []);
    this.#known.set(day, rows);
    return rows;
  }
}

/** One works on weekends, too. Each has a habit of models, levels, servers and languages. */
function personDay(day: number, index: number, { id, email }: Person) {
  const random = seeded(SEED, 'person', id, day);
  const isWeekend = [0, 6].includes((day + 4) % 7);
  const isDeleted = email === null && day > LAST_DAY_OF_DELETED;
  if (day < EARLIEST_DAY || isDeleted || !(index === 0 || random.chance(isWeekend ? 0.09 : 0.8)))
    return undefined;
  const sessions = random.int(1, isWeekend ? 2 : 6);
  const user_messages = sessions * random.int(2, 8);
  const assistant_messages = user_messages * random.int(2, 5);
  const tool_calls = Math.round(user_messages * (2 + (index % 5) * 1.5) * (0.7 + random.next() * 0.6));
  const files_edited = Math.round(tool_calls * (0.06 + random.next() * 0.1));
  const git_commits = random.int(0, Math.ceil(files_edited / 4));
  const model = MODELS[(index + random.int(0, 1)) % MODELS.length] ?? MODELS[0];
  return {
    ...{ user_id: id, user_email: email, date: dayText(day) },
    tool_calls,
    billable_tokens: user_messages * random.int(9_000, 30_000),
    ...{ primary_model: model.model_id, primary_model_tier: model.model_tier },
    ...{ files_created: Math.round(files_edited * random.next() * 0.4), files_edited },
    ...{ git_commits, git_prs_created: Math.min(git_commits, random.int(0, 1)) },
    mcp_calls: index % 4 < 2 ? random.int(0, Math.ceil(tool_calls / 8)) : 0,
    skill_calls: random.int(0, Math.ceil(user_messages / 8)),
    slash_commands: random.int(0, sessions * 2),
    hooks: index % 3 < 2 ? random.int(0, Math.ceil(tool_calls / 4)) : 0,
    sessions,
    ...{ messages: user_messages + assistant_messages, user_messages, assistant_messages },
    autonomy_ratio: ratio(tool_calls, user_messages),
    delegation_level: LEVELS[(index + random.int(0, 1)) % LEVELS.length] ?? 'manual',
    languages: [...new Set([LANGUAGES[index % 4] ?? '', 'Markdown', random.pick(LANGUAGES)])],
  };
}

/** Who uses what, so that everybody uses something (interface 2.4). */
const CLIENTS = {
  'terminal-ui': ({ sessions }: PersonDay): boolean => sessions % 3 !== 0,
  web: ({ sessions }: PersonDay): boolean => sessions % 3 !== 1,
  'non-interactive-cli': ({ tool_calls }: PersonDay): boolean => tool_calls % 5 === 0,
};

/** Four fifths of somebody's tokens are those of the primary model, and the rest those of the next one. */
function perModel(rows: readonly PersonDay[]) {
  return MODELS.map((model, index) => {
    const before = MODELS.at(index - 1)?.model_id;
    const tokens = rows.map(({ primary_model, billable_tokens }) => {
      const rest = Math.round(billable_tokens / 5);
      return primary_model === model.model_id ? billable_tokens - rest : primary_model === before ? rest : 0;
    });
    const billable_tokens = tokens.reduce((all, value) => all + value, 0);
    const output_tokens = tokens.reduce((all, value) => all + Math.round(value / 5), 0);
    return { ...model, billable_tokens, input_tokens: billable_tokens * 3, output_tokens };
  })
    .filter(({ billable_tokens }) => billable_tokens > 0)
    .sort((a, b) => b.billable_tokens - a.billable_tokens);
}

/** What is counted of a person's day. */
type Figure = { [K in keyof PersonDay]: PersonDay[K] extends number ? K : never }[keyof PersonDay];

function sum<K extends string>(items: readonly { readonly [P in K]: number }[], name: K): number {
  return items.reduce((all, item) => all + item[name], 0);
}

/** Cuts a whole number into whole parts that add up to it, the first ones larger than the last; the largest first. */
function shared(random: Random, total: number, names: readonly string[]): Counts {
  const weights = names.map((_, index) => (0.5 + random.next()) / (index + 1));
  const whole = weights.reduce((all, weight) => all + weight, 0);
  let [weighed, given] = [0, 0];
  return names
    .map((name, index) => {
      weighed += weights[index] ?? 0;
      const part = Math.round((total * weighed) / whole) - given;
      given += part;
      return [name, part] as const;
    })
    .filter(([, part]) => part > 0)
    .sort(([, a], [, b]) => b - a);
}

function named(counts: Counts, name: string, count: string): Row[] {
  return counts.map(([key, value]) => ({ [name]: key, [count]: value }));
}

/** To four decimals; 0 where there is nothing to divide by. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}
