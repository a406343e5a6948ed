import * as z from 'zod/mini';
import { isRecord } from '../decode';
import { flags, mapOf, mapOrEmpty, maybe, numbers, openObject, texts } from '../tolerant';

/** `numerator` of `denominator` sub-applications pass; 0 <= numerator <= denominator, denominator >= 1. */
export type CriterionEvaluation = z.output<typeof criterionSchema>;

const criterionSchema = z
  .looseObject({ numerator: z.number(), denominator: z.number(), ...texts('rationale') })
  .check(
    z.refine(({ denominator }) => denominator >= 1, { error: 'denominator below 1' }),
    z.refine(({ numerator, denominator }) => numerator >= 0 && numerator <= denominator, {
      error: 'numerator not between 0 and denominator',
    }),
  );

export const reportSchema = openObject({
  reportId: z.string(),
  ...numbers('createdAt'),
  ...texts('repoUrl', 'commitHash', 'branch', 'agentVersion'),
  apps: mapOf(openObject(texts('description'))),
  report: mapOrEmpty(criterionSchema),
  ...flags('hasLocalChanges', 'hasNonRemoteCommits'),
  modelUsed: maybe(openObject(texts('id', 'reasoningEffort'))),
});

/** Section 2.7. `createdAt` is Unix ms; `apps` is keyed by path, `report` by criterion id. */
export type ReadinessReport = z.output<typeof reportSchema>;

/** A report without credentials in its repository's address, and with the version where that goes by a product's name. */
export function tidyReport(row: unknown): unknown {
  if (!isRecord(row)) return row;
  const { repoUrl, agentVersion } = row;
  const renamed = Object.entries(row).find(
    ([name, value]) => name !== 'schemaVersion' && /^[a-z]+Version$/.test(name) && typeof value === 'string',
  );
  const version = agentVersion ?? renamed?.[1];
  return {
    ...row,
    ...(typeof repoUrl === 'string' ? { repoUrl: withoutCredentials(repoUrl) } : {}),
    ...(typeof version === 'string' ? { agentVersion: version } : {}),
  };
}

/** An address without user name and password; what is no address stays as it is. Keeps the user name of ssh addresses. */
function withoutCredentials(address: string): string {
  return address
    .replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#:@]*):[^/?#]*@/i, '$1@');
}
