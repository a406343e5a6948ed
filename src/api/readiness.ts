import type * as z from 'zod/mini';
import { decodeRows, isRecord, listIn } from './decode';
import { isApiError } from './errors';
import type { Page } from './pagination';
import { idSegment, limitQuery } from './queries';
import { withoutCredentials } from './redaction';
import { flag, lazily, mapOf, number, open, optional, refine, text } from './schema';
import { appGet, type RequestOptions, type Service } from './service';

/** `numerator` of `denominator` sub-applications pass; 0 <= numerator <= denominator, denominator >= 1. */
export type CriterionEvaluation = z.output<ReturnType<typeof criterionSchema>>;

/** Section 2.7. `createdAt` is Unix ms; `apps` is keyed by path, `report` by criterion id. */
export type ReadinessReport = z.output<ReturnType<typeof reportSchema>>;

const criterionSchema = lazily(() =>
  open({ numerator: number(), denominator: number(), rationale: optional(text()) }).check(
    refine(({ denominator }) => denominator >= 1, { error: 'denominator below 1' }),
    refine(({ numerator, denominator }) => numerator >= 0 && numerator <= denominator, {
      error: 'numerator not between 0 and denominator',
    }),
  ),
);

const reportSchema = lazily(() =>
  open({
    reportId: text(),
    createdAt: number(),
    repoUrl: text(),
    apps: optional(mapOf(open({ description: optional(text()) }))),
    report: mapOf(criterionSchema()),
    commitHash: optional(text()),
    branch: optional(text()),
    hasLocalChanges: optional(flag()),
    hasNonRemoteCommits: optional(flag()),
    modelUsed: optional(open({ id: optional(text()), reasoningEffort: optional(text()) })),
    agentVersion: optional(text()),
  }),
);

export interface ReportsQuery {
  readonly repoId?: string | undefined;
  /** Reports a page, at least 1; 100 when left out. */
  readonly limit?: number | undefined;
  /** Id of the report after which the list begins; at its beginning when left out. */
  readonly startAfter?: string | undefined;
  /** Goes on after a short page too, until one is empty or repeats. */
  readonly toTheEnd?: boolean | undefined;
}

const DOCUMENTED = '/api/organization/maturity-level-reports';
/** Where some services have moved it (interface-notes, extras). */
const RENAMED = '/api/organization/agent-readiness-reports';

/** Section 4.2, at the web application's address. Needs an API key. */
export class Readiness {
  readonly #service: Service;
  #path = DOCUMENTED;
  #probed = false;

  constructor(service: Service) {
    this.#service = service;
  }

  /**
   * All reports, in the service's order. The answer has no end marker: a page that is empty, repeats, or is shorter than one
   * before it is the last one. A first page that is short may be all, or all that the service gives at once: the next one tells.
   * A report met before is left out.
   */
  async *reports(
    { repoId, limit = 100, startAfter, toTheEnd = false }: ReportsQuery = {},
    { signal }: RequestOptions = {},
  ): AsyncGenerator<Page<ReadinessReport>, void, undefined> {
    const size = limitQuery(limit, Infinity);
    if (repoId !== undefined) idSegment('repoId', repoId);
    if (startAfter !== undefined) idSegment('startAfter', startAfter);
    const met = new Set<string | undefined>();
    let longest = 0;
    for (;;) {
      const rows = await this.#read({ repoId, limit: size, startAfter }, signal);
      const fresh = rows.filter(row => idOf(row) === undefined || !met.has(idOf(row)));
      const cursor = fresh.map(idOf).findLast(id => id !== undefined);
      // Rows without an id behind the last one that has one come again on the page after it.
      const shown = cursor === undefined && met.size > 0 ? [] : fresh;
      for (const row of shown) met.add(idOf(row));
      const page = decodeRows(reportSchema(), shown.map(tidy), row => row['reportId']);
      if (cursor === undefined || (rows.length < longest && !toTheEnd)) {
        yield { ...page, hasMore: false };
        return;
      }
      longest = Math.max(longest, rows.length);
      yield { ...page, cursor, hasMore: true };
      startAfter = cursor;
    }
  }

  /** The documented path first; where that is not found, the other one once, and then whichever answered. */
  async #read(
    query: Readonly<Record<string, string | undefined>>,
    signal: AbortSignal | undefined,
  ): Promise<readonly unknown[]> {
    const ask = (path: string): Promise<readonly unknown[]> =>
      this.#service.http.request(
        appGet(this.#service, path, query),
        answer => listIn(answer, 'reports'),
        signal,
      );
    try {
      return await ask(this.#path);
    } catch (error) {
      if (this.#probed || !isApiError(error) || error.kind !== 'notFound') throw error;
      this.#probed = true;
      try {
        const rows = await ask(RENAMED);
        this.#path = RENAMED;
        return rows;
      } catch (second) {
        if (isApiError(second) && second.kind === 'cancelled') throw second;
        throw error;
      }
    }
  }
}

function idOf(row: unknown): string | undefined {
  const id = isRecord(row) ? row['reportId'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Takes credentials out of the repository's address, and finds the version where it goes by a product's name. */
function tidy(row: unknown): unknown {
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
