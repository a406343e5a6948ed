import * as z from 'zod/mini';
import * as vscode from 'vscode';
import { openObject, recordSchema, taken, type ApiClient, type Page, type ReadinessReport } from '../api';
import type { Service } from '../connection';
import type { SearchHit } from '../storage';
import { RemoteList, type RemoteListOptions } from '../sync/remoteList';
import { keyIn, listRecords, type ItemKind } from '../sync/stored';
import { oneLine } from '../util/text';
import { repositoryOf, type StoredReport } from './model';

/** Reports a page. */
const PAGE = 100;

export type ReportsApi = { readonly readiness: Pick<ApiClient['readiness'], 'reports'> };

/** What a stored report must be. */
const reportSchema = recordSchema(() =>
  openObject({ reportId: z.string(), report: taken<StoredReport['report']>() }),
);

const reportKind: ItemKind<StoredReport> = {
  schema: reportSchema,
  // A line a criterion.
  text: report => {
    const lines = Object.entries(report.report).map(
      ([id, { numerator, denominator, rationale = '' }]) =>
        `${id}: ${numerator}/${denominator} ${oneLine(rationale, 1_000)}`,
    );
    return { text: [repositoryOf(report).key, ...lines].join('\n'), at: report.createdAt };
  },
};

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

export type ReportListOptions = Pick<
  RemoteListOptions<StoredReport>,
  'storage' | 'log' | 'failureOf' | 'now'
> & { readonly api: () => ReportsApi | undefined };

/**
 * Every readiness report ever read. The service's list has no promised order, no end marker and no "since": by itself it is read
 * until a page brings nothing new, and once a day to its end.
 */
export function reportList({ api, ...options }: ReportListOptions): RemoteList<StoredReport> {
  return new RemoteList<StoredReport>({
    ...options,
    isGrowing: true,
    keyOf: ({ reportId }) => reportId,
    ...reportKind,
    pages: signal => {
      const asked = api();
      return asked && reportPages(asked, signal);
    },
  });
}

/** Where the reports of a service's web application are kept. */
export function pathOf({ id, appUrl }: Service): string {
  const host = URL.canParse(appUrl) ? new URL(appUrl).host : 'none';
  return `${folderOf(id)}/${host}`;
}

/** All reports from the beginning of the list (section 4.2). */
async function* reportPages(api: ReportsApi, signal: AbortSignal) {
  for await (const page of api.readiness.reports({ limit: PAGE }, { signal })) yield withUnread(page);
}

/** Parts that could not be read are told with their report. */
function withUnread({
  items,
  problems,
}: Page<ReadinessReport>): Pick<Page<StoredReport>, 'items' | 'problems'> {
  const isPart = ({ id, field }: (typeof problems)[number]): boolean =>
    id !== undefined && field !== undefined;
  return {
    items: items.map(item => {
      const id = oneLine(item.reportId, 100);
      const parts = problems.filter(problem => isPart(problem) && problem.id === id);
      return parts.length === 0 ? item : { ...item, unread: parts.map(({ reason }) => reason) };
    }),
    problems: problems.filter(problem => !isPart(problem)),
  };
}
