import { toDisposable, type IDisposable } from '../util/disposable';
import { type Origin } from './recorder';

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
