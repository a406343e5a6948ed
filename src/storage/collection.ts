import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log';
import { toDisposable, type IDisposable } from '../util/disposable';
import { Emitter, type Event } from '../util/event';
import { once } from '../util/once';
import { busy, RecordChain, type Content, type Draft, type Newest, type Revision } from './chain';
import type { Disk } from './disk';
import { folderFailure, StorageError } from './errors';
import { FolderWatch } from './folderWatch';
import type { Collection, CollectionOptions, UnreadableRecord } from './types';
import { forEachLimited, KeyedQueue } from './limit';
import { decodeId, encodeId } from './names';
import type { StoredRecord } from './record';
import { removeAbandonedTemps } from './sweep';

const READS_AT_ONCE = 32;
const TOMBSTONE_MS = 24 * 60 * 60 * 1000;
/** Give up when other processes won the race for one record this many times. */
const ATTEMPTS = 500;

export interface CollectionContext {
  readonly folder: string;
  readonly disk: Disk;
  readonly writer: string;
  readonly log: Logger;
  readonly now: () => number;
}

/** The records of one folder: what is on disk, as this process knows it. */
export class FileCollection<T> implements Collection<T> {
  readonly #options: CollectionOptions<T>;
  readonly #context: CollectionContext;
  readonly #chain: RecordChain<T>;
  /** The highest revision of each record, where it can be read. */
  readonly #known = new Map<string, Revision<T>>();
  /** Which revision each value comes from. */
  readonly #shown = new Map<string, { readonly id: string; readonly stamp: string }>();
  readonly #values = new Map<string, T>();
  readonly #aside = new Map<string, UnreadableRecord>();
  readonly #blocked = new Map<string, UnreadableRecord & { readonly newer: boolean }>();
  readonly #queue = new KeyedQueue();
  readonly #changed: Emitter<readonly string[]>;
  #watch: FolderWatch | undefined;
  #loaded = false;
  #following: Promise<void> | undefined;
  #followAgain = false;
  #disposed = false;

