import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { patience } from '../until';

type Pasted = Readonly<{ text?: string; files?: readonly Record<'name' | 'type' | 'base64', string>[] }>;

/** Pastes into a field: text is inserted where the page leaves that to the browser. */
export async function pasteInto(field: Locator, data: Pasted): Promise<void> {
  await field.focus();
  const frame = await (await field.elementHandle()).ownerFrame();
  await frame?.evaluate(`(${PASTE})(document.activeElement, ${JSON.stringify(data)})`);
}
const PASTE = `(field, { text, files = [] }) => {
  const clipboardData = new DataTransfer();
  if (text !== undefined) clipboardData.setData('text/plain', text);
  for (const { name, type, base64 } of files)
    clipboardData.items.add(new File([Uint8Array.from(atob(base64), each => each.charCodeAt(0))], name, { type }));
  const isLeft = field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  if (isLeft && text !== undefined) document.execCommand('insertText', false, text);
}`;

async function pointOver(place: Locator, above: number): Promise<{ readonly x: number; readonly y: number }> {
  const { x = 0, y = 0, width = 0, height = 0 } = (await place.boundingBox()) ?? {};
  return { x: x + Math.min(60, width / 2), y: y - above + height / 2 };
}

/** Drags by `move` over a place until something shows, and the place stands still: an element that no event has asked takes no drop. */
export async function dragOver(
  place: Locator,
  shows: () => Promise<boolean>,
  move: (x: number, y: number) => Promise<unknown>,
  above = 0,
): Promise<void> {
  const began = performance.now();
  for (let step = 0, rested = 0; rested < 2; step++) {
    assert.ok(performance.now() - began < patience(), 'nothing was dragged there');
    const at = await pointOver(place, above);
    // A pointer that does not move drags nothing.
    await move(at.x + (step % 2), at.y);
    const shown = await shows();
    const now = await pointOver(place, above);
    rested = shown && now.x === at.x && now.y === at.y ? rested + 1 : 0;
  }
}

/** Keys held while something is dragged, as the browser numbers them. */
export const SHIFT = 8;
/** What a file manager lets be done with what is dragged: copy, link, move. */
const ANYTHING = 1 | 2 | 16;

/** Something dragged from outside the window over a place, or `above` px higher, until something shows, and dropped there. */
export async function drop(
  page: Page,
  { items = [], files = [] }: { items?: { mimeType: string; data: string }[]; files?: string[] },
  place: Locator,
  shows: () => Promise<boolean>,
  { modifiers = 0, above = 0 }: Readonly<{ modifiers?: number; above?: number }>,
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [...items], files: [...files], dragOperationsMask: ANYTHING };
  let at: { readonly x: number; readonly y: number } | undefined;
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop', x: number, y: number) =>
    session.send('Input.dispatchDragEvent', { type, x, y, data, modifiers });
  await place.waitFor();
  const over = async (x: number, y: number): Promise<void> => {
    await drag(at === undefined ? 'dragEnter' : 'dragOver', x, y);
    at = { x, y };
  };
  await dragOver(place, shows, over, above);
  await drag('drop', at?.x ?? 0, at?.y ?? 0);
  await session.detach();
}

/** A PNG of noise, which compresses to nothing less: about three bytes a pixel. */
export function noisePicture(width: number, height: number): Buffer {
  const stride = 1 + 3 * width;
  const pixels = randomBytes(stride * height);
  for (let at = 0; at < pixels.length; at += stride) pixels[at] = 0;
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
