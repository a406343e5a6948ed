import type { CriterionEvaluation, ReadinessReport } from '../api';
import type { GitRepository } from '../util/git';
import { compareText } from '../util/compare';
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

/** The key under which a report is grouped, and what its repository is called. */
export function repositoryOf({ repoUrl = '?' }: Pick<ReadinessReport, 'repoUrl'>): RepositoryIdentity {
  return identify(repoUrl);
}

/** Groups reports by repository, each newest first, those of unknown time last; repositories by name. */
export function groupReports(reports: readonly ReadinessReport[]): Map<string, Repository> {
  const groups = Map.groupBy(reports, report => repositoryOf(report).key);
  const repositories = [...groups].flatMap(([key, unsorted]): readonly Repository[] => {
    const [newest, ...others] = unsorted.sort(newestFirst);
    if (newest === undefined) return [];
    return [
      { key, name: repositoryOf(newest).name, url: newest.repoUrl ?? '', reports: [newest, ...others] },
    ];
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

/** A repository's address without what differs between its forms. */
interface RepositoryIdentity {
  /** `host/path` in lower case, or the address as it is where it names no host. */
  readonly key: string;
  /** The last two parts of the path, as people call it. */
  readonly name: string;
}

/** Every form git takes of the address of another machine: host and path, the first that fits. */
const FORMS: readonly RegExp[] = [
  /^[a-z][a-z0-9+.-]*:\/\/(?<host>[^/?#]*)(?<path>[^?#]*)/is,
  /^(?<host>(?:[^@/:]*@)?(?:\[[^\]]+\]|[^:/\\@[\]]+)):(?<path>.+)$/s,
  /^(?=[^/\s]*\.)(?<host>[^/\s]+)(?<path>\/.+)$/s,
];

/**
 * The same for every form of an address: https, ssh, `git@host:path`, with or without user, port, `.git`, trailing slash, and in any
 * letter case; also where a host has other paths or names for ssh than for https.
 */
export function identify(address: string): RepositoryIdentity {
  const text = address.trim();
  const { host = '', path = '' } = FORMS.find(form => form.test(text))?.exec(text)?.groups ?? {};
  const withoutUserAndPort = host.replace(/^.*@/s, '').replace(/:\d*$/, '');
  // Of `ssh.github.com` and `altssh.gitlab.com` people see the rest.
  const site = withoutUserAndPort.replace(/^(?:alt)?ssh\./i, '');
  const parts = path
    .replaceAll('%20', ' ')
    .split('/')
    .filter(part => !['', '.', '.git', '_git'].includes(part));
  // Bitbucket's own servers begin with `scm` for https, Azure with `v3` for ssh.
  if (parts.length > 2 && /^(?:scm|v3)$/.test(parts[0] ?? '')) parts.shift();
  if (site === '' || parts.length === 0) return { key: text, name: text };
  const tidy = parts.join('/').replace(/\.git$/i, '');
  return { key: `${site}/${tidy}`.toLowerCase(), name: tidy.split('/').slice(-2).join('/') };
}
