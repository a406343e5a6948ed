export type AddressProblem = 'notAnAddress' | 'notHttps' | 'tooMuch';

type ParsedAddress = { readonly ok: string } | { readonly problem: AddressProblem };

/**
 * Reads the address of a service as a person types it: https, or http on loopback; a path is kept without its trailing
 * slash; the scheme may be left out. `ok` is the normal form to store and compare.
 */
export function parseAddress(text: string): ParsedAddress {
  const typed = text.trim();
  // The URL parser would silently drop or turn around some of these.
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(typed)) return { problem: 'notAnAddress' };
  const url = toUrl(typed);
  if (url === undefined || url.hostname === '') return { problem: 'notAnAddress' };
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return { problem: 'notHttps' };
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(typed)) return { problem: 'tooMuch' };
  return { ok: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

function toUrl(typed: string): URL | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return urlOf(typed);
  if (/^https?:/i.test(typed)) return undefined;
  const guess = urlOf(`https://${typed}`);
  return guess !== undefined && isLoopback(guess.hostname) ? urlOf(`http://${typed}`) : guess;
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** True for a host name (as in `URL.hostname`) that never leaves this machine; names below `localhost` may, by way of a resolver. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}

/** The web application's likely address: `api.X` becomes `app.X`, anything else stays as it is. Takes a parsed address. */
export function proposeAppUrl(baseUrl: string): string {
  const url = urlOf(baseUrl);
  if (url?.hostname.startsWith('api.') !== true) return baseUrl;
  return `${url.protocol}//app.${url.host.slice('api.'.length)}`;
}

/** True for a JSON Web Token, which only the `/api/v0/` endpoints accept (section 5). */
export function looksLikeJwt(key: string): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(key.trim());
}
