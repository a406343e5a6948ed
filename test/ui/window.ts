import { until } from '../until';
import { untilTrue } from './waiting';
import type { Workbench } from './workbench';

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

/** Looks whether the window's state in the browser holds something that matches. */
const HOLDS = `(async wanted => {
  const result = request => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Error('The store cannot be read.'));
  });
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith('vscode-web-state-db')) continue;
    const database = await result(indexedDB.open(name));
    const values = await result(database.transaction('ItemTable').objectStore('ItemTable').getAll());
    database.close();
    if (values.some(value => wanted.test(String(value)))) return true;
  }
  return false;
})`;

/** Leaves the window, each time of which makes it store its state, until the store holds what is wanted. */
export async function stored({ page }: Workbench, wanted: RegExp): Promise<void> {
  await until(async () => {
    await page.evaluate(`for (const isFocused of [true, false]) {
      document.hasFocus = () => isFocused;
      document.dispatchEvent(new Event('visibilitychange'));
    }`);
    return page.evaluate<boolean>(`${HOLDS}(${String(wanted)})`);
  });
}

/** The path in the window's dialog for a file, once that has read its folder: it writes over what was typed before. */
async function ready({ page, quickInput }: Workbench, end: string): Promise<string> {
  // What is to be seen: rows keep hidden texts of the picker before.
  await untilTrue(
    page,
    `[...document.querySelectorAll('.quick-input-widget .monaco-list-row')].some(row => row.innerText.trim() === '..')
      && document.querySelector('.quick-input-widget input.input').value.endsWith(${JSON.stringify(end)})`,
  );
  return quickInput.locator('input.input').inputValue();
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
