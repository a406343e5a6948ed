import { randomBytes } from 'node:crypto';
import * as path from 'node:path';
import type { Logger } from '../log';
import { FileCollection } from './collection';
import { Disk, type System } from './disk';
import type { Collection, CollectionOptions, Storage } from './types';
import { isCollectionPath } from './names';

export interface OpenStorageOptions {
  /** Absolute folder, made when first written to. */
  readonly root: string;
  readonly log: Logger;
  /** Unix milliseconds; for tests of what happens days later. */
  readonly now?: () => number;
  /** Stands for another operating system in tests. */
  readonly system?: System;
}

/** Opens the root of all durable records. Nothing is read until a collection is used. */
export function openStorage(options: OpenStorageOptions): Storage {
  return new FileStorage(options);
}

class FileStorage implements Storage {
  readonly #options: OpenStorageOptions;
  readonly #disk: Disk;
  readonly #writer = randomBytes(6).toString('base64url');
  readonly #collections = new Map<string, FileCollection<unknown>>();

  constructor(options: OpenStorageOptions) {
    this.#options = options;
    this.#disk = new Disk(options.system);
  }

  collection<T>(options: CollectionOptions<T>): Collection<T> {
    const existing = this.#collections.get(options.path);
    // The path decides what is in the folder, so it decides the type.
    if (existing !== undefined) return existing as unknown as Collection<T>;
    if (!isCollectionPath(options.path)) throw new RangeError(`Not a path of plain names: ${options.path}`);
    const { root, log, now = Date.now } = this.#options;
    const folder = path.join(root, ...options.path.split('/'));
    const collection = new FileCollection<T>(options, {
      folder,
      disk: this.#disk,
      writer: this.#writer,
      log,
      now,
    });
    this.#collections.set(options.path, collection);
    return collection;
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#collections.values()].map(collection => collection.settled()));
  }

  dispose(): void {
    for (const collection of this.#collections.values()) collection.dispose();
  }
}
