import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { Logger } from '../../../src/log';
import {
  openStorage,
  type Collection,
  type CollectionOptions,
  type OpenStorageOptions,
  type Storage,
} from '../../../src/storage';
import type { Event } from '../../../src/util/event';

/** A folder of this test, gone after it. */
export function temporaryFolder(parent = os.tmpdir()): string {
  const folder = fs.mkdtempSync(path.join(parent, 'agent-console-storage-'));
  cleanups.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A storage as one window has it, closed after the test. */
export function openWindow(
  root: string,
  options: Partial<OpenStorageOptions> = {},
): Storage & { lines: string[] } {
  const log = new MemoryLog();
  const storage = openStorage({ root, log, ...options });
  cleanups.push(() => storage.dispose());
  return Object.assign(storage, { lines: log.lines });
}

const cleanups: (() => void)[] = [];

export function cleanUp(): void {
  for (const run of cleanups.splice(0).reverse()) run();
}

export class MemoryLog implements Logger {
  readonly lines: string[] = [];
  trace(message: string): void {
    this.lines.push(message);
  }
  debug(message: string): void {
    this.lines.push(message);
  }
  info(message: string): void {
    this.lines.push(message);
  }
  warn(message: string): void {
    this.lines.push(message);
  }
  error(message: string, cause?: unknown): void {
    this.lines.push(`${message} ${String(cause)}`);
  }
}

export interface Note {
  readonly text: string;
  readonly count?: number;
}

export const notes: CollectionOptions<Note> = { path: 'notes', version: 1, decode: decodeNote };

export function decodeNote(value: unknown): Note {
  if (typeof value !== 'object' || value === null || !('text' in value) || typeof value.text !== 'string') {
    throw new Error('It has no text.');
  }
  return 'count' in value && typeof value.count === 'number'
    ? { text: value.text, count: value.count }
    : { text: value.text };
}

/** Resolves once `holds` is true, looking again whenever `event` fires. */
export function until(event: Event<unknown>, holds: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const subscription = event(check);
    function check(): void {
      if (!holds()) return;
      subscription.dispose();
      resolve();
    }
    check();
  });
}

export function entries<T>(collection: Collection<T>): Record<string, T> {
  return Object.fromEntries([...collection.values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The names below a folder, without folders. */
export function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
