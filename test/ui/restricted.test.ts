import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SampleService } from '../fakes/sampleService';
import { again, until } from '../until';
import { root } from '../vscode/paths';
import { watch, type Watched } from './hostile';
import { onStage } from './stage';
import type { Workbench } from './workbench';

/** A folder nobody has said to trust, and the page's policy as people have it. */
describe('restricted mode', () => {
  let service: SampleService;
  let workbench: Workbench;
  let seen: Watched;
  let spawned: string;

  onStage(
    stage => ({ service, workbench } = stage),
    {
      files: { 'hello.txt': 'hello\n' },
      service: { pace: 0.02 },
      workspaceTrust: true,
      keybindings: [{ key: 'ctrl+alt+f9', command: 'agentConsole.hooks.test' }],
      prepare: async page => {
        seen = await watch(page);
      },
    },
    ({ parent }) => {
      spawned = path.join(parent, 'spawned.txt');
      const spy = path.join(parent, 'spy.cjs');
      fs.writeFileSync(spy, spySource(spawned));
      return { env: { NODE_OPTIONS: `--require ${spy}` } };
    },
  );

  it('has trees and chat that work, and starts no program', async () => {
    await workbench.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await workbench.openContainer('Agent Console');
    await workbench.row('Computers', 'active').waitFor();
    await workbench.viewAction('Sessions', 'New session');
    await workbench.pick('active', 'Default');
    const chat = workbench.front;
    const composer = chat.getByRole('textbox');
    // Until the session has been created there is nothing the file could go to.
    await composer.waitFor();
    await workbench.explorerMenu(['hello.txt'], 'Send to agent session');
    await chat.getByRole('list', { name: 'Attachments' }).getByText('hello.txt').waitFor();
    for (const text of ['What is in this file?', 'Thank you.']) {
      await composer.fill(text);
      await composer.press('Enter');
      await chat.getByRole('article').getByText(text).waitFor();
      await service.settle();
    }
    await chat.locator('article[aria-label^="Agent"]').first().waitFor();
    const programs = fs.readFileSync(spawned, 'utf8').trim().split('\n');
    for (const program of programs) assert.match(program, /^watching/);
  });

  it('installs, tries and runs no hooks', async () => {
    const install = () => workbench.runCommand('Agent Console: Install hooks…');
    const clear = () => workbench.runCommand('Notifications: Clear All Notifications');
    for (const run of [install, () => workbench.page.keyboard.press('Control+Alt+F9')]) {
      await again(run, limit => workbench.news.waitFor(limit));
      await workbench.notified('Hooks need a trusted workspace');
      await again(clear, limit => workbench.notification('Hooks').waitFor({ state: 'detached', ...limit }));
    }
  });

  it('lets the page run, ask and load nothing of its own', async () => {
    assert.deepEqual(seen.stopped, [], 'the page itself needs nothing that the policy forbids');
    const run = (text: string) => workbench.inPage(frame => frame.evaluate<unknown>(text));
    await run(`document.body.insertAdjacentHTML('beforeend',
      '<img src="https://collect.invalid/a.png" onerror="canary(1)"><iframe srcdoc="<script>canary(2)</script>"></iframe>')`);
    await run(`const script = Object.assign(document.createElement('script'), { text: 'canary(3)' });
      document.body.append(script);`);
    const asked = await run(`fetch('https://collect.invalid/b').then(() => 'answered', () => 'stopped')`);
    assert.equal(asked, 'stopped');
    for (const name of ['img-src', 'connect-src', 'script-src'])
      await until(() => seen.stopped.some(text => text.includes(name)));
    assert.deepEqual(seen.ran, []);
  });

  it('exports without writing a file, and says why no repository is known', async () => {
    await exportEverything(workbench);
    await workbench.showOnly('Readiness');
    await workbench.row('Readiness', 'No repository is known here').waitFor();
    await workbench.row('Readiness', 'acme/billing').waitFor();
  });
});

/** A workspace all of whose folders are elsewhere; nobody even knows how to read them. */
describe('a virtual workspace', () => {
  let folder: string;
  let workbench: Workbench;

  onStage(
    stage => ({ folder, workbench } = stage),
    { files: { 'elsewhere.code-workspace': JSON.stringify({ folders: [{ uri: 'elsewhere:/acme/shop' }] }) } },
    prepared => ({ folder: path.join(prepared.folder, 'elsewhere.code-workspace') }),
  );

  it('has trees that work, and exports without writing a file', async () => {
    await exportEverything(workbench);
    assert.deepEqual(fs.readdirSync(folder), ['elsewhere.code-workspace']);
  });
});

/** Sessions, users and usage open as documents, and nobody is asked where to save them. */
async function exportEverything(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  const shown = (text: string) => page.locator('.monaco-editor .view-lines', { hasText: text }).waitFor();
  await workbench.openContainer('Agent Console');
  await workbench.row('Computers', 'active').waitFor();
  await workbench.viewMenu('Sessions', 'Export the list of sessions');
  await shown('"format": "agent-console-sessions"');
  await workbench.showOnly('Organization');
  const users = workbench.row('Organization', /^Users/);
  await workbench.contextMenu(users, 'Export users or control history as CSV');
  await shown('@acme.example');
  await workbench.runCommand('Agent Console: Open usage');
  const usage = workbench.front;
  await usage.getByText(/Data through/).waitFor();
  await usage.getByRole('button', { name: 'JSON', exact: true }).click();
  await shown('"timeZone": "UTC"');
  assert.equal(await page.getByRole('dialog').count(), 0);
}

/** A module for the extension host that notes every program started from our code. */
function spySource(file: string): string {
  return `const fs = require('node:fs');
const children = require('node:child_process');
const { ChildProcess } = children;
const note = line => fs.appendFileSync(${JSON.stringify(file)}, line + '\\n');
note('watching ' + process.argv.slice(1).join(' '));
for (const [owner, name] of [[ChildProcess.prototype, 'spawn'], [children, 'spawnSync'], [children, 'execSync'], [children, 'execFileSync']]) {
  const real = owner[name];
  owner[name] = function (...args) {
    const { stack } = new Error();
    if (stack.includes(${JSON.stringify(path.join(root, 'dist') + path.sep)})) note(name + ' ' + JSON.stringify(args[0]));
    return real.apply(this, args);
  };
}
`;
}
