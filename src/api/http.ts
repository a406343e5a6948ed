import type { Logger } from '../log';
import { once } from '../util/once';
import { delay, linkedSignal, Stopped, untilAborted } from './abort';
import { Attempt, type Call, type FetchLike } from './attempt';
import { ApiError, isApiError } from './errors';
import { causeOf, mayPass } from './failures';
import { memoryGate, type RequestGate } from './retryAfter';

/** Most that one call waits in all, between its attempts and for a pause to end; ms. */
const LONGEST_WAIT = 60_000;
/** A POST waits no longer than this for a pause to end: a person stands before it. */
const LONGEST_POST_WAIT = 5_000;
const FIRST_BACKOFF = 500;
/** Requests that waited for the same pause to end do not all leave in the same moment; ms. */
const SPREAD = 250;

export interface HttpOptions {
  readonly key: () => Promise<string | undefined>;
  readonly onUnauthorized?: ((error: ApiError) => Promise<boolean>) | undefined;
  readonly log: Logger;
  readonly gate?: RequestGate | undefined;
  readonly now?: (() => number) | undefined;
  readonly delay?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  readonly random?: (() => number) | undefined;
  readonly fetch?: FetchLike | undefined;
  readonly workerScript?: string | undefined;
}

/** A failure that may pass; `pause` waits as long as the next try must. */
class TryAgain extends Error {
  override readonly name = 'TryAgain';
  readonly error: ApiError;
  readonly pause: (retry: number) => Promise<void>;

  constructor(error: ApiError, pause: (retry: number) => Promise<void>) {
    super(error.message);
    this.error = error;
    this.pause = pause;
  }
}

/** One for all clients. What is sent is decided anew for each attempt and never known to it. */
const loadKy = once(async () => {
  const { default: ky } = await import('ky');
  return ky.create({
    timeout: false,
    throwHttpErrors: false,
    retry: {
      limit: 2,
      methods: ['get'],
      delay: () => 0,
      shouldRetry: ({ error }) => error instanceof TryAgain,
    },
    hooks: {
      beforeRetry: [
        ({ error, retryCount }) => (error instanceof TryAgain ? error.pause(retryCount) : undefined),
      ],
    },
  });
});

/**
 * Sends requests. A GET is tried at most three times, on 408, 429, 5xx and failures of the network, with full jitter or as
 * `Retry-After` says; a POST is sent once (trust.md 20-26). Every failure is an `ApiError`.
 */
