import type { OpenRepository } from '../util/git';
import table from './criteria.txt';
import { DAY_MS, EARLIEST_DAY, SEED, seeded } from './random';

/** What a readiness report looks at, judged for each application or once for the repository, and the rationales. */
const CRITERIA = table
  .trim()
  .split('\n')
  .map(row => {
    const [scope, id = '', met = '', unmet = '', advice = ''] = row.split(' | ');
    return { id, perApp: scope === 'each', met, unmet, advice };
  });

interface Repository {
  readonly url: string;
  readonly apps: Readonly<Record<string, { readonly description: string }>>;
  /** Days between two reports. */
  readonly every: number;
  /** Level at the first report, 0-1. */
  readonly start: number;
  readonly commits?: OpenRepository['commits'];
}

const KNOWN: readonly Repository[] = [
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

/** The repositories there are; the open one joins them unless it is among them already. */
function repositories(open: OpenRepository | undefined): readonly Repository[] {
  if (open === undefined) return KNOWN;
  const { url, commits } = open;
  const isOpen = (one: Repository): boolean => canonical(one.url) === canonical(url);
  if (KNOWN.some(isOpen)) return KNOWN.map(one => (isOpen(one) ? { ...one, commits } : one));
  const apps = { '.': { description: 'The repository open in the editor' } };
  return [{ url, commits, apps, every: 21, start: 0.45 }, ...KNOWN];
}

/** Every report up to `now`, the newest first (interface 2.7). Old ones never change. */
export function readinessReports(open: OpenRepository | undefined, now: number) {
  return repositories(open)
    .flatMap(repository => {
      const reports = [];
      for (let index = 0; ; index++) {
        const report = reportOf(repository, index);
        if (report.createdAt > now) return reports;
        reports.push(report);
      }
    })
    .sort((a, b) => b.createdAt - a.createdAt || (a.reportId < b.reportId ? -1 : 1));
}

function reportOf({ url, apps, every, start, commits }: Repository, index: number) {
  const repoId = `repo_${seeded(SEED, 'repository', canonical(url)).hex(16)}`;
  const random = seeded(SEED, 'report', repoId, index);
  const day = EARLIEST_DAY + 6 + index * every + random.int(0, 3);
  // It rises fast at first.
  const level = 0.93 - (0.93 - start) * Math.exp(-index / 9);
  const report = CRITERIA.map(({ id, perApp, met, unmet, advice }) => {
    const scope = perApp ? Object.keys(apps) : ['.'];
    // An application passes once the level is above how hard the criterion is for it. What passed by a hair may fail again.
    const failing = scope.filter(
      place => seeded(SEED, 'hardness', repoId, id, place).next() + (random.next() - 0.5) * 0.2 > level,
    );
    const where = perApp && scope.length > 1 ? ` in ${failing.map(name => `\`${name}\``).join(', ')}` : '';
    const rationale = failing.length === 0 ? met : `${unmet}${where}. ${advice}`;
    return [id, { numerator: scope.length - failing.length, denominator: scope.length, rationale }] as const;
  });
  const reportId = random.uuid();
  const createdAt = day * DAY_MS + random.int(7 * 3600, 18 * 3600) * 1000;
  const made = random.hex(40);
  const required = { reportId, createdAt, repoUrl: url, apps, report: Object.fromEntries(report) };
  if (index === 0) return required;
  return {
    ...required,
    commitHash: commits?.findLast(({ at }) => at <= createdAt)?.hash ?? made,
    branch: random.chance(0.8) ? 'main' : 'feature/readiness',
    hasLocalChanges: random.chance(0.25),
    hasNonRemoteCommits: random.chance(0.15),
    modelUsed: {
      id: random.pick(['onyx-large', 'lumen-thinking']),
      reasoningEffort: random.pick(['low', 'medium', 'high', 'off']),
    },
    agentVersion: `0.${20 + Math.floor((day - EARLIEST_DAY) / 14)}.${random.int(0, 6)}`,
  };
}

/** The last two names of a repository's address in whatever form. */
function canonical(url: string): string {
  return (/([^/:]+\/[^/]+?)(?:\.git)?\/*$/.exec(url.trim())?.[1] ?? url).toLowerCase();
}
