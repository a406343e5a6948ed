import {
  isApiError,
  type ActivityDay,
  type AnalyticsRows,
  type ApiClient,
  type ClientActivityDay,
  type DateRange,
  type ModelTokenDay,
  type NamedToolDay,
  type RequestOptions,
  type TokenDay,
  type ToolDay,
} from '../api';

/** Endpoints whose days have a breakdown that can also be asked for by itself. */
export type Grouped = 'tokens' | 'tools' | 'activity';

/**
 * The days of a range with their breakdown. Of days that have a total and no breakdown it is asked for with `group_by` (sections
 * 2.2-2.4) and put into them, so that it is stored with them and asked for once.
 */
export async function daysWithGroups(
  analytics: ApiClient['analytics'],
  endpoint: Grouped,
  range: DateRange,
  options: RequestOptions,
): Promise<AnalyticsRows<TokenDay | ToolDay | ActivityDay>> {
  switch (endpoint) {
    case 'tokens':
      return filled<TokenDay, ModelTokenDay>(await analytics.tokens(range, options), {
        field: 'by_model',
        isTotal: day => (day.billable_tokens ?? 0) + (day.input_tokens ?? 0) + (day.output_tokens ?? 0) > 0,
        ask: wanted => analytics.tokensByModel(wanted, options),
        fill: (day, groups) => {
          day.by_model = groups.map(
            ({ group_key: model_id, billable_tokens, input_tokens, output_tokens }) => {
              return { model_id, billable_tokens, input_tokens, output_tokens };
            },
          );
        },
      });
    case 'tools':
      return filled<ToolDay, NamedToolDay>(await analytics.tools(range, options), {
        field: 'by_tool',
        isTotal: day => (day.tool_calls ?? 0) > 0,
        ask: wanted => analytics.toolsByName(wanted, options),
        fill: (day, groups) => {
          day.by_tool = groups.map(({ group_key: tool, tool_calls = 0 }) => {
            return { tool, invocations: tool_calls };
          });
        },
      });
    case 'activity':
      return filled<ActivityDay, ClientActivityDay>(await analytics.activity(range, options), {
        field: 'daily_active_users_by_client',
        isTotal: day => (day.daily_active_users ?? 0) > 0,
        ask: wanted => analytics.activityByClient(wanted, options),
        fill: (day, groups) => {
          const people = groups.map(({ group_key: client, daily_active_users = 0 }) => {
            return [client, daily_active_users] as const;
          });
          day.daily_active_users_by_client = Object.fromEntries(people);
        },
      });
  }
}

interface Breakdown<D, G> {
  readonly field: keyof D & string;
  /** Whether there is anything to be broken down. */
  readonly isTotal: (day: D) => boolean;
  readonly ask: (range: DateRange) => Promise<AnalyticsRows<G>>;
  readonly fill: (day: D, groups: readonly G[]) => void;
}

async function filled<D extends { date: string }, G extends { date: string }>(
  answer: AnalyticsRows<D>,
  { field, isTotal, ask, fill }: Breakdown<D, G>,
): Promise<AnalyticsRows<D>> {
  const bare = answer.items.filter(day => day[field] === undefined && isTotal(day));
  const days = bare.map(({ date }) => date.slice(0, 10)).sort();
  const [startDate, endDate] = [days[0], days.at(-1)];
  if (startDate === undefined || endDate === undefined) return answer;
  const groups = new Map<string, G[]>();
  const problems = [...answer.problems];
  try {
    const grouped = await ask({ startDate, endDate });
    problems.push(...grouped.problems);
    for (const row of grouped.items) {
      const day = row.date.slice(0, 10);
      groups.set(day, [...(groups.get(day) ?? []), row]);
    }
  } catch (error) {
    // Totals without a breakdown are worth more than nothing.
    if (!isApiError(error) || error.kind === 'cancelled') throw error;
    problems.push({ id: endDate, field, reason: `is missing, and group_by is answered with ${error.kind}` });
  }
  for (const day of bare) {
    const own = groups.get(day.date.slice(0, 10));
    if (own !== undefined) fill(day, own);
  }
  return { ...answer, problems };
}
