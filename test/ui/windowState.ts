import assert from 'node:assert/strict';
import type { Workbench } from './workbench';

interface Browser {
  readonly document: {
    hasFocus: () => boolean;
    dispatchEvent(event: unknown): void;
  };
  readonly indexedDB: {
    databases(): Promise<readonly { readonly name: string }[]>;
    open(name: string): Request<Database>;
  };
  readonly Event: new (name: string) => unknown;
  readonly requestAnimationFrame: (callback: (time: number) => void) => number;
}

interface Request<T> {
  readonly result: T;
  onsuccess: () => void;
  onerror: () => void;
}

interface Database {
  transaction(store: string): { objectStore(store: string): { getAll(): Request<readonly unknown[]> } };
  close(): void;
}

/** The window's tab is gone without a word, as when the browser is killed: its extension host stays and is told nothing. */
export async function crash(window: Workbench): Promise<void> {
  const { page } = window;
  const crashed = page.waitForEvent('crash');
  const session = await page.context().newCDPSession(page);
  // Nobody is there any more to answer.
  void session.send('Page.crash').catch(() => undefined);
  await crashed;
  await window.close();
}

/** Leaves the window for a moment, which makes it store its state, and resolves when the store holds what is wanted. */
export async function stored(workbench: Workbench, wanted: RegExp): Promise<void> {
  const found = await workbench.page.evaluate(async source => {
    const { document, indexedDB, requestAnimationFrame, Event } = globalThis as unknown as Browser;
    const result = <T>(request: Request<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(new Error('The store cannot be read.'));
      });
    document.hasFocus = () => false;
    document.dispatchEvent(new Event('visibilitychange'));
    for (let frame = 0; frame < 600; frame++) {
      for (const { name } of await indexedDB.databases()) {
        if (!name.startsWith('vscode-web-state-db')) continue;
        const database = await result(indexedDB.open(name));
        const values = await result(database.transaction('ItemTable').objectStore('ItemTable').getAll());
        database.close();
        if (values.some(value => new RegExp(source).test(String(value)))) return true;
      }
      await new Promise(resolve => requestAnimationFrame(resolve));
    }
    return false;
  }, wanted.source);
  assert.ok(found, 'the window has not stored what its page keeps');
}
