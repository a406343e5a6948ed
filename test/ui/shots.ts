import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { SHOP_REMOTE } from '../../src/sample/repository';
import { root, shotsFolder } from '../vscode/paths';
import { runProgram } from '../vscode/processes';
import { packageExtension } from '../vscode/server';
import { scenes, type Scene } from './scenes';
import { openStage, themes, type Theme } from './stage';

const images = path.join(root, 'docs', 'images');
/** The main views, as the README shows them; each scene is played by `npm run shots` first. */
const galleryScenes = 'sample-waiting changes-diff sample-composer readiness usage-tokens organization'.split(
  ' ',
);

/**
 * `npm run shots [-- SCENE... THEME...]`: a picture of each scene (all by default) in each theme (all), `.shots/SCENE-THEME.png`.
 * `gallery` makes the pictures of docs/images that show the main views in light and dark, and a message on its way.
 */
async function main(): Promise<undefined> {
  const asked = process.argv.slice(2);
  const isGallery = asked.includes('gallery');
  const given = isGallery ? [...galleryScenes, 'light', 'dark'] : asked;
  const all = Object.keys(themes) as Theme[];
  const wanted = all.filter(theme => given.includes(theme));
  const names = given.filter(name => !all.some(theme => theme === name));
  const unknown = names.filter(name => !(name in scenes));
  if (unknown.length > 0)
    throw new Error(`Unknown: ${unknown.join(' ')}. Scenes are ${Object.keys(scenes).join(', ')}.`);
  // A theme setting does not count for an extension under development with VS Code somewhere below its folder.
  const vsix = packageExtension();
  for (const [name, scene] of Object.entries(scenes)) {
    if (names.length > 0 && !names.includes(name)) continue;
    for (const theme of wanted.length > 0 ? wanted : all) await take(name, scene, theme, vsix);
  }
  if (isGallery) await makeGallery(vsix);
}

/** What was checked out in the sample workspace when, the oldest first: its readiness reports name these commits. */
function sampleCommits(folder: string): { readonly hash: string; readonly at: number }[] {
  const log = execFileSync('git', ['log', '--reverse', '--format=%H %ct'], { cwd: folder, encoding: 'utf8' });
  const lines = log.trim().split('\n');
  return lines.map(line => ({ hash: line.slice(0, 40), at: Number(line.slice(41)) * 1000 }));
}

/** Plays a scene in a theme, in a VS Code and with a sample service of its own, and takes it. */
async function take(name: string, scene: Scene, theme: Theme, vsix: string): Promise<void> {
  const { play, narrow, settings, signedIn = true, size = { width: 1280, height: 800 } } = scene;
  const stage = await openStage({
    // With the colours of every language.
    ...{ vsix: [vsix], builtIn: undefined, signedIn },
    service: folder => ({ openRepository: { url: SHOP_REMOTE, commits: sampleCommits(folder) } }),
    settings: { ...settings, 'workbench.colorTheme': themes[theme].id },
    contextOptions: { viewport: size },
  });
  const { page } = stage.workbench;
  try {
    await page.locator(`.monaco-workbench.${themes[theme].window}`).waitFor();
    await play(stage);
    const part = narrow && (await narrowed(page, narrow));
    // Away from all that has a tooltip of its own.
    if (part) await page.mouse.move(700, 9);
    await drawn(page, theme);
    const file = path.join(shotsFolder, `${name}-${theme}.png`);
    await (part ?? page).screenshot({ path: file, animations: 'disabled', caret: 'hide' });
    console.log(path.relative(root, file));
  } catch (error) {
    await stage.workbench.capture(`failed/shots-${name}-${theme}`);
    throw error;
  } finally {
    await stage.close();
  }
}

async function narrowed(page: Page, which: 'sidebar' | 'auxiliarybar'): Promise<Locator> {
  const bar = page.locator(`.part.${which}`);
  const { x, width } = (await bar.boundingBox()) ?? { x: 0, width: 0 };
  const [from, to] = which === 'sidebar' ? [x + width, x + 250] : [x, x + width - 250];
  await page.mouse.move(from, 300);
  await page.mouse.down();
  await page.mouse.move(to, 300, { steps: 5 });
  await page.mouse.up();
  return bar;
}

/** Resolves when the pages inside the window are drawn in the theme, and all that was changed is on the screen. */
async function drawn(page: Page, theme: Theme): Promise<void> {
  for (const view of await page.locator('iframe.webview.ready').filter({ visible: true }).all()) {
    const inner = view.contentFrame().locator('iframe#active-frame').contentFrame();
    await inner.locator(`body.${themes[theme].page}`).waitFor();
    await inner.locator('body').evaluate('document.fonts.ready.then(() => undefined)');
  }
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** One picture of the main views, light beside dark, and one that moves, in which files are sent and the answer comes. */
async function makeGallery(vsix: string): Promise<void> {
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
    const gallery = await collage(page, views.map(asPng), { columns: 2, width: 800, height: 500 });
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
    for (const frame of frames) pictures.push(await collage(page, [frame], { columns: 1, width, height }));
    fs.writeFileSync(path.join(images, 'send-and-watch.webp'), animated(pictures, width, height));
  } finally {
    await stage.close();
  }
}

const asPng = (from: string | Buffer): string =>
  `data:image/png;base64,${(typeof from === 'string' ? fs.readFileSync(from) : from).toString('base64')}`;

async function collage(
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

runProgram(main);
