import { rowsIn, type AnalyticsRows, type RowKind, type RowOf } from './analyticsAnswer';
import type {
  ActivityDay,
  AnalyticsMeta,
  ClientActivityDay,
  ModelTokenDay,
  NamedToolDay,
  ProductivityDay,
  TokenDay,
  ToolDay,
  UserDay,
} from './analyticsRows';
import { follow, type Page } from './pagination';
import { dateQuery, limitQuery, type DateRange } from './queries';
import { analyticsGet, type Query, type RequestOptions, type Service } from './service';

/** A page of section 2.6. A page holds a row for each person and day: `limit` does not count rows. */
export interface UserDayPage extends Page<UserDay> {
  readonly meta: AnalyticsMeta;
}

export interface UserDaysQuery extends DateRange {
  /** 1-100; as many as the interface allows when left out. */
  readonly limit?: number | undefined;
  /** The `cursor` of a page read before: begins with the page after it. */
  readonly cursor?: string | undefined;
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
    return this.#rows('/tokens', 'tokens', range, {}, options);
  }

  tokensByModel(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<ModelTokenDay>> {
    return this.#rows('/tokens', 'modelTokens', range, { group_by: 'model' }, options);
  }

  /** Credentials within hook commands arrive redacted. */
  async tools(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<ToolDay>> {
    const answer = await this.#rows('/tools', 'tools', range, {}, options);
    for (const day of answer.items) {
      for (const hook of day.hooks_by_event ?? []) {
        if (hook.command !== undefined) hook.command = this.#service.redactor.text(hook.command);
      }
    }
    return answer;
  }

  toolsByName(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<NamedToolDay>> {
    return this.#rows('/tools', 'namedTools', range, { group_by: 'tool_name' }, options);
  }

  activity(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<ActivityDay>> {
    return this.#rows('/activity', 'activity', range, {}, options);
  }

  activityByClient(
    range: DateRange,
    options: RequestOptions = {},
  ): Promise<AnalyticsRows<ClientActivityDay>> {
    return this.#rows('/activity', 'clientActivity', range, { group_by: 'client' }, options);
  }

  productivity(range: DateRange, options: RequestOptions = {}): Promise<AnalyticsRows<ProductivityDay>> {
    return this.#rows('/productivity', 'productivity', range, {}, options);
  }

  /** One person's day a row, page by page; the cursor is a user id. */
  async *users(
    { limit = 100, cursor: first, ...range }: UserDaysQuery,
    { signal }: RequestOptions = {},
  ): AsyncGenerator<UserDayPage, void, undefined> {
    const days = dateQuery(range, this.#service.now());
    const size = limitQuery(limit);
    yield* follow<UserDayPage>(
      cursor =>
        this.#service.http.request(
          analyticsGet(this.#service, '/users', 'users', { ...days, limit: size, cursor }),
          answer => ({ ...rowsIn('users', answer), hasMore: false }),
          signal,
        ),
      first,
    );
  }

  async #rows<K extends RowKind>(
    path: string,
    kind: K,
    range: DateRange,
    query: Query,
    { signal }: RequestOptions,
  ): Promise<AnalyticsRows<RowOf<K>>> {
    const days = dateQuery(range, this.#service.now());
    return this.#service.http.request(
      analyticsGet(this.#service, path, kind, { ...days, ...query }),
      answer => {
        const { items, problems, meta } = rowsIn(kind, answer);
        return { items, problems, meta };
      },
      signal,
    );
  }
}
