import { Blob } from 'node:buffer';
import { isHTTPError, isTimeoutError } from 'ky';
import { oneLine, withoutEcho } from '../util/text';
import { redact } from '../util/redact';
import type { Call, SentBody } from './call';
import { isRecord, Unreadable } from './decode';

/** What went wrong with a request, in terms a caller can act on. */
export type ApiErrorKind =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'refused'
  | 'rateLimited'
  | 'unavailable'
  | 'malformedAnswer'
  | 'unreachable'
  | 'timedOut'
  | 'cancelled'
  /** A POST whose answer did not come or could not be read: it may have been carried out (interface-notes 4). */
  | 'outcomeUnknown';

/** The finer cause, where another step follows from it; `code` says more. */
export type ApiErrorReason =
  /** No usable key, so nothing was sent. */
  | 'noKey'
  /** A JWT where only an API key is accepted (section 5). */
  | 'jwt'
  /** The service was not reached: no such host, nothing there, no network. */
  | 'network'
  | 'proxy'
  | 'certificate'
  /** A connection that was in use broke off. */
  | 'broken'
  | 'redirect'
  /** A web page, something that is no JSON, or JSON of another shape. */
  | 'notThisService'
  | 'tooLarge'
  /** Pages that repeat or do not lead on. */
  | 'brokenList';

export interface ApiErrorFacts {
  /** The request; never its query, headers or body. */
  readonly request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly origin: string };
  readonly reason?: ApiErrorReason | undefined;
  /** What the layer that failed calls it, such as `ENOTFOUND`, `html` or `timedOut`. */
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  /** The service's name for this request: foreign text. */
  readonly requestId?: string | undefined;
  /** From the service's error body (section 7): foreign text. */
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  /** Unix ms before which the service wants no further request. */
  readonly retryAt?: number | undefined;
  /** Name and message of what was thrown below, with secrets taken out. */
  readonly cause?: { readonly name: string; readonly message: string } | undefined;
}

/**
 * The one error a request fails with. Holds neither key nor bodies, so it may be logged and inspected. `message` is for logs;
 * people read `errorSentence(error)`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: ApiErrorKind;
  declare readonly request: ApiErrorFacts['request'];
  declare readonly reason: ApiErrorFacts['reason'];
  declare readonly code: ApiErrorFacts['code'];
  declare readonly status: ApiErrorFacts['status'];
  declare readonly requestId: ApiErrorFacts['requestId'];
  declare readonly title: ApiErrorFacts['title'];
  declare readonly detail: ApiErrorFacts['detail'];
  declare readonly retryAt: ApiErrorFacts['retryAt'];

  constructor(kind: ApiErrorKind, { cause, ...facts }: ApiErrorFacts) {
    const { request, reason, code, status, requestId } = facts;
    const list = (...parts: readonly (string | number | undefined)[]): string =>
      parts.filter(part => part !== undefined).join(', ');
    const answer = list(status, requestId && `request ${requestId}`);
    const message = `${request.method} ${request.path}: ${list(kind, reason, code)}${answer === '' ? '' : ` (${answer})`}`;
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    Object.assign(this, facts);
  }
}

export function isApiError(error: unknown): error is ApiError {
  return error instanceof ApiError;
}

/** What `call` fails with; throws what is no `ApiError`. */
export async function failureOf(call: () => Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
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
  const isLate = isTimeoutError(thrown);
  if (call.signal.aborted && !isLate) return error('cancelled', { code: 'cancelled' });
  if (status !== undefined && (status < 200 || status > 299))
    return refusalOf(status, isHTTPError(thrown) ? thrown.data : undefined, call);
  if (isLate) return error('timedOut', { code: 'timedOut' });
  if (thrown instanceof Unreadable) {
    const { reason, code, message } = thrown;
    return error('malformedAnswer', { reason, code, detail: message === code ? undefined : message });
  }
  const { reason, code } = networkReason(thrown, url);
  const cause = causeOf(thrown, key);
  if (status !== undefined)
    return error('malformedAnswer', { reason: reason === 'notThisService' ? reason : 'broken', code, cause });
  if (reason === 'redirect') return error('malformedAnswer', { reason, code: 'redirect', cause });
  const facts = { ...factsOf(call), reason, code, cause };
  if (isUnsure && !neverSent(reason)) return new ApiError('outcomeUnknown', facts);
  const isSlow = !isUnsure && reason === 'network' && /TIMED?_?OUT/.test(code ?? '');
  return new ApiError(isSlow ? 'timedOut' : 'unreachable', facts);
}

