import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import type { Locator } from 'playwright-core';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { SessionIndex } from '../../src/sessions/store/sessionIndex';
import { openStorage, untilStored, type StoredRow } from '../fakes/storage';
import { silentLog } from '../fakes/log';
import { again } from '../until';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { computersOf, seed, serviceIdOf, storageOf, type Seed } from './seed';
import { click } from './waiting';
import { signedInTo, Workbench } from './workbench';

const titles = (count: number, name: string): Seed[] =>
  Array.from({ length: count }, (_, n) => ({
    sessionId: `${name}-${String(n)}`,
    ageMs: (n + 1) * 60_000,
    session: { title: `${name} ${String(n)}` },
  }));

/** The list of sessions and the computers below it, all day and in several windows. */
describe('sessions and computers', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const open = (settings: Readonly<Record<string, unknown>> = {}): Promise<Workbench> =>
    Workbench.open({
      folder,
      // High enough for the steps of every computer.
      contextOptions: { viewport: { width: 1280, height: 2000 } },
      settings,
      env: signedInTo(service),
    });
  const posts = (): number => service.requests.filter(({ method }) => method === 'POST').length;
  const dialog = (text: string | RegExp) => workbench.page.getByRole('dialog').filter({ hasText: text });
  const row = (text: string | RegExp, of = workbench) => of.row('Sessions', text);

  before(async () => {
    service = await startSampleService({ pace: 0.02 });
    folder = temporaryFolder('sessions');
    makeSampleWorkspace(folder);
    workbench = await open({
      // A poll of its own would come between what a test makes the service answer.
      'agentConsole.refresh.computers': 600,
      'agentConsole.sessions.presets': { Careful: { model: 'atlas-large', autonomyLevel: 'low' } },
    });
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'atlas').waitFor();
  });
  after(async () => {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  });

  it('are shared live by windows, with names kept here, removal and undo', async () => {
    await seed(workbench, service, titles(3, 'Shared'));
    await row('Shared 1').waitFor();
    const other = await workbench.openAnother(folder);
    await other.openContainer('Agent Console');
    await row('Shared 1', other).waitFor();
    await other.contextMenu(row('Shared 1', other), 'Rename session on this machine');
    await other.quickInput.getByText('The name stays on this machine').waitFor();
    await other.answer('Ours');
    for (const window of [workbench, other]) await row('Ours', window).waitFor();
    await other.contextMenu(row('Ours', other), 'Remove session from this list');
    for (const window of [workbench, other]) await row('Ours', window).waitFor({ state: 'detached' });
    const removed = await other.notified(/Removed “Ours”/);
    await removed.getByRole('button', { name: 'Undo' }).click();
    for (const window of [workbench, other]) await row('Ours', window).waitFor();
    await other.close();
    await workbench.page.bringToFront();
  });

  it('are created with a preset in two choices, and are called by their first message', async () => {
    const created = service.next('POST', /\/sessions$/);
    await workbench.runCommand('Agent Console: New session');
    await workbench.pick('atlas');
    await workbench.pick(/Careful.*atlas-large · autonomy low/);
    const { body } = await created;
    assert.deepEqual((body as { sessionSettings: unknown }).sessionSettings, {
      model: 'atlas-large',
      autonomyLevel: 'low',
    });
    // Until then another chat is in front.
    await workbench.webview().getByRole('heading', { level: 1, name: 'New session' }).waitFor();
    await workbench.webview().getByRole('textbox').fill('Begin with the tests, please.');
    await workbench.page.keyboard.press('Enter');
    await workbench.webview().getByRole('article').getByText('Begin with the tests').waitFor();
    await row('Begin with the tests').waitFor();
  });

  it('are not created on a computer in error without a word', async () => {
    const before = posts();
    await workbench.contextMenu(workbench.row('Computers', 'cinder'), /^New session…/);
    await workbench.pick('Default');
    const question = dialog('A session there may never start');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    assert.equal(posts(), before);
  });

  it('stand below their computer', async () => {
    const cinder = (await computersOf(service)).find(({ name }) => name === 'cinder');
    await seed(workbench, service, [
      { sessionId: 'stranded', session: { title: 'Left behind', computerId: cinder?.id ?? '' } },
    ]);
    const spoken = await row('Left behind').getAttribute('aria-label');
    assert.match(spoken ?? '', /^Session Left behind, idle, cinder, 4 messages/);
    await workbench.row('Computers', 'Left behind').waitFor();
    await workbench.row('Computers', 'not started').first().waitFor();
  });

  it('say of computers what is known and since when, whatever becomes of the polls, also to screen readers', async () => {
    const all = { path: '/api/v0/computers' };
    const says = (name: string, spoken: RegExp): Promise<void> =>
      workbench
        .rows('Computers')
        .and(workbench.page.getByRole('treeitem', { name: spoken }))
        .filter({ hasText: new RegExp(`^${name}`) })
        .waitFor();
    const refresh = (): Promise<void> => workbench.runCommand('Agent Console: Refresh');
    await says('atlas', /^Computer atlas, active · cloud/);
    await says('Start machine', /^Step Start machine, error · 31 sec · Quota exceeded/);
    await says('Left behind', /^Session Left behind, idle\b.*, cinder/);

    const failing = service.fail({ kind: 'status', status: 503, match: all });
    await refresh();
    await says('atlas', /^Computer atlas, unknown, active \d+ \w+ ago · cloud/);
    await says('cinder', /^Computer cinder, unknown, error \d+ \w+ ago · Quota exceeded/);
    await workbench
      .view('Computers')
      .getByText(/503.*Shown as of/)
      .waitFor();
    failing.dispose();
    await refresh();
    await says('atlas', /^Computer atlas, active · cloud/);
    await workbench.view('Computers').getByText('Shown as of').waitFor({ state: 'detached' });

    await workbench.contextMenu(workbench.row('Computers', 'atlas'), 'Show computer details');
    await workbench.tab('atlas.md').waitFor();
  });

  it('are opened by a link only after a question, and not at another service', async () => {
    const [known = ''] = service.sessionIds;
    const link = (host: string): string =>
      `code-oss://agent-console.agent-console/session/${known}?service=${encodeURIComponent(host)}`;
    const follow = async (address: string, outcome: Locator): Promise<void> => {
      await workbench.ask('Developer: Open URL', 'URL to open', address);
      const allow = dialog(/to open this URI/).getByRole('button', { name: 'Open' });
      await again(
        async limit => {
          if (await allow.isVisible()) await click(allow, limit);
        },
        limit => outcome.waitFor(limit),
      );
    };
    const asked = (): boolean => service.requests.some(({ path: at }) => at.endsWith(known));
    const question = dialog(/Open session “/);
    await follow(link(new URL(service.baseUrl).host), question);
    assert.equal(asked(), false, 'nothing is asked before the person has agreed');
    const opened = service.next('GET', new RegExp(`${known}$`));
    await question.getByRole('button', { name: 'Open session' }).click();
    await opened;
    // The chat that opens takes the keyboard, and with it every box that is open then.
    await workbench.tab('Please fix the flaky').waitFor();
    await workbench.webview().locator(':focus').waitFor();
    await follow(link('elsewhere.example'), workbench.news);
    await workbench.notified(/link is to a session at elsewhere\.example/);
  });

  it('loses nothing when the extension host is killed in the middle of writing', async function () {
    // The process of the extension host is found in /proc.
    if (process.platform !== 'linux') this.skip();
    await seed(workbench, service, titles(40, 'Burst'));
    const burst = (number: number) =>
      workbench
        .rows('Sessions')
        .filter({ has: workbench.page.getByText(`Burst ${number}`, { exact: true }) });
    // All rows stand in their places before one of them is pointed at.
    for (const number of [0, 39, 17]) await burst(number).waitFor();
    await burst(17).click({ modifiers: ['ControlOrMeta'] });
    await burst(17).and(workbench.page.locator('.focused')).waitFor();
    await workbench.page.keyboard.press('ControlOrMeta+a');
    await burst(18).and(workbench.page.locator('.selected')).waitFor();
    const isPinned = ({ id, value }: StoredRow): boolean =>
      id.startsWith('Burst-') && value?.includes('"pinned":true') === true;
    const begun = untilStored(storageOf(workbench), rows => rows.filter(isPinned).length >= 5);
    await workbench.contextMenu(burst(17), 'Pin or unpin session');
    await begun;
    for (const pid of extensionHosts()) process.kill(pid, 'SIGKILL');
    const storage = openStorage({ root: storageOf(workbench), log: silentLog() });
    const index = new SessionIndex(storage);
    await index.use(serviceIdOf(service));
    assert.deepEqual(index.unreadable, []);
    assert.equal([...index.records.keys()].filter(id => id.startsWith('Burst-')).length, 40);
    index.dispose();
    storage.dispose();
    await workbench.page.reload();
    await workbench.activityIcon('Agent Console').waitFor();
    await workbench.openContainer('Agent Console');
    await burst(17).waitFor();
  });
});

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    // Replaced by its next revision meanwhile.
    return '';
  }
}

