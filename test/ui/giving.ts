import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

export interface Pasted {
  readonly text?: string;
  readonly files?: readonly { readonly name: string; readonly type: string; readonly base64: string }[];
}

interface PastedData {
  setData(type: string, text: string): void;
  readonly items: { add(file: object): void };
}

interface PastingBrowser {
  readonly DataTransfer: new () => PastedData;
  readonly File: new (parts: readonly Uint8Array[], name: string, options: object) => object;
  readonly ClipboardEvent: new (type: string, options: object) => object;
}

interface PasteTarget {
  dispatchEvent(event: object): boolean;
  readonly ownerDocument: { execCommand(command: string, ui: boolean, value: string): boolean };
}

/** Pastes into a field: text is inserted where the page leaves that to the browser. */
export function pasteInto(field: Locator, data: Pasted): Promise<void> {
  return field.evaluate((element, { text, files = [] }) => {
    const { DataTransfer, File, ClipboardEvent } = globalThis as unknown as PastingBrowser;
    const clipboardData = new DataTransfer();
    if (text !== undefined) clipboardData.setData('text/plain', text);
    for (const { name, type, base64 } of files) {
      const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
      clipboardData.items.add(new File([bytes], name, { type }));
    }
    const target = element as unknown as PasteTarget;
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    if (target.dispatchEvent(event) && text !== undefined)
      target.ownerDocument.execCommand('insertText', false, text);
  }, data);
}

/** Moves what is dragged to and fro over a place, or `above` px higher, until something shows; 10 s at most. */
export async function dragOver(
  page: Page,
  place: Locator,
  shows: () => Promise<boolean>,
  above = 0,
): Promise<void> {
  const until = Date.now() + 10_000;
  for (let step = 0; !(await shows()); step++) {
    assert.ok(Date.now() < until, 'nothing was dragged there');
    // Views grow and shrink for a moment after they are opened: where the place is now.
    const { x, y, width, height } = (await place.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const aside = step % 2;
    await page.mouse.move(x + Math.min(60, width / 2) + aside, y - above + height / 2, { steps: 2 });
  }
}

/** Keys held while something is dragged, as the browser numbers them. */
export const SHIFT = 8;
/** What a file manager lets be done with what is dragged: copy, link, move. */
const ANYTHING = 1 | 2 | 16;

interface Dragged {
  readonly items?: readonly { readonly mimeType: string; readonly data: string }[];
  /** Files of this machine. */
  readonly files?: readonly string[];
}

interface Dragging {
  readonly modifiers?: number;
  /** Above the middle of the place, px. */
  readonly above?: number;
}

/** Something dragged from outside the window over a place until something shows, and dropped there. */
export async function drop(
  page: Page,
  { items = [], files = [] }: Dragged,
  place: Locator,
  shows: () => Promise<boolean>,
  { modifiers = 0, above = 0 }: Dragging = {},
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [...items], files: [...files], dragOperationsMask: ANYTHING };
  const until = Date.now() + 10_000;
  let at = { x: 0, y: 0 };
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, ...at, data, modifiers });
  await place.waitFor();
  for (let step = 0; step === 0 || !(await shows()); step++) {
    assert.ok(Date.now() < until, 'nothing was dragged there');
    const box = await place.boundingBox();
    assert.ok(box !== null, 'the place is gone');
    at = { x: box.x + Math.min(60, box.width / 2) + (step % 2), y: box.y - above + box.height / 2 };
    await drag(step === 0 ? 'dragEnter' : 'dragOver');
  }
  await drag('drop');
  await session.detach();
}

/** As `drop`, of files. */
export function dropFiles(
  page: Page,
  files: readonly string[],
  place: Locator,
  shows: () => Promise<boolean>,
  options?: Dragging,
): Promise<void> {
  return drop(page, { files }, place, shows, options);
}
