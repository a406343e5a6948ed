import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Locator } from 'playwright-core';
import { Transcript } from '../../src/chat/transcript/transcript';
import { silentLog } from '../fakes/log';
import { openStorage } from '../fakes/storage';
import { serviceIdOf, storageOf } from '../ui/seed';
import { openStage, signedInTo, type Stage } from '../ui/stage';
import { Workbench } from '../ui/workbench';
import { atMost, median, ms, timed, times, type Row } from './rows';

const OPENINGS = 7;
const MESSAGES = 10_000;

/** What windows cost, each part on a stage of its own. */
export async function windowRows(...parts: readonly ((stage: Stage) => Promise<Row[]>)[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const measure of parts) {
    const stage = await openStage({ height: 1600 });
    try {
      rows.push(...(await measure(stage)));
    } finally {
      await stage.close();
    }
  }
  return rows;
}

/** The views of a window that has shown none yet, on a slow service, opened as fast as a script can. */
export async function viewRows({ service, workbench }: Stage): Promise<Row[]> {
  // What runs without a view has asked by then.
  await workbench.statusItem('usage').filter({ hasText: /\d/ }).waitFor();
  const fault = service.fail({ kind: 'delay', ms: 50 });
  const before = service.requests.length;
  const last = await workbench.page.evaluate<number>(OPEN_VIEWS);
  const calls = service.requests.length - before;
  fault.dispose();
  return [
    // Computers, whether sessions are listed, users (two pages of the largest size), and controls. Reports are known by then.
    atMost('all views, 50 ms latency: calls', calls, 5, String),
    atMost('all views, 50 ms latency: time to the last row', last, 250, ms),
  ];
}

/** Shows the container, expands what is collapsed, and resolves with the time until all lists have a row, ms. */
const OPEN_VIEWS = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const pane = title => [...document.querySelectorAll('.sidebar .pane')].find(each => each.querySelector('.pane-header[aria-label^="' + title + '"]'));
  const began = performance.now();
  document.querySelector('.activitybar .action-item a[aria-label^="Agent Console"]').click();
  for (const waiting = new Set(['Computers', 'Organization', 'Readiness']); waiting.size > 0; await frame()) {
    for (const title of waiting) {
      const header = pane(title)?.querySelector('.pane-header');
      if (header?.getAttribute('aria-expanded') === 'false') header.click();
      if (pane(title)?.querySelector('.monaco-list-row')) waiting.delete(title);
    }
  }
  return performance.now() - began;
})()`;

/** One window, then eight at one server; at the end a minute in which nobody looks. */
export async function manyRows(stage: Stage): Promise<Row[]> {
  const { service, workbench, folder } = stage;
  const analytics = (): number =>
    service.requests.filter(({ path: asks }) => asks.includes('/analytics/')).length;
  const empty = await openEmpty(stage);
  await workbench.openContainer('Agent Console');
  await workbench.row('Computers', 'active').waitFor();
  await workbench.statusItem('usage').filter({ hasText: /\d/ }).waitFor();
  const one = analytics();
  const others: Workbench[] = [];
  while (others.length < 7) {
    const other = await workbench.openAnother(folder);
    await other.statusItem('usage').filter({ hasText: /\d/ }).waitFor();
    others.push(other);
  }
  const eight = analytics();
  for (const other of others) await other.close();
  await workbench.openContainer('Explorer');
  const hosts = [workbench, empty].map(hostOf);
  const before = hosts.map(cpuMs);
  const hidden = service.requests.length;
  // What a minute of nothing costs takes a minute to see.
  await new Promise(done => setTimeout(done, 60_000));
  const [ours = 0, theirs = 0] = hosts.map((host, index) => cpuMs(host) - (before[index] ?? 0));
  const isPoll = /^GET .*\/(sessions|computers)/;
  const polls = service.requests.slice(hidden).filter(asked => isPoll.test(`${asked.method} ${asked.path}`));
  await empty.close();
  return [
    atMost('eight windows: analytics calls beyond those of one', eight - one, 0, String),
    atMost('60 s idle, views hidden: polls', polls.length, 0, String),
    atMost('60 s idle, views hidden: CPU beyond an empty extension', Math.max(0, ours - theirs), 10, ms),
  ];
}

/** The process of a window's extension host; on Linux only. */
function hostOf({ server }: Workbench): string {
  const oldest = (...of: readonly string[]): string =>
    execFileSync('pgrep', ['-o', '-f', ...of], { encoding: 'utf8' }).trim();
  return oldest('-P', oldest(server.userDataFolder), 'extensionHost');
}

/** Processor time a process has used, ms; the system counts in steps of 10. */
function cpuMs(pid: string): number {
  const [, fields = ''] = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user! + system!) * 10;
}

/** Opening a chat against opening a page that holds one word, in turn, each in a window of its own. */
export async function panelRows(stage: Stage): Promise<Row[]> {
  const { service, workbench: ours } = stage;
  const empty = await openEmpty(stage);
  await ours.openContainer('Agent Console');
  await ours.openSession(service.sessionIds[0]);
  const field = ours.webview().getByRole('textbox', { name: 'Message to the agent' });
  await field.waitFor();
  const link = empty.page.locator('.statusbar-item', { hasText: 'Empty page' });
  await link.waitFor();
  const chat: number[] = [];
  const page: number[] = [];
  for (let round = 0; round < OPENINGS; round++) {
    chat.push(await opened(ours, ours.rows('Sessions').last(), field));
    page.push(await opened(empty, link, empty.webview().getByText('empty page')));
  }
  await empty.close();
  return [atMost('chat page ready against an empty page', median(chat) / median(page), 1.35, times)];
}

/** How long a page takes to be ready in an editor area that is empty, ms. */
async function opened({ page }: Workbench, link: Locator, ready: Locator): Promise<number> {
  await page.keyboard.press('Control+K');
  await page.keyboard.press('Control+W');
  await page.locator('iframe.webview').waitFor({ state: 'detached' });
  return timed(async () => {
    await link.click({ force: true });
    await ready.waitFor();
  });
}

/** A window at the same service with an extension that does nothing but show an empty page. */
function openEmpty({ service, folder, parent }: Stage): Promise<Workbench> {
  const target = path.join(parent, 'empty');
  const manifest = {
    ...{ name: 'empty-page', publisher: 'bench', version: '0.0.1', main: './main.js' },
    ...{ engines: { vscode: '^1.105.0' }, activationEvents: ['onStartupFinished'] },
  };
  const code = `const vscode = require('vscode');
