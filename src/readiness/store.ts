import { isApiError, type ApiClient, type Page, type ReadinessReport } from '../api';
import type { Collection, Storage } from '../storage';
import { Disposable, Slot, type IDisposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { SharedRequests } from '../util/shared';
import { isTime } from '../util/format';
import { oneLine } from '../util/text';
import { groupReports, repositoryOf, type Repository, type StoredReport } from './model';

/** One repository's reports of one month, or how the last reading went. */
type ReadinessRecord = MonthRecord | ReadingRecord;

interface MonthRecord {
  readonly kind: 'month';
  readonly reports: readonly StoredReport[];
}

export interface ReadingRecord {
  readonly kind: 'reading';
  /** Unix ms. */
  readonly at: number;
  /** The order the service was found to list in; anything else than these two is read whole each time. */
  readonly order: 'newestFirst' | 'oldestFirst' | 'none';
  /** The last report of the service's order, from which an oldest-first list goes on. */
  readonly last?: string | undefined;
  /** Reports that could not be read at all, by name. */
  readonly problems: readonly string[];
}

const READING = 'reading';
/** Reports a page when everything is read, and when only new ones are expected. */
const ALL = 100;
const NEW = 25;
const MOST_PROBLEMS = 100;
const WRITES_AT_ONCE = 16;

type Api = { readonly readiness: Pick<ApiClient['readiness'], 'reports'> };

interface Reading {
  readonly reports: StoredReport[];
  readonly problems: string[];
  /** A known report was met: the list is the one known here. */
  overlaps: boolean;
  /** Read from its beginning to its end, not only what is new. */
  whole: boolean;
  complete: boolean;
}

/**
 * Every readiness report ever read (section 4.2), kept by service and application address, shared by all windows. A reading
 * asks only for what is new, as far as the order the service lists in allows.
 */
export class ReportStore extends Disposable {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #requests = new SharedRequests<void>();
  readonly #changed = this.register(new Emitter<void>());
  readonly #subscription = this.register(new Slot<IDisposable>());
  #folder: string | undefined;
  #collection: Collection<ReadinessRecord> | undefined;
  #opening: Promise<void> = Promise.resolve();
  #repositories: ReadonlyMap<string, Repository> | undefined;
  #keeping = 0;

  constructor(storage: Storage, now: () => number = Date.now) {
    super();
    this.#storage = storage;
    this.#now = now;
  }

  /** Reports came, or another service is shown. */
  readonly onDidChange = this.#changed.event;

  get repositories(): ReadonlyMap<string, Repository> {
    return (this.#repositories ??= groupReports(reportsIn(this.#collection?.values)));
  }

  /** How the last reading went, in whichever window. */
  get reading(): ReadingRecord | undefined {
    const record = this.#collection?.get(READING);
    return record?.kind === 'reading' ? record : undefined;
  }

  get unreadable(): readonly { readonly file: string }[] {
    return this.#collection?.unreadable ?? [];
  }

  /** Shows the reports kept in a folder of the storage; `undefined` shows none. Rejects when they cannot be read. */
  use(folder: string | undefined): Promise<void> {
    if (folder === this.#folder) return this.#opening;
    this.#folder = folder;
    this.#requests.abortAll();
    this.#opening = this.#open(folder).catch((error: unknown) => {
      if (this.#folder === folder) this.#folder = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Asks for what is new, or with `all` for everything. Rejects with the request's error; what was read by then is kept. */
  refresh(api: Api, all: boolean, signal?: AbortSignal): Promise<void> {
    return this.#requests.run(String(all), shared => this.#refresh(api, all, shared), signal);
  }

  override dispose(): void {
    this.#requests.abortAll();
    super.dispose();
  }

  async #open(folder: string | undefined): Promise<void> {
    this.#subscription.set(undefined);
    this.#collection = undefined;
    const collection =
      folder === undefined
        ? undefined
        : this.#storage.collection<ReadinessRecord>({ path: folder, version: 1, decode });
    await collection?.load();
    if (this.#folder !== folder || this.isDisposed) return;
    this.#collection = collection;
    this.#subscription.set(collection?.onDidChange(() => this.#onChange()));
    this.#onChange();
  }

  /** Many records written together are one change. */
  #onChange(): void {
    this.#repositories = undefined;
    if (this.#keeping === 0) this.#changed.fire();
  }

  async #refresh(api: Api, all: boolean, signal: AbortSignal): Promise<void> {
    await this.#opening;
    const collection = this.#collection;
    if (collection === undefined) return;
    const known = new Set([...reportsIn(collection.values)].map(({ reportId }) => reportId));
    const last = known.size === 0 || all ? undefined : this.reading;
    const read: Reading = { reports: [], problems: [], overlaps: false, whole: false, complete: false };
    try {
      if (last?.order === 'newestFirst') await this.#readNewest(api, known, read, signal);
      else if (last?.order === 'oldestFirst') await this.#readOn(api, known, last.last, read, signal);
      else await this.#readAll(api, known, read, signal);
    } finally {
      if (!signal.aborted) await this.#keepQuietly(collection, known, read);
    }
  }

  /**
   * From the newest on, until a page holds a known report. A list that is not in this order after all, or holds no known report, is
   * read whole.
   */
  async #readNewest(api: Api, known: ReadonlySet<string>, read: Reading, signal: AbortSignal): Promise<void> {
    for await (const page of api.readiness.reports({ limit: NEW }, { signal })) {
      take(page, known, read);
      if (orderOf(read.reports) !== 'newestFirst' && read.reports.length > 1) {
        return this.#readAll(api, known, read, signal);
      }
      if (read.overlaps) {
        read.complete = true;
        return;
      }
    }
    await this.#readAll(api, known, read, signal);
  }

  /** From the last report on. A service that does not know that one any more is read whole. */
  async #readOn(
    api: Api,
    known: ReadonlySet<string>,
    startAfter: string | undefined,
    read: Reading,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      for await (const page of api.readiness.reports({ limit: NEW, startAfter }, { signal }))
        take(page, known, read);
    } catch (error) {
      if (!isApiError(error) || (error.kind !== 'refused' && error.kind !== 'notFound')) throw error;
      return this.#readAll(api, known, read, signal);
    }
    if (read.overlaps) return this.#readAll(api, known, read, signal);
    read.overlaps = read.complete = true;
  }

  /** Everything; an answer that is too large is asked for in smaller pages from where it was. */
  async #readAll(api: Api, known: ReadonlySet<string>, read: Reading, signal: AbortSignal): Promise<void> {
    read.reports.length = read.problems.length = 0;
    read.overlaps = false;
    read.whole = true;
    // What is known is given up only when nothing of it comes before the very end.
    const toTheEnd = known.size > 0;
    let startAfter: string | undefined;
    for (let limit = ALL; !read.complete; limit = Math.ceil(limit / 10)) {
      try {
        for await (const page of api.readiness.reports({ limit, startAfter, toTheEnd }, { signal })) {
          take(page, known, read);
          startAfter = page.cursor ?? startAfter;
        }
        read.complete = true;
      } catch (error) {
        if (limit === 1 || !isApiError(error) || error.reason !== 'tooLarge') throw error;
      }
    }
  }

  async #keepQuietly(
    collection: Collection<ReadinessRecord>,
    known: ReadonlySet<string>,
    read: Reading,
  ): Promise<void> {
    this.#keeping++;
    try {
      await this.#keep(collection, known, read);
    } finally {
      this.#keeping--;
      this.#onChange();
    }
  }

  /**
   * Stores what was read. A complete list that holds nothing known is another organization's and takes the place of the old one.
   * Until all of it is stored, the next reading is a whole one, so that an interruption leaves no gap behind.
   */
  async #keep(
    collection: Collection<ReadinessRecord>,
    known: ReadonlySet<string>,
    read: Reading,
  ): Promise<void> {
    const { reports, problems, complete, overlaps, whole } = read;
    const before = this.reading;
    const foreign = whole && complete && !overlaps && known.size > 0 && reports.length > 0;
    const fresh = reports.filter(({ reportId }) => !known.has(reportId)).length;
    if (before !== undefined && (fresh > 1 || (fresh > 0 && !complete))) {
      await collection.put(READING, { ...before, order: 'none' });
    }
    await this.#write(collection, reports, foreign);
    if (!complete) return;
    const order = orderOf(reports);
    const last = reports.at(-1)?.reportId ?? before?.last;
    await collection.put(READING, {
      kind: 'reading',
      at: this.#now(),
      order: whole || reports.length > 1 || before === undefined ? order : before.order,
      last: whole || before?.order === 'oldestFirst' ? last : before?.last,
      problems: [...new Set([...problems, ...(whole || foreign ? [] : (before?.problems ?? []))])].slice(
        0,
        MOST_PROBLEMS,
      ),
    });
  }

  async #write(
    collection: Collection<ReadinessRecord>,
    reports: readonly StoredReport[],
    replace: boolean,
  ): Promise<void> {
    const groups = new Map<string, StoredReport[]>();
    const homes = new Map<string, string>();
    for (const report of reports) {
      const id = `${repositoryOf(report).key} ${monthOf(report.createdAt)}`;
      groups.set(id, groups.get(id) ?? []);
      groups.get(id)?.push(report);
      homes.set(report.reportId, id);
    }
    const isLeft = (id: string, { reportId }: StoredReport): boolean =>
      homes.has(reportId) && homes.get(reportId) !== id;
    // A repository that has another name now has left its reports under the old one.
    const left = [...collection.values].flatMap(([id, record]) =>
      record.kind === 'month' && record.reports.some(report => isLeft(id, report)) ? id : [],
    );
    const gone = replace ? [...collection.values.keys()].filter(id => id !== READING && !groups.has(id)) : [];
    const writes = [
      ...gone.map(id => () => collection.remove(id)),
      ...[...groups].map(
        ([id, group]) =>
          () =>
            collection.update(id, current => merged(replace ? undefined : current, group)),
      ),
    ];
    await runAll(writes);
    // Only once they are stored where they belong now.
    await runAll(
      left.map(id => () => collection.update(id, record => without(record, each => isLeft(id, each)))),
    );
  }
}

