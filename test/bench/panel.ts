import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { signedInTo, Workbench } from '../ui/workbench';
import { atMost, median, ms, times, type Row } from './rows';

const OPENINGS = 7;

/** Opening a chat against opening a page that holds one word, in turn, each in a window of its own. */
export async function panelRows(): Promise<Row[]> {
  const folder = temporaryFolder('panel');
  makeSampleWorkspace(path.join(folder, 'workspace'));
  const open = (service: SampleService, extensions?: string[]): Promise<Workbench> =>
    Workbench.open({
      folder: path.join(folder, 'workspace'),
      ...(extensions === undefined ? {} : { extensions }),
      contextOptions: { viewport: { width: 1280, height: 1600 } },
      env: signedInTo(service),
    });
  const service = await startSampleService({ pace: 0 });
  const ours = await open(service);
  const empty = await open(service, [emptyExtension(folder)]);
  try {
    await ours.openContainer('Agent Console');
    await ours.runCommand('Agent Console: Open a session by its id');
    await ours.answer(service.sessionIds[0] ?? '');
    const field = ours.webview().getByRole('textbox', { name: 'Message to the agent' });
    await field.waitFor();
    const link = empty.page.locator('.statusbar-item', { hasText: 'Empty page' });
    await link.waitFor();
    const took: Record<'chat' | 'page', number[]> = { chat: [], page: [] };
    for (let round = 0; round < OPENINGS; round++) {
      took.chat.push(
        await opened(
          ours,
          () => ours.rows('Sessions').last().click({ force: true }),
          () => field.waitFor(),
        ),
      );
      took.page.push(
        await opened(
          empty,
          () => link.click({ force: true }),
          () => empty.webview().getByText('empty page').waitFor(),
        ),
      );
    }
    console.log(`ready: chat ${ms(median(took.chat))}, empty page ${ms(median(took.page))}`);
    return [
      atMost('chat page ready against an empty page', median(took.chat) / median(took.page), 1.35, times),
    ];
  } finally {
    await empty.close();
    await ours.close();
    await service.close();
    removeFolder(folder);
  }
}

/** How long a page takes to be ready in an editor area that is empty, ms. */
async function opened(
  { page }: Workbench,
  open: () => Promise<unknown>,
  ready: () => Promise<unknown>,
): Promise<number> {
  await page.keyboard.press('Control+K');
  await page.keyboard.press('Control+W');
  await page.locator('iframe.webview').waitFor({ state: 'detached' });
  const began = performance.now();
  await open();
  await ready();
  return performance.now() - began;
}

/** An extension that does nothing but show an empty page. */
export function emptyExtension(folder: string): string {
  const target = path.join(folder, 'empty');
  fs.mkdirSync(target, { recursive: true });
  const command = 'emptyPage.open';
  const manifest = {
    name: 'empty-page',
    publisher: 'bench',
    version: '0.0.1',
    main: './main.js',
    engines: { vscode: '^1.105.0' },
    activationEvents: ['onStartupFinished'],
    contributes: { commands: [{ command, title: 'Open the empty page' }] },
  };
  fs.writeFileSync(path.join(target, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(
    path.join(target, 'main.js'),
    `const vscode = require('vscode');
exports.activate = context => {
  const item = vscode.window.createStatusBarItem();
  Object.assign(item, { text: 'Empty page', command: '${command}' }).show();
  context.subscriptions.push(item, vscode.commands.registerCommand('${command}', () => {
    const panel = vscode.window.createWebviewPanel('empty', 'Empty', vscode.ViewColumn.Active, { enableScripts: true });
    panel.webview.html = '<!DOCTYPE html><html><body><p>empty page</p></body></html>';
  }));
};
`,
  );
  return target;
}
