import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type SampleService } from '../../src/sample';
import { removeFolder, root, temporaryFolder } from '../vscode/paths';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { Workbench } from '../ui/workbench';
import { atMost, median, times, type Row } from './rows';

const LATENCY_MS = 50;
const IDLE_MS = 60_000;
const OPENINGS = 7;
const VIEWS = ['Sessions', 'Computers', 'Organization', 'Readiness'];
const ms = (value: number): string => `${value.toFixed(0)} ms`;

/** What windows cost: views on a slow service, eight windows at once, a minute of nothing, a chat against an empty page. */
export async function windowRows(): Promise<Row[]> {
  const folder = temporaryFolder('windows');
  makeSampleWorkspace(path.join(folder, 'workspace'));
  try {
    return [...(await viewRows(folder)), ...(await windowsRows(folder)), ...(await panelRows(folder))];
  } finally {
    removeFolder(folder);
  }
}

async function open(service: SampleService, folder: string, extensions?: string[]): Promise<Workbench> {
  return Workbench.open({
    folder: path.join(folder, 'workspace'),
    ...(extensions === undefined ? {} : { extensions }),
    contextOptions: { viewport: { width: 1280, height: 1600 } },
    env: {
      AGENT_CONSOLE_BASE_URL: service.baseUrl,
      AGENT_CONSOLE_APP_URL: service.appUrl,
      AGENT_CONSOLE_API_KEY: service.apiKey,
    },
  });
}

/** All views are expanded, then the window is loaded again behind the Explorer, and the views are shown. */
async function viewRows(folder: string): Promise<Row[]> {
  const service = await startSampleService({ pace: 0 });
  const workbench = await open(service, folder);
  try {
    const { page } = workbench;
    await workbench.openContainer('Agent Console');
    for (const view of VIEWS) await workbench.expandView(view);
    await workbench.runCommand('Agent Console: Open a session by its id');
    await workbench.answer(service.sessionIds[0] ?? '');
    for (const view of VIEWS) await workbench.rows(view).first().waitFor();
    await workbench.openContainer('Explorer');
    await page.reload();
    await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
    // What runs without a view (the status bar) has asked by then.
    await page
      .locator('.statusbar-item[id="agent-console.agent-console.usage"]')
      .filter({ hasText: /\d/ })
      .waitFor();
    const fault = service.fail({ kind: 'delay', ms: LATENCY_MS });
    const before = service.requests.length;
    const began = performance.now();
    await workbench.activityIcon('Agent Console').click();
    for (const view of VIEWS) await workbench.rows(view).first().waitFor();
    await workbench.row('Computers', 'active').waitFor();
    const took = performance.now() - began;
    const asked = service.requests.slice(before).map(({ method, path: asks }) => `${method} ${asks}`);
    fault.dispose();
    console.log(`all views: ${asked.join(', ') || 'no call'}`);
    return [
      atMost('all views, 50 ms latency, second start: calls', asked.length, VIEWS.length + 1, String),
      atMost('all views, 50 ms latency: time to the last row', took, 3 * LATENCY_MS + 100, ms),
    ];
  } finally {
    await workbench.close();
    await service.close();
  }
}

/** One window, then eight at one server; at the end a minute in which nobody looks. */
async function windowsRows(folder: string): Promise<Row[]> {
  const service = await startSampleService({ pace: 0 });
  const analytics = (): number =>
    service.requests.filter(({ path: asks }) => asks.includes('/analytics/')).length;
  const polls = (): number =>
    service.requests.filter(
      ({ method, path: asks }) => method === 'GET' && /\/(sessions|computers)/.test(asks),
    ).length;
  const workbench = await open(service, folder);
  const empty = await open(service, folder, [emptyExtension(folder)]);
  try {
    const usage = (window: Workbench) =>
      window.page
        .locator('.statusbar-item[id="agent-console.agent-console.usage"]')
        .filter({ hasText: /\d/ });
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'active').waitFor();
    await usage(workbench).waitFor();
    const one = analytics();
    const others: Workbench[] = [];
    for (let window = 1; window < 8; window++) {
      const other = await workbench.openAnother(path.join(folder, 'workspace'));
      await usage(other).waitFor();
      others.push(other);
    }
    const eight = analytics();
    for (const other of others) await other.close();
    await workbench.openContainer('Explorer');
    const [ours, theirs] = [hostOf(workbench), hostOf(empty)];
    const before = { ours: cpuMs(ours), theirs: cpuMs(theirs), polls: polls() };
    await new Promise(done => setTimeout(done, IDLE_MS));
    const spent = { ours: cpuMs(ours) - before.ours, theirs: cpuMs(theirs) - before.theirs };
    console.log(
      `idle: ${String(spent.ours)} ms of the extension host, ${String(spent.theirs)} ms without us`,
    );
    return [
      atMost('eight windows: analytics calls beyond those of one', eight - one, 0, String),
      atMost('60 s idle, views hidden: polls', polls() - before.polls, 0, String),
      atMost(
        '60 s idle, views hidden: CPU beyond an empty extension',
        Math.max(0, spent.ours - spent.theirs),
        10,
        ms,
      ),
    ];
  } finally {
    await empty.close();
    await workbench.close();
    await service.close();
  }
}

