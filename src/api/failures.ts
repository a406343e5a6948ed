import { redact, REDACTED } from '../util/redact';
import type { ApiErrorCause, ApiErrorReason } from './errors';

/** Reasons that mean the request certainly never reached the service. */
const NEVER_SENT: ReadonlySet<ApiErrorReason> = new Set<ApiErrorReason>([
  'dns',
  'connectionRefused',
  'connectTimeout',
  'network',
  'blockedPort',
  'proxy',
  'proxyAuthentication',
  'selfSignedCertificate',
  'certificateExpired',
  'certificateHost',
  'tls',
]);

/** Reasons that another try a moment later will not change. */
const LASTING: ReadonlySet<ApiErrorReason> = new Set<ApiErrorReason>([
  'blockedPort',
  'notHttp',
  'proxyAuthentication',
  'selfSignedCertificate',
  'certificateExpired',
  'certificateHost',
  'tls',
]);

export const neverSent = (reason: ApiErrorReason | undefined): boolean =>
  reason !== undefined && NEVER_SENT.has(reason);

/** True for a failure of the network that may pass by itself. */
export const mayPass = (reason: ApiErrorReason | undefined): boolean =>
  reason === undefined || !LASTING.has(reason);

const BY_CODE: Readonly<Record<string, ApiErrorReason>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  ECONNREFUSED: 'connectionRefused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  ENETUNREACH: 'network',
  EHOSTUNREACH: 'network',
  ENETDOWN: 'network',
  EADDRNOTAVAIL: 'network',
  ETIMEDOUT: 'connectTimeout',
  UND_ERR_CONNECT_TIMEOUT: 'connectTimeout',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'selfSignedCertificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'selfSignedCertificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'selfSignedCertificate',
  UNABLE_TO_GET_ISSUER_CERT: 'selfSignedCertificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'selfSignedCertificate',
  CERT_UNTRUSTED: 'selfSignedCertificate',
  CERT_HAS_EXPIRED: 'certificateExpired',
  CERT_NOT_YET_VALID: 'certificateExpired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificateHost',
  HOSTNAME_MISMATCH: 'certificateHost',
};

/** A secured connection that broke while in use, not while it was made. */
const BROKEN_TLS = /DECRYPT|RECORD_MAC|UNEXPECTED_EOF/i;

/** Codes of a browser's network stack, which VS Code can be told to use for `fetch`. */
const BY_NET_ERROR: readonly (readonly [RegExp, ApiErrorReason])[] = [
  [/net::ERR_NAME_/, 'dns'],
  [/net::ERR_CONNECTION_REFUSED/, 'connectionRefused'],
  [/net::ERR_CONNECTION_TIMED_OUT/, 'connectTimeout'],
  [/net::ERR_(CONNECTION_|EMPTY_RESPONSE|SOCKET_)/, 'reset'],
  [/net::ERR_NETWORK_/, 'reset'],
  [/net::ERR_(INTERNET_DISCONNECTED|ADDRESS_UNREACHABLE)/, 'network'],
  [/net::ERR_UNSAFE_PORT/, 'blockedPort'],
  [/net::ERR_CERT_AUTHORITY_INVALID/, 'selfSignedCertificate'],
  [/net::ERR_CERT_DATE_INVALID/, 'certificateExpired'],
  [/net::ERR_CERT_COMMON_NAME_INVALID/, 'certificateHost'],
  [/net::ERR_(CERT_|SSL_)/, 'tls'],
  [/net::ERR_PROXY_AUTH_/, 'proxyAuthentication'],
  [/net::ERR_(PROXY_|TUNNEL_|NO_SUPPORTED_PROXIES)/, 'proxy'],
  [/net::ERR_(INVALID_HTTP_RESPONSE|INVALID_RESPONSE)/, 'notHttp'],
  [/net::ERR_(INCOMPLETE_|CONTENT_LENGTH_)/, 'truncated'],
];

/** What `fetch` or a body stream threw, laid out from the outside in; the cause that knows most is last. */
interface Link {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly hostname?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

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

/** Names the reason of a failure below HTTP; `undefined` when nothing is known about it. */
export function reasonOf(thrown: unknown, url: URL): ApiErrorReason | undefined {
  for (const link of chainOf(thrown).reverse()) {
    const reason = reasonOfLink(link, url);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function reasonOfLink(link: Link, url: URL): ApiErrorReason | undefined {
  const message = typeof link.message === 'string' ? link.message : '';
  const code = typeof link.code === 'string' ? link.code : '';
  if (message === 'unexpected redirect' || message.includes('net::ERR_UNEXPECTED_REDIRECT'))
    return 'redirect';
  if (message === 'bad port') return 'blockedPort';
  const tunnel = /Proxy response \((\d{3})\)/.exec(message)?.[1];
  if (tunnel !== undefined) return tunnel === '407' ? 'proxyAuthentication' : 'proxy';
  if (link.name === 'HTTPParserError') return 'notHttp';
  if (code.startsWith('Z_') || code.startsWith('ERR__ERROR_FORMAT_')) {
    return code === 'Z_BUF_ERROR' ? 'truncated' : 'notJson';
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'truncated';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return BROKEN_TLS.test(code + message) ? 'reset' : 'tls';
  }
  if (/net::ERR_SSL_/.test(message) && BROKEN_TLS.test(message)) return 'reset';
  const reason = BY_CODE[code] ?? BY_NET_ERROR.find(([pattern]) => pattern.test(message))?.[1];
  if (reason === undefined) return undefined;
  if (isElsewhere(link, url)) return 'proxy';
  // The same codes also come from a connection that was already in use.
  const inUse = typeof link.syscall === 'string' && !/^(connect|getaddrinfo)/.test(link.syscall);
  return inUse && neverSent(reason) ? 'reset' : reason;
}

/** True when the failing connection was not to the service itself, which leaves a proxy. */
function isElsewhere({ port, hostname }: Link, url: URL): boolean {
  if (typeof hostname === 'string' && hostname !== '') {
    return hostname.toLowerCase() !== url.hostname.replace(/^\[|\]$/g, '');
  }
  const own = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return typeof port === 'number' && port !== own;
}

/** Text from below or from the service with the key and anything like one taken out, at most `maxLength` characters. */
export function scrub(text: string, key: string | undefined, maxLength = 1_000): string {
  const short = text.length > 4 * maxLength ? text.slice(0, 4 * maxLength) : text;
  const withoutKey = key === undefined || key === '' ? short : short.replaceAll(key, REDACTED);
  return redact(withoutKey).slice(0, maxLength);
}

/** The innermost cause as plain data that is safe to print. */
export function causeOf(thrown: unknown, key: string | undefined): ApiErrorCause | undefined {
  const link = chainOf(thrown).at(-1);
  if (link === undefined) return undefined;
  const code = typeof link.code === 'string' ? scrub(link.code, key, 60) : undefined;
  return {
    name: scrub(typeof link.name === 'string' ? link.name : 'Error', key, 60),
    message: scrub(typeof link.message === 'string' ? link.message : '', key, 300),
    ...(code === undefined ? {} : { code }),
  };
}