  constructor(options: CollectionOptions<T>, context: CollectionContext) {
    this.#options = options;
    this.#context = context;
    this.#changed = new Emitter(error => context.log.error('A listener of stored records failed', error));
    this.#chain = new RecordChain({
      disk: context.disk,
      folder: context.folder,
      writer: context.writer,
      interpret: record => this.#interpret(record),
    });
  }

  readonly onDidChange: Event<readonly string[]> = (listener, thisArg, disposables) => {
    const heard = this.#changed.event(listener, thisArg);
    const subscription: IDisposable = toDisposable(() => {
      heard.dispose();
      if (!this.#changed.hasListeners) this.#stopWatching();
    });
    disposables?.push(subscription);
    this.#startWatching();
    return subscription;
  };

  get values(): ReadonlyMap<string, T> {
    return this.#values;
  }

  get unreadable(): readonly UnreadableRecord[] {
    return [...this.#aside.values(), ...this.#blocked.values()];
  }

  get(id: string): T | undefined {
    return this.#values.get(id);
  }

  readonly load: () => Promise<ReadonlyMap<string, T>> = once(async () => {
    const { folder, disk, now, log } = this.#context;
    try {
      const { records, others } = await this.#chain.list();
      await removeAbandonedTemps({ disk, folder, names: others, now: now() });
      if ([...records.values()].some(revisions => revisions.length > 1)) await disk.syncFolder(folder);
      await forEachLimited(records, READS_AT_ONCE, async ([stem, revisions]) => {
        await this.#queue
          .run(stem, () => this.#absorb(stem, revisions))
          .catch((error: unknown) => {
            log.error(`The stored record ${stem} could not be read`, error);
          });
      });
      await this.#purge();
    } catch (error) {
      throw folderFailure(error, folder, 'read');
    }
    this.#loaded = true;
    this.#startWatching();
    return this.#values;
  });

  async put(id: string, value: T): Promise<void> {
    await this.#write(id, () => ({ value }));
  }

  async update(id: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined> {
    const { after } = await this.#write(id, current => {
      const value = change(current);
      return value === undefined || Object.is(value, current) ? 'unchanged' : { value };
    });
    return after;
  }

  async remove(id: string, unless?: (current: T) => boolean): Promise<T | undefined> {
    const { before } = await this.#write(id, current =>
      current === undefined || unless?.(current) === true ? 'unchanged' : 'removed',
    );
    return before;
  }

  /** Resolves when the writes asked for so far are done. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  dispose(): void {
    this.#disposed = true;
    this.#stopWatching();
    this.#changed.dispose();
  }

  #write(
    id: string,
    decide: (current: T | undefined) => { readonly value: T } | 'removed' | 'unchanged',
  ): Promise<{ readonly before: T | undefined; readonly after: T | undefined }> {
    const stem = encodeId(id);
    const { folder, now } = this.#context;
    return this.#queue.run(stem, async () => {
      try {
        for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
          const base = await this.#newest(stem);
          if (await this.#take(stem, base)) this.#changed.fire([id]);
          this.#refuseBlocked(stem, id);
          const before = this.#values.get(id);
          const decision = decide(before);
          if (decision === 'unchanged') return { before, after: before };
          const [draft, content] =
            decision === 'removed' ? removal<T>(id, now()) : this.#prepare(id, decision.value);
          const written = await this.#chain.append(stem, base, draft, content);
          if (written !== undefined) {
            this.#remember(stem, written);
            this.#changed.fire([id]);
            return { before, after: this.#values.get(id) };
          }
          await delay(Math.random() * Math.min(attempt + 1, 20));
        }
      } catch (error) {
        throw folderFailure(error, folder, 'written');
      }
      throw busy(folder);
    });
  }

  /** What would be read back. Throws when that is not what its own `decode` accepts. */
  #prepare(id: string, value: T): [Draft, Content<T>] {
    const { version, decode } = this.#options;
    try {
      const stored: unknown = JSON.parse(JSON.stringify(value));
      return [
        { kind: 'value', id, version, value: stored },
        { kind: 'value', value: decode(stored) },
      ];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StorageError('invalid', `This cannot be stored: ${reason}`, this.#context.folder, error);
    }
  }

  #interpret(record: StoredRecord): Content<T> {
    if (record.kind === 'deleted') return { kind: 'deleted', at: record.at };
    const { version, migrate, decode } = this.#options;
    if (record.version > version) return { kind: 'newer', version: record.version };
    const old = record.version < version;
    const value = old && migrate !== undefined ? migrate(record.value, record.version) : record.value;
    return { kind: 'value', value: decode(value) };
  }

  async #newest(stem: string): Promise<Newest<T>> {
    const known = this.#known.get(stem);
    if (known !== undefined && (await this.#chain.isNewest(stem, known))) {
      return { kind: 'readable', revisions: [known.revision], newest: known };
    }
    return this.#chain.newest(stem);
  }

  /** Brings memory to what was found on disk; keeps broken files aside. Says whether a value came, went or changed. */
  async #take(stem: string, found: Newest<T>): Promise<boolean> {
    this.#blocked.delete(stem);
    switch (found.kind) {
      case 'absent':
        this.#known.delete(stem);
        return this.#show(stem, undefined);
      case 'readable':
        return this.#remember(stem, found.newest);
      case 'unreadable': {
        const { top, reason, broken, fallback } = found;
        this.#known.delete(stem);
        if (!broken || !(await this.#keepAside(stem, top, reason))) {
          const file = this.#chain.file(stem, top);
          this.#blocked.set(stem, { id: decodeId(stem), file, reason, newer: false });
        }
        return this.#show(stem, fallback);
      }
    }
  }

  async #keepAside(stem: string, revision: number, reason: string): Promise<boolean> {
    try {
      const file = await this.#chain.keepAside(stem, revision);
      if (!this.#aside.has(file)) this.#context.log.warn(`A stored record cannot be read; kept as ${file}`);
      this.#aside.set(file, { id: decodeId(stem), file, reason });
      return true;
    } catch (error) {
      this.#context.log.error('A stored record cannot be read and cannot be kept aside', error);
      return false;
    }
  }

  /** Reads one record that a listing shows; the caller holds its place in the queue. */
  async #absorb(stem: string, seen: readonly number[]): Promise<boolean> {
    if (this.#isAsSeen(stem, seen)) return false;
    const known = this.#known.get(stem);
    // A listing may be older than what this process has written since: look again.
    const found = known === undefined ? await this.#chain.newest(stem, seen) : await this.#newest(stem);
    const changed = await this.#take(stem, found);
    if (found.kind === 'unreadable' && !this.#blocked.has(stem))
      return (await this.#heal(stem, found)) || changed;
    // Leftovers of interrupted writes.
    if (found.kind === 'readable') await this.#chain.removeRevisions(stem, found.revisions.slice(1));
    return changed;
  }

  /** The listing shows the revision that is known. After a removal that others may have purged, the number alone says nothing. */
  #isAsSeen(stem: string, [newest]: readonly number[]): boolean {
    const known = this.#known.get(stem);
    if (known?.content.kind === 'deleted' && known.content.at <= this.#context.now() - TOMBSTONE_MS)
      return false;
    return known !== undefined && known.revision === newest;
  }

  /** Puts what could be read in the place of a broken revision that is kept aside. */
  async #heal(stem: string, found: Newest<T> & { kind: 'unreadable' }): Promise<boolean> {
    const { fallback } = found;
    try {
      const [draft, content] =
        fallback?.content.kind === 'value'
          ? this.#prepare(fallback.id, fallback.content.value)
          : removal<T>(fallback?.id ?? decodeId(stem), this.#context.now());
      const newest = await this.#chain.append(stem, found, draft, content);
      return newest !== undefined && this.#remember(stem, newest);
    } catch (error) {
      this.#context.log.error('A broken record could not be replaced', error);
      return false;
    }
  }

  /** Removes removals that nobody can still be unaware of. */
  async #purge(): Promise<void> {
    const latest = this.#context.now() - TOMBSTONE_MS;
    for (const [stem, { content, revision }] of [...this.#known]) {
      if (content.kind !== 'deleted' || content.at > latest) continue;
      await this.#queue.run(stem, async () => {
        if (this.#known.get(stem)?.revision !== revision) return;
        await this.#chain.removeRevisions(stem, [revision]);
        this.#known.delete(stem);
      });
    }
  }

  #remember(stem: string, revision: Revision<T>): boolean {
    const { content, id } = revision;
    this.#known.set(stem, revision);
    this.#blocked.delete(stem);
    if (content.kind === 'newer') {
      const reason = `It was written by a newer version (${content.version}).`;
      const file = this.#chain.file(stem, revision.revision);
      this.#blocked.set(stem, { id, file, reason, newer: true });
    }
    return this.#show(stem, revision);
  }

  /** Sets or removes the value people see. Says whether it changed. */
  #show(stem: string, revision: Revision<T> | undefined): boolean {
    const before = this.#shown.get(stem);
    if (revision?.content.kind !== 'value') {
      this.#shown.delete(stem);
      return before !== undefined && this.#values.delete(before.id);
    }
    const stamp = `${revision.revision}:${revision.stamp}`;
    if (before?.stamp === stamp) return false;
    this.#shown.set(stem, { id: revision.id, stamp });
    this.#values.set(revision.id, revision.content.value);
    return true;
  }

  #refuseBlocked(stem: string, id: string): void {
    const blocked = this.#blocked.get(stem);
    if (blocked === undefined) return;
    const sentence = blocked.newer
      ? `"${id}" was stored by a newer version of Agent Console and stays as it is. Update Agent Console to change it.`
      : `"${id}" cannot be read (${blocked.reason}) and could not be kept aside, so it stays as it is in ${blocked.file}.`;
    throw new StorageError(blocked.newer ? 'newerVersion' : 'unreadable', sentence, blocked.file);
  }

  #startWatching(): void {
    if (this.#watch !== undefined || this.#disposed || !this.#loaded || !this.#changed.hasListeners) return;
    const { folder, disk, log } = this.#context;
    this.#watch = new FolderWatch({
      folder,
      prepare: () =>
        disk.makeFolder(folder).then(
          () => true,
          () => false,
        ),
      onChange: () => void this.#follow(),
      onUnavailable: reason => log.warn(`Changes in ${folder} are looked for every few seconds: ${reason}`),
    });
  }

  #stopWatching(): void {
    this.#watch?.dispose();
    this.#watch = undefined;
  }

  #follow(): Promise<void> {
    this.#followAgain = true;
    this.#following ??= this.#catchUp().finally(() => (this.#following = undefined));
    return this.#following;
  }

  async #catchUp(): Promise<void> {
    while (this.#followAgain && !this.#disposed) {
      this.#followAgain = false;
      try {
        const { records } = await this.#chain.list();
        for (const stem of this.#known.keys()) if (!records.has(stem)) records.set(stem, []);
        const changed: string[] = [];
        await forEachLimited(records, READS_AT_ONCE, async ([stem, revisions]) => {
          if (this.#isAsSeen(stem, revisions)) return;
          const before = this.#shown.get(stem);
          if (!(await this.#queue.run(stem, () => this.#absorb(stem, revisions)))) return;
          changed.push((this.#shown.get(stem) ?? before)?.id ?? decodeId(stem));
        });
        if (changed.length > 0) this.#changed.fire(changed);
      } catch (error) {
        this.#context.log.warn(`Stored records could not be read again: ${String(error)}`);
      }
    }
  }
}

function removal<T>(id: string, at: number): [Draft, Content<T>] {
  return [
    { kind: 'deleted', id, at },
    { kind: 'deleted', at },
  ];
}
