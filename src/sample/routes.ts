import { type Analytics, type Days, type Row } from './analytics';
import { isUsable, type Computer, type Computers } from './computers';
import { dayOf, dayText, EARLIEST_DAY, parseDay } from './days';
import { extraRoutes } from './extras';
import { type Organization, type Page } from './organization';
import { readinessReports, type Repository } from './readiness';
import { type Call, type Route } from './router';
import { message, newSession, storedMessage } from './sessionBodies';
import { type SessionsStore } from './sessionsStore';
import { filledText, invalid, numeral, oneOf, query, Refusal, text, type Check } from './validate';

/** What the routes answer from. */
export interface Parts {
  readonly seed: string;
  readonly now: () => number;
  readonly analytics: Analytics;
  readonly computers: Computers;
  readonly organization: Organization;
  readonly repositories: readonly Repository[];
  readonly sessions: SessionsStore;
  /** Also what is not in the interface, but offered by some services. */
  readonly extras: boolean;
}

const ANALYTICS = '/api/v1/analytics';
const ORGANIZATION = '/api/v0/organization';
const SESSIONS = '/api/v0/sessions';
const COMPUTERS = '/api/v0/computers';
const PAGE_SIZE = 20;

const limit = numeral(1, 100);
const dates = { startDate: text, endDate: text };

/** Every endpoint of interface section 4, and no other unless asked for. */
export function routes(parts: Parts): readonly Route[] {
  return [
    ...analyticsRoutes(parts),
    ...organizationRoutes(parts),
    ...sessionRoutes(parts),
    ...(parts.extras ? extraRoutes(parts.sessions) : []),
    {
      origin: 'base',
      method: 'GET',
      path: COMPUTERS,
      access: 'any',
      status: 200,
      answer: call => {
        query(call.query, {}, {});
        return { computers: parts.computers.list() };
      },
    },
    {
      origin: 'base',
      method: 'GET',
      path: `${COMPUTERS}/*`,
      access: 'any',
      status: 200,
      answer: call => {
        query(call.query, {}, {});
        return computer(parts, call.path[0]);
      },
    },
  ];
}

function analyticsRoutes({ analytics, organization, now }: Parts): readonly Route[] {
  const envelope = (days: Days, data: readonly Row[], more: Row = {}): unknown => ({
    data,
    meta: { org_id: organization.id, start_date: dayText(days.first), end_date: dayText(days.last), ...more },
  });
  const grouped = (path: string, by: string, rows: (days: Days, group: boolean) => Row[]): Route =>
    analyticsRoute(path, call => {
      const read = query(call.query, dates, { group_by: oneOf(by) });
      const days = range(read, now());
      return envelope(days, rows(days, read.group_by !== undefined));
    });
  return [
    grouped('/tokens', 'model', (days, group) => analytics.tokens(days, group)),
    grouped('/tools', 'tool_name', (days, group) => analytics.tools(days, group)),
    grouped('/activity', 'client', (days, group) => analytics.activity(days, group)),
    analyticsRoute('/productivity', call => {
      const days = range(query(call.query, dates, {}), now());
      return envelope(days, analytics.productivity(days));
    }),
    analyticsRoute('/users', call => {
      const read = query(call.query, dates, { limit, cursor: filledText });
      const days = range(read, now());
      const page = analytics.users(days, read.limit ?? PAGE_SIZE, read.cursor);
      if (page === undefined) return invalid('query.cursor is not the id of a user.');
      return envelope(days, page.rows, { has_more: page.next !== null, next_cursor: page.next });
    }),
  ];
}

function analyticsRoute(path: string, answer: Route['answer']): Route {
  return { origin: 'base', method: 'GET', path: ANALYTICS + path, access: 'manager', status: 200, answer };
}

/** The days asked for; 400 outside 2026-01-14 through yesterday (UTC) and for anything that is not a day. */
function range(read: { readonly startDate: string; readonly endDate: string }, now: number): Days {
  const day = (name: 'startDate' | 'endDate'): number =>
    parseDay(read[name]) ?? invalid(`query.${name} must be a date of the form YYYY-MM-DD.`);
  const days = { first: day('startDate'), last: day('endDate') };
  const yesterday = dayOf(now) - 1;
  if (days.first > days.last) invalid('query.startDate must not be after query.endDate.');
  if (days.last > yesterday) {
    invalid(`query.endDate must not be after yesterday (UTC), ${dayText(yesterday)}.`);
  }
  if (days.first < EARLIEST_DAY) {
    invalid(`query.startDate must not be before ${dayText(EARLIEST_DAY)}, the first day with data.`);
  }
  return days;
}

