import { redact } from '../util/redact';
import type { ApiErrorCause, ApiErrorReason } from './errors';

/** What is known of a failure below HTTP. */
export interface Failure {
  readonly reason?: ApiErrorReason;
  readonly code?: string;
}

/** Names of failures, of Node's network stack and of a browser's, which VS Code can be told to use for `fetch`. */
const BY_NAME: readonly (readonly [RegExp, ApiErrorReason])[] = [
  [/^unexpected redirect|ERR_UNEXPECTED_REDIRECT/, 'redirect'],
  [/^Proxy response \(407\)|ERR_PROXY_AUTH/, 'proxy'],
  [/^Proxy response|ERR_(PROXY|TUNNEL|NO_SUPPORTED_PROXIES)/, 'proxy'],
  [/^bad port$|ERR_UNSAFE_PORT/, 'network'],
  [/^HTTPParserError|^HPE_|ERR_INVALID_(HTTP_)?RESPONSE/, 'notThisService'],
  [/^Z_(?!BUF)|^ERR__ERROR_FORMAT/, 'notThisService'],
  // A secured connection that broke while in use, not while it was made.
  [/^(EPROTO|.*ERR_SSL_).*(DECRYPT|RECORD_MAC|UNEXPECTED_EOF)/i, 'broken'],
  [/CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|^EPROTO|ERR_SSL_/, 'certificate'],
  [/^(ENOTFOUND|EAI_|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)/, 'network'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)/, 'network'],
  [/ERR_(NAME_|CONNECTION_(REFUSED|TIMED_OUT)|INTERNET_DISCONNECTED|ADDRESS_UNREACHABLE)/, 'network'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_(SOCKET|RES_CONTENT)|Z_BUF)/, 'broken'],
  [/ERR_(CONNECTION_|EMPTY_RESPONSE|SOCKET_|NETWORK_|INCOMPLETE_|CONTENT_LENGTH_)/, 'broken'],
];

/** Reasons that mean the request certainly never reached the service. */
export const neverSent = (reason: ApiErrorReason | undefined): boolean =>
  reason === 'network' || reason === 'proxy' || reason === 'certificate';

/** What `fetch` or a body stream threw, laid out from the outside in; the cause that knows most is last. */
interface Link {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
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

/** Names the reason of a failure below HTTP; nothing when nothing is known about it. */
export function failureOf(thrown: unknown, url: URL): Failure {
  for (const link of chainOf(thrown).reverse()) {
    const text = (value: unknown): string => (typeof value === 'string' ? value : '');
    const [code, message] = [text(link.code), text(link.message)];
    const netError = /net::(ERR_\w+)/.exec(message)?.[1];
    for (const name of [
      netError,
      code === 'EPROTO' ? `${code} ${message}` : code,
      text(link.name),
      message,
    ]) {
      const found = name === undefined ? undefined : BY_NAME.find(([pattern]) => pattern.test(name));
      if (name === undefined || found === undefined) continue;
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
  if (typeof hostname === 'string' && hostname !== '') {
    return hostname.toLowerCase() !== url.hostname.replace(/^\[|\]$/g, '');
  }
  const own = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return typeof port === 'number' && port !== own;
}

/** Text from below or from the service with the key and anything like one taken out, at most `maxLength` characters. */
export function scrub(text: string, key: string | undefined, maxLength = 1_000): string {
  return redact(text.slice(0, 4 * maxLength), { own: key }).slice(0, maxLength);
}

/** The innermost cause as plain data that is safe to print. */
export function causeOf(thrown: unknown, key: string | undefined): ApiErrorCause | undefined {
  const link = chainOf(thrown).at(-1);
  if (link === undefined) return undefined;
  return {
    name: scrub(typeof link.name === 'string' ? link.name : 'Error', key, 60),
    message: scrub(typeof link.message === 'string' ? link.message : '', key, 300),
  };
}
