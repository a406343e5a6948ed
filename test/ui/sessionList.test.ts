import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Locator } from 'playwright-core';
import { startSampleService, type SampleService } from '../../src/sample';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { openFile, saveAs } from './fileDialog';
import { change, computersOf, seed, type Seed } from './seed';
import { signedInTo, Workbench } from './workbench';

const MINUTE = 60_000;

/** All that people do to the list of sessions, with keys where there are some. */
describe('the sessions view at work', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;
  let wanted: object;

  before(async function () {
    this.timeout(120_000);
    service = await startSampleService({ pace: 0.02 });
    folder = temporaryFolder('list');
    makeSampleWorkspace(folder);
    const [computer] = await computersOf(service);
    wanted = { computerId: computer?.id ?? '', sessionSettings: { autonomyLevel: 'high' } };
    const key = { key: 'ctrl+alt+f9', command: 'agentConsole.sessions.create', args: wanted };
    workbench = await Workbench.open({
      folder,
      // By the palette the keyboard would first go back to where it was, and take a key along.
      keybindings: [key, { key: 'ctrl+alt+f8', command: 'agentConsole.sessions.focus' }],
      contextOptions: { viewport: { width: 1280, height: 2000 } },
      // In a browser VS Code saves by itself.
      settings: { 'files.autoSave': 'off' },
      env: signedInTo(service),
    });
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'atlas').waitFor();
    const titled = (title: string, minutes: number): Seed => ({
      sessionId: title.toLowerCase(),
      ageMs: minutes * MINUTE,
      session: { title },
    });
    await seed(workbench, service, [
      titled('Alpha', 1),
      titled('Beta', 2),
      titled('Gamma', 3),
      { ...titled('Delta', 4), workspace: { uri: 'file:///home/ada/billing', name: 'billing' } },
    ]);
    await row('Delta').waitFor();
  });
  after(async () => {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  });

  const row = (text: string | RegExp): Locator => workbench.row('Sessions', text);
  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  const view = (): Locator => workbench.view('Sessions');
  const focused = (): Locator => view().locator('.monaco-list-row.focused');
  const gone = (text: string | RegExp): Promise<void> => row(text).waitFor({ state: 'detached' });
  const dialog = (text: string | RegExp): Locator =>
    workbench.page.getByRole('dialog').filter({ hasText: text });
  /** The keyboard goes to the list and, by the arrow keys, to a row. */
  const goTo = async (text: string): Promise<void> => {
    await press('Control+Alt+F8');
    await view().locator('.monaco-list:focus').waitFor();
    await press('Home');
    await view().locator('.monaco-list-row.focused[data-index="0"]').waitFor();
    for (let at = 0; !((await focused().innerText()).includes(text) && at > 0);) {
      assert.ok(at < 20, `no row ${text}`);
      await press('ArrowDown');
      await view().locator(`.monaco-list-row.focused[data-index="${++at}"]`).waitFor();
    }
  };

  it('is worked with the keyboard alone: open, remove, undo, rename, marks, details, menu', async function () {
    this.timeout(90_000);
    await goTo('Alpha');
    await press('Enter');
    await workbench.tab('Alpha').waitFor();
    await workbench.webview().getByRole('textbox').waitFor();
    await goTo('Beta');
    await press('Space');
    await workbench.tab('Beta').waitFor();
    await workbench.webview().getByRole('textbox').waitFor();

    await goTo('Gamma');
    const selected = workbench.view('Sessions').locator('.monaco-list-row.selected', { hasText: 'Beta' });
    await selected.waitFor();
    await press('Delete');
    await gone('Gamma');
    await selected.waitFor();
    await focused().filter({ hasText: 'Delta' }).waitFor();
    await press('ControlOrMeta+z');
    await row('Gamma').waitFor();
    await focused().filter({ hasText: 'Delta' }).waitFor();
    await press('ArrowUp');
    await focused().filter({ hasText: 'Gamma' }).waitFor();

    await press('F2');
    await workbench.quickInput.getByText('does not learn this name').waitFor();
    await workbench.answer('Third');
    await row('Third').waitFor();
    await workbench.view('Sessions').locator('.monaco-list:focus').waitFor();
    await press('ControlOrMeta+z');
    await row('Gamma').waitFor();

    await goTo('Gamma');
    await press('Alt+p');
    await row(/^Pinned/).waitFor();
    await focused().filter({ hasText: 'Gamma' }).waitFor();
    await view().locator('.monaco-list-row[data-index="1"].focused', { hasText: 'Gamma' }).waitFor();
    await press('Alt+p');
    await gone(/^Pinned/);
    await focused().filter({ hasText: 'Gamma' }).waitFor();
    await press('Alt+u');
    await row('Gamma').getByText('unread').waitFor();
    await press('Alt+u');
    await row('Gamma').getByText('unread').waitFor({ state: 'detached' });
    await press('Alt+a');
    await row(/^Archived/).waitFor();
    await gone('Gamma');
    await focused().filter({ hasText: 'Delta' }).waitFor();
    await press('ControlOrMeta+z');
    await row('Gamma').waitFor();

    await goTo('Gamma');
    await press('Shift+F10');
    const menu = workbench.page.locator('.monaco-menu').getByText('Remove session from this list');
    await menu.waitFor();
    await press('Escape');
    await menu.waitFor({ state: 'detached' });
    await goTo('Gamma');
    await press('Alt+i');
    await workbench.tab('Gamma.yaml').waitFor();
    await workbench.page.locator('.view-line', { hasText: 'In this list because' }).waitFor();
  });

  it('counts in its title what is listed, and in the badge what waits and works', async () => {
    const [waits = '', works = ''] = service.sessionIds;
    const badge = workbench.activityIcon('Agent Console').locator('.badge-content');
    const running = service.fail({
      kind: 'alter',
      match: { method: 'GET', path: new RegExp(`/sessions/${works}$`) },
      alter: body => ({ ...(body as object), status: 'running' }),
    });
    await change(workbench, service, async (index, id) => {
      for (const sessionId of [waits, works]) {
        const response = await fetch(`${service.baseUrl}/api/v0/sessions/${sessionId}`, {
          headers: { authorization: `Bearer ${service.apiKey}` },
        });
        const session = (await response.json()) as Parameters<typeof index.observe>[1];
        const title = sessionId === waits ? 'Waits for you' : 'Works on';
        await index.learn(id, { session, origin: 'created', at: Date.now() });
        await index.keep(id, sessionId, () => ({ name: title }));
      }
      await index.signal(id, { sessionId: waits, kind: 'waiting', at: Date.now() }, undefined);
    });
    await row(/^Waiting for input/).waitFor();
    await row(/^Running/).waitFor();
    await badge.filter({ hasText: /^2$/ }).waitFor();
    assert.match(
      (await workbench.activityIcon('Agent Console').locator('a').getAttribute('aria-label')) ?? '',
      /1 session waits for input, 1 session is running/,
    );
    await workbench.view('Sessions').locator('.pane-header .description', { hasText: /^6 · / }).waitFor();
    running.dispose();
    await workbench.runCommand('Agent Console: Refresh sessions');
    await gone(/^Running/);
    await badge.filter({ hasText: /^1$/ }).waitFor();
    await workbench.contextMenu(row('Waits for you'), 'Archive session on this machine');
    await gone(/^Waiting for input/);
    await badge.waitFor({ state: 'hidden' });
  });

  it('is grouped by computer and by workspace, and shows this workspace alone or everything', async () => {
    const [, , here = ''] = service.sessionIds;
    await workbench.runCommand('Agent Console: Open a session by its id');
    await workbench.answer(here);
    await workbench.webview().locator(':focus').waitFor();
    const own = row('Odd corners');
    await own.waitFor();
    const group = async (by: string): Promise<void> => {
      await workbench.runCommand('Agent Console: Group sessions by');
      await workbench.pick(by);
    };
    await group('Computer');
    await row(/^No computer known/).waitFor();
    await gone(/^Today/);
    await group('Workspace');
    await row(/^billing/).waitFor();
    await row(/^No workspace known/).waitFor();
    await row(new RegExp(`^${path.basename(folder)}`)).waitFor();
    await workbench.runCommand('Agent Console: Show only sessions of this workspace');
    await gone('Delta');
    await own.waitFor();
    await workbench
      .view('Sessions')
      .getByText(/(is|are) not shown \(only sessions of this workspace\)/)
      .waitFor();
    await workbench.runCommand('Agent Console: Show all sessions');
    await row('Delta').waitFor();
    await group('What sessions need');
    await row(/^Today/).waitFor();
  });

  it('is exported and imported, and gives back what was removed, several at once', async function () {
    this.timeout(60_000);
    const file = path.join(folder, 'agent-sessions.json');
    await workbench.runCommand('Agent Console: Export the list of sessions');
    assert.equal(await saveAs(workbench, path.basename(file)), file);
    await workbench.notified(/Exported 7 sessions to agent-sessions\.json/);
    const exported = JSON.parse(fs.readFileSync(file, 'utf8')) as { sessions: { sessionId: string }[] };
    assert.equal(exported.sessions.length, 7);

    const remove = async (): Promise<void> => {
      await row('Gamma').click({ modifiers: ['ControlOrMeta'] });
      await workbench.view('Sessions').locator('.monaco-list-row.selected', { hasText: 'Gamma' }).waitFor();
      await row('Delta').click({ modifiers: ['ControlOrMeta'] });
      await workbench.view('Sessions').locator('.monaco-list-row.selected', { hasText: 'Delta' }).waitFor();
      await workbench.contextMenu(row('Delta'), 'Remove session from this list');
      const question = dialog(/Remove \d sessions from this list/);
      await question.getByRole('button', { name: 'Remove' }).click();
      await question.waitFor({ state: 'detached' });
      await gone('Gamma');
      await gone('Delta');
    };
    await goTo('Beta');
    await press('Escape');
    await remove();
    const done = await workbench.notified(/Removed \d sessions from this list/);
    await done.getByRole('button', { name: 'Undo' }).click();
    await row('Gamma').waitFor();
    await row('Delta').waitFor();

    await remove();
    await workbench.runCommand('Agent Console: Restore removed sessions');
    const offered = workbench.quickInput.locator('.monaco-list-row');
    await offered.filter({ hasText: 'Gamma' }).click();
    await offered
      .filter({ hasText: 'Gamma' })
      .locator('[aria-checked="true"], input:checked')
      .first()
      .waitFor();
    await workbench.quickInput.getByRole('button', { name: 'OK' }).click();
    await row('Gamma').waitFor();
    assert.equal(await row('Delta').count(), 0);

    await workbench.runCommand('Agent Console: Import a list of sessions');
    await openFile(workbench, file);
    await workbench.notified(/[1-9] sessions? added, 0 brought up to date/);
    await row('Delta').waitFor();
  });

  it('asks when a key or another program wants a session that the controls forbid', async () => {
    const posts = (): unknown[] =>
      service.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
    const question = dialog(/allow autonomy up to medium, and high is above that/);
    const before = posts().length;
    await goTo('Gamma');
    await press('Control+Alt+F9');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    assert.equal(posts().length, before, 'nothing was made');
    await goTo('Gamma');
    await press('Control+Alt+F9');
    await question.getByRole('button', { name: 'Create anyway' }).click();
    await row(/^Session /).waitFor();
    assert.deepEqual(posts().slice(before), [wanted]);
  });

  it('keeps the text and the keyboard in its find while rows change, and draws them when it is closed', async function () {
    this.timeout(60_000);
    const box = view().locator('.monaco-tree-type-filter input');
    const marked = view().locator('.monaco-list-row .monaco-highlighted-label .highlight');
    const count = view().locator('.pane-header .description');
    const before = Number(/^\d+/.exec(await count.innerText())?.[0]);
    await goTo('Beta');
    await press('Control+Alt+f');
    await view().locator('.monaco-tree-type-filter input:focus').waitFor();
    await workbench.page.keyboard.type('lph');
    await marked.getByText('lph').waitFor();

    // A row is added, a row says something else, and a session changes its group.
    await seed(workbench, service, [{ sessionId: 'late', session: { title: 'Ralph' } }]);
    await count.filter({ hasText: new RegExp(`^${before + 1} · `) }).waitFor();
    await change(workbench, service, async (index, id) => {
      const known = index.get('beta')?.session;
      assert.ok(known);
      await index.observe(id, { ...known, messageCount: 321 }, Date.now());
      await index.signal(id, { sessionId: 'gamma', kind: 'waiting', at: Date.now() }, undefined);
    });
    await workbench
      .activityIcon('Agent Console')
      .locator('.badge-content')
      .filter({ hasText: /^1$/ })
      .waitFor();
    await workbench.page.keyboard.type('a');
    await marked.getByText('lpha').waitFor();
    assert.equal(await box.inputValue(), 'lpha');
    assert.equal(await view().locator('.monaco-tree-type-filter input:focus').count(), 1);

    await press('Escape');
    await view().locator('.monaco-list:focus').waitFor();
    await row('Ralph').waitFor();
    await row('Beta').getByText('321 messages').waitFor();
    await row(/^Waiting for input/).waitFor();
    assert.equal(await marked.count(), 0);
  });

  it('keeps notes as a file of the editor, and overwrites nothing that was noted elsewhere meanwhile', async function () {
    this.timeout(60_000);
    const notes = workbench.tab(/^Notes about Beta/);
    const line = (text: string): Locator =>
      workbench.page.locator('.editor-group-container .view-line', { hasText: text });
    const stored = (): Promise<string | undefined> =>
      change(workbench, service, index => Promise.resolve(index.get('beta')?.local.notes));
    /** As another window does it. */
    const noteElsewhere = (text: string): Promise<boolean> =>
      change(workbench, service, (index, id) =>
        index.keep(id, 'beta', local => ({ ...local, notes: text, notesAt: Date.now() })),
      );
    const isClean = (): Promise<void> => notes.and(workbench.page.locator(':not(.dirty)')).waitFor();
    const type = async (text: string, shows: string): Promise<void> => {
      await workbench.page.keyboard.type(text);
      await line(shows).waitFor();
      await notes.and(workbench.page.locator('.dirty')).waitFor();
    };

    await workbench.contextMenu(row('Beta'), 'Edit session notes on this machine');
    await notes.waitFor();
    await workbench.page.locator('.editor-group-container .monaco-editor.focused').waitFor();
    await type('Ask Ada', 'Ask Ada');
    await press('ControlOrMeta+s');
    await isClean();
    assert.equal(await stored(), 'Ask Ada');
    await row('Beta').hover();
    await workbench.page.locator('.monaco-hover:visible', { hasText: /Ask\s\u200b?Ada/ }).waitFor();

    await noteElsewhere('Ask Bob');
    await line('Ask Bob').waitFor();
    await workbench.page.locator('.editor-group-container .monaco-editor.focused').waitFor();
    await press('ControlOrMeta+End');
    await type(' now', 'Ask Bob now');
    // As long as what this window has read: the length alone tells nothing.
    await noteElsewhere('Ask Eve');
    await press('ControlOrMeta+s');
    await workbench.notified(/content of the file is newer/);
    assert.equal(await stored(), 'Ask Eve');
    await workbench.runCommand('File: Revert File');
    await line('Ask Eve').waitFor();
    await isClean();
  });
});
