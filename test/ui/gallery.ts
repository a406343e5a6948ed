import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Page } from 'playwright-core';
import { root, shotsFolder } from '../vscode/paths';
import { openStage, themes } from './stage';

const images = path.join(root, 'docs', 'images');
/** The main views, as the README shows them; each scene is played by `npm run shots` first. */
export const galleryScenes = [
  'sample-waiting',
  'changes-diff',
  'sample-composer',
  'readiness',
  'usage-tokens',
  'organization',
] as const;

/**
 * One picture of the main views, light beside dark, from the pictures that were taken; and one in which files are selected and sent,
 * and the answer comes: a few pictures that follow each other, in a file that any browser shows.
 */
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
    const chat = workbench.webview();
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
    await chat.getByText('Final answer').last().waitFor();
    await take();
    const pictures: string[] = [];
    for (const frame of frames)
      pictures.push((await drawn(page, [frame], { columns: 1, width: 960, height: 600 })).toString('base64'));
    fs.writeFileSync(path.join(images, 'send-and-watch.svg'), animated(pictures));
  } finally {
    await stage.close();
  }
}

const asPng = (from: string | Buffer): string =>
  `data:image/png;base64,${(typeof from === 'string' ? fs.readFileSync(from) : from).toString('base64')}`;

/** Pictures in a grid, as WebP; the browser draws them. */
async function drawn(
  page: Page,
  pictures: readonly string[],
  cell: { readonly columns: number; readonly width: number; readonly height: number },
): Promise<Buffer> {
  const blank = await page.context().newPage();
  const script = `(async () => {
    const { pictures, columns, width, height } = ${JSON.stringify({ pictures, ...cell })};
    const canvas = new OffscreenCanvas(columns * width, Math.ceil(pictures.length / columns) * height);
    const context = canvas.getContext('2d');
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
    return Buffer.from((await blank.evaluate(script)) as string, 'base64');
  } finally {
    await blank.close();
  }
}

const SECONDS = 2.5;

/** Each picture for a while, again and again; whoever wants no movement sees the last. */
function animated(pictures: readonly string[]): string {
  const all = pictures.length * SECONDS;
  const share = 100 / pictures.length;
  const images = pictures.map(
    (picture, at) =>
      `<image width="960" height="600" href="data:image/webp;base64,${picture}" style="animation-delay:${at * SECONDS - all}s"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 600" role="img"><title>Files are sent to a session, and its agent answers</title><style>image{animation:turn ${all}s step-end infinite}@keyframes turn{0%{opacity:1}${share}%{opacity:0}}@media (prefers-reduced-motion:reduce){image{animation:none}}</style>${images.join('')}</svg>\n`;
}
