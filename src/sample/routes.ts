import type * as z from 'zod/mini';
import { type Analytics, type Row } from './analytics';
import { isUsable, type Computer, type Computers } from './computers';
import { dayOf, dayText, EARLIEST_DAY, type Days } from './days';
import { type Organization } from './organization';
import { readinessReports, type Repository } from './readiness';
import { shown, type SessionState } from './records';
import * as requests from './requests';
import { found, invalid, read, readQuery, Refusal, storedMessage } from './requests';
import { type Sessions } from './sessions';

/** What the routes answer from. */
export interface Parts {
  readonly seed: string;
  readonly now: () => number;
  readonly analytics: Analytics;
  readonly computers: Computers;
  readonly organization: Organization;
  readonly repositories: readonly Repository[];
  readonly sessions: Sessions;
  /** Also what is not in the interface, but offered by some services (interface-notes, extras). */
  readonly extras: boolean;
}

/** What a route is given; it reads and checks the rest itself. */
export interface Call {
  /** The parts of the path that vary, decoded. */
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Segments; `*` stands for one that varies. */
  readonly path: string;
  /** Of the web application rather than of the service. */
  readonly isOfApp?: boolean;
  /** Status of a successful answer; 200 when left out. */
  readonly status?: number;
  /** The body of the answer; a `Refusal` thrown becomes an error answer. */
  readonly answer: (call: Call) => unknown;
}

const ORGANIZATION = '/api/v0/organization';
const SESSIONS = '/api/v0/sessions';
const COMPUTERS = '/api/v0/computers';

/** A GET with a query of these fields. */
function get<F extends z.core.$ZodShape>(
  path: string,
  fields: F,
  answer: (query: z.output<z.ZodMiniObject<F>>, ...ids: string[]) => unknown,
): Route {
  return { method: 'GET', path, answer: ({ query, ids }) => answer(readQuery(fields, query), ...ids) };
}

/** A POST without a query. */
function post(path: string, status: number, answer: (body: unknown, id: string) => unknown): Route {
  return {
    ...{ method: 'POST', path, status },
    answer: ({ query, body, ids: [id = ''] }) => {
      readQuery({}, query);
      return answer(body, id);
    },
  };
}

/** Every endpoint of interface section 4, and no other unless asked for. */
export function routes(parts: Parts): readonly Route[] {
  const { organization, computers, sessions } = parts;
  const computer = async (id: string): Promise<Computer> => found(await computers.get(id), 'computer');
  const usable = async (id: string): Promise<void> => {
    const one = await computer(id);
    if (!isUsable(one)) throw new Refusal(409, `The computer cannot take work: its status is ${one.status}.`);
  };
  const session = async (id: string): Promise<SessionState> => found(await sessions.find(id), 'session');
  const routed = async ({ computerId }: { readonly computerId?: string | undefined }): Promise<void> => {
    if (computerId !== undefined) await computer(computerId);
  };
  return [
    ...analyticsRoutes(parts),
    get(`${ORGANIZATION}/users`, requests.page, asked =>
      paged('users', organization.users(), user => user.id, asked),
    ),
    get(`${ORGANIZATION}/enterprise-controls/history`, requests.page, asked =>
      paged('changes', organization.changes(), change => `revision ${change.revision}`, asked),
    ),
    {
      ...get('/api/organization/maturity-level-reports', requests.readinessPage, asked =>
        reports(parts, asked),
      ),
      isOfApp: true,
    },
    get(COMPUTERS, {}, async () => ({ computers: await computers.list() })),
    get(`${COMPUTERS}/*`, {}, (_query, id = '') => computer(id)),
    post(SESSIONS, 201, async body => {
      const { computerId, sessionSettings } = read(requests.newSession, body, 'body');
      await usable(computerId);
      return sessions.create(computerId, sessionSettings);
    }),
    get(`${SESSIONS}/*`, requests.routedQuery, async (asked, id = '') => {
      await routed(asked);
      return shown(await session(id));
    }),
    post(`${SESSIONS}/*/messages`, 200, async (body, id) => {
      const message = read(requests.newMessage, body, 'body');
      const { computerId } = await session(id);
      await usable(message.computerId ?? computerId);
      const { content, attachments } = storedMessage(message);
      return sessions.send(id, content, { text: message.text, attachments });
    }),
    get(`${SESSIONS}/*/messages/*`, requests.routedQuery, async (asked, id = '', messageId = '') => {
      await routed(asked);
      const message = (await session(id)).messages.find(one => one.id === messageId);
      return found(message, 'message');
    }),
    ...(parts.extras ? extraRoutes(sessions, session) : []),
  ];
}

