import { STATUS_CODES } from 'node:http';
import { toDisposable, type IDisposable } from '../../src/util/disposable';
import { type Waits } from './waits';

/** Which of the service's two addresses a request went to. */
export type Origin = 'base' | 'app';

/** What goes back. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The error body of interface section 7; the endpoints whose error body is not shown use it too. */
export function errorAnswer(
  status: number,
  detail: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const body = JSON.stringify({ title: STATUS_CODES[status] ?? 'Error', detail, status, requestId });
  const own = { 'Content-Type': 'application/json', 'X-Request-Id': requestId };
  return { status, headers: { ...own, ...headers }, body };
}

/** Which requests a fault hits; what is left out matches everything. */
export interface FaultMatch {
  readonly method?: string;
  /** The exact path, or a pattern it must match. The query is no part of it. */
  readonly path?: string | RegExp;
  readonly origin?: Origin;
}

/** What goes wrong. Figures in brackets are the defaults. */
export type Mishap =
  /** `status` (500) with an error body; `retryAfter` in seconds or as a date. */
  | { readonly kind: 'status'; readonly status?: number; readonly retryAfter?: number | string }
  /** 429 with `retryAfter` (1). */
  | { readonly kind: 'rateLimit'; readonly retryAfter?: number | string }
  /** The true answer, `ms` (1,000) later. */
  | { readonly kind: 'delay'; readonly ms?: number }
  /** The connection is cut without an answer. */
  | { readonly kind: 'reset' }
  /** The true answer, cut in the middle. */
  | { readonly kind: 'truncate' }
  /** A web page with `status` (200). */
  | { readonly kind: 'html'; readonly status?: number }
  /** `status` (307) to `location`. */
  | { readonly kind: 'redirect'; readonly status?: number; readonly location?: string }
  /** `status` (200) and no body. */
  | { readonly kind: 'empty'; readonly status?: number }
  /** `status` (200) and broken JSON. */
  | { readonly kind: 'malformed'; readonly status?: number }
  /** The true answer with its body changed. */
  | { readonly kind: 'alter'; readonly alter: (body: unknown) => unknown };

export type Fault = Mishap & {
  readonly match?: FaultMatch;
  /** How many requests are hit; all of them by default. */
  readonly times?: number;
  /** The request takes effect before its answer goes wrong; always so for `truncate` and `alter`. */
  readonly applied?: boolean;
};

/** Faults in the order they were asked for; the first that matches a request hits it. */
export class Faults implements IDisposable {
  readonly #active = new Map<symbol, { readonly fault: Fault; left: number }>();

  /** From now on, until disposed or used up. */
  add(fault: Fault): IDisposable {
    const key = Symbol(fault.kind);
    this.#active.set(key, { fault, left: fault.times ?? Infinity });
    return toDisposable(() => this.#active.delete(key));
  }

  /** The fault for a request, counted as used. */
  take(origin: Origin, method: string, path: string): Fault | undefined {
    for (const [key, entry] of this.#active) {
      if (!matches(entry.fault.match ?? {}, origin, method, path)) continue;
      if (--entry.left <= 0) this.#active.delete(key);
      return entry.fault;
    }
    return undefined;
  }

  dispose(): void {
    this.#active.clear();
  }
}

function matches(match: FaultMatch, origin: Origin, method: string, path: string): boolean {
  if (match.origin !== undefined && match.origin !== origin) return false;
  if (match.method !== undefined && match.method.toUpperCase() !== method) return false;
  if (match.path === undefined) return true;
  return typeof match.path === 'string' ? match.path === path : new RegExp(match.path).test(path);
}

/** What a fault makes of the true answer; `undefined` where the connection is cut. */
export async function spoil(
  fault: Fault,
  answer: () => Promise<Answer>,
  { requestId, waits, isGone }: { requestId: string; waits: Waits; isGone: () => boolean },
): Promise<Answer | undefined> {
  switch (fault.kind) {
    case 'delay': {
      const early = fault.applied === true ? await answer() : undefined;
      const over = await waits.wait(fault.ms ?? 1000);
      return over && !isGone() ? (early ?? (await answer())) : undefined;
    }
    case 'truncate':
      return answer();
    case 'alter': {
      const given = await answer();
      return { ...given, body: JSON.stringify(fault.alter(JSON.parse(given.body))) };
    }
    default:
      if (fault.applied === true) await answer();
      return faultAnswer(fault, requestId);
  }
}

/** The answer a fault gives in place of the true one; `undefined` where the connection is cut. */
function faultAnswer(fault: Fault, requestId: string): Answer | undefined {
  switch (fault.kind) {
    case 'status':
      return errorAnswer(
        fault.status ?? 500,
        'The service was told to fail.',
        requestId,
        fault.retryAfter === undefined ? {} : { 'Retry-After': String(fault.retryAfter) },
      );
    case 'rateLimit':
      return errorAnswer(429, 'Too many requests.', requestId, {
        'Retry-After': String(fault.retryAfter ?? 1),
      });
    case 'html':
      return page(fault.status, 'text/html; charset=utf-8', SIGN_IN_PAGE);
    case 'redirect':
      return { status: fault.status ?? 307, headers: { Location: fault.location ?? '/elsewhere' }, body: '' };
    case 'empty':
      return page(fault.status, 'application/json', '');
    case 'malformed':
      return page(fault.status, 'application/json', '{"data": [{"date": ');
    case 'alter':
    case 'delay':
    case 'reset':
    case 'truncate':
      return undefined;
  }
}

const SIGN_IN_PAGE =
  '<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>';

function page(status: number | undefined, type: string, body: string): Answer {
  return { status: status ?? 200, headers: { 'Content-Type': type }, body };
}
