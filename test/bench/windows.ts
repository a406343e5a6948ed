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

const LATENCY_MS = 50;
const IDLE_MS = 60_000;
/** Computers, whether sessions are listed, users (two pages of the largest size), and controls. Reports are known by then. */
const CALLS_OF_VIEWS = 5;
const OPENINGS = 7;
const MESSAGES = 10_000;

/** What windows cost: views on a slow service, eight windows at once, a minute of nothing, a chat; each on a stage of its own. */
export async function windowRows(parts = [viewRows, manyRows, panelRows]): Promise<Row[]> {
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

/** The views of a window that has shown none yet, opened as fast as a script can. */
async function viewRows({ service, workbench }: Stage): Promise<Row[]> {
  // What runs without a view has asked by then.
  await usageItem(workbench).waitFor();
  const fault = service.fail({ kind: 'delay', ms: LATENCY_MS });
  const before = service.requests.length;
  const took = await workbench.page.evaluate<Record<string, number>>(OPEN_VIEWS);
  const asked = service.requests.slice(before).map(({ method, path: asks }) => `${method} ${asks}`);
  fault.dispose();
  const each = Object.entries(took).map(([view, time]) => `${view} after ${ms(time)}`);
  console.log(`all views: ${asked.join(', ')}; ${each.join(', ')}`);
  const last = Math.max(...Object.values(took));
  return [
    atMost('all views, 50 ms latency: calls', asked.length, CALLS_OF_VIEWS, String),
    atMost('all views, 50 ms latency: time to the last row', last, 3 * LATENCY_MS + 100, ms),
  ];
}

/** Shows the container, expands what is collapsed, and resolves with the time until each list has a row, ms. */
const OPEN_VIEWS = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const pane = title => [...document.querySelectorAll('.sidebar .pane')].find(each => each.querySelector('.pane-header[aria-label^="' + title + '"]'));
  const took = {};
  const began = performance.now();
  document.querySelector('.activitybar .action-item a[aria-label^="Agent Console"]').click();
  for (const waiting = new Set(['Computers', 'Organization', 'Readiness']); waiting.size > 0; await frame()) {
    for (const title of waiting) {
      const header = pane(title)?.querySelector('.pane-header');
      if (header?.getAttribute('aria-expanded') === 'false') header.click();
      if (!pane(title)?.querySelector('.monaco-list-row')) continue;
      waiting.delete(title);
      took[title] = performance.now() - began;
    }
  }
  return took;
})()`;

function usageItem({ page }: Workbench) {
  return page.locator('.statusbar-item[id="agent-console.agent-console.usage"]').filter({ hasText: /\d/ });
}

/** One window, then eight at one server; at the end a minute in which nobody looks. */
async function manyRows(stage: Stage): Promise<Row[]> {
  const { service, workbench, folder } = stage;
  const analytics = (): number =>
    service.requests.filter(({ path: asks }) => asks.includes('/analytics/')).length;
  const empty = await openEmpty(stage);
  await workbench.openContainer('Agent Console');
  await workbench.row('Computers', 'active').waitFor();
  await usageItem(workbench).waitFor();
  const one = analytics();
  const others: Workbench[] = [];
  while (others.length < 7) {
    const other = await workbench.openAnother(folder);
    await usageItem(other).waitFor();
    others.push(other);
  }
  const eight = analytics();
  for (const other of others) await other.close();
  await workbench.openContainer('Explorer');
  const hosts = [workbench, empty].map(hostOf);
  const before = hosts.map(cpuMs);
  const hidden = Date.now();
  // What a minute of nothing costs takes a minute to see.
  await new Promise(done => setTimeout(done, IDLE_MS));
  const [ours = 0, theirs = 0] = hosts.map((host, index) => cpuMs(host) - (before[index] ?? 0));
  const asked = service.requests
    .filter(({ method, receivedAt }) => method === 'GET' && receivedAt >= hidden)
    .filter(({ path: asks }) => /\/(sessions|computers)/.test(asks));
  console.log(`idle: ${ours} ms of the extension host, ${theirs} ms without us`);
  await empty.close();
  return [
    atMost('eight windows: analytics calls beyond those of one', eight - one, 0, String),
    atMost('60 s idle, views hidden: polls', asked.length, 0, String),
    atMost('60 s idle, views hidden: CPU beyond an empty extension', Math.max(0, ours - theirs), 10, ms),
  ];
}

/** The process of a window's extension host; on Linux only. */
function hostOf({ server }: Workbench): number {
  const pids = (pattern: string, ...of: readonly string[]): readonly number[] => {
    const found = execFileSync('pgrep', ['-o', '-f', ...of, pattern], { encoding: 'utf8' });
    return found.trim().split('\n').map(Number);
  };
  const [parent = 0] = pids(server.userDataFolder);
  const [host = 0] = pids('extensionHost', '-P', String(parent));
  return host;
}

/** Processor time a process has used, ms; the system counts in steps of 10. */
function cpuMs(pid: number): number {
  const fields = fs
    .readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Opening a chat against opening a page that holds one word, in turn, each in a window of its own. */
async function panelRows(stage: Stage): Promise<Row[]> {
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
  console.log(`ready: chat ${ms(median(chat))}, empty page ${ms(median(page))}`);
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
  const code = `const vscode = require('vscode');
exports.activate = context => {
  const item = vscode.window.createStatusBarItem();
  Object.assign(item, { text: 'Empty page', command: '${command}' }).show();
  context.subscriptions.push(item, vscode.commands.registerCommand('${command}', () => {
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
  const whole = (time: number) => `${time.toFixed(0)} ms`;
  return [atMost('Enter to own message drawn, 10,000 messages open', median(took), 50, whole)];
}