/** The extension hosts below this process. */
function extensionHosts(): number[] {
  const pids = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name));
  const parentOf = (pid: string): string => /^PPid:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? '0';
  const isOurs = (pid: string): boolean => {
    for (let at = pid; at !== '0' && at !== ''; at = parentOf(at))
      if (at === String(process.pid)) return true;
    return false;
  };
  const found = pids.filter(
    pid => read(`/proc/${pid}/cmdline`).includes('--type=extensionHost') && isOurs(pid),
  );
  assert.ok(found.length > 0, 'no extension host was found');
  return found.map(Number);
}

describe('a computer that is being set up', () => {
  it('is told of once when it is ready, to who has looked at it', async () => {
    // Slow enough that the set-up goes on when the view is opened on a busy machine.
    const service = await startSampleService({ pace: 0.6 });
    const folder = temporaryFolder('setUp');
    makeSampleWorkspace(folder);
    const workbench = await Workbench.open({
      folder,
      // High enough for the steps of every computer.
      contextOptions: { viewport: { width: 1280, height: 2000 } },
      env: signedInTo(service),
    });
    try {
      await workbench.openContainer('Agent Console');
      await workbench.row('Computers', /boreal.*provisioning/).waitFor();
      await workbench.row('Computers', /boreal.*active/).waitFor();
      await workbench.notified(/boreal is ready/);
      assert.equal(await workbench.notification(/boreal is ready/).count(), 1);
    } finally {
      await workbench.close();
      await service.close();
      removeFolder(folder);
    }
  });
});