async function runAll(writes: (() => Promise<unknown>)[]): Promise<void> {
  const work = async (): Promise<void> => {
    for (let write = writes.pop(); write !== undefined; write = writes.pop()) await write();
  };
  await Promise.all(Array.from({ length: WRITES_AT_ONCE }, work));
}

function take(page: Page<ReadinessReport>, known: ReadonlySet<string>, read: Reading): void {
  const { items, problems } = page;
  const parts = new Map<string, string[]>();
  for (const { id, field, reason, index } of problems) {
    if (id !== undefined && field !== undefined) parts.set(id, [...(parts.get(id) ?? []), reason]);
    else if (read.problems.length < MOST_PROBLEMS) read.problems.push(problemText({ id, index, reason }));
  }
  for (const item of items) {
    const unread = parts.get(oneLine(item.reportId, 100));
    read.overlaps ||= known.has(item.reportId);
    read.reports.push(unread === undefined ? item : { ...item, unread });
  }
}

function problemText({
  id,
  index,
  reason,
}: {
  id: string | undefined;
  index: number | undefined;
  reason: string;
}): string {
  return `${id ?? (index === undefined ? '' : `#${index + 1}`)} ${reason}`.trim();
}

/** The order a list is in by its reports' times. */
function orderOf(reports: readonly StoredReport[]): ReadingRecord['order'] {
  let falls = 0;
  let rises = 0;
  for (const [index, { createdAt }] of reports.entries()) {
    const before = reports[index - 1]?.createdAt ?? createdAt;
    if (createdAt < before) falls++;
    else if (createdAt > before) rises++;
  }
  return falls > 0 && rises === 0 ? 'newestFirst' : rises > 0 && falls === 0 ? 'oldestFirst' : 'none';
}