/** Opening a chat against opening a page that holds one word, in turn, in one window. */
async function panelRows(folder: string): Promise<Row[]> {
  const service = await startSampleService({ pace: 0 });
  const workbench = await open(service, folder, [root, emptyExtension(folder)]);
  try {
    await workbench.openContainer('Agent Console');
    await workbench.runCommand('Agent Console: Open a session by its id');
    await workbench.answer(service.sessionIds[0] ?? '');
    const { page } = workbench;
    const ready = {
      chat: () => workbench.webview().getByRole('textbox', { name: 'Message to the agent' }),
      empty: () => workbench.webview().getByText('empty page'),
    };
    await ready.chat().waitFor();
    const took: Record<keyof typeof ready, number[]> = { chat: [], empty: [] };
    for (let round = 0; round < OPENINGS; round++) {
      for (const kind of ['chat', 'empty'] as const) {
        await workbench.runCommand('View: Close All Editors');
        await page.locator('iframe.webview').waitFor({ state: 'detached' });
        const row = workbench.rows('Sessions').last();
        const began = performance.now();
        if (kind === 'chat') await row.click();
        else await page.keyboard.press('Control+Alt+F12');
        await ready[kind]().waitFor();
        took[kind].push(performance.now() - began);
      }
    }
    console.log(`ready: chat ${ms(median(took.chat))}, empty page ${ms(median(took.empty))}`);
    return [
      atMost('chat page ready against an empty page', median(took.chat) / median(took.empty), 1.35, times),
    ];
  } finally {
    await workbench.close();
    await service.close();
  }
}

/** An extension that does nothing but show an empty page. */
function emptyExtension(folder: string): string {
  const target = path.join(folder, 'empty');
  fs.mkdirSync(target, { recursive: true });
  const command = 'emptyPage.open';
  const manifest = {
    ...{
      name: 'empty-page',
      publisher: 'bench',
      version: '0.0.1',
      main: 'main.js',
      engines: { vscode: '*' },
    },
    activationEvents: ['onStartupFinished'],
    contributes: {
      commands: [{ command, title: 'Open the empty page' }],
      keybindings: [{ command, key: 'ctrl+alt+f12' }],
    },
  };
  fs.writeFileSync(path.join(target, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(
    path.join(target, 'main.js'),
    `const vscode = require('vscode');
exports.activate = context => context.subscriptions.push(vscode.commands.registerCommand('${command}', () => {
  const panel = vscode.window.createWebviewPanel('empty', 'Empty', vscode.ViewColumn.Active, { enableScripts: true });
  panel.webview.html = '<!DOCTYPE html><html><body><p>empty page</p></body></html>';
}));
`,
  );
  return target;
}

/** The process of a window's extension host. */
function hostOf(workbench: Workbench): number {
  const processes = fs
    .readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const line = fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const parent = /^PPid:\s*(\d+)/m.exec(fs.readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
        return [{ id: Number(name), parent: Number(parent), line }];
      } catch {
        return [];
      }
    });
  const server = processes.find(each => each.line.includes(workbench.server.userDataFolder));
  const hosts = processes.filter(each => each.parent === server?.id && each.line.includes('extensionHost'));
  const [host] = hosts.sort((a, b) => a.id - b.id);
  if (host === undefined)
    throw new Error('The extension host was not found; this is measured on Linux only.');
  return host.id;
}

/** Processor time a process has used, ms; the system counts in steps of 10. */
function cpuMs(pid: number): number {
  const fields = fs
    .readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