function extraRoutes(sessions: Sessions, session: (id: string) => Promise<SessionState>): readonly Route[] {
  return [
    get(SESSIONS, requests.page, asked =>
      paged('sessions', sessions.all().map(shown), one => String(one['sessionId']), asked),
    ),
    get(`${SESSIONS}/*/messages`, requests.messagesPage, async (asked, id = '') => {
      const { messages } = await session(id);
      const wanted = messages.filter(({ role }) => asked.role === undefined || role === asked.role);
      return paged('messages', wanted, message => message.id, asked);
    }),
    post(`${SESSIONS}/*/interrupt`, 200, async (_body, id) => {
      await session(id);
      await sessions.interrupt(id);
      return {};
    }),
  ];
}

function analyticsRoutes({ analytics, organization, now }: Parts): readonly Route[] {
  const envelope = (days: Days, data: readonly Row[], more: Row = {}): unknown => ({
    data,
    meta: { org_id: organization.id, start_date: dayText(days.first), end_date: dayText(days.last), ...more },
  });
  const daily = (
    name: string,
    group: string | undefined,
    rows: (days: Days, isGrouped: boolean) => Row[],
  ) => {
    return get(
      `/api/v1/analytics/${name}`,
      { ...requests.dates, group_by: requests.groupBy(group) },
      asked => {
        const days = range(asked, now());
        return envelope(days, rows(days, asked.group_by !== undefined));
      },
    );
  };
  return [
    daily('tokens', 'model', (days, isGrouped) => analytics.tokens(days, isGrouped)),
    daily('tools', 'tool_name', (days, isGrouped) => analytics.tools(days, isGrouped)),
    daily('activity', 'client', (days, isGrouped) => analytics.activity(days, isGrouped)),
    daily('productivity', undefined, days => analytics.productivity(days)),
    get('/api/v1/analytics/users', { ...requests.dates, ...requests.page }, asked => {
      const days = range(asked, now());
      const users = analytics.users(days, asked.limit, asked.cursor);
      if (users === undefined) return invalid('query.cursor is not the id of a user.');
      return envelope(days, users.rows, { has_more: users.next !== null, next_cursor: users.next });
    }),
  ];
}

/** The days asked for; 400 outside 2026-01-14 through yesterday (UTC). */
function range(asked: { readonly startDate: number; readonly endDate: number }, now: number): Days {
  const { startDate: first, endDate: last } = asked;
  const yesterday = dayOf(now) - 1;
  if (first > last) invalid('query.startDate must not be after query.endDate.');
  if (last > yesterday) {
    invalid(`query.endDate must not be after yesterday (UTC), ${dayText(yesterday)}.`);
  }
  if (first < EARLIEST_DAY) {
    invalid(`query.startDate must not be before ${dayText(EARLIEST_DAY)}, the first day with data.`);
  }
  return { first, last };
}

/** Interface 4.2. Without a limit every report is answered. */
function reports(
  { seed, repositories, now }: Parts,
  { repoId, limit, startAfter }: z.output<z.ZodMiniObject<typeof requests.readinessPage>>,
): unknown {
  const all = readinessReports(seed, repositories, now()).filter(
    entry => repoId === undefined || entry.repoId === repoId,
  );
  const after = startAfter === undefined ? -1 : all.findIndex(({ report }) => report.reportId === startAfter);
  if (startAfter !== undefined && after < 0) invalid('query.startAfter is not a report here.');
  return { reports: all.slice(after + 1, after + 1 + (limit ?? all.length)).map(({ report }) => report) };
}

/** A page after the item a cursor names; cursors are opaque to callers and say what they belong to. */
function paged<T>(
  name: string,
  all: readonly T[],
  idOf: (item: T) => string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Readonly<Record<string, unknown>> {
  const cursorOf = (item: T): string => Buffer.from(`${name}:${idOf(item)}`).toString('base64url');
  const after = cursor === undefined ? -1 : all.findIndex(item => cursorOf(item) === cursor);
  if (cursor !== undefined && after < 0) invalid('query.cursor was not given out by this endpoint.');
  const items = all.slice(after + 1, after + 1 + limit);
  const last = items.at(-1);
  const hasMore = last !== undefined && after + 1 + items.length < all.length;
  return { [name]: items, pagination: { hasMore, nextCursor: hasMore ? cursorOf(last) : null } };
}
