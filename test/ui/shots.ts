import * as path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { root, shotsFolder } from '../vscode/paths';
import { runProgram } from '../vscode/processes';
import { packageExtension } from '../vscode/server';
import { galleryScenes, makeGallery } from './gallery';
import { sessionScenes } from './scenes/sessions';
import { viewScenes, type Scene } from './scenes/views';
import { openStage, reportsOf, themes } from './stage';

const scenes = { ...viewScenes, ...sessionScenes };

type Theme = keyof typeof themes;

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

/** Plays a scene in a theme, in a VS Code and with a sample service of its own, and takes it. */
async function take(name: string, scene: Scene, theme: Theme, vsix: string): Promise<void> {
  const { play, narrow, settings, signedIn = true, size = { width: 1280, height: 800 } } = scene;
  const stage = await openStage({
    // With the colours of every language.
    ...{ service: reportsOf, vsix: [vsix], builtIn: undefined, signedIn },
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
  }
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

runProgram(main);
