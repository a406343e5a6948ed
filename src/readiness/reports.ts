import * as z from 'zod/mini';
import * as vscode from 'vscode';
import type { ReadinessReport } from '../api';
import { openObject, recordSchema, taken } from '../api/records';
import type { Service } from '../connection';
import type { SearchHit } from '../storage';
import type { RemoteListOptions } from '../sync/remoteList';
import { keyIn, listRecords } from '../sync/stored';
import { ConnectedList, type ListDeps } from '../ui/connectedList';
import { Disposable } from '../util/lifecycle';
import { OpenRepositories } from '../util/git';
import { oneLine } from '../util/text';
import { LocalGit, Matches, type Commits } from './git';
import { criteriaOf, fails, groupReports, percentOf, previousOf, repositoryOf } from './model';
import type { Repository, ShownReport } from './model';
import type { PageState } from './protocol';

const reportKind: Pick<RemoteListOptions<ReadinessReport>, 'keyOf' | 'keepsGone' | 'schema' | 'text'> = {
  keyOf: ({ reportId }) => reportId,
  // A trend goes back further than what the service may still list.
  keepsGone: true,
  schema: recordSchema(() =>
    openObject({ reportId: z.string(), report: taken<ReadinessReport['report']>() }),
  ),
  // A line a criterion.
  text: report => {
    const lines = Object.entries(report.report).map(
      ([id, { numerator, denominator, rationale = '' }]) =>
        `${id}: ${numerator}/${denominator} ${oneLine(rationale, 1_000)}`,
    );
    return { text: [repositoryOf(report).key, ...lines].join('\n'), at: report.createdAt };
  },
};

/** The readiness reports of the service in use as last known, and the repositories of this window. */
export class Reports extends Disposable {
  readonly list: ConnectedList<ReadinessReport>;
  readonly git = this.register(new LocalGit());
  readonly #connection: ListDeps['connection'];
  #known: ReadonlyMap<string, Repository> | undefined;
  #window: Matches | undefined;

  constructor(deps: ListDeps) {
    super();
    this.#connection = deps.connection;
    this.list = this.register(
      new ConnectedList<ReadinessReport>({
        ...deps,
        ...reportKind,
        pathOf: ({ service }) => service && pathOf(service),
        pages: (api, signal) => api.pages('reports', { signal }),
      }),
    );
  }

  /** Resolves when there are reports, asked for where there were none. Rejects where they cannot be read. */
  async ready(): Promise<void> {
    await Promise.all([this.list.open(), this.git.ready()]);
    if (this.known.size === 0) await this.list.read();
    const { failure } = this.list.shown;
    if (this.known.size === 0 && failure !== undefined) throw new Error(failure.sentence);
  }

  /** Reports or repositories have changed. */
  changed(): void {
    [this.#known, this.#window] = [undefined, undefined];
  }

  get known(): ReadonlyMap<string, Repository> {
    return (this.#known ??= groupReports(this.list.state.current.items));
  }

  get window(): Matches {
    const isSignedOut = this.#connection.state.current.kind === 'signedOut';
    return (this.#window ??= new Matches(isSignedOut ? new Map() : this.known, this.git.all));
  }

  /** A report and what it is compared with; `undefined` when it is not known. */
  shown({ reportId, baseId }: PageState): ShownReport | undefined {
    const all = [...this.known.values()].flatMap(({ reports }) => reports);
    const find = (id: string | undefined) => all.find(each => each.reportId === id);
    const report = find(reportId);
    const repository = report && this.known.get(repositoryOf(report).key);
    if (report === undefined || repository === undefined) return undefined;
    const base = find(baseId) ?? previousOf(repository.reports, report);
    const unread = this.list.state.current.problems.filter(({ field }) => field !== undefined);
    const isPartial = [report, base].some(each => each && unread.some(({ id }) => id === each.reportId));
    return { repository, report, base, local: this.window.local(repository.key), isPartial };
  }

  /** Why a report is not known. */
  get missing(): string {
    const none = vscode.l10n.t('This readiness report is not available here.');
    return this.list.shown.failure?.sentence ?? none;
  }

  /** Commits of the newer of the two reports that the older one does not have. */
  commits({ report, base, local }: ShownReport): Commits | Promise<Commits> {
    const isOlder = (base?.createdAt ?? 0) <= (report.createdAt ?? 0);
    const [older, newer] = isOlder ? [base, report] : [report, base];
    return this.git.between(local, older?.commitHash, newer?.commitHash);
  }
}

/** The newer of two reports, compared with the older. */
export function compared(reports: Pick<Reports, 'shown'>, one: PageState, two: PageState): PageState {
  const time = (state: PageState): number => reports.shown(state)?.report.createdAt ?? 0;
  const [older, newer] = time(one) <= time(two) ? [one, two] : [two, one];
  return { ...newer, baseId: older.reportId };
}

export function readinessRecords(service: Service) {
  return listRecords(pathOf(service), reportKind);
}

/** How the criteria of all reports of a service can be found, and what opens the latest report with what was found. */
export function searchedReadiness(
  serviceId: string,
  open: () => Promise<{ readonly openReport: (report: object) => unknown }>,
) {
  return {
    records: listRecords(`${folderOf(serviceId)}/*`, reportKind),
    found: ({ id, first: key, line }: SearchHit) => {
      const criterion = line === key ? undefined : line.split(':', 1)[0];
      return {
        key: `${key} ${criterion ?? ''}`,
        label: criterion ?? key,
        description: vscode.l10n.t('readiness of {0}', key),
        open: async () => (await open()).openReport({ key, reportId: keyIn(id), criterion }),
      };
    },
  };
}

function folderOf(serviceId: string): string {
  return `services/${serviceId}/lists/readiness`;
}

function pathOf({ id, appUrl }: Service): string {
  return `${folderOf(id)}/${URL.canParse(appUrl) ? new URL(appUrl).host : 'none'}`;
}

/**
 * Repositories as other programs are told of them, each with its newest report: those that `asked` names, or else by a part of their
 * name or address; without it those of this window, or else all.
 */
export async function publicReadiness(reports: readonly ReadinessReport[], asked: string | undefined) {
  const known = groupReports(reports);
  const all = [...known.values()];
  const words = asked?.toLowerCase();
  if (words !== undefined) {
    const exact = all.filter(({ key, name }) => [key, name].some(each => each.toLowerCase() === words));
    const part = all.filter(({ key, url }) => `${key} ${url}`.toLowerCase().includes(words));
    return (exact.length > 0 ? exact : part).map(publicRepository);
  }
  const git = new OpenRepositories();
  try {
    await git.ready();
    const here = new Matches(known, git.all).all.map(({ repository }) => repository);
    return (here.length > 0 ? here : all).map(publicRepository);
  } finally {
    git.dispose();
  }
}

function publicRepository({ key, name, reports }: Repository) {
  const [report] = reports;
  const before = previousOf(reports, report);
  return {
    ...{ repository: name, key, at: report.createdAt, branch: report.branch, commit: report.commitHash },
    score: percentOf(report),
    scoreBefore: before && percentOf(before),
    criteria: criteriaOf(report, before).map(row => {
      const { id, change, now, before: was } = row;
      const { numerator: passing, denominator: of, rationale } = now ?? was ?? {};
      return { id, passing, of, isPassing: now !== undefined && !fails(row), change, rationale };
    }),
  };
}
