export interface Item {
  readonly id: string;
  readonly text?: string;
}
export interface Page {
  readonly items: readonly Item[];
  readonly problems: readonly { readonly id?: string; readonly reason: string }[];
}

export const pageOf = (...ids: readonly string[]): Page => ({ items: ids.map(id => ({ id })), problems: [] });

/** What the service answers: pages, or an error in their midst. */
export type Answer = () => AsyncIterable<Page>;
export const pages = (...all: readonly (Page | Error | Promise<unknown>)[]): Answer =>
  async function* () {
    for (const page of all) {
      if (page instanceof Promise) await page;
      else if (page instanceof Error) throw page;
      else yield await Promise.resolve(page);
    }
  };

/** Ends with an `AbortError` as soon as `signal` says so, as requests do. */
export async function* abortable(answer: AsyncIterable<Page>, signal: AbortSignal): AsyncGenerator<Page> {
  const gone = new Promise<never>((_, reject) => {
    const leave = (): void => reject(new DOMException('gone', 'AbortError'));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave);
  });
  gone.catch(() => undefined);
  const iterator = answer[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), gone]);
    if (next.done === true) return;
    yield next.value;
  }
}