function organizationRoutes(parts: Parts): readonly Route[] {
  const { organization } = parts;
  const paged = (
    path: string,
    name: string,
    read: (limit: number, cursor: string | undefined) => Page<unknown> | undefined,
  ): Route => ({
    origin: 'base',
    method: 'GET',
    path: ORGANIZATION + path,
    access: 'any',
    status: 200,
    answer: call => {
      const asked = query(call.query, {}, { limit, cursor: filledText });
      const page = read(asked.limit ?? PAGE_SIZE, asked.cursor);
      if (page === undefined) return invalid('query.cursor was not given out by this endpoint.');
      return { [name]: page.items, pagination: { hasMore: page.next !== null, nextCursor: page.next } };
    },
  });
  return [
    paged('/users', 'users', (size, cursor) => organization.users(size, cursor)),
    paged('/enterprise-controls/history', 'changes', (size, cursor) => organization.changes(size, cursor)),
    {
      origin: 'app',
      method: 'GET',
      path: '/api/organization/maturity-level-reports',
      access: 'apiKey',
      status: 200,
      answer: call => reports(parts, call),
    },
  ];
}

/** Interface 4.2. Without a limit every report is answered. */
function reports({ seed, repositories, now }: Parts, call: Call): unknown {
  const asked = query(call.query, {}, { repoId: filledText, limit: numeral(1), startAfter: filledText });
  const all = readinessReports(seed, repositories, now()).filter(
    ({ repoId }) => asked.repoId === undefined || repoId === asked.repoId,
  );
  const after = all.findIndex(({ report }) => report.reportId === asked.startAfter);
  if (asked.startAfter !== undefined && after < 0) invalid('query.startAfter is not a report here.');
  const page = all.slice(after + 1, after + 1 + (asked.limit ?? all.length));
  return { reports: page.map(({ report }) => report) };
}

function sessionRoutes(parts: Parts): readonly Route[] {
  const { sessions } = parts;
  const route = (
    method: Route['method'],
    path: string,
    status: number,
    answer: (call: Call) => unknown,
  ): Route => ({
    origin: 'base',
    method,
    path: SESSIONS + path,
    access: 'any',
    status,
    answer,
  });
  const found = <T>(value: T | undefined, what: string): T => {
    if (value === undefined) throw new Refusal(404, `There is no such ${what}.`);
    return value;
  };
  return [
    route('POST', '', 201, call => {
      query(call.query, {}, {});
      const body = newSession(call.body, 'body');
      usable(computer(parts, body.computerId));
      return sessions.create(body.computerId, body.sessionSettings ?? {});
    }),
    route('GET', '/*', 200, call => {
      routed(parts, call);
      return found(sessions.get(call.path[0] ?? ''), 'session');
    }),
    route('POST', '/*/messages', 200, call => {
      query(call.query, {}, {});
      const body = message(call.body, 'body');
      const sessionId = call.path[0] ?? '';
      const computerId = found(sessions.computerOf(sessionId), 'session');
      usable(computer(parts, body.computerId ?? computerId));
      const { content, attachments } = storedMessage(body);
      return found(sessions.send(sessionId, content, { text: body.text, attachments }), 'session');
    }),
    route('GET', '/*/messages/*', 200, call => {
      routed(parts, call);
      const [sessionId = '', messageId = ''] = call.path;
      found(sessions.computerOf(sessionId), 'session');
      return found(sessions.message(sessionId, messageId), 'message');
    }),
  ];
}

/** Reads the optional `computerId` of a query; the computer must exist. */
function routed(parts: Parts, call: Call): void {
  const optional: { computerId: Check<string> } = { computerId: filledText };
  const { computerId } = query(call.query, {}, optional);
  if (computerId !== undefined) computer(parts, computerId);
}

function computer({ computers }: Parts, id: string | undefined): Computer {
  const found = id === undefined ? undefined : computers.get(id);
  if (found === undefined) throw new Refusal(404, 'There is no such computer.');
  return found;
}

function usable(found: Computer): void {
  if (!isUsable(found))
    throw new Refusal(409, `The computer cannot take work: its status is ${found.status ?? 'unknown'}.`);
}
