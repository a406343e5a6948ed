import type * as z from 'zod';
import {
  activityDaySchema,
  clientActivityDaySchema,
  metaSchema,
  modelTokenDaySchema,
  namedToolDaySchema,
  productivityDaySchema,
  tokenDaySchema,
  toolDaySchema,
  userDaySchema,
  type ActivityDay,
  type AnalyticsMeta,
  type ClientActivityDay,
  type ModelTokenDay,
  type NamedToolDay,
  type ProductivityDay,
  type TokenDay,
  type ToolDay,
  type UserDay,
} from './analyticsRows';
import { decodeItem, decodeRows, isRecord, listIn, type ItemProblem, type Listed } from './decode';
import { follow, onward, type Page } from './pagination';
import { dateQuery, limitQuery, type DateRange } from './queries';
import { analyticsGet, type Query, type RequestOptions, type Service } from './service';

/** The rows of an analytics answer with its `meta` (section 2.1). */
export interface AnalyticsRows<T> extends Listed<T> {
  readonly meta: AnalyticsMeta;
}

/** A page of section 2.6. A page holds a row for each person and day: `limit` does not count rows. */
export interface UserDayPage extends Page<UserDay> {
  readonly meta: AnalyticsMeta;
}

export interface UserDaysQuery extends DateRange {
  /** 1-100; as many as the interface allows when left out. */
  readonly limit?: number | undefined;
}

/**
 * Section 4.1. Days are UTC, from 2026-01-14 through yesterday; anything else rejects with `QueryError` and is not sent. Needs
 * an API key with the Manager or Owner role: kind `forbidden` without the role, `unauthorized` with reason `jwt` for a JWT.
 */
export class Analytics {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  tokens(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<TokenDay>> {
    return this.#rows('/tokens', tokenDaySchema(), range, {}, options);
  }

  tokensByModel(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<ModelTokenDay>> {
    return this.#rows('/tokens', modelTokenDaySchema(), range, { group_by: 'model' }, options);
  }

  /** Credentials within hook commands arrive redacted. */
  async tools(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<ToolDay>> {
    const answer = await this.#rows('/tools', toolDaySchema(), range, {}, options);
    for (const day of answer.items) {
      for (const hook of day.hooks_by_event ?? []) {
        if (hook.command !== undefined) hook.command = this.#service.redactor.text(hook.command);
      }
    }
    return answer;
  }

  toolsByName(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<NamedToolDay>> {
    return this.#rows('/tools', namedToolDaySchema(), range, { group_by: 'tool_name' }, options);
  }

  activity(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<ActivityDay>> {
    return this.#rows('/activity', activityDaySchema(), range, {}, options);
  }

  activityByClient(
    range: DateRange,
    options: RequestOptions = {},
  ): Promise<AnalyticsRows<ClientActivityDay>> {
    return this.#rows('/activity', clientActivityDaySchema(), range, { group_by: 'client' }, options);
  }

  productivity(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<ProductivityDay>> {
    return this.#rows('/productivity', productivityDaySchema(), range, {}, options);
  }

  /** One person's day a row, page by page; the cursor is a user id. */
  async *users(
    { limit = 100, ...range }: UserDaysQuery,
    { signal }: RequestOptions = {},
  ): AsyncGenerator<UserDayPage, void, undefined> {
    const days = dateQuery(range, this.#service.now());
    const size = limitQuery(limit);
    yield* follow<UserDayPage>(cursor =>
      this.#service.http.request(
        analyticsGet(this.#service, '/users', { ...days, limit: size, cursor }),
        answer => ({
          ...rowsOf(userDaySchema(), answer, row => row['user_id']),
          hasMore: false,
          onward: onward(isRecord(answer) ? answer['meta'] : undefined, 'has_more', 'next_cursor'),
        }),
        signal,
      ),
    );
  }

  async #rows<S extends z.ZodType>(
    path: string,
    schema: S,
    range: DateRange,
    query: Query,
    { signal }: RequestOptions,
  ): Promise<AnalyticsRows<z.output<S>>> {
    const days = dateQuery(range, this.#service.now());
    return this.#service.http.request(
      analyticsGet(this.#service, path, { ...days, ...query }),
      answer => rowsOf(schema, answer, row => row['group_key'] ?? row['date']),
      signal,
    );
  }
}

/** The envelope of section 2.1. Rows count more than `meta`: without one they are still shown. */
function rowsOf<S extends z.ZodType>(
  schema: S,
  answer: unknown,
  idOf: (row: Readonly<Record<string, unknown>>) => unknown,
): AnalyticsRows<z.output<S>> {
  const { items, problems } = decodeRows(schema, listIn(answer, 'data'), idOf);
  const meta = decodeItem(metaSchema(), isRecord(answer) ? answer['meta'] : undefined);
  if (!meta.ok) return { items, problems: [...problems, { reason: 'meta is missing' }], meta: {} };
  const dropped: ItemProblem[] = meta.dropped.map(({ reason }) => ({ reason: `meta: ${reason}` }));
  return { items, problems: [...problems, ...dropped], meta: meta.value };
}
