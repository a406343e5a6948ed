import * as path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { root, shotsFolder } from '../vscode/paths';
import { runProgram } from '../vscode/processes';
import { packageExtension } from '../vscode/server';
import { sessionScenes } from './scenes/sessions';
import { viewScenes, type Scene } from './scenes/views';
import { openStage, reportsOf } from './stage';

const scenes = { ...viewScenes, ...sessionScenes };

/** The themes every scene is taken in: what VS Code calls them, and the classes its window and the pages in it then have. */
const themes = {
  light: { id: 'Light 2026', window: 'vs', page: 'vscode-light' },
  dark: { id: 'Dark 2026', window: 'vs-dark', page: 'vscode-dark' },
  'hc-dark': { id: 'Default High Contrast', window: 'hc-black', page: 'vscode-high-contrast' },
  'hc-light': { id: 'Default High Contrast Light', window: 'hc-light', page: 'vscode-high-contrast-light' },
} as const;
type Theme = keyof typeof themes;

/** `npm run shots [-- SCENE... THEME...]`: a picture of each scene (all by default) in each theme (all), `.shots/SCENE-THEME.png`. */
async function main(): Promise<undefined> {
  const given = process.argv.slice(2);
  const all = Object.keys(themes) as Theme[];
  const wanted = all.filter(theme => given.includes(theme));
  const names = given.filter(name => !all.some(theme => theme === name));
  const unknown = names.filter(name => !(name in scenes));
  if (unknown.length > 0)
    throw new Error(`Unknown: ${unknown.join(' ')}. Scenes are ${Object.keys(scenes).join(', ')}.`);
  // Packaged, as people have it: a theme setting does not count in a window for an extension under development that has
  // VS Code itself somewhere below its folder.
  const vsix = packageExtension();
  for (const [name, scene] of Object.entries(scenes)) {
    if (names.length > 0 && !names.includes(name)) continue;
    for (const theme of wanted.length > 0 ? wanted : all) await take(name, scene, theme, vsix);
  }
}

/** Plays a scene in a theme, in a VS Code and with a sample service of its own, and takes it. */
async function take(name: string, scene: Scene, theme: Theme, vsix: string): Promise<void> {
  const { play, pace = 0, settings, signedIn = true, size = { width: 1280, height: 800 } } = scene;
  const stage = await openStage({
    service: folder => ({ ...reportsOf(folder), pace }),
    vsix: [vsix],
    // With the colours of every language.
    builtIn: undefined,
    signedIn,
    settings: { ...settings, 'workbench.colorTheme': themes[theme].id },
    contextOptions: { viewport: size },
  });
  const { page } = stage.workbench;
  try {
    await page.locator(`.monaco-workbench.${themes[theme].window}`).waitFor();
    const part = (await play(stage)) as Locator | undefined;
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

/** Resolves when the pages inside the window are drawn in the theme, and all that was changed is on the screen. */
async function drawn(page: Page, theme: Theme): Promise<void> {
  for (const view of await page.locator('iframe.webview.ready').filter({ visible: true }).all()) {
    const inner = view.contentFrame().locator('iframe#active-frame').contentFrame();
    await inner.locator(`body.${themes[theme].page}`).waitFor();
  }
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

runProgram(main);
