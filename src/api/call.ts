import type { Blob } from 'node:buffer';
import { isHTTPError, isTimeoutError } from 'ky';
import { withoutEcho } from '../util/echo';
import { oneLine } from '../util/text';
import { looksLikeJwt } from './address';
import type { Body } from './answer';
import { isRecord, Unreadable } from './decode';
import type { Endpoint, EndpointName } from './endpoints';
import { ApiError, type ApiErrorFacts, type ApiErrorKind } from './errors';
import { causeOf, failureOf, neverSent, scrub } from './failures';

/** JSON, ready to send. */
export type SentBody = string | Uint8Array | Blob;

/** A request as a call of the interface asks for it. */
export interface Request {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
  readonly url: URL;
  readonly body?: SentBody | undefined;
  /** Never tried again, whatever becomes of it. */
  readonly once?: boolean | undefined;
}

/** One request from its first attempt to its end. */
export interface Call extends Request {
  readonly signal: AbortSignal;
  /** What it may still wait between its attempts, ms. */
  budget: number;
  key?: string;
  /** An attempt has left, or may have. */
  sent: boolean;
  /** Of the latest attempt. */
  status?: number | undefined;
  requestId?: string | undefined;
  retryAt?: number | undefined;
  received?: Body;
  /** What was sent, as far as a refusal may quote it (trust.md 21). */
  said?: readonly string[];
}

/** What an error about this call always says. */
export function factsOf({ endpoint, url, status, requestId, retryAt }: Call): ApiErrorFacts {
  const request = { method: endpoint.method, path: url.pathname, origin: url.origin };
  return { request, status, requestId, retryAt };
}

/** Foreign text on one line and without the key; `undefined` when there is none. */
export function cleanText(value: unknown, maxLength: number, { key }: Call): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return oneLine(scrub(value, key, maxLength), maxLength);
}

/** Everything thrown on the way, as the one error callers see. */
export function apiErrorOf(thrown: unknown, call: Call): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const { status, key, url } = call;
  // What may have left is never taken for a request that did not (trust.md 22).
  const isUnsure = call.endpoint.method === 'POST' && call.sent;
  const error = (kind: ApiErrorKind, more: Partial<ApiErrorFacts>): ApiError =>
    new ApiError(isUnsure ? 'outcomeUnknown' : kind, { ...factsOf(call), ...more });
  if (call.signal.aborted) return error('cancelled', { code: 'cancelled' });
  if (status !== undefined && (status < 200 || status > 299))
    return refusalOf(status, isHTTPError(thrown) ? thrown.data : undefined, call);
  if (isTimeoutError(thrown)) return error('timedOut', { code: 'timedOut' });
  if (thrown instanceof Unreadable) {
    const { reason, code, message } = thrown;
    return error('malformedAnswer', { reason, code, detail: message === code ? undefined : message });
  }
  const { reason, code } = failureOf(thrown, url);
  const cause = causeOf(thrown, key);
  if (status !== undefined)
    return error('malformedAnswer', { reason: reason === 'notThisService' ? reason : 'broken', code, cause });
  if (reason === 'redirect') return error('malformedAnswer', { reason, code: 'redirect', cause });
  const facts = { ...factsOf(call), reason, code, cause };
  if (isUnsure && !neverSent(reason)) return new ApiError('outcomeUnknown', facts);
  const isSlow = !isUnsure && reason === 'network' && /TIMED?_?OUT/.test(code ?? '');
  return new ApiError(isSlow ? 'timedOut' : 'unreachable', facts);
}

/** The error for an answer that is not 2xx, with what its body says. */
function refusalOf(status: number, body: unknown, call: Call): ApiError {
  const said = isRecord(body) ? body : {};
  const words = (value: unknown, maxLength: number): string | undefined => {
    const clean = cleanText(value, maxLength, call);
    return clean === undefined ? undefined : withoutEcho(clean, call.said ?? []);
  };
  const isPage = typeof body === 'string' && body.trimStart().startsWith('<');
  const facts: ApiErrorFacts = {
    ...factsOf(call),
    requestId: cleanText(said['requestId'], 100, call) ?? call.requestId,
    title: words(said['title'], 300),
    detail: words(said['detail'] ?? said['message'], 1_000),
    ...(isPage ? { reason: 'notThisService', code: 'html' } : {}),
  };
  const { method, credential } = call.endpoint;
  if (status === 401) {
    const isJwt = credential === 'apiKey' && looksLikeJwt(call.key ?? '');
    return new ApiError('unauthorized', isJwt ? { ...facts, reason: 'jwt' } : facts);
  }
  if (status === 407) return new ApiError('unreachable', { ...facts, reason: 'proxy' });
  if (status < 400) {
    const kind = method === 'POST' ? 'outcomeUnknown' : 'malformedAnswer';
    return new ApiError(kind, { ...facts, reason: 'redirect', code: 'redirect' });
  }
  if (status >= 500) return new ApiError(method === 'POST' ? 'outcomeUnknown' : 'unavailable', facts);
  return new ApiError(KINDS[status] ?? 'refused', facts);
}

const KINDS: Readonly<Record<number, ApiErrorKind>> = {
  403: 'forbidden',
  404: 'notFound',
  410: 'notFound',
  429: 'rateLimited',
};

/** True for a failure that another try a moment later may get past. */
export function mayPass({ kind, reason, code, status }: ApiError): boolean {
  if (status === 408 || status === 429 || kind === 'unavailable') return true;
  if (reason === 'broken') return true;
  const lasts = status !== undefined || /bad port|UNSAFE_PORT|407|PROXY_AUTH/.test(code ?? '');
  return (
    kind === 'unreachable' && !lasts && (reason === undefined || reason === 'network' || reason === 'proxy')
  );
}