function merged(current: ReadinessRecord | undefined, added: readonly StoredReport[]): MonthRecord {
  const reports = new Map(
    current?.kind === 'month' ? current.reports.map(report => [report.reportId, report]) : [],
  );
  let changed = current === undefined;
  for (const report of added) {
    changed ||= JSON.stringify(reports.get(report.reportId)) !== JSON.stringify(report);
    reports.set(report.reportId, report);
  }
  return changed || current?.kind !== 'month' ? { kind: 'month', reports: [...reports.values()] } : current;
}

function without(
  record: ReadinessRecord | undefined,
  isGone: (report: StoredReport) => boolean,
): ReadinessRecord | undefined {
  if (record?.kind !== 'month' || !record.reports.some(isGone)) return record;
  return { kind: 'month', reports: record.reports.filter(report => !isGone(report)) };
}

function monthOf(time: number): string {
  return isTime(time) ? new Date(time).toISOString().slice(0, -17) : 'undated';
}

function* reportsIn(records: ReadonlyMap<string, ReadinessRecord> | undefined): Generator<StoredReport> {
  for (const record of records?.values() ?? []) if (record.kind === 'month') yield* record.reports;
}

function decode(value: unknown): ReadinessRecord {
  const record = value as Partial<ReadinessRecord> | null;
  if (record?.kind === 'reading' && typeof record.at === 'number' && Array.isArray(record.problems))
    return record as ReadingRecord;
  if (record?.kind !== 'month' || !Array.isArray(record.reports)) throw new Error('It holds no reports.');
  for (const report of record.reports as readonly Partial<StoredReport>[]) {
    const whole = typeof report.reportId === 'string' && typeof report.repoUrl === 'string';
    if (!whole || typeof report.createdAt !== 'number' || typeof report.report !== 'object') {
      throw new Error('One of its reports is not whole.');
    }
  }
  return record as MonthRecord;
}
