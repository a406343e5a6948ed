import type { Blob } from 'node:buffer';
import type { Logger } from '../log';
import { withoutEcho } from '../util/echo';
import { oneLine } from '../util/text';
import type { RowKind } from './analyticsAnswer';
import { linkedSignal, Stopped, untilAborted } from './abort';
import { looksLikeJwt } from './address';
import { parseBody, readBody, type BodyProblem } from './body';
import { isRecord, WrongShape } from './decode';
import { sentTexts } from './echo';
import {
  ApiError,
  type ApiErrorFacts,
  type ApiErrorKind,
  type ApiErrorReason,
  type ApiRequestInfo,
} from './errors';
import { causeOf, neverSent, reasonOf, scrub } from './failures';
import { readAnswer } from './largeAnswer';
import { retryAtOf, type RequestGate } from './retryAfter';

export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** A request as one endpoint asks for it. */
export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly info: ApiRequestInfo;
  /** Never tried again, whatever becomes of it. */
  readonly once?: boolean;
  /** JSON, ready to send. */
  readonly body?: string | Uint8Array | Blob;
  /** Largest answer taken, bytes after decompression. */
  readonly maxBytes: number;
  /** For the whole attempt including the body, ms. */
  readonly timeoutMs: number;
  /** The endpoint takes no JWT (section 5). */
  readonly apiKeyOnly: boolean;
  /** The answer is rows of this kind; such an answer may be large. */
  readonly rows?: RowKind;
}

export interface AttemptOptions {
  readonly key: () => Promise<string | undefined>;
  readonly log: Logger;
  readonly fetch?: FetchLike | undefined;
  /** The script of the worker that reads large answers; the room's own when left out. */
  readonly workerScript?: string | undefined;
}

/** Of an error's body only this much is read, bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

/** A request sent once. */
export class Attempt {
  readonly #call: Call;
  readonly #options: AttemptOptions;
  readonly #now: () => number;
  readonly #gate: RequestGate;
  #key: string | undefined;
  #sent = false;
  #status: number | undefined;
  #requestId: string | undefined;

  constructor(call: Call, options: AttemptOptions, now: () => number, gate: RequestGate) {
    this.#call = call;
    this.#options = options;
    this.#now = now;
    this.#gate = gate;
  }

  /** Resolves to the decoded answer; rejects with an `ApiError`. */
  async run<T>(decode: (answer: unknown) => T, signal: AbortSignal): Promise<T> {
    const began = this.#now();
    const linked = linkedSignal([signal], this.#call.timeoutMs);
    try {
      const response = await this.#send(linked.signal);
      this.#status = response.status;
      this.#requestId = this.#clean(
        response.headers.get('x-request-id') ?? response.headers.get('request-id'),
        100,
      );
      if (!response.ok) throw await this.#refusal(response, linked.signal);
      return await this.#read(response, decode, linked.signal);
    } catch (thrown) {
      throw this.#failure(thrown, linked.signal);
    } finally {
      linked.release();
      const { method, url } = this.#call;
      const outcome = this.#status ?? 'no answer';
      this.#options.log.debug(`${method} ${url.host}${url.pathname} ${outcome} in ${this.#now() - began} ms`);
    }
  }

