import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import ky from 'ky';
import type { Logger } from '../log';
import { Redactor } from '../util/redact';
import { readAnswer, readBody, type Answer } from './answer';
import type { Call, Request } from './call';
import { ApiError, apiErrorOf, causeOf, cleanText, factsOf, mayPass, sentTexts } from './errors';
import { retryAtOf, type RequestGate } from './pause';

export interface HttpOptions {
  /** API key or JWT; asked for each request, never kept. */
  readonly key: () => Promise<string | undefined>;
  /** Asked once after a 401. True when the key has changed meanwhile: a GET is tried once more. */
  readonly onUnauthorized?: ((error: ApiError) => Promise<boolean>) | undefined;
  readonly log: Logger;
  /** Shared by all windows, so that a pause the service asks for holds everywhere; without one nothing is paused. */
  readonly gate?: RequestGate | undefined;
  /** Key of the marks that stand for secrets; marks compare across clients with the same one. Random when left out. */
  readonly redactionKey?: string | undefined;
  /** For one attempt including its body, ms; analytics answers can be tens of megabytes. */
  readonly timeouts?:
    { readonly get?: number; readonly post?: number; readonly analytics?: number } | undefined;
  /** For tests. */
  readonly now?: (() => number) | undefined;
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
const NOTHING = new Uint8Array();

/**
 * Sends requests. A GET is tried at most three times, on 408, 429, 5xx and failures of the network, with full jitter or as
 * `Retry-After` says; a POST is sent once (trust.md 20-26). Every failure is an `ApiError`.
 */
export class HttpClient {
  readonly #options: HttpOptions;
  readonly #redactor: Redactor;
  readonly #now: () => number;
  readonly #closed = new AbortController();

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#redactor = new Redactor(options.redactionKey);
    this.#now = options.now ?? Date.now;
    // Each request that is under way listens.
    setMaxListeners(0, this.#closed.signal);
  }

  /** Gives up everything under way and everything asked later. */
  close(): void {
    this.#closed.abort();
  }

