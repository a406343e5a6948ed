/** Runs `run` for every item, at most `limit` at a time; rejects with the first failure. */
export async function forEachLimited<T>(
  items: Iterable<T>,
  limit: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

/** Runs one thing after another for each key; different keys do not wait for each other. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(task, task);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return result;
  }

  /** Resolves when everything asked for so far is done, whatever came of it. */
  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}

/** One run serves everybody who asked before it began, so that many who ask at once cost little more than one. */
export class SharedRun<T> {
  readonly #run: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(run: () => Promise<T>) {
    this.#run = run;
  }

  run(): Promise<T> {
    if (this.#running === undefined) return this.#begin();
    const begin = (): Promise<T> => this.#begin();
    return (this.#next ??= this.#running.then(begin, begin));
  }

  #begin(): Promise<T> {
    this.#next = undefined;
    const running = (this.#running = this.#run());
    const over = (): void => {
      if (this.#next === undefined) this.#running = undefined;
    };
    running.then(over, over);
    return running;
  }
}
