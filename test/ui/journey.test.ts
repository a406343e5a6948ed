import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SampleService } from '../fakes/sampleService';
import { until } from '../until';
import { textFile } from './chatStage';
import { violations } from './page';
import { onStage } from './stage';
import { clickFor } from './waiting';
import type { Workbench } from './workbench';

/** The issue's own path: sign in, create a session, send two files from the Explorer, read the earlier replies. */
describe('a first day', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const composer = () => workbench.front.getByRole('textbox');
  const attached = () => workbench.front.getByRole('list', { name: /ttachments/ });

  onStage(stage => ({ service, folder, workbench } = stage), { signedIn: false, service: { pace: 0.02 } });

  it('signs in with both addresses and a key, checked before they are kept', async () => {
    await workbench.openContainer('Agent Console');
    await workbench.beginSignIn();
    await workbench.signIn(service.baseUrl, service.appUrl, 'not-a-key');
    await workbench.quickInput.getByText(/was not accepted|not accepted/).waitFor();
    await workbench.page.locator('.quick-input-widget input[type=password]').waitFor();
    await workbench.answer(service.apiKey);
    await workbench.row('Computers', 'active').waitFor();
    const asked = service.requests.map(request => `${request.credential} ${request.path}`);
    assert.ok(asked.includes('owner /api/v0/computers'), asked.join('\n'));
    assert.ok(asked.includes('owner /api/organization/maturity-level-reports'), asked.join('\n'));
  });

  it('creates a session on a computer and opens its chat', async () => {
    const created = service.next('POST', /\/sessions$/);
    await clickFor(
      workbench.welcome('Sessions').getByRole('button', { name: 'New session' }),
      workbench.quickInput.locator('.monaco-list-row', { hasText: 'active' }).first(),
    );
    await workbench.page.keyboard.press('Enter');
    await workbench.quickInput.getByText('Default').waitFor();
    await workbench.page.keyboard.press('Enter');
    assert.deepEqual(Object.keys((await created).body as object), ['computerId']);
    await composer().waitFor();
    await workbench.rows('Sessions').nth(1).waitFor();
  });

  it('attaches two files from the Explorer and sends them as the contract says', async () => {
    await workbench.explorerMenu(['README.md', 'package.json'], 'Send to agent session');
    for (const name of ['README.md', 'package.json']) await attached().getByText(name).waitFor();
    const sent = service.next('POST', /\/messages$/);
    await composer().fill('Please explain these two files.');
    await workbench.page.keyboard.press('Enter');
    const { body, headers } = await sent;
    assert.match(String(headers['content-type']), /^application\/json/);
    const file = (name: string) => textFile(name, fs.readFileSync(path.join(folder, name), 'utf8'));
    assert.deepEqual(body, {
      text: 'Please explain these two files.',
      files: [file('README.md'), file('package.json')],
    });
    await workbench.front.getByRole('article').getByText('Please explain these two files.').waitFor();
  });

  it('attaches a change from Source Control', async () => {
    fs.appendFileSync(path.join(folder, 'README.md'), 'Another line.\n');
    await workbench.openContainer('Source Control');
    const row = workbench.page.locator('.scm-view .monaco-list-row', { hasText: 'README.md' });
    await workbench.contextMenu(row.first(), 'Send to agent session');
    await attached().getByText('README.md.diff').waitFor();
    const sent = service.next('POST', /\/messages$/);
    await composer().fill('And this change.');
    await composer().press('Enter');
    const { files } = (await sent).body as { files: readonly { parsedData: string }[] };
    assert.match(files.map(({ parsedData }) => parsedData).join(), /^diff --git [^]*\n\+Another line\.\n$/);
  });

  it('states what cannot be read yet, and uncovers it with the next message', async () => {
    await service.settle();
    await workbench.front.getByRole('article', { name: /^The agent has answered/ }).waitFor();
    assert.deepEqual(await workbench.inPage(violations), []);
    await composer().fill('Thank you.');
    await workbench.page.keyboard.press('Enter');
    await workbench.front.locator('article[aria-label^="Agent"]').first().waitFor();
    await workbench.front.getByRole('article').getByText('Thank you.').waitFor();
  });

  it('shows usage from the status bar, and saves a table in the file one names', async () => {
    const section = (name: string) => workbench.front.getByRole('region', { name, exact: true });
    await clickFor(workbench.statusItem('usage'), section('Tokens by day'));
    await workbench.front.locator('nav').getByText('People', { exact: true }).click();
    await section('People').waitFor();
    await workbench.front.locator('.status:not(:has(progress))', { hasText: /^Data through/ }).waitFor();
    await section('People').getByRole('button', { name: 'Export this table as CSV, as shown' }).click();
    const file = await workbench.chooseFile('.csv');
    await workbench.front.getByText(`Saved as ${path.basename(file)}.`).waitFor();
    assert.match(fs.readFileSync(file, 'utf8').trimEnd().split('\r\n').at(-1) ?? '', /^Total,.*[1-9]/);
  });

  it('has sent nothing that the contract does not show', () => {
    const refused = service.requests
      .filter(request => (request.status ?? 0) >= 400 && request.credential !== 'invalid')
      .map(request => `${request.method} ${request.path} ${request.status ?? ''}`);
    // Lists that only some services offer are tried once each.
    const tried = refused.filter(line => /^GET .*\/(sessions|messages) 40[45]$/.test(line));
    assert.equal(new Set(tried.map(line => line.split('/').at(-1))).size, tried.length, tried.join('\n'));
    assert.deepEqual(tried, refused);
  });
});

describe('try with sample data', () => {
  let workbench: Workbench;

  onStage(stage => ({ workbench } = stage), { signedIn: false });

  it('leads from nothing to an answer that streams in, by two clicks and no typing, and is the same after a reload', async () => {
    await workbench.openContainer('Agent Console');
    const listed = (name: RegExp) => workbench.view('Sessions').getByRole('treeitem', { name });
    await clickFor(
      workbench.welcome('Sessions').getByRole('button', { name: 'Try with sample data' }),
      listed(/^Session /).nth(6),
    );
    for (const state of [/waiting/, /running/, /finished.*unread/, /ended \(error\)/, /pinned/])
      await listed(state).first().waitFor();
    const articles = workbench.front.getByRole('article');
    // What the agent has said so far is there.
    const said = articles.last().and(workbench.front.locator('[aria-label^="Agent"]'));
    await clickFor(listed(/^Session Cover the checkout/), said);
    // Nothing is done: what comes now comes by itself.
    const known = await said.innerText();
    await until(async () => (await articles.last().innerText()) !== known);
    await workbench.row('Computers', 'active').waitFor();
    await workbench.view('Sessions').locator('.pane-header', { hasText: 'sample data' }).waitFor();
    const usage = workbench.statusItem('usage');
    await usage.filter({ hasText: /\d/ }).waitFor();
    const loaded = workbench.page.waitForEvent('load');
    await workbench.runCommand('Developer: Reload Window');
    await loaded;
    await usage.filter({ hasText: /\d/ }).waitFor();
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'active').waitFor();
  });
});