  async #send(signal: AbortSignal): Promise<Response> {
    const { method, url, body } = this.#call;
    const key = await this.#readKey(signal);
    const headers: Record<string, string> = { accept: 'application/json', authorization: `Bearer ${key}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    signal.throwIfAborted();
    this.#sent = true;
    // Looked up now, called with an address and plain bytes: other code may have replaced or wrapped it.
    const fetch: FetchLike = this.#options.fetch ?? ((...args) => globalThis.fetch(...args));
    const answer = fetch(url.href, {
      method,
      headers,
      redirect: 'error',
      signal,
      ...(body === undefined ? {} : { body: body as string | Uint8Array<ArrayBuffer> | Blob }),
    });
    return untilAborted(answer, signal, late => void late.body?.cancel().catch(() => undefined));
  }

  async #readKey(signal: AbortSignal): Promise<string> {
    let key: string | undefined;
    try {
      key = await untilAborted(this.#options.key(), signal);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      throw this.#error('unauthorized', { reason: 'noKey', cause: causeOf(thrown, undefined) });
    }
    if (key === undefined || key === '') throw this.#error('unauthorized', { reason: 'noKey' });
    this.#key = key;
    // Anything else would make `fetch` throw an error that quotes the header.
    if (!/^[\x21-\x7e]+$/.test(key)) throw this.#error('unauthorized', { reason: 'keyMalformed' });
    return key;
  }

  async #read<T>(response: Response, decode: (answer: unknown) => T, signal: AbortSignal): Promise<T> {
    const body = await readBody(response, this.#call.maxBytes, signal);
    if ('problem' in body) throw this.#malformed(body.problem);
    let answer: unknown;
    try {
      answer = await untilAborted(this.#parse(body, signal), signal);
    } catch (thrown) {
      if (thrown instanceof SyntaxError) throw this.#malformed('notJson');
      if (thrown instanceof WrongShape) throw this.#malformed('wrongShape', thrown.message);
      throw thrown;
    }
    if (isRecord(answer)) this.#takeRequestId(answer);
    try {
      return decode(answer);
    } catch (thrown) {
      if (thrown instanceof WrongShape) throw this.#malformed('wrongShape', thrown.message);
      throw this.#malformed('wrongShape', undefined, causeOf(thrown, this.#key));
    }
  }

  #parse(
    body: { readonly blocks: readonly Uint8Array[]; readonly size: number },
    signal: AbortSignal,
  ): Promise<unknown> {
    const { rows } = this.#call;
    if (rows === undefined) return parseBody(body.blocks);
    return readAnswer(body, rows, { signal, script: this.#options.workerScript });
  }

  /** The error for an answer that is not 2xx. */
  async #refusal(response: Response, signal: AbortSignal): Promise<ApiError> {
    const { status } = response;
    const mayPause = status === 408 || status === 429 || status >= 500;
    const retryAt = mayPause ? retryAtOf(response.headers, this.#now()) : undefined;
    if (retryAt !== undefined) this.#gate.pause(this.#call.url.origin, retryAt);
    const { problem, value } = await this.#errorBody(response, signal);
    this.#takeRequestId(value);
    const sent = await sentTexts(this.#call.body);
    const own = (words: string | undefined): string | undefined =>
      words === undefined ? undefined : withoutEcho(words, sent);
    const facts = {
      title: own(this.#clean(value['title'], 300)),
      detail: own(this.#clean(value['detail'] ?? value['message'], 1_000)),
      retryAt,
    };
    const reason = problem === 'html' ? 'html' : undefined;
    if (status === 401) {
      const jwt = this.#call.apiKeyOnly && looksLikeJwt(this.#key ?? '');
      return this.#error('unauthorized', { ...facts, reason: jwt ? 'jwt' : reason });
    }
    if (status === 407) return this.#error('unreachable', { ...facts, reason: 'proxyAuthentication' });
    if (status < 400) return this.#malformed('redirect');
    if (status >= 500 && this.#call.method === 'POST')
      return this.#error('outcomeUnknown', { ...facts, reason: 'status' });
    return this.#error(kindOf(status), { ...facts, reason });
  }

  /** What an error's body says; nothing when it cannot be read. */
  async #errorBody(
    response: Response,
    signal: AbortSignal,
  ): Promise<{ problem?: BodyProblem; value: Readonly<Record<string, unknown>> }> {
    try {
      const body = await readBody(response, MAX_ERROR_BYTES, signal);
      if ('problem' in body) return { problem: body.problem, value: {} };
      const value = await parseBody(body.blocks);
      return { value: isRecord(value) ? value : {} };
    } catch {
      return { value: {} };
    }
  }

  /** Everything thrown on the way, as the one error callers see. */
  #failure(thrown: unknown, signal: AbortSignal): ApiError {
    if (thrown instanceof ApiError) return thrown;
    const unsure = this.#call.method === 'POST' && this.#sent;
    if (signal.reason instanceof Stopped) {
      const { why } = signal.reason;
      return this.#error(unsure ? 'outcomeUnknown' : why, { reason: why });
    }
    const cause = causeOf(thrown, this.#key);
    const reason = reasonOf(thrown, this.#call.url);
    if (this.#status !== undefined) {
      return this.#malformed(reason === 'notJson' ? 'notJson' : 'truncated', undefined, cause);
    }
    if (reason === 'redirect') return this.#malformed('redirect', undefined, cause);
    if (unsure && !neverSent(reason)) return this.#error('outcomeUnknown', { reason, cause });
    return this.#error(reason === 'connectTimeout' && !unsure ? 'timedOut' : 'unreachable', {
      reason,
      cause,
    });
  }

  #malformed(reason: ApiErrorReason, detail?: string, cause?: ApiErrorFacts['cause']): ApiError {
    const kind = this.#call.method === 'POST' ? 'outcomeUnknown' : 'malformedAnswer';
    return this.#error(kind, { reason, detail, cause });
  }

  #error(kind: ApiErrorKind, facts: Omit<ApiErrorFacts, 'request' | 'status' | 'requestId'>): ApiError {
    const seen = { status: this.#status, requestId: this.#requestId, request: this.#call.info };
    return new ApiError(kind, { ...facts, ...seen });
  }

  #takeRequestId(answer: { readonly requestId?: unknown }): void {
    this.#requestId = this.#clean(answer.requestId, 100) ?? this.#requestId;
  }

  /** Foreign text on one line and without the key; `undefined` when there is none. */
  #clean(value: unknown, maxLength: number): string | undefined {
    if (typeof value !== 'string' || value.trim() === '') return undefined;
    return oneLine(scrub(value, this.#key, maxLength), maxLength);
  }
}

function kindOf(status: number): ApiErrorKind {
  switch (status) {
    case 403:
      return 'forbidden';
    case 404:
    case 410:
      return 'notFound';
    case 429:
      return 'rateLimited';
    default:
      return status >= 500 ? 'unavailable' : 'refused';
  }
}
