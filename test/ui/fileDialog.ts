import type { Workbench } from './workbench';

interface Browser {
  readonly document: {
    querySelector(selector: string): { readonly value: string } | null;
    querySelectorAll(selector: string): Iterable<{ readonly innerText: string }>;
  };
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
