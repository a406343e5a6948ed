import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Locator } from 'playwright-core';
import { type SampleService } from '../../src/sample';
import { type Workbench } from './workbench';

export interface Stage {
  readonly workbench: Workbench;
  readonly service: SampleService;
}

/** A named state to take pictures of. */
export interface Scene {
  readonly name: string;
  /** Signed in to the sample service by the environment; true unless told. */
  readonly signedIn?: boolean;
  /** How fast the sample service's agents and computers are; 0, at once, unless told. */
  readonly pace?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly size?: { readonly width: number; readonly height: number };
  /** Brings the window into the state; returns the part to take, or nothing for the whole window. */
  play(stage: Stage): Promise<Locator | undefined>;
}

export const scenes: readonly Scene[] = [
  {
    name: 'signed-out',
    signedIn: false,
    async play({ workbench }) {
      await workbench.openContainer('Agent Console');
      await workbench.welcome('Sessions').getByRole('button').first().waitFor();
      return undefined;
    },
  },
  {
    name: 'trees',
    async play({ workbench, service }) {
      await addSessions(workbench, service);
      await workbench.row('Computers', 'atlas').waitFor();
      return undefined;
    },
  },
  {
    name: 'chat',
    async play({ workbench, service }) {
      await addSessions(workbench, service);
      const chat = workbench.webview();
      await chat.getByRole('textbox').fill('Why did the build job take longer yesterday?');
      await workbench.page.keyboard.press('Enter');
      await chat
        .getByRole('article', { name: /^Agent/ })
        .first()
        .waitFor();
      await service.settle();
      return undefined;
    },
  },
  {
    name: 'organization',
    async play({ workbench }) {
      await showOrganization(workbench);
      const twistie = (text: RegExp) => workbench.row('Organization', text).locator('.monaco-tl-twistie');
      await twistie(/^rev \d/).click();
      await workbench.row('Organization', /^maxAutonomyLevel: /).waitFor();
      await twistie(/^sandbox\.filesystem/).click();
      await workbench.row('Organization', /^\*\*\/secrets/).waitFor();
      await workbench.row('Organization', /^rev \d/).click();
      await workbench.page.locator('.monaco-diff-editor').getByText('maxAutonomyLevel').first().waitFor();
      return undefined;
    },
  },
  {
    name: 'organization-users',
    async play({ workbench }) {
      await showOrganization(workbench);
      await workbench
        .row('Organization', /^Users/)
        .locator('.monaco-tl-twistie')
        .click();
      await workbench.row('Organization', /^Amara/).waitFor();
      await workbench.runCommand('Agent Console: Filter control history…');
      await workbench.pick('Setting…');
      await workbench.quickInput.locator('.monaco-list-row').nth(5).waitFor();
      return undefined;
    },
  },
  {
    name: 'organization-forbidden',
    async play({ workbench, service }) {
      service.fail({ kind: 'status', status: 403, match: { path: /\/organization\// } });
      await showOrganization(workbench);
      await workbench.row('Organization', 'Not readable').waitFor();
      return undefined;
    },
  },
  {
    name: 'hooks-attention',
    settings: { 'agentConsole.hooks.listen': true },
    async play({ workbench, service }) {
      await addSessions(workbench, service);
      putHookEvents(workbench, service);
      const waiting = workbench.page.locator('.statusbar-item[id$="agentConsole.attention"]');
      await waiting.getByLabel('2 agents wait').waitFor();
      await waiting.click();
      await workbench.quickInput.getByText('May I push').waitFor();
      return undefined;
    },
  },
  {
    name: 'hooks-install',
    async play({ workbench }) {
      await workbench.openContainer('Agent Console');
      await workbench.row('Computers', 'atlas').waitFor();
      const file = path.join(workbench.server.userDataFolder, 'settings.json');
      fs.writeFileSync(
        file,
        '{\n  // The model of every session\n  "model": "atlas-large",\n  "theme": "auto"\n}\n',
      );
      await workbench.runCommand('Agent Console: Install hooks…');
      await workbench.pick('Enter the path');
      await workbench.quickInput.getByText('The whole path').waitFor();
      await workbench.answer(file);
      await workbench.quickInput.getByText('A subagent has finished').waitFor();
      await workbench.page.keyboard.press('Enter');
      await workbench.page
        .locator('.monaco-diff-editor')
        .getByText('agent-console-hook.sh')
        .first()
        .waitFor();
      return undefined;
    },
  },
  {
    name: 'hooks-check',
    settings: { 'agentConsole.hooks.listen': true },
    async play({ workbench, service }) {
      await workbench.openContainer('Agent Console');
      await workbench.row('Computers', 'atlas').waitFor();
      putHookEvents(workbench, service);
      await workbench.runCommand('Agent Console: Check hooks');
      await workbench.quickInput.getByText('This window listens').waitFor();
      return undefined;
    },
  },
];

/** Opens the view of the organization with all the height there is. */
async function showOrganization(workbench: Workbench): Promise<void> {
  await workbench.openContainer('Agent Console');
  for (const view of ['Sessions', 'Computers']) await workbench.view(view).locator('.pane-header').click();
  await workbench.expandView('Organization');
  await workbench.row('Organization', 'Control history').waitFor();
}

/** Events as windows have taken them: of sessions that are known, and of others. */
function putHookEvents(workbench: Workbench, service: SampleService): void {
  const folder = path.join(
    workbench.server.userDataFolder,
    'User/globalStorage/agent-console.agent-console/hooks/history',
  );
  fs.mkdirSync(folder, { recursive: true });
  const [first, second] = service.sessionIds;
  const events = [
    {
      minutes: 2,
      hook_event_name: 'Notification',
      session_id: first,
      message: 'May I push this branch to origin?',
    },
    { minutes: 9, hook_event_name: 'Notification', session_id: second },
    { minutes: 12, hook_event_name: 'Stop', session_id: '7f3c9a52-5d1e-4c7e-9c1f-2d7a3f1f1f0a' },
    { minutes: 50, hook_event_name: 'SessionEnd', session_id: 'b1f7', reason: 'error' },
    {
      minutes: 90,
      hook_event_name: 'Stop',
      session_id: 'c2',
      cwd: `/home/someone/${'long-name-'.repeat(12)}`,
    },
  ];
  for (const { minutes, ...event } of events) {
    const second = Math.floor(Date.now() / 1000) - minutes * 60;
    const file = path.join(folder, `${second}.scene.json`);
    fs.writeFileSync(file, JSON.stringify({ cwd: '/home/someone/shop', ...event }));
    fs.utimesSync(file, second, second);
  }
}

/** The sessions that the sample service has from the start, opened by their ids; each one's chat opens with it. */
async function addSessions(workbench: Workbench, service: SampleService): Promise<void> {
  await workbench.openContainer('Agent Console');
  for (const [index, id] of service.sessionIds.entries()) {
    await workbench.runCommand('Agent Console: Open a session by its id');
    await workbench.answer(id);
    await workbench.tab(/./).nth(index).waitFor();
    // The page takes the focus when it is there, which would close the next input box.
    await workbench.webview().locator(':focus').waitFor();
  }
  await workbench
    .rows('Sessions')
    .nth(service.sessionIds.length - 1)
    .waitFor();
}
