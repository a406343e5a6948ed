import { randomUUID } from 'node:crypto';
import type { OpenRepository } from '../util/git';
import { once } from '../util/promises';
import { Analytics, type Days, type Row } from './analytics';
import { computersOf, isUsable, type Computer } from './computers';
import { controlHistory, people, users } from './organization';
import { dayOf, dayText, EARLIEST_DAY, SEED, seeded } from './random';
import { readinessReports } from './readiness';
import {
  Sessions,
  shown,
  type GivenMessage,
  type SampleRecords,
  type SessionState,
  demoSessions,
  type Surroundings,
} from './sessions';

export { makeSampleRepository } from './repository';
export { demoFacts, sampleRecord, type SampleRecord, type SampleRecords } from './sessions';

export interface SampleOptions {
  readonly records: SampleRecords;
  /** The open folder's repository: it gets a series of readiness reports. */
  readonly openRepository?: OpenRepository | undefined;
  readonly now?: () => number;
  /** Agents and provisioning take this multiple of their natural time (6-10 s, 40 s); 1 by default, 0 for at once. */
  readonly pace?: number;
  /** What there is from the start; the sessions of the sample by default. */
  readonly sessions?: ((surroundings: Surroundings) => readonly SessionState[]) | undefined;
}

/** When the sample was first used, Unix ms; now where that is yet to come. */
export async function firstUsed(records: Pick<SampleRecords, 'load' | 'values'>): Promise<number> {
  await records.load();
  const used = records.values.get('used');
  return used?.kind === 'first' ? used.at : Date.now();
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

function refuse(status: number, detail: string): never {
  throw new Refusal(status, detail);
}

/** The value; 404 where there is none. */
function found<T>(value: T | undefined, what: string): T {
  return value ?? refuse(404, `There is no such ${what}.`);
}

const TITLES: Readonly<Record<number, string>> = { 400: 'Bad Request', 404: 'Not Found', 409: 'Conflict' };

interface Call {
  /** What stands in the path where the route has `*`. */
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** By method and path: the body of the answer. */
type Routes = Readonly<Record<string, (call: Call) => unknown>>;

const MADE = 'POST /api/v0/sessions';

/**
 * The documented interface with generated data, as a `fetch`: answers every request on this machine, whoever asks. Rejects when
 * the request is given up or the records cannot be read or written.
 */
export function sampleFetch(options: SampleOptions): (url: string, init?: RequestInit) => Promise<Response> {
  const { records, now = Date.now, pace = 1 } = options;
  const first = async (what: string): Promise<number> => {
    const made = await records.update(what, current => current ?? { kind: 'first', at: Math.floor(now()) });
    return made?.kind === 'first' ? made.at : now();
  };
  const computers = async (): Promise<readonly Computer[]> => {
    const begun = { usedAt: await first('used'), seenAt: await first('computer seen') };
    return computersOf(begun, now(), pace);
  };
  const begin = once(async () => {
    await records.load();
    if (records.values.has('used')) return;
    for (const state of (options.sessions ?? demoSessions)({ now: Math.floor(now()), pace }))
      await records.update(state.sessionId, current => current ?? { kind: 'session', state });
    await first('used');
  });
  const routes: Routes = {
    ...organizationRoutes(options.openRepository, now),
    ...sessionRoutes(new Sessions(records, now, pace), computers),
  };
  return async (url, { method = 'GET', body, signal } = {}) => {
    const requestId = `req_${randomUUID().slice(0, 18)}`;
    const headers = { 'X-Request-Id': requestId };
    signal?.throwIfAborted();
    try {
      await begin();
      const { pathname, searchParams: query } = new URL(url);
      const [answer, ids] = found(find(routes, `${method} ${pathname}`), 'endpoint');
      const given: unknown = body ? await new Response(body).json() : undefined;
      const answered = await answer({ ids, query, body: given });
      signal?.throwIfAborted();
      return Response.json(answered, { status: `${method} ${pathname}` === MADE ? 201 : 200, headers });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, message: detail } = error;
      return Response.json({ title: TITLES[status], detail, status, requestId }, { status, headers });
    }
  };
}

function find(routes: Routes, asked: string): readonly [Routes[string], readonly string[]] | undefined {
  for (const [pattern, answer] of Object.entries(routes)) {
    const match = new RegExp(`^${pattern.replaceAll('*', '([^/]+)')}$`).exec(asked);
    if (match !== null) return [answer, match.slice(1).map(decodeURIComponent)];
  }
  return undefined;
}

/** The days asked for; 400 outside 2026-01-14 through yesterday (UTC). */
function daysOf(query: URLSearchParams, now: number): Days {
  const [first, last] = [query.get('startDate'), query.get('endDate')].map(text =>
    dayOf(Date.parse(`${text ?? ''}T00:00:00Z`)),
  );
  const yesterday = dayOf(now) - 1;
  if (first === undefined || last === undefined || Number.isNaN(first + last))
    return refuse(400, 'startDate and endDate must be dates of the form YYYY-MM-DD.');
  if (first > last || first < EARLIEST_DAY || last > yesterday)
    refuse(400, `There is data from ${dayText(EARLIEST_DAY)} to yesterday (UTC), ${dayText(yesterday)}.`);
  return { first, last };
}

/** What the organization is asked for: its usage, its members, its controls and the readiness of its repositories. */
function organizationRoutes(open: OpenRepository | undefined, now: () => number): Routes {
  const everyone = people();
  // Not everybody works with agents.
  const analytics = new Analytics(everyone.slice(0, 13));
  const org_id = `org_${seeded(SEED, 'organization').hex(16)}`;
  const usage =
    (rows: (days: Days, query: URLSearchParams) => { readonly data: readonly Row[]; readonly meta?: Row }) =>
    ({ query }: Call): unknown => {
      const days = daysOf(query, now());
      const { data, meta } = rows(days, query);
      return {
        data,
        meta: { org_id, start_date: dayText(days.first), end_date: dayText(days.last), ...meta },
      };
    };
  return {
    'GET /api/v1/analytics/tokens': usage(days => ({ data: analytics.tokens(days) })),
    'GET /api/v1/analytics/tools': usage(days => ({ data: analytics.tools(days) })),
    'GET /api/v1/analytics/activity': usage(days => ({ data: analytics.activity(days) })),
    'GET /api/v1/analytics/productivity': usage(days => ({ data: analytics.productivity(days) })),
    'GET /api/v1/analytics/users': usage((days, query) => {
      const { rows, next } = analytics.users(days, limitOf(query), query.get('cursor') ?? undefined);
      return { data: rows, meta: { has_more: next !== null, next_cursor: next } };
    }),
    'GET /api/v0/organization/users': ({ query }) =>
      paged('users', users(everyone, now()), ({ id }) => id, query),
    'GET /api/v0/organization/enterprise-controls/history': ({ query }) => {
      const changes = controlHistory(everyone.slice(0, 3), now());
      return paged('changes', changes, ({ revision }) => `revision ${revision}`, query);
    },
    // Without a limit every report is answered (interface 4.2).
    'GET /api/organization/maturity-level-reports': ({ query }) => {
      const all = readinessReports(open, now());
      const from = all.findIndex(({ reportId }) => reportId === query.get('startAfter')) + 1;
      return { reports: all.slice(from, from + Number(query.get('limit') ?? all.length)) };
    },
  };
}

/** With the calls that only some services offer (interface-notes, extras). */
function sessionRoutes(sessions: Sessions, computers: () => Promise<readonly Computer[]>): Routes {
  const session = async (id = ''): Promise<SessionState> => found(await sessions.find(id), 'session');
  const computer = async (id = ''): Promise<Computer> =>
    found(
      (await computers()).find(each => each.id === id),
      'computer',
    );
  const usable = async (id: string): Promise<void> => {
    const one = await computer(id);
    if (!isUsable(one)) refuse(409, `The computer cannot take work: its status is ${one.status}.`);
  };
  return {
    'GET /api/v0/computers': async () => ({ computers: await computers() }),
    'GET /api/v0/computers/*': ({ ids: [id] }) => computer(id),
    [MADE]: async ({ body }) => {
      const { computerId, sessionSettings = {} } = body as {
        readonly computerId: string;
        readonly sessionSettings?: Row;
      };
      await usable(computerId);
      return shown(await sessions.create(computerId, sessionSettings));
    },
    'GET /api/v0/sessions/*': async ({ ids: [id] }) => shown(await session(id)),
    'POST /api/v0/sessions/*/messages': async ({ ids: [id], body }) => {
      const given = body as GivenMessage & { readonly computerId?: string };
      if (given.text.trim() === '') refuse(400, 'The text must not be empty.');
      const { sessionId, computerId } = await session(id);
      await usable(given.computerId ?? computerId);
      return sessions.send(sessionId, given);
    },
    'GET /api/v0/sessions/*/messages/*': async ({ ids: [id, messageId] }) => {
      const { messages } = await session(id);
      const one = messages.find(each => each.id === messageId);
      return found(one, 'message');
    },
    'GET /api/v0/sessions': ({ query }) =>
      paged('sessions', sessions.all().map(shown), ({ sessionId }) => sessionId, query),
    'GET /api/v0/sessions/*/messages': async ({ ids: [id], query }) => {
      const { messages } = await session(id);
      return paged('messages', messages, message => message.id, query);
    },
    'POST /api/v0/sessions/*/interrupt': async ({ ids: [id] }) => {
      const { sessionId } = await session(id);
      await sessions.interrupt(sessionId);
      return {};
    },
  };
}

function limitOf(query: URLSearchParams): number {
  return Number(query.get('limit') ?? 20);
}

/** A page that begins after the item a cursor names. */
function paged<T>(
  name: string,
  all: readonly T[],
  idOf: (item: T) => string,
  query: URLSearchParams,
): unknown {
  const cursorOf = (item: T): string => Buffer.from(`${name}:${idOf(item)}`).toString('base64url');
  const cursor = query.get('cursor');
  const from = cursor === null ? 0 : all.findIndex(item => cursorOf(item) === cursor) + 1;
  if (cursor !== null && from === 0) refuse(400, 'The cursor was not given out by this endpoint.');
  const items = all.slice(from, from + limitOf(query));
  const last = items.at(-1);
  const hasMore = last !== undefined && from + items.length < all.length;
  return { [name]: items, pagination: { hasMore, nextCursor: hasMore ? cursorOf(last) : null } };
}
