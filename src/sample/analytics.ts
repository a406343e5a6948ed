import { CLIENTS, factsOf, HOOKS, isActive, languageOf, MODELS, type Counts, type PersonDay } from './facts';
import { type People, type Profile } from './people';
import { dayText } from './random';

export interface Days {
  readonly first: number;
  readonly last: number;
}

/** A row of an answer, in the names of the interface (section 2). */
export type Row = Readonly<Record<string, unknown>>;

/** Usage of the organization, computed from the facts of each day. Days are UTC and inclusive. */
export class Analytics {
  readonly #seed: string;
  readonly #profiles: readonly Profile[];

  constructor(seed: string, { profiles }: People) {
    this.#seed = seed;
    this.#profiles = profiles;
  }

  /** Interface 2.2. */
  tokens(days: Days): Row[] {
    return this.#daily(days, (date, facts) => {
      const all = facts.flatMap(fact => fact.tokens);
      const byUser = facts.map(({ profile, tokens }) => ({
        ...{ user_id: profile.id, user_email: profile.email ?? '' },
        ...sums(tokens, ['billable_tokens']),
        by_model: perModel(tokens),
      }));
      return [{ date, ...sums(all, TOKEN_FIGURES), by_model: perModel(all), by_user: byUser }];
    });
  }

  /** Interface 2.3. */
  tools(days: Days): Row[] {
    return this.#daily(days, (date, facts) => [toolsRow(date, facts)]);
  }

  /** Interface 2.4. */
  activity(days: Days): Row[] {
    return this.#daily(days, (date, facts, day) => {
      const clients = CLIENTS.map(client => {
        return [client, facts.filter(fact => fact.clients.includes(client)).length] as const;
      });
      return [
        {
          date,
          daily_active_users: facts.length,
          weekly_active_users: this.#active(day, 7),
          monthly_active_users: this.#active(day, 30),
          daily_active_users_by_client: Object.fromEntries(clients),
          ...sums(facts, ['sessions', 'user_messages']),
          messages: sum(facts, messagesOf),
        },
      ];
    });
  }

  /** Interface 2.5. */
  productivity(days: Days): Row[] {
    return this.#daily(days, (date, facts) => {
      const extensions = tally(facts.map(fact => fact.extensions));
      const languages = tally([
        extensions.map(([extension, value]) => [languageOf(extension), value] as const),
      ]);
      return [
        {
          date,
          ...sums(facts, ['files_created', 'files_edited', 'git_commits', 'git_prs_created']),
          by_extension: named(extensions, 'extension', 'count'),
          by_language: named(languages, 'language', 'count'),
        },
      ];
    });
  }

  /** Interface 2.6: all days of up to `limit` users after the user `cursor` in the order of ids; `next` where more follow. */
  users(days: Days, limit: number, cursor = ''): { readonly rows: Row[]; readonly next: string | null } {
    const rows = this.#daily(days, (date, facts) => facts.map(fact => userRow(date, fact)));
    const byUser = Map.groupBy(rows, row => String(row['user_id']));
    const rest = [...byUser.keys()].sort().filter(id => id > cursor);
    const page = rest.slice(0, limit);
    const next = rest.length > page.length ? (page.at(-1) ?? null) : null;
    return { rows: page.flatMap(id => byUser.get(id) ?? []), next };
  }

  #daily(
    { first, last }: Days,
    rows: (date: string, facts: readonly PersonDay[], day: number) => readonly Row[],
  ): Row[] {
    return Array.from({ length: last - first + 1 }, (_, index) => first + index).flatMap(day =>
      rows(dayText(day), factsOf(this.#seed, day, this.#profiles), day),
    );
  }

  /** Different people active in the `span` days that end with `day`. */
  #active(day: number, span: number): number {
    const days = Array.from({ length: span }, (_, index) => day - index);
    return this.#profiles.filter(profile => days.some(at => isActive(this.#seed, at, profile))).length;
  }
}

