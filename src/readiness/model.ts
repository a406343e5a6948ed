import type { CriterionEvaluation, ReadinessReport } from '../api';
import type { GitRepository } from '../util/git';
import { readableName } from '../util/text';

/** A repository with all its reports, the newest first. */
export interface Repository {
  readonly key: string;
  readonly name: string;
  /** As the newest report has it. */
  readonly url: string;
  readonly reports: readonly [ReadinessReport, ...ReadinessReport[]];
}

/** A report with what it is compared with, and where it stands in this window. */
export interface ShownReport {
  readonly repository: Repository;
  readonly report: ReadinessReport;
  readonly base?: ReadinessReport | undefined;
  readonly local?: GitRepository | undefined;
  /** Parts of the report, or of the one it is compared with, could not be read. */
  readonly isPartial: boolean;
}

/** A criterion, and how it stands against an earlier report. */
export interface CriterionRow {
  readonly id: string;
  readonly name: string;
  /** `undefined` where it is gone. */
  readonly now?: CriterionEvaluation | undefined;
  readonly before?: CriterionEvaluation | undefined;
  /** `undefined` without an earlier report. */
  readonly change?: 'worse' | 'better' | 'same' | 'new' | 'gone' | undefined;
}

/** Stands for the address of reports that name none. */
const UNNAMED = '?';

/** The key under which a report is grouped: its repository's, or its address as it is. */
export function repositoryOf({ repoUrl = UNNAMED }: Pick<ReadinessReport, 'repoUrl'>): {
  readonly key: string;
  readonly name: string;
} {
  return identify(repoUrl) ?? { key: repoUrl, name: repoUrl };
}

/**
 * Groups reports by repository, each newest first, those of unknown time last; repositories by name. Of two readings of one report the
 * later one counts. `unnamed`: what the repository of reports that name none is called.
 */
export function groupReports(
  reports: Iterable<ReadinessReport>,
  unnamed: string = UNNAMED,
): Map<string, Repository> {
  const latest = new Map([...reports].map(report => [report.reportId, report])).values();
  const addresses = Map.groupBy(latest, ({ repoUrl = UNNAMED }) => repoUrl);
  const groups = Map.groupBy(addresses, ([repoUrl]) => repositoryOf({ repoUrl }).key);
  const repositories = [...groups].flatMap(([key, forms]): readonly Repository[] => {
    const [newest, ...others] = forms.flatMap(([, ofForm]) => ofForm).sort(newestFirst);
    if (newest === undefined) return [];
    const name = key === UNNAMED ? unnamed : repositoryOf(newest).name;
    return [{ key, name, url: newest.repoUrl ?? '', reports: [newest, ...others] }];
  });
  repositories.sort((a, b) => compareText(a.name, b.name) || compareText(a.key, b.key));
  return new Map(repositories.map(repository => [repository.key, repository]));
}

function newestFirst(a: ReadinessReport, b: ReadinessReport): number {
  const time = ({ createdAt = -Number.MAX_VALUE }: ReadinessReport): number => createdAt;
  return time(b) - time(a) || compareText(a.reportId, b.reportId);
}

/** The next older report of the same branch. */
export function previousOf(
  reports: readonly ReadinessReport[],
  report: ReadinessReport,
): ReadinessReport | undefined {
  const at = reports.findIndex(({ reportId }) => reportId === report.reportId);
  return reports.slice(at + 1).find(({ branch }) => branch === report.branch);
}

/** Passing sub-applications of all, over every criterion, as whole percent; 100 only when all pass. `undefined` without any. */
export function percentOf({ report }: Pick<ReadinessReport, 'report'>): number | undefined {
  return share(Object.values(report));
}

/** The same of some criteria. */
export function share(of: readonly CriterionEvaluation[]): number | undefined {
  const total = (figure: 'numerator' | 'denominator'): number =>
    of.reduce((sum, each) => sum + each[figure], 0);
  const ratio = total('numerator') / total('denominator');
  if (Number.isNaN(ratio)) return undefined;
  // Nothing is all or nothing that is not.
  return ratio <= 0 || ratio >= 1 ? ratio * 100 : Math.min(99, Math.max(1, Math.round(ratio * 100)));
}

export function passes({ numerator, denominator }: CriterionEvaluation): boolean {
  return numerator >= denominator;
}

/** It is there, and does not pass. */
export function fails({ now }: CriterionRow): boolean {
  return now !== undefined && !passes(now);
}

/**
 * Every criterion of a report: what got worse first, then what fails, the lowest first, then what passes. With `base`, how each
 * stands against it, and at the end what is gone since.
 */
export function criteriaOf({ report }: ReadinessReport, base?: ReadinessReport): CriterionRow[] {
  const ids = new Set([...Object.keys(report), ...Object.keys(base?.report ?? {})]);
  const rows = [...ids].map((id): CriterionRow => {
    const [now, before] = [report, base?.report ?? {}].map(of =>
      Object.hasOwn(of, id) ? of[id] : undefined,
    );
    return { id, name: readableName(id), now, before, change: base && changeOf(now, before) };
  });
  const rank = (row: CriterionRow): number =>
    row.now === undefined ? 3 : row.change === 'worse' ? 0 : fails(row) ? 1 : 2;
  return rows.sort(
    (a, b) =>
      rank(a) - rank(b) ||
      ratioOf(a.now ?? a.before) - ratioOf(b.now ?? b.before) ||
      compareText(a.name, b.name),
  );
}

function ratioOf(of: CriterionEvaluation | undefined): number {
  return of === undefined ? 0 : of.numerator / of.denominator;
}

function changeOf(now: CriterionRow['now'], before: CriterionRow['before']): CriterionRow['change'] {
  if (before === undefined) return 'new';
  if (now === undefined) return 'gone';
  const difference = ratioOf(now) - ratioOf(before);
  return difference < 0 ? 'worse' : difference > 0 ? 'better' : 'same';
}

/** The parts of an application's path below its repository; `undefined` for one that would lead out of it. */
export function appParts(app: string): readonly string[] | undefined {
  if (/^[a-z]:|^[\\/]|[\u0000]/i.test(app)) return undefined;
  const parts = app.split(/[\\/]/).filter(part => part !== '' && part !== '.');
  return parts.includes('..') ? undefined : parts;
}

/** A commit id as git writes it: nothing else is ever passed to git. */
export function isCommit(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{7,64}$/i.test(text);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A repository's address without what differs between its forms. */
interface RepositoryIdentity {
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
