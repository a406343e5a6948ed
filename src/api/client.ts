import type { Blob } from 'node:buffer';
import ky from 'ky';
import type { Logger } from '../log';
import type { Redactor } from '../util/redact';
import { delay, linkedSignal, untilAborted } from './abort';
import { readBody, type Answer } from './answer';
import { apiErrorOf, cleanText, factsOf, mayPass, type Call, type Request } from './call';
import { sentTexts } from './echo';
import { ApiError } from './errors';
import { causeOf } from './failures';
import { retryAtOf, type RequestGate } from './retryAfter';
import { readAnswer } from './worker';

/** How long one attempt may take including its body, ms. */
export interface Timeouts {
  readonly get: number;
  readonly post: number;
  /** Analytics answers can be tens of megabytes. */
  readonly analytics: number;
}

export interface HttpOptions {
  /** API key or JWT; asked for each request, never kept. */
  readonly key: () => Promise<string | undefined>;
  /** Asked once after a 401. True when the key has changed meanwhile: a GET is tried once more. */
  readonly onUnauthorized?: ((error: ApiError) => Promise<boolean>) | undefined;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly gate: RequestGate;
  readonly timeouts: Timeouts;
  readonly now: () => number;
  /** For tests. */
  readonly delay?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  readonly random?: (() => number) | undefined;
  /** Sends the requests; the global `fetch` of the moment when left out, which VS Code makes use its proxy and certificates. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** The script of the worker that reads large answers; this bundle's own when left out. */
  readonly workerScript?: string | undefined;
}

const RETRIES = 2;
/** Most that one call waits in all, between its attempts and for a pause to end; ms. */
const LONGEST_WAIT = 60_000;
/** A POST waits no longer than this for a pause to end: a person stands before it. */
const LONGEST_POST_WAIT = 5_000;
const FIRST_BACKOFF = 500;
/** Requests that waited for the same pause to end do not all leave in the same moment; ms. */
const SPREAD = 250;

/** The back-off and a pause are waited for at once, in `beforeRetry`. */
const client = ky.create({
  redirect: 'error',
  retry: { limit: RETRIES, methods: ['get'], delay: () => 0 },
});

/**
 * Sends requests. A GET is tried at most three times, on 408, 429, 5xx and failures of the network, with full jitter or as
 * `Retry-After` says; a POST is sent once (trust.md 20-26). Every failure is an `ApiError`.
 */
export class HttpClient {
  readonly #options: HttpOptions;
  readonly #closed = new AbortController();

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** Gives up everything under way and everything asked later. */
  close(): void {
    this.#closed.abort();
  }

