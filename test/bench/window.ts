import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { signedInTo, Workbench } from '../ui/workbench';
import { emptyExtension } from './panel';
import { atMost, ms, type Row } from './rows';

const LATENCY_MS = 50;
const IDLE_MS = 60_000;
/** Computers, whether sessions are listed, users (two pages of the largest size), and controls. Reports are known by then. */
const CALLS_OF_VIEWS = 5;

/** What windows cost: views on a slow service, eight windows at once, a minute of nothing. */
export async function windowRows(): Promise<Row[]> {
  const folder = temporaryFolder('windows');
  makeSampleWorkspace(path.join(folder, 'workspace'));
  try {
    return [...(await viewRows(folder)), ...(await windowsRows(folder))];
  } finally {
    removeFolder(folder);
  }
}

async function openWindow(service: SampleService, folder: string, extensions?: string[]): Promise<Workbench> {
  return Workbench.open({
    folder: path.join(folder, 'workspace'),
    ...(extensions === undefined ? {} : { extensions }),
    contextOptions: { viewport: { width: 1280, height: 1600 } },
    env: signedInTo(service),
  });
}

/** The views of a window that has shown none yet, opened as fast as a script can. */
async function viewRows(folder: string): Promise<Row[]> {
  const service = await startSampleService({ pace: 0 });
  const workbench = await openWindow(service, folder);
  try {
    const { page } = workbench;
    // What runs without a view has asked by then.
    await usageItem(workbench).waitFor();
    const fault = service.fail({ kind: 'delay', ms: LATENCY_MS });
    const before = service.requests.length;
    const took = await page.evaluate<Record<string, number>>(OPEN_VIEWS);
    const asked = service.requests.slice(before).map(({ method, path: asks }) => `${method} ${asks}`);
    fault.dispose();
    const each = Object.entries(took).map(([view, time]) => `${view} after ${ms(time)}`);
    console.log(`all views: ${asked.join(', ')}; ${each.join(', ')}`);
    return [
      atMost('all views, 50 ms latency: calls', asked.length, CALLS_OF_VIEWS, String),
      atMost(
        'all views, 50 ms latency: time to the last row',
        Math.max(...Object.values(took)),
        3 * LATENCY_MS + 100,
        ms,
      ),
    ];
  } finally {
    await workbench.close();
    await service.close();
  }
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
async function windowsRows(folder: string): Promise<Row[]> {
  const service = await startSampleService({ pace: 0 });
  const analytics = (): number =>
    service.requests.filter(({ path: asks }) => asks.includes('/analytics/')).length;
  const polls = (since: number): string[] =>
    service.requests
      .filter(({ method, receivedAt }) => method === 'GET' && receivedAt >= since)
      .filter(({ path: asks }) => /\/(sessions|computers)/.test(asks))
      .map(({ path: asks, receivedAt }) => `${asks} after ${ms(receivedAt - since)}`);
  const workbench = await openWindow(service, folder);
  const empty = await openWindow(service, folder, [emptyExtension(folder)]);
  try {
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'active').waitFor();
    await usageItem(workbench).waitFor();
    const one = analytics();
    const others: Workbench[] = [];
    for (let window = 1; window < 8; window++) {
      const other = await workbench.openAnother(path.join(folder, 'workspace'));
      await usageItem(other).waitFor();
      others.push(other);
    }
    const eight = analytics();
    for (const other of others) await other.close();
    await workbench.openContainer('Explorer');
    const [ours, theirs] = [hostOf(workbench), hostOf(empty)];
    const before = { ours: cpuMs(ours), theirs: cpuMs(theirs) };
    const hidden = Date.now();
    // What a minute of nothing costs takes a minute to see.
    await new Promise(done => setTimeout(done, IDLE_MS));
    const spent = { ours: cpuMs(ours) - before.ours, theirs: cpuMs(theirs) - before.theirs };
    const asked = polls(hidden);
    if (asked.length > 0) console.log(`asked while views were hidden: ${asked.join(', ')}`);
    console.log(
      `idle: ${String(spent.ours)} ms of the extension host, ${String(spent.theirs)} ms without us`,
    );
    return [
      atMost('eight windows: analytics calls beyond those of one', eight - one, 0, String),
      atMost('60 s idle, views hidden: polls', asked.length, 0, String),
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
