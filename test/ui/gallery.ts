import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Page } from 'playwright-core';
import { root, shotsFolder } from '../vscode/paths';
import { openStage, themes } from './stage';

const images = path.join(root, 'docs', 'images');
/** The main views, as the README shows them; each scene is played by `npm run shots` first. */
export const galleryScenes =
  'sample-waiting changes-diff sample-composer readiness usage-tokens organization'.split(' ');

/** One picture of the main views, light beside dark, and one that moves, in which files are sent and the answer comes. */
export async function makeGallery(vsix: string): Promise<void> {
  const stage = await openStage({
    ...{ vsix: [vsix], builtIn: undefined, signedIn: false },
    settings: { 'workbench.colorTheme': themes.light.id },
    contextOptions: { viewport: { width: 1280, height: 800 } },
  });
  try {
    const { workbench } = stage;
    const { page } = workbench;
    const views = galleryScenes.flatMap(name =>
      ['light', 'dark'].map(theme => path.join(shotsFolder, `${name}-${theme}.png`)),
    );
    const gallery = await drawn(page, views.map(asPng), { columns: 2, width: 800, height: 500 });
    fs.writeFileSync(path.join(images, 'gallery.webp'), gallery);
    const frames: string[] = [];
    const take = async (): Promise<void> => {
      frames.push(asPng(await page.screenshot({ animations: 'disabled' })));
    };
    await workbench.openContainer('Agent Console');
    await workbench.welcome('Sessions').getByRole('button', { name: 'Try with sample data' }).click();
    await workbench.row('Sessions', 'How a checkout works').click();
    const chat = workbench.front;
    await chat.getByRole('textbox').waitFor();
    await workbench.openContainer('Explorer');
    await take();
    await workbench.explorerMenu(['README.md', 'package.json'], /Send to agent session/);
    await chat.locator('.chip').nth(1).waitFor();
    await take();
    await chat.getByRole('textbox').fill('Which script runs the tests of the checkout?');
    await take();
    await page.keyboard.press('Enter');
    await chat.getByRole('article').getByText('Which script runs').first().waitFor();
    await take();
    const status = chat.locator('.status');
    await status.getByText(/running/).waitFor();
    await take();
    await status.getByText(/idle/).waitFor();
    await chat.getByRole('article').last().getByText('Agent').waitFor();
    await take();
    const [width, height] = [960, 600];
    const pictures: Buffer[] = [];
    for (const frame of frames) pictures.push(await drawn(page, [frame], { columns: 1, width, height }));
    fs.writeFileSync(path.join(images, 'send-and-watch.webp'), animated(pictures, width, height));
  } finally {
    await stage.close();
  }
}

const asPng = (from: string | Buffer): string =>
  `data:image/png;base64,${(typeof from === 'string' ? fs.readFileSync(from) : from).toString('base64')}`;

async function drawn(
  page: Page,
  pictures: readonly string[],
  cell: { readonly columns: number; readonly width: number; readonly height: number },
): Promise<Buffer> {
  const blank = await page.context().newPage();
  const script = `(async () => {
    const { pictures, columns, width, height } = ${JSON.stringify({ pictures, ...cell })};
    const canvas = new OffscreenCanvas(columns * width, Math.ceil(pictures.length / columns) * height);
    const context = canvas.getContext('2d', { alpha: false });
    for (const [at, source] of pictures.entries()) {
      const bitmap = await createImageBitmap(await (await fetch(source)).blob());
      const scale = Math.min(width / bitmap.width, height / bitmap.height);
      const [x, y] = [(at % columns) * width, Math.floor(at / columns) * height];
      context.drawImage(bitmap, x, y, bitmap.width * scale, bitmap.height * scale);
    }
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })).arrayBuffer());
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
  })()`;
  try {
    return Buffer.from(await blank.evaluate<string>(script), 'base64');
  } finally {
    await blank.close();
  }
}

const FRAME_MS = 2_500;

/** Pictures of one size that follow each other, again and again: each is a WebP of its own, whose pixels become a frame. */
function animated(pictures: readonly Buffer[], width: number, height: number): Buffer {
  const chunk = (name: string, ...parts: readonly Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    const even = Buffer.alloc(content.length % 2);
    return Buffer.concat([Buffer.from(name), number(content.length, 4), content, even]);
  };
  const number = (value: number, bytes: number): Buffer =>
    Buffer.from(Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** at) % 256));
  const size = Buffer.concat([number(width - 1, 3), number(height - 1, 3)]);
  const isAnimated = 2;
  const head = chunk('VP8X', number(isAnimated, 4), size);
  const loop = chunk('ANIM', number(0xffffffff, 4), number(0, 2));
  const shown = [number(0, 6), size, number(FRAME_MS, 3), number(2, 1)];
  const frames = pictures.map(each => chunk('ANMF', ...shown, each.subarray(each.indexOf('VP8 '))));
  return chunk('RIFF', Buffer.from('WEBP'), head, loop, ...frames);
}
