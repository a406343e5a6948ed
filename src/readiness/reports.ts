import * as z from 'zod/mini';
import * as vscode from 'vscode';
import type { ReadinessReport } from '../api';
import { openObject, recordSchema, taken } from '../api/records';
import type { Service } from '../connection';
import type { SearchHit } from '../storage';
import type { RemoteListOptions } from '../sync/remoteList';
import { keyIn, listRecords, type ListState } from '../sync/stored';
import { oneLine } from '../util/text';
import { repositoryOf } from './model';

/** What a stored report must be. */
const reportSchema = recordSchema(() =>
  openObject({ reportId: z.string(), report: taken<ReadinessReport['report']>() }),
);

export const reportKind: Pick<
  RemoteListOptions<ReadinessReport>,
  'keyOf' | 'keepsGone' | 'schema' | 'text'
> = {
  keyOf: ({ reportId }) => reportId,
  // A trend goes back further than what the service may still list.
  keepsGone: true,
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

/** Whether parts of one of these reports could not be read. */
export function isPartlyRead(
  { problems }: Pick<ListState<ReadinessReport>, 'problems'>,
  reports: readonly (ReadinessReport | undefined)[],
): boolean {
  const partly = problems.flatMap(({ id, field }) => (field === undefined ? [] : [id]));
  return reports.some(report => report !== undefined && partly.includes(report.reportId));
}

/** How the reports of a service's web application are kept. */
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

/** Where the reports of a service's web application are kept. */
export function pathOf({ id, appUrl }: Service): string {
  const host = URL.canParse(appUrl) ? new URL(appUrl).host : 'none';
  return `${folderOf(id)}/${host}`;
}
