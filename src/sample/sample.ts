import { randomUUID } from 'node:crypto';
import { Analytics } from './analytics';
import { computerIdOf, Computers } from './computers';
import { demoSessions, type Surroundings } from './demo';
import { Organization } from './organization';
import { people } from './people';
import { repositories, type OpenRepository } from './readiness';
import { type SampleRecords, type SessionState } from './records';
import { Refusal } from './requests';
import { routes, type Route } from './routes';
import { Sessions } from './sessions';

export interface SampleOptions {
  /** Address of the web application: what does not begin with it is asked of the service. Neither is ever contacted. */
  readonly appUrl: string;
  /** What people do in the sample, shared by all windows. */
  readonly records: SampleRecords;
  /** The open folder's repository: it gets a series of readiness reports. */
  readonly openRepository?: OpenRepository | undefined;
  /** What all generated data depends on, with the date; `agent-console` by default. */
  readonly seed?: string;
  /** The clock, Unix ms; `Date.now` by default. */
  readonly now?: () => number;
  /** Agents and provisioning take this multiple of their natural time (6-10 s, 40 s); 1 by default, 0 for at once. */
  readonly pace?: number;
  /** Answers the calls that only some services offer (interface-notes, extras) too; true by default. */
  readonly extras?: boolean;
  /** What there is from the start; the sessions of the sample by default. */
  readonly sessions?: ((surroundings: Surroundings) => readonly SessionState[]) | undefined;
}

/**
 * The documented interface with generated data, as a `fetch`: answers every request on this machine, whoever asks. Rejects when
 * the request is given up or the records cannot be read or written.
 */
export function sampleFetch(options: SampleOptions): (url: string, init?: RequestInit) => Promise<Response> {
  const { appUrl, records, seed = 'agent-console', now = Date.now, pace = 1 } = options;
  /** When something happened first, in whichever window. */
  const first = async (what: string): Promise<number> => {
    const known = records.values.get(what);
    const record =
      known?.kind === 'first'
        ? known
        : await records.update(what, current => current ?? { kind: 'first', at: Math.floor(now()) });
    return record?.kind === 'first' ? record.at : now();
  };
  let seeds: ReadonlyMap<string, SessionState> | undefined;
  const begin = async (): Promise<void> => {
    await records.load();
    const begunAt = await first('used');
    const computerId = (name: string): string => computerIdOf(seed, name);
    const { sessions: make = demoSessions } = options;
    seeds ??= new Map(make({ seed, now: begunAt, pace, computerId }).map(state => [state.sessionId, state]));
    await sessions.goOn();
  };
  const sessions = new Sessions({ records, now, pace, seeds: () => seeds ?? new Map() });
  const everyone = people(seed);
  const table = routes({
    seed,
    now,
    analytics: new Analytics(seed, everyone),
    computers: new Computers({ seed, now, pace, first }),
    organization: new Organization(seed, everyone, now),
    repositories: repositories(seed, options.openRepository),
    sessions,
    extras: options.extras ?? true,
  });
  return async (url, init = {}) => {
    const requestId = `req_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
    const headers = { 'X-Request-Id': requestId };
    init.signal?.throwIfAborted();
    try {
      await begin();
      const isOfApp = url.startsWith(`${appUrl}/`);
      const { route, ids } = findRoute(table, isOfApp, init.method ?? 'GET', new URL(url).pathname);
      const body = route.method === 'POST' ? await bodyOf(init) : undefined;
      const answer = await route.answer({ ids, query: new URL(url).searchParams, body });
      init.signal?.throwIfAborted();
      return Response.json(answer, { status: route.status ?? 200, headers });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, message: detail } = error;
      return Response.json(
        { title: TITLES[status] ?? 'Error', detail, status, requestId },
        { status, headers },
      );
    }
  };
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
};

/** The parsed JSON; `undefined` without a body, 400 for anything else. */
async function bodyOf({ body, headers }: RequestInit): Promise<unknown> {
  if (body === undefined || body === null) return undefined;
  const type = new Headers(headers).get('content-type')?.toLowerCase().replace(/\s/g, '');
  if (type !== 'application/json' && type !== 'application/json;charset=utf-8') {
    throw new Refusal(400, 'The content type must be application/json.');
  }
  const bytes = await new Response(body).arrayBuffer();
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw new Refusal(400, 'The body is not JSON in UTF-8.');
  }
}

/** The route of a request: 404 where no route of this address has the path, 405 where one has it for another method. */
function findRoute(
  table: readonly Route[],
  isOfApp: boolean,
  method: string,
  path: string,
): { readonly route: Route; readonly ids: readonly string[] } {
  const fitting = table.flatMap(route => {
    const ids = isOfApp === (route.isOfApp ?? false) ? idsIn(route.path, path) : undefined;
    return ids === undefined ? [] : { route, ids };
  });
  const match = fitting.find(({ route }) => route.method === method);
  if (match !== undefined) return match;
  if (fitting.length > 0) throw new Refusal(405, `${method} is not offered here.`);
  throw new Refusal(404, 'There is no such endpoint.');
}

/** The segments that vary, decoded; `undefined` where the path is another. */
function idsIn(pattern: string, path: string): readonly string[] | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const ids: string[] = [];
  for (const [index, segment] of wanted.entries()) {
    const part = given[index] ?? '';
    if (segment !== '*' ? segment !== part : part === '') return undefined;
    if (segment === '*') ids.push(decoded(part));
  }
  return ids;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
