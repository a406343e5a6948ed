import { until } from '../until';
import type { Workbench } from './workbench';

interface Browser {
  readonly document: {
    hasFocus: () => boolean;
    dispatchEvent(event: unknown): void;
    querySelector(selector: string): { readonly value: string } | null;
    querySelectorAll(selector: string): Iterable<{ readonly innerText: string }>;
  };
  readonly indexedDB: {
    databases(): Promise<readonly { readonly name: string }[]>;
    open(name: string): Request<Database>;
  };
  readonly Event: new (name: string) => unknown;
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
  await workbench.page.evaluate(() => {
    const { document, Event } = globalThis as unknown as Browser;
    document.hasFocus = () => false;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  const holds = async (source: string): Promise<boolean> => {
    const { indexedDB } = globalThis as unknown as Browser;
    const result = <T>(request: Request<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(new Error('The store cannot be read.'));
      });
    for (const { name } of await indexedDB.databases()) {
      if (!name.startsWith('vscode-web-state-db')) continue;
      const database = await result(indexedDB.open(name));
      const values = await result(database.transaction('ItemTable').objectStore('ItemTable').getAll());
      database.close();
      if (values.some(value => new RegExp(source).test(String(value)))) return true;
    }
    return false;
  };
  await until(() => workbench.page.evaluate(holds, wanted.source));
}

/**
 * Waits until the window's dialog for a file has read its folder, by when it has rows and a path; it writes that path over what was
 * typed before. Resolves to the path, as soon as that ends with `end`.
 */
async function ready(workbench: Workbench, end: string): Promise<string> {
  const found = await workbench.page.waitForFunction(ending => {
    const { document } = globalThis as unknown as Browser;
    const rows = [...document.querySelectorAll('.quick-input-widget .monaco-list-row')];
    const path = document.querySelector('.quick-input-widget input.input')?.value ?? '';
    // What is to be seen: rows keep hidden texts of the picker before.
    return rows.some(({ innerText }) => innerText.trim() === '..') && path.endsWith(ending) ? path : '';
  }, end);
  return found.jsonValue();
}

/** Takes the file that a dialog for saving proposes, whose path ends with `end`. Resolves to its path. */
export async function saveAs(workbench: Workbench, end: string): Promise<string> {
  const path = await ready(workbench, end);
  await workbench.quickInput.locator('input.input').press('Enter');
  await workbench.quickInput.waitFor({ state: 'hidden' });
  return path;
}

/** Chooses a file, by its absolute path, in a dialog for opening. */
export async function openFile(workbench: Workbench, file: string): Promise<void> {
  await ready(workbench, '/');
  const input = workbench.quickInput.locator('input.input');
  await input.fill(file);
  const name = file.slice(file.lastIndexOf('/') + 1);
  await workbench.quickInput.locator('.monaco-list-row', { hasText: name }).first().waitFor();
  await input.press('Enter');
  await workbench.quickInput.waitFor({ state: 'hidden' });
}
