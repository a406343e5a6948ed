/** A repository's address without what differs between its forms. */
export interface RepositoryIdentity {
  /** `host/path`, the host in lower case; `file:path` for one on disk. */
  readonly key: string;
  /** The last two parts of the path, as people call it. */
  readonly name: string;
}

const MAX_LENGTH = 2_000;

/** Doors of hosts for ssh, and the host that people see. */
const DOORS: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
};

/** Every form git takes of the address of another machine: host and path, the first that fits. */
const FORMS: readonly RegExp[] = [
  // What follows the path of a web address is none of it.
  /^https?:\/\/(?<host>[^/?#]*)(?<path>[^?#]*)/is,
  /^[a-z][a-z0-9+.-]*:\/\/(?<host>[^/?#]*)(?<path>.*)$/is,
  // [user@host:port]:path, the form of scp for a host with a port.
  /^(?:[^@/:[\]]*@)?\[(?<host>[^\]/:]+(?::\d+)?)\]:(?<path>.+)$/s,
  /^(?<host>(?:[^@/:]*@)?(?:\[[^\]]+\]|[^:/\\@[\]]+)):(?<path>.+)$/s,
  /^(?<host>[^/\s]+\.[^/\s]+)(?<path>\/.+)$/s,
];

/**
 * The same for every form of an address: https, ssh, `git@host:path`, with or without user, port, `.git`, trailing slash, and in any
 * letter case of the host; also where a host has other paths or names for ssh than for https. The case of the path is kept. `undefined` for what is no address.
 */
export function identify(url: string): RepositoryIdentity | undefined {
  const text = url.trim();
  if (text === '' || text.length > MAX_LENGTH) return undefined;
  const local = /^(?:file:\/\/(?:localhost(?=\/))?)?((?:\/?[a-z]:[\\/]|[\\/]).*)$/is.exec(text)?.[1];
  if (local !== undefined) {
    const path = tidy(local.replace(/\\/g, '/'));
    return path === '' ? undefined : identity('file:', `/${path}`);
  }
  const form = FORMS.find(each => each.test(text))?.exec(text)?.groups;
  const host = (form?.['host'] ?? '').replace(/^.*@/s, '').replace(/:\d*$/, '').replace(/\.$/, '');
  const path = tidy(form?.['path'] ?? '');
  if (host === '' || path === '') return undefined;
  const [at, parts] = seen(host.toLowerCase(), path.split('/'));
  return identity(at, `/${parts.join('/')}`);
}

/**
 * Those of `keys` that the addresses mean, in the order of the addresses: a fork and what it was forked from are two. An address
 * means the same key, or the only one that differs in letter case alone.
 */
export function matching(keys: Iterable<string>, urls: readonly string[]): string[] {
  const known = [...keys];
  const found = urls.flatMap(url => {
    const key = identify(url)?.key;
    if (key === undefined || known.includes(key)) return key ?? [];
    const similar = known.filter(other => other.toLowerCase() === key.toLowerCase());
    return similar.length === 1 ? similar : [];
  });
  return [...new Set(found)];
}

/** Host and path as they are in the address that people see, where ssh or https has other ones. */
function seen(host: string, parts: readonly string[]): readonly [host: string, parts: readonly string[]] {
  const old = /^(.+)\.visualstudio\.com$/.exec(host)?.[1];
  const [first = '', ...rest] = parts;
  const [second = '', third = '', fourth = ''] = rest;
  if ((host === 'ssh.dev.azure.com' || old === 'vs-ssh') && first === 'v3' && rest.length === 3)
    return ['dev.azure.com', [second, third, '_git', fourth]];
  if (old !== undefined && old !== 'vs-ssh')
    return seen('dev.azure.com', [old, ...(first.toLowerCase() === 'defaultcollection' ? rest : parts)]);
  // A repository that has its project's name leaves that out.
  if (host === 'dev.azure.com' && second === '_git' && rest.length === 2)
    return [host, [first, third, '_git', third]];
  if (first === 'scm' && rest.length === 2) return [host, rest];
  return [DOORS[host] ?? host, parts];
}

function identity(host: string, path: string): RepositoryIdentity {
  const parts = path.split('/').filter(part => part !== '' && part !== '_git');
  return { key: `${host}${path}`, name: parts.slice(-2).join('/') || host };
}

function tidy(path: string): string {
  return decoded(path)
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/')
    .replace(/\/\.git$/i, '')
    .replace(/(?<=[^/])\.git$/i, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
