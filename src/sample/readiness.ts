import table from './criteria.txt';
import { DAY_MS, EARLIEST_DAY, seeded, type Random } from './random';

/** What a readiness report looks at, judged for each application or once for the repository, and the rationales. */
const CRITERIA = table
  .trim()
  .split('\n')
  .map(row => {
    const [scope, id = '', met = '', unmet = '', advice = ''] = row.split(' | ');
    return { id, perApp: scope === 'each', met, unmet, advice };
  });
type Criterion = (typeof CRITERIA)[number];

/** A readiness report; the fields that are left open are those of interface 2.7. */
export interface ReadinessReport {
  readonly reportId: string;
  readonly createdAt: number;
  readonly [field: string]: unknown;
}

interface CriterionEvaluation {
  readonly numerator: number;
  readonly denominator: number;
  readonly rationale: string;
}

export interface Repository {
  readonly id: string;
  readonly url: string;
  readonly apps: Readonly<Record<string, { readonly description: string }>>;
  /** Days between two reports. */
  readonly every: number;
  /** Level at the first report, 0-1. */
  readonly start: number;
  readonly commits?: OpenRepository['commits'];
}

/** The repository open in the editor: the address of its remote in any form, and what was checked out of it when (Unix ms). */
export interface OpenRepository {
  readonly url: string;
  /** The oldest first; reports name the commit of their time. */
  readonly commits: readonly { readonly hash: string; readonly at: number }[];
}

const KNOWN: readonly Omit<Repository, 'id'>[] = [
  {
    url: 'https://git.example.com/acme/shop',
    apps: {
      'apps/web': { description: 'Storefront for customers' },
      'services/checkout': { description: 'Checkout service with payment and tax rules' },
      'packages/ui': { description: 'Shared interface parts' },
    },
    every: 24,
    start: 0.42,
  },
  {
    url: 'git@git.example.com:acme/billing.git',
    apps: {
      api: { description: 'Invoices and subscriptions' },
      worker: { description: 'Nightly billing job' },
    },
    every: 37,
    start: 0.5,
  },
  {
    url: 'ssh://git@git.example.com:7999/acme/site.git',
    apps: { '.': { description: 'Public web site' } },
    every: 45,
    start: 0.3,
  },
];

/** The repositories of a seed; the open one joins them unless it is among them already. */
export function repositories(seed: string, open: OpenRepository | undefined): Repository[] {
  const isOpen = ({ url }: { readonly url: string }): boolean =>
    open !== undefined && canonical(url) === canonical(open.url);
  const known = KNOWN.map(one => ({
    ...one,
    id: idOf(seed, one.url),
    ...(isOpen(one) && { commits: open?.commits ?? [] }),
  }));
  if (open === undefined || known.some(isOpen)) return known;
  const apps = { '.': { description: 'The repository open in the editor' } };
  return [{ ...open, apps, every: 21, start: 0.45, id: idOf(seed, open.url) }, ...known];
}

/** Every report up to `now`, the newest first. Old ones never change. */
export function readinessReports(
  seed: string,
  all: readonly Repository[],
  now: number,
): { readonly repoId: string; readonly report: ReadinessReport }[] {
  return all
    .flatMap(repository => {
      const reports = [];
      for (let index = 0; ; index++) {
        const report = reportOf(seed, repository, index);
        if (report.createdAt > now) return reports;
        reports.push({ repoId: repository.id, report });
      }
    })
    .sort(({ report: a }, { report: b }) => b.createdAt - a.createdAt || (a.reportId < b.reportId ? -1 : 1));
}

function reportOf(seed: string, repository: Repository, index: number): ReadinessReport {
  const random = seeded(seed, 'report', repository.id, index);
  const day = EARLIEST_DAY + 6 + index * repository.every + random.int(0, 3);
  // It rises fast at first.
  const level = 0.93 - (0.93 - repository.start) * Math.exp(-index / 9);
  const places = Object.keys(repository.apps);
  const report: Record<string, CriterionEvaluation> = {};
  for (const criterion of CRITERIA) {
    report[criterion.id] = evaluation(seed, repository.id, criterion, places, level, random);
  }
  const reportId = random.uuid();
  const createdAt = day * DAY_MS + random.int(7 * 3600, 18 * 3600) * 1000;
  const made = random.hex(40);
  return {
    reportId,
    createdAt,
    repoUrl: repository.url,
    apps: repository.apps,
    report,
    ...(index === 0
      ? {}
      : {
          commitHash: repository.commits?.findLast(({ at }) => at <= createdAt)?.hash ?? made,
          branch: random.chance(0.8) ? 'main' : 'feature/readiness',
          hasLocalChanges: random.chance(0.25),
          hasNonRemoteCommits: random.chance(0.15),
          modelUsed: {
            id: random.pick(['onyx-large', 'lumen-thinking']),
            reasoningEffort: random.pick(['low', 'medium', 'high', 'off']),
          },
          agentVersion: `0.${20 + Math.floor((day - EARLIEST_DAY) / 14)}.${random.int(0, 6)}`,
        }),
  };
}

/** An application passes once the repository's level is above how hard the criterion is for it. */
function evaluation(
  seed: string,
  repositoryId: string,
  criterion: Criterion,
  places: readonly string[],
  level: number,
  random: Random,
): CriterionEvaluation {
  const scope = criterion.perApp ? places : ['.'];
  const failing = scope.filter(place => {
    const hardness = seeded(seed, 'hardness', repositoryId, criterion.id, place).next();
    // What passed by a hair may fail again.
    return hardness + (random.next() - 0.5) * 0.2 > level;
  });
  const numerator = scope.length - failing.length;
  const where =
    criterion.perApp && scope.length > 1 ? ` in ${failing.map(name => `\`${name}\``).join(', ')}` : '';
  return {
    numerator,
    denominator: scope.length,
    rationale: failing.length === 0 ? criterion.met : `${criterion.unmet}${where}. ${criterion.advice}`,
  };
}

function idOf(seed: string, url: string): string {
  return `repo_${seeded(seed, 'repository', canonical(url)).hex(16)}`;
}

/** The last two names of a repository's address in whatever form. */
function canonical(url: string): string {
  return (/([^/:]+\/[^/]+?)(?:\.git)?\/*$/.exec(url.trim())?.[1] ?? url).toLowerCase();
}