  /** What `read` makes of the answer; it may throw `Unreadable`. */
  async request<T>(request: Request, read: (answer: Answer) => T, given?: AbortSignal): Promise<T> {
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const abort = new AbortController();
    const end = (): void => abort.abort();
    const giveUp = (): void => {
      end();
      reject(abort.signal.reason as Error);
    };
    const budget = request.endpoint.method === 'GET' ? LONGEST_WAIT : LONGEST_POST_WAIT;
    const call: Call = { ...request, signal: abort.signal, end, budget, sent: false, received: NOTHING };
    // Listening costs much less than signals that are joined, by us or by the library.
    const ends = given === undefined ? [this.#closed.signal] : [this.#closed.signal, given];
    for (const end of ends) end.addEventListener('abort', giveUp);
    try {
      if (ends.some(({ aborted }) => aborted)) giveUp();
      // It ends the moment it is given up, whether the work below listens or not.
      await Promise.race([this.#perform(call), givenUp]);
      const { name, received, signal } = call;
      const answer = await readAnswer(name, received, this.#redactor, signal, this.#options.workerScript);
      call.requestId = cleanText(answer.requestId, 100, call) ?? call.requestId;
      return read(answer);
    } catch (thrown) {
      throw apiErrorOf(thrown, call);
    } finally {
      for (const end of ends) end.removeEventListener('abort', giveUp);
    }
  }

  /** A GET that is refused with 401 is made once more with another key, where there is one by then. */
  async #perform(call: Call, isLast = call.endpoint.method === 'POST'): Promise<void> {
    await this.#prepare(call);
    try {
      await this.#attempts(call);
    } catch (thrown) {
      const error = apiErrorOf(thrown, call);
      const isChanged = error.status === 401 && (await this.#isKeyChanged(error, call));
      if (isLast || !isChanged) throw error;
      this.#options.log.info(`${error.message}: retry, the key may be good`);
      await this.#perform(call, true);
    }
  }

  /** Until one succeeds; rejects with what the last one threw. */
  async #attempts(call: Call): Promise<void> {
    const { method, list } = call.endpoint;
    const { get = 15_000, post = 60_000, analytics = 60_000 } = this.#options.timeouts ?? {};
    await ky(call.url.href, {
      method,
      timeout: method === 'POST' ? post : list === 'data' ? analytics : get,
      // Neither the key nor the body pass through the library: its errors can be printed.
      fetch: attempt => this.#send(call, (attempt as globalThis.Request).signal),
      retry: {
        limit: method === 'POST' || call.once === true ? 0 : RETRIES,
        // The back-off and a pause are waited for at once, before that.
        delay: () => 0,
        shouldRetry: ({ error, retryCount }) => this.#mayTry(apiErrorOf(error, call), retryCount, call),
      },
    });
  }

  /** One attempt with its body, so that the deadline and the retries of the library hold for that too; `late` ends it. */
  async #send(call: Call, late: AbortSignal): Promise<Response> {
    const { url, endpoint, body, key } = call;
    const { method } = endpoint;
    const began = this.#now();
    const type = body !== undefined && { 'content-type': 'application/json' };
    const headers = { accept: 'application/json', authorization: `Bearer ${key}`, ...type };
    const sent = body !== undefined && { body: body as string | Uint8Array<ArrayBuffer> | Blob };
    call.status = call.requestId = call.retryAt = undefined;
    const { signal } = call;
    signal.throwIfAborted();
    // No attempt follows one that took too long.
    late.addEventListener('abort', call.end);
    call.sent = true;
    try {
      // Looked up now, called with an address and plain bytes: other code may have replaced or wrapped it.
      const fetch = this.#options.fetch ?? ((...args) => globalThis.fetch(...args));
      const response = await fetch(url.href, { method, redirect: 'error', signal, headers, ...sent });
      await this.#receive(response, call);
      return response;
    } finally {
      const ms = this.#now() - began;
      this.#options.log.debug(
        `${method} ${url.host}${url.pathname} ${factsOf(call).status ?? 'no answer'} in ${ms} ms`,
      );
    }
  }

  async #receive(response: Response, call: Call): Promise<void> {
    const { status, ok, headers } = response;
    call.status = status;
    call.requestId = cleanText(headers.get('x-request-id') ?? headers.get('request-id'), 100, call);
    if (status === 408 || status === 429 || status >= 500) {
      call.retryAt = retryAtOf(headers, this.#now());
      if (call.retryAt !== undefined) this.#options.gate?.pause(call.url.origin, call.retryAt);
    }
    if (ok) call.received = await readBody(response, call.endpoint.maxBytes);
    else call.said = await sentTexts(call.body);
  }

  /** Before each attempt: waits for the end of a pause, or refuses when that is too far off, and reads the key. */
  async #prepare(call: Call): Promise<void> {
    for (let wait = this.#paused(call); wait > 0; wait = this.#paused(call)) {
      if (wait > call.budget) {
        const retryAt = wait + this.#now();
        throw new ApiError('rateLimited', { ...factsOf(call), code: 'paused', retryAt });
      }
      await this.#wait(wait + this.#random() * SPREAD, call);
    }
    const noKey = { ...factsOf(call), reason: 'noKey' } as const;
    const key = await this.#options.key().catch((thrown: unknown) => {
      throw new ApiError('unauthorized', { ...noKey, cause: causeOf(thrown, undefined) });
    });
    if (!key) throw new ApiError('unauthorized', noKey);
    call.key = key;
    this.#redactor.keepOut(key);
    // Anything else would make `fetch` throw an error that quotes the header.
    if (!/^[\x21-\x7e]+$/.test(key)) throw new ApiError('unauthorized', { ...noKey, code: 'malformed' });
  }

  /** Whether another try may help, after a wait with full jitter, unless a pause is the reason for it. */
  async #mayTry(error: ApiError, retry: number, call: Call): Promise<boolean> {
    const pause = this.#paused(call);
    if (!mayPass(error) || pause > call.budget) return false;
    const wait = pause > 0 ? 0 : Math.min(call.budget, this.#random() * FIRST_BACKOFF * 2 ** (retry - 1));
    const ms = Math.round(Math.max(wait, pause));
    this.#options.log.info(`${error.message}: retry ${retry} of ${RETRIES} in ${ms} ms`);
    if (wait > 0) await this.#wait(wait, call);
    await this.#prepare(call);
    return true;
  }

  /** How long the service is not to be asked, ms. */
  #paused({ url }: Call): number {
    return (this.#options.gate?.pausedUntil(url.origin) ?? 0) - this.#now();
  }

  async #wait(ms: number, call: Call): Promise<void> {
    call.budget -= ms;
    const { signal } = call;
    await (this.#options.delay?.(ms, signal) ?? delay(ms, undefined, { signal }));
  }

  #random(): number {
    return (this.#options.random ?? Math.random)();
  }

  /** Whether whoever holds the key has another one now. A JWT where a key is needed says nothing about that. */
  async #isKeyChanged(error: ApiError, { signal }: Call): Promise<boolean> {
    const { onUnauthorized, log } = this.#options;
    if (error.reason === 'jwt' || onUnauthorized === undefined || signal.aborted) return false;
    try {
      return await onUnauthorized(error);
    } catch (thrown) {
      log.error(`${error.message}: whether the key has changed could not be found out`, thrown);
      return false;
    }
  }
}
