import * as z from 'zod/mini';
import * as vscode from 'vscode';
import { openObject, recordSchema, taken, type ApiClient, type ReadinessReport } from '../api';
import type { Service } from '../connection';
import type { SearchHit } from '../storage';
import { RemoteList, type RemoteListOptions } from '../sync/remoteList';
import { keyIn, listRecords, type ItemKind } from '../sync/stored';
import { oneLine } from '../util/text';
import { repositoryOf } from './model';

/** What a stored report must be. */
const reportSchema = recordSchema(() =>
  openObject({ reportId: z.string(), report: taken<ReadinessReport['report']>() }),
);

const reportKind: ItemKind<ReadinessReport> = {
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
        kind: vscode.l10n.t('readiness of {0}', key),
        hasDetail: criterion !== undefined,
        hasTime: true,
        open: async () => (await open()).openReport({ key, reportId: keyIn(id), criterion }),
      };
    },
  };
}

function folderOf(serviceId: string): string {
  return `services/${serviceId}/lists/readiness`;
}

export type ReportListOptions = Pick<
  RemoteListOptions<ReadinessReport>,
  'storage' | 'log' | 'failureOf' | 'now'
> & { readonly api: () => ApiClient | undefined };

/** Every readiness report of the service. */
export function reportList({ api, ...options }: ReportListOptions): RemoteList<ReadinessReport> {
  return new RemoteList<ReadinessReport>({
    ...options,
    keyOf: ({ reportId }) => reportId,
    ...reportKind,
    // From the beginning of the list (section 4.2).
    pages: signal => api()?.pages('reports', { signal }),
  });
}

/** Where the reports of a service's web application are kept. */
export function pathOf({ id, appUrl }: Service): string {
  const host = URL.canParse(appUrl) ? new URL(appUrl).host : 'none';
  return `${folderOf(id)}/${host}`;
}