export class Http {
  readonly #options: HttpOptions;
  readonly #gate: RequestGate;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #closed = new AbortController();

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#gate = options.gate ?? memoryGate();
    this.#now = options.now ?? Date.now;
    this.#random = options.random ?? Math.random;
  }

  /** Gives up everything under way and everything asked later. */
  close(): void {
    this.#closed.abort();
  }

  /** The answer to `call` as `decode` reads it; what `decode` throws becomes a malformed answer. */
  async request<T>(call: Call, decode: (answer: unknown) => T, signal?: AbortSignal): Promise<T> {
    const linked = linkedSignal([signal, this.#closed.signal]);
    const attempts = { begun: 0 };
    try {
      return await this.#withFreshKey(call, decode, linked.signal, attempts);
    } catch (thrown) {
      throw toApiError(thrown, call, attempts.begun > 0);
    } finally {
      linked.release();
    }
  }

  /** On 401 asks once whether the key has changed meanwhile. A POST is not sent again even then. */
  async #withFreshKey<T>(
    call: Call,
    decode: (answer: unknown) => T,
    signal: AbortSignal,
    attempts: { begun: number },
  ): Promise<T> {
    try {
      return await this.#perform(call, decode, signal, attempts);
    } catch (error) {
      const { onUnauthorized } = this.#options;
      const asks = isApiError(error) && error.kind === 'unauthorized' && error.status === 401;
      if (!asks || error.reason === 'jwt' || onUnauthorized === undefined) throw error;
      const changed = await untilAborted(onUnauthorized(error), signal).catch((thrown: unknown) => {
        if (signal.aborted) throw thrown;
        this.#options.log.warn(`${describe(call)}: whether the key has changed could not be found out`);
        return false;
      });
      if (!changed || call.method === 'POST') throw error;
      this.#options.log.info(`${describe(call)}: trying once more with the key as it is now`);
      try {
        return await this.#perform(call, decode, signal, attempts);
      } catch (again) {
        // Refused too: whoever holds the key is told, and nothing is sent a third time.
        if (isApiError(again) && again.status === 401)
          await untilAborted(onUnauthorized(again), signal).catch(() => false);
        throw again;
      }
    }
  }

  /** An answer at once needs nothing of the library; a failure that may pass is handed to it. */
  async #perform<T>(
    call: Call,
    decode: (answer: unknown) => T,
    signal: AbortSignal,
    attempts: { begun: number },
  ): Promise<T> {
    const budget = { ms: call.method === 'GET' ? LONGEST_WAIT : LONGEST_POST_WAIT };
    const attempt = async (): Promise<T> => {
      await this.#passGate(call, budget, signal);
      attempts.begun += 1;
      try {
        return await new Attempt(call, this.#options, this.#now, this.#gate).run(decode, signal);
      } catch (error) {
        throw isApiError(error) ? this.#orTryAgain(error, call, budget, signal) : error;
      }
    };
    let latest = attempt();
    try {
      return await latest;
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
    }
    const ky = await untilAborted(loadKy(), signal);
    let isTold = false;
    await ky(call.url.href, {
      // Neither the key nor the body pass through the library: its errors can be printed.
      fetch: async () => {
        if (isTold) latest = attempt();
        isTold = true;
        await latest;
        return new Response(null, { status: 204 });
      },
    });
    return latest;
  }

  /** The error itself, or `TryAgain` for one that another try of a GET may get past in time. */
  #orTryAgain(error: ApiError, call: Call, budget: { ms: number }, signal: AbortSignal): Error {
    if (call.method !== 'GET' || call.once === true || !isRetriable(error)) return error;
    // A pause the service asked for is waited for at the gate, where every other request waits too.
    const paused = Math.max(0, (error.retryAt ?? 0) - this.#now());
    if (paused > budget.ms) return error;
    return new TryAgain(error, async retry => {
      const wait = paused > 0 ? 0 : Math.min(budget.ms, this.#random() * FIRST_BACKOFF * 2 ** (retry - 1));
      this.#options.log.info(
        `${error.message}: retry ${retry} of 2 in ${Math.round(Math.max(paused, wait))} ms`,
      );
      if (wait > 0) await this.#wait(wait, budget, signal);
    });
  }

  /** Waits until the service may be asked again, or refuses when that is too far off. */
  async #passGate(call: Call, budget: { ms: number }, signal: AbortSignal): Promise<void> {
    for (;;) {
      const until = this.#gate.pausedUntil(call.url.origin);
      const wait = until - this.#now();
      if (wait <= 0) return;
      if (wait > budget.ms) {
        throw new ApiError('rateLimited', { request: call.info, reason: 'paused', retryAt: until });
      }
      await this.#wait(wait + this.#random() * SPREAD, budget, signal);
    }
  }

  async #wait(ms: number, budget: { ms: number }, signal: AbortSignal): Promise<void> {
    budget.ms -= ms;
    await untilAborted((this.#options.delay ?? delay)(ms, signal), signal);
  }
}

/** An unforeseen failure of a POST that may have left is never taken for a request that did not (trust.md 22). */
function toApiError(thrown: unknown, call: Call, mayHaveLeft: boolean): ApiError {
  if (isApiError(thrown)) return thrown;
  if (thrown instanceof TryAgain) return thrown.error;
  const request = call.info;
  const unsure = call.method === 'POST' && mayHaveLeft;
  if (thrown instanceof Stopped && !unsure)
    return new ApiError('cancelled', { request, reason: 'cancelled' });
  return new ApiError(unsure ? 'outcomeUnknown' : 'unreachable', {
    request,
    cause: causeOf(thrown, undefined),
  });
}

function isRetriable(error: ApiError): boolean {
  if (error.status === 408 || error.status === 429) return true;
  if (error.kind === 'unavailable' || error.reason === 'truncated') return true;
  return error.kind === 'unreachable' && error.status === undefined && mayPass(error.reason);
}

function describe(call: Call): string {
  return `${call.method} ${call.info.path}`;
}