exports.activate = context => {
  const item = vscode.window.createStatusBarItem();
  Object.assign(item, { text: 'Empty page', command: 'emptyPage.open' }).show();
  context.subscriptions.push(item, vscode.commands.registerCommand('emptyPage.open', () => {
    const panel = vscode.window.createWebviewPanel('empty', 'Empty', vscode.ViewColumn.Active, { enableScripts: true });
    panel.webview.html = '<!DOCTYPE html><html><body><p>empty page</p></body></html>';
  }));
};
`;
  fs.mkdirSync(target, { recursive: true });
  fs.writeFileSync(path.join(target, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(target, 'main.js'), code);
  return Workbench.open({ folder, extensions: [target], env: signedInTo(service) });
}

/** In the page: `drawn` becomes the time from the next Enter until the log shows the text, ms. */
const DRAWN = `(wanted => void (window.drawn = new Promise(resolve => {
  const look = began => {
    if (document.querySelector('.log')?.textContent.includes(wanted)) resolve(performance.now() - began);
    else requestAnimationFrame(() => look(began));
  };
  addEventListener('keydown', event => look(event.timeStamp), { capture: true, once: true });
})))`;

/** From Enter to the own message in the chat of a real window, with 10,000 messages of the session open. */
export async function enterRows({ service, workbench }: Stage): Promise<Row[]> {
  const sessionId = service.sessionIds[0] ?? '';
  const storage = openStorage({ root: storageOf(workbench), log: silentLog() });
  const transcript = new Transcript(storage, serviceIdOf(service), sessionId);
  await transcript.keep(
    Array.from({ length: MESSAGES }, (_, index) => ({
      id: String(index),
      role: index % 2 === 0 ? 'user' : 'assistant',
      createdAt: index,
      updatedAt: index,
      content: [{ type: 'text', text: `Number ${index}.\n\nSome \`code\` and **words**. `.repeat(4) }],
      ...(index === 0 ? {} : { parentId: String(index - 1) }),
    })),
  );
  await storage.settled();
  storage.dispose();

  await workbench.openContainer('Agent Console');
  await workbench.openSession(sessionId);
  const page = workbench.webview();
  const field = page.getByRole('textbox', { name: 'Message to the agent' });
  const took: number[] = [];
  for (let round = 0; round < OPENINGS; round++) {
    const text = `Measured message ${round}.`;
    await field.fill(text);
    await page.getByRole('button', { name: 'Send', exact: true }).and(page.locator(':enabled')).waitFor();
    await workbench.inPage(frame => frame.evaluate(`${DRAWN}(${JSON.stringify(text)})`));
    await field.press('Enter');
    took.push(await workbench.inPage(frame => frame.evaluate<number>('window.drawn')));
  }
  return [atMost('Enter to own message drawn, 10,000 messages open', median(took), 50, ms)];
}
