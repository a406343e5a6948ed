/** A repository's address without what differs between its forms. */
export interface RepositoryIdentity {
  /** `host/path`, the host in lower case; `file:path` for one on disk. */
  readonly key: string;
  /** The last two parts of the path, as people call it. */
  readonly name: string;
}

const MAX_LENGTH = 2_000;

/**
 * The same for every form of an address: https, ssh, `git@host:path`, with or without user, port, `.git`, trailing slash, and in any
 * letter case of the host. The case of the path is kept. `undefined` for what is no address.
 */
export function identify(url: string): RepositoryIdentity | undefined {
  const text = url.trim();
  if (text === '' || text.length > MAX_LENGTH) return undefined;
  const local = /^(?:file:\/\/(?:localhost(?=\/))?)?((?:\/?[a-z]:[\\/]|[\\/]).*)$/is.exec(text)?.[1];
  if (local !== undefined) {
    const path = tidy(local.replace(/\\/g, '/'));
    return path === '' ? undefined : identity('file:', '', `/${path}`);
  }
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme !== undefined) {
    const [, authority = '', path = ''] = /^([^/?#]*)(.*)$/s.exec(rest) ?? [];
    return remote(authority, /^https?$/i.test(scheme) ? path.replace(/[?#].*$/s, '') : path);
  }
  // host:path as git and scp take it; a host without a path is no repository.
  const [, host, path] = /^((?:[^@/:]*@)?(?:\[[^\]]+\]|[^:/\\@[\]]+)):(.+)$/s.exec(text) ?? [];
  if (host !== undefined && path !== undefined) return remote(host, path);
  const [, bare, below] = /^([^/\s]+\.[^/\s]+)(\/.+)$/s.exec(text) ?? [];
  return bare === undefined || below === undefined ? undefined : remote(bare, below);
}

/** The one of `keys` that an address means: the same one, or the only one that differs in letter case alone. */
export function match(keys: Iterable<string>, urls: readonly string[]): string | undefined {
  const known = [...keys];
  const wanted = urls.flatMap(url => identify(url)?.key ?? []);
  const exact = wanted.find(key => known.includes(key));
  if (exact !== undefined) return exact;
  for (const key of wanted) {
    const similar = known.filter(other => other.toLowerCase() === key.toLowerCase());
    if (similar.length === 1) return similar[0];
  }
  return undefined;
}

/** A submodule's address, which may be relative to that of the repository around it. */
export function resolveUrl(url: string, base: string | undefined): string {
  if (base === undefined || !/^\.\.?\//.test(url)) return url;
  let from = base.replace(/\/+$/, '');
  let rest = url;
  for (let up = /^(\.\.?)\//.exec(rest); up !== null; up = /^(\.\.?)\//.exec(rest)) {
    if (up[1] === '..') from = from.replace(/[/:][^/:]*$/, '');
    rest = rest.slice(up[0].length);
  }
  // git@host:team without its last part leaves the host alone.
  return `${from}${/[/:]/.test(from) ? '/' : ':'}${rest}`;
}

function remote(authority: string, path: string): RepositoryIdentity | undefined {
  const host = authority.replace(/^.*@/s, '').replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  const below = tidy(path);
  return host === '' || below === '' ? undefined : identity('', host, `/${below}`);
}

function identity(scheme: string, host: string, path: string): RepositoryIdentity {
  const parts = path.split('/').filter(part => part !== '');
  return { key: `${scheme}${host}${path}`, name: parts.slice(-2).join('/') || host };
}

function tidy(path: string): string {
  return decoded(path)
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/')
    .replace(/(?<=[^/])\.git$/i, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