const KINDS: Readonly<Record<number, ApiErrorKind>> = {
  403: 'forbidden',
  404: 'notFound',
  410: 'notFound',
  429: 'rateLimited',
};

/** True for a JSON Web Token, which only the `/api/v0/` endpoints accept (section 5). */
function looksLikeJwt(key: string): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(key.trim());
}

/** The error for an answer that is not 2xx, with what its body says. */
function refusalOf(status: number, body: unknown, call: Call): ApiError {
  const said = isRecord(body) ? body : {};
  const words = (value: unknown, maxLength: number): string | undefined => {
    const clean = cleanText(value, maxLength, call);
    return clean === undefined ? undefined : withoutEcho(clean, call.said ?? []);
  };
  const isPage = typeof body === 'string' && /^\s*</.test(body);
  const facts: ApiErrorFacts = {
    ...factsOf(call),
    requestId: cleanText(said['requestId'], 100, call) ?? call.requestId,
    title: words(said['title'], 300),
    detail: words(said['detail'] ?? said['message'], 1_000),
    ...(isPage ? { reason: 'notThisService', code: 'html' } : {}),
  };
  const { method, path } = call.endpoint;
  if (status === 401) {
    // Only calls below /api/v0 take one (section 5).
    const isJwt = !path.startsWith('/api/v0/') && looksLikeJwt(call.key ?? '');
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

/** Of a body only this much is compared with what a refusal says, bytes. */
const COMPARED = 64 * 1024;

/** The texts of a message's body (section 4.7), as far as they stand at its beginning; shorter ones say nothing about anybody. */
export async function sentTexts(body: SentBody | undefined): Promise<readonly string[]> {
  const json = body === undefined ? '' : await new Blob([body]).slice(0, COMPARED).text();
  const values = json.matchAll(/(?<!\\)"(?:text|parsedData|data)":"((?:[^"\\]|\\(?:u[\da-f]{4}|[^u]))*)/gi);
  const texts = [...values].map(([, value = '']) =>
    String(JSON.parse(`"${value}"`))
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return texts.filter(text => text.length >= 4);
}

/** True for a failure that another try a moment later may get past. */
export function mayPass({ kind, reason, code, status }: ApiError): boolean {
  if (status === 408 || status === 429 || kind === 'unavailable' || reason === 'broken') return true;
  const lasts = status !== undefined || /bad port|UNSAFE_PORT|407|PROXY_AUTH/.test(code ?? '');
  const isBelow = reason === undefined || reason === 'network' || reason === 'proxy';
  return kind === 'unreachable' && !lasts && isBelow;
}