function toolsRow(date: string, facts: readonly PersonDay[]): Row {
  const calls = sum(facts, fact => fact.tool_calls);
  const turns = sum(facts, fact => fact.user_messages);
  const sessions = sum(facts, fact => fact.sessions);
  const ratios = facts.map(fact => ratio(fact.tool_calls, fact.user_messages)).sort((a, b) => a - b);
  const tools = tally(facts.map(fact => fact.tools));
  const skills = tally(facts.map(fact => fact.skills));
  const commands = tally(facts.map(fact => fact.slashCommands));
  const hooks = HOOKS.map((hook, index) => ({ ...hook, count: sum(facts, fact => fact.hooks[index] ?? 0) }));
  const share = (...levels: string[]): number => {
    const ofLevel = facts.filter(({ level }) => levels.includes(level));
    return ratio(
      sum(ofLevel, fact => fact.tool_calls),
      calls,
    );
  };
  return {
    date,
    tool_calls: calls,
    by_tool: named(tools, 'tool', 'invocations'),
    mcp_users_with_mcp: facts.filter(fact => fact.servers.length > 0).length,
    mcp_by_server: named(tally(facts.map(fact => fact.servers)), 'server', 'invocations'),
    skills_invocations: total(skills),
    skills_by_name: named(skills, 'name', 'count'),
    slash_commands_invocations: total(commands),
    slash_commands_by_name: named(commands, 'name', 'count'),
    hooks_invocations: sum(hooks, hook => hook.count),
    hooks_by_event: hooks.filter(hook => hook.count > 0).sort((a, b) => b.count - a.count),
    web_users: facts.filter(fact => fact.clients.includes('web')).length,
    autonomy_ratio_avg: ratio(calls, turns),
    autonomy_ratio_p50: percentile(ratios, 0.5),
    autonomy_ratio_p90: percentile(ratios, 0.9),
    tool_calls_per_session_avg: ratio(calls, sessions),
    user_turns_per_session_avg: ratio(turns, sessions),
    tool_autonomy_level_ratio: {
      auto_high: share('auto-high'),
      auto_medium: share('auto-medium'),
      auto_low: share('auto-low', 'spec'),
      manual: share('manual'),
    },
  };
}

function userRow(date: string, fact: PersonDay): Row {
  const main = perModel(fact.tokens)[0];
  return {
    ...{ user_id: fact.profile.id, user_email: fact.profile.email, date },
    ...sums(fact.tokens, ['billable_tokens']),
    ...{ primary_model: main?.model_id, primary_model_tier: main?.model_tier },
    ...sums([fact], FIGURES),
    mcp_calls: total(fact.servers),
    skill_calls: total(fact.skills),
    slash_commands: total(fact.slashCommands),
    hooks: sum(fact.hooks, value => value),
    messages: messagesOf(fact),
    autonomy_ratio: ratio(fact.tool_calls, fact.user_messages),
    delegation_level: fact.level,
    languages: [...new Set(fact.extensions.map(([extension]) => languageOf(extension)))],
  };
}

const MODEL_FIGURES = ['billable_tokens', 'input_tokens', 'output_tokens'] as const;
const TOKEN_FIGURES = [...MODEL_FIGURES, 'cache_read_tokens', 'cache_write_tokens'] as const;
const FIGURES = [
  ...(['tool_calls', 'files_created', 'files_edited', 'git_commits', 'git_prs_created'] as const),
  ...(['sessions', 'user_messages', 'assistant_messages'] as const),
];

function messagesOf(fact: PersonDay): number {
  return fact.user_messages + fact.assistant_messages;
}

function perModel(tokens: PersonDay['tokens']) {
  return MODELS.map(({ id, tier }) => {
    const own = tokens.filter(entry => entry.model.id === id);
    return { model_id: id, model_tier: tier, ...sums(own, MODEL_FIGURES) };
  })
    .filter(entry => entry.billable_tokens > 0)
    .sort((a, b) => b.billable_tokens - a.billable_tokens);
}

function sums<const K extends string>(
  items: readonly { readonly [P in NoInfer<K>]: number }[],
  names: readonly K[],
): Record<K, number> {
  const entries = names.map(name => [name, sum(items, item => item[name])] as const);
  return Object.fromEntries(entries) as Record<K, number>;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((all, item) => all + value(item), 0);
}

function total(counts: Counts): number {
  return sum(counts, ([, value]) => value);
}

/** Adds up lists of counts by name; the largest first, equal ones by name. */
function tally(lists: readonly Counts[]): Counts {
  const byName = Map.groupBy(lists.flat(), ([name]) => name);
  const added = [...byName].map(([name, counts]) => [name, total(counts)] as const);
  return added.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

function named(counts: Counts, name: string, count: string): Row[] {
  return counts.map(([key, value]) => ({ [name]: key, [count]: value }));
}

/** To four decimals; 0 where there is nothing to divide by. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