  /** What `read` makes of the answer; it may throw `Unreadable`. */
  async request<T>(request: Request, read: (answer: Answer) => T, signal?: AbortSignal): Promise<T> {
    const linked = linkedSignal([signal, this.#closed.signal]);
    const budget = request.endpoint.method === 'GET' ? LONGEST_WAIT : LONGEST_POST_WAIT;
    const call: Call = { ...request, signal: linked.signal, budget, sent: false };
    try {
      return read(await this.#perform(call));
    } catch (thrown) {
      const error = apiErrorOf(thrown, call);
      // What is left of an attempt that took too long.
      linked.abort();
      throw error;
    } finally {
      linked.release();
    }
  }

  async #perform(call: Call): Promise<Answer> {
    const { name, endpoint, url, signal } = call;
    const isPost = endpoint.method === 'POST';
    const { timeouts, redactor, workerScript: script } = this.#options;
    let told: unknown;
    let isFresh = false;
    await this.#prepare(call);
    try {
      await client(url, {
        method: endpoint.method,
        timeout: isPost ? timeouts.post : endpoint.list === 'data' ? timeouts.analytics : timeouts.get,
        // Neither the key nor the body pass through the library: its errors can be printed.
        fetch: () => this.#send(call),
        retry: {
          limit: isPost || call.once === true ? 0 : RETRIES,
          shouldRetry: async ({ error }) => {
            const failure = apiErrorOf(error, call);
            if (failure.status !== 401) return mayPass(failure) && this.#paused(call) <= call.budget;
            told = error;
            const isChanged = await this.#isKeyChanged(failure, call);
            return isChanged && !isFresh && (isFresh = true);
          },
        },
        hooks: {
          beforeRetry: [({ error, retryCount }) => this.#rest(apiErrorOf(error, call), retryCount, call)],
        },
      });
    } catch (thrown) {
      const error = apiErrorOf(thrown, call);
      if (error.status === 401 && told !== thrown) await this.#isKeyChanged(error, call);
      throw error;
    }
    if (call.received === undefined) throw new Error('No answer');
    const answer = await untilAborted(readAnswer(name, call.received, { redactor, signal, script }), signal);
    call.requestId = cleanText(answer.requestId, 100, call) ?? call.requestId;
    return answer;
  }

  /** One attempt with its body, so that the deadline and the retries of the library hold for that too. */
  async #send(call: Call): Promise<Response> {
    const { url, endpoint, body, signal, key } = call;
    const { now, log, gate } = this.#options;
    const { method } = endpoint;
    const began = now();
    call.status = call.requestId = call.retryAt = undefined;
    const headers = { accept: 'application/json', authorization: `Bearer ${key}` };
    signal.throwIfAborted();
    call.sent = true;
    try {
      // Looked up now, called with an address and plain bytes: other code may have replaced or wrapped it.
      const fetch = this.#options.fetch ?? ((...args) => globalThis.fetch(...args));
      const answer = fetch(url.href, {
        method,
        redirect: 'error',
        signal,
        ...(body === undefined
          ? { headers }
          : {
              headers: { ...headers, 'content-type': 'application/json' },
              body: body as string | Uint8Array<ArrayBuffer> | Blob,
            }),
      });
      const response = await untilAborted(answer, signal);
      const { status, ok } = response;
      call.status = status;
      const id = response.headers.get('x-request-id') ?? response.headers.get('request-id');
      call.requestId = cleanText(id, 100, call);
      if (status === 408 || status === 429 || status >= 500) {
        call.retryAt = retryAtOf(response.headers, now());
        if (call.retryAt !== undefined) gate.pause(url.origin, call.retryAt);
      }
      if (ok) call.received = await untilAborted(readBody(response, endpoint.maxBytes), signal);
      else call.said = await sentTexts(body);
      return response;
    } finally {
      log.debug(`${method} ${url.host}${url.pathname} ${call.status ?? 'no answer'} in ${now() - began} ms`);
    }
  }

  /** Before each attempt: waits for the end of a pause, or refuses when that is too far off, and reads the key. */
  async #prepare(call: Call): Promise<void> {
    for (let wait = this.#paused(call); wait > 0; wait = this.#paused(call)) {
      if (wait > call.budget) {
        const retryAt = this.#options.gate.pausedUntil(call.url.origin);
        throw new ApiError('rateLimited', { ...factsOf(call), code: 'paused', retryAt });
      }
      await this.#wait(wait + this.#random() * SPREAD, call);
    }
    const key = await untilAborted(this.#options.key(), call.signal).catch((thrown: unknown) => {
      call.signal.throwIfAborted();
      throw new ApiError('unauthorized', {
        ...factsOf(call),
        reason: 'noKey',
        cause: causeOf(thrown, undefined),
      });
    });
    if (key === undefined || key === '')
      throw new ApiError('unauthorized', { ...factsOf(call), reason: 'noKey' });
    call.key = key;
    this.#options.redactor.keepOut(key);
    // Anything else would make `fetch` throw an error that quotes the header.
    if (!/^[\x21-\x7e]+$/.test(key))
      throw new ApiError('unauthorized', { ...factsOf(call), reason: 'noKey', code: 'malformed' });
  }

  /** Before another try: waits with full jitter, unless a pause or another key is the reason for it. */
  async #rest(error: ApiError, retry: number, call: Call): Promise<void> {
    const isFree = error.status === 401 || this.#paused(call) > 0;
    const wait = isFree ? 0 : Math.min(call.budget, this.#random() * FIRST_BACKOFF * 2 ** (retry - 1));
    const ms = Math.round(Math.max(wait, this.#paused(call)));
    this.#options.log.info(`${error.message}: retry ${retry} of ${RETRIES} in ${ms} ms`);
    if (wait > 0) await this.#wait(wait, call);
    await this.#prepare(call);
  }

  /** How long the service is not to be asked, ms. */
  #paused({ url }: Call): number {
    return this.#options.gate.pausedUntil(url.origin) - this.#options.now();
  }

  async #wait(ms: number, call: Call): Promise<void> {
    call.budget -= ms;
    await untilAborted((this.#options.delay ?? delay)(ms, call.signal), call.signal);
  }

  #random(): number {
    return (this.#options.random ?? Math.random)();
  }

  /** Whether whoever holds the key has another one now. A JWT where a key is needed says nothing about that. */
  async #isKeyChanged(error: ApiError, { signal }: Call): Promise<boolean> {
    const { onUnauthorized, log } = this.#options;
    if (error.reason === 'jwt' || onUnauthorized === undefined || signal.aborted) return false;
    try {
      return await untilAborted(onUnauthorized(error), signal);
    } catch (thrown) {
      signal.throwIfAborted();
      log.error(`${error.message}: whether the key has changed could not be found out`, thrown);
      return false;
    }
  }
}