/** Names of failures, of Node's network stack and of a browser's, which VS Code can be told to use for `fetch`. */
const BY_NAME: readonly (readonly [RegExp, ApiErrorReason])[] = [
  [/^unexpected redirect|ERR_UNEXPECTED_REDIRECT/, 'redirect'],
  [/^Proxy response( \(407\))?|ERR_(PROXY|TUNNEL|NO_SUPPORTED_PROXIES)/, 'proxy'],
  [/^HTTPParserError|^HPE_|ERR_INVALID_(HTTP_)?RESPONSE|^Z_(?!BUF)|^ERR__ERROR_FORMAT/, 'notThisService'],
  // A secured connection that broke while in use, not while it was made.
  [/^(EPROTO|.*ERR_SSL_).*(DECRYPT|RECORD_MAC|UNEXPECTED_EOF)/i, 'broken'],
  [/CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|^EPROTO|ERR_SSL_/, 'certificate'],
  [/^(ENOTFOUND|EAI_|ECONNREFUSED|E(NET|HOST)UNREACH|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT|bad port$)/, 'network'],
  [/ERR_(NAME_|(CONNECTION_|INTERNET_)(REFUSED|TIMED_OUT|DISCONNECTED)|ADDRESS_UNREACHABLE)/, 'network'],
  [/ERR_UNSAFE_PORT|UND_ERR_CONNECT_TIMEOUT/, 'network'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_(SOCKET|RES_CONTENT)|Z_BUF)/, 'broken'],
  [/ERR_(CONNECTION_|EMPTY_RESPONSE|SOCKET_|NETWORK_|INCOMPLETE_|CONTENT_LENGTH_)/, 'broken'],
];

/** Reasons that mean the request certainly never reached the service. */
const neverSent = (reason: ApiErrorReason | undefined): boolean =>
  reason === 'network' || reason === 'proxy' || reason === 'certificate';

/** What `fetch` or a body stream threw, or a cause of it. */
type Link = Readonly<
  Partial<Record<'name' | 'message' | 'code' | 'port' | 'hostname' | 'syscall' | 'cause' | 'errors', unknown>>
>;

/** Laid out from the outside in; the cause that knows most is last. */
function chainOf(thrown: unknown): Link[] {
  const links: Link[] = [];
  let current: unknown = thrown;
  while (typeof current === 'object' && current !== null && links.length < 8) {
    const link = current as Link;
    links.push(link);
    current = link.cause ?? (Array.isArray(link.errors) ? (link.errors as unknown[])[0] : undefined);
  }
  return links;
}

/** Names the reason of a failure below HTTP; nothing when nothing is known about it. */
export function networkReason(thrown: unknown, url: URL): Pick<ApiErrorFacts, 'reason' | 'code'> {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  for (const link of chainOf(thrown).reverse()) {
    const [code, message] = [text(link.code), text(link.message)];
    const netError = /net::(ERR_\w+)/.exec(message)?.[1] ?? '';
    for (const name of [
      netError,
      code === 'EPROTO' ? `${code} ${message}` : code,
      text(link.name),
      message,
    ]) {
      const found = BY_NAME.find(([pattern]) => pattern.test(name));
      if (found === undefined) continue;
      const [pattern, reason] = found;
      const known = (/\s/.test(name) ? pattern.exec(name)?.[0] : name)?.slice(0, 40) ?? name;
      if (neverSent(reason) && isElsewhere(link, url)) return { reason: 'proxy', code: known };
      // The same codes also come from a connection that was already in use.
      const inUse = typeof link.syscall === 'string' && !/^(connect|getaddrinfo)/.test(link.syscall);
      return { reason: inUse && neverSent(reason) ? 'broken' : reason, code: known };
    }
  }
  return {};
}

/** True when the failing connection was not to the service itself, which leaves a proxy. */
function isElsewhere({ port, hostname }: Link, url: URL): boolean {
  if (typeof hostname === 'string' && hostname !== '')
    return hostname.toLowerCase() !== url.hostname.replace(/^\[|\]$/g, '');
  const own = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return typeof port === 'number' && port !== own;
}

/** Text from below or from the service with the key and anything like one taken out. */
function scrub(text: string, key: string | undefined, maxLength: number): string {
  return redact(text.slice(0, 4 * maxLength), { own: key }).slice(0, maxLength);
}

/** The innermost cause as plain data that is safe to print. */
export function causeOf(thrown: unknown, key: string | undefined): ApiErrorFacts['cause'] {
  const link = chainOf(thrown).at(-1);
  if (link === undefined) return undefined;
  const said = (value: unknown, otherwise: string, maxLength: number): string =>
    scrub(typeof value === 'string' ? value : otherwise, key, maxLength);
  return { name: said(link.name, 'Error', 60), message: said(link.message, '', 300) };
}
