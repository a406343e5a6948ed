import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Locator } from 'playwright-core';
import { type SampleService } from '../../src/sample';
import { computersOf, seed, working } from './seed';
import { composerScenes } from './composerScenes';
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
  ...composerScenes(addSessions),
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
    name: 'sessions',
    pace: 6,
    async play(stage) {
      await manySessions(stage);
      return sideBar(stage);
    },
  },
  {
    name: 'sessions-narrow',
    pace: 6,
    async play(stage) {
      await manySessions(stage);
      const { page } = stage.workbench;
      const box = await page.locator('.part.sidebar').boundingBox();
      const edge = (box?.x ?? 0) + (box?.width ?? 0);
      await page.mouse.move(edge, 300);
      await page.mouse.down();
      await page.mouse.move((box?.x ?? 0) + 200, 300, { steps: 5 });
      await page.mouse.up();
      return sideBar(stage);
    },
  },
  {
    name: 'sessions-tooltip',
    pace: 6,
    async play(stage) {
      await manySessions(stage);
      await stage.workbench.row('Sessions', 'Migrate the workspace').hover();
      await stage.workbench.page.locator('.monaco-hover:visible', { hasText: 'Reasoning effort' }).waitFor();
      return undefined;
    },
  },
  {
    name: 'session-details',
    pace: 6,
    async play(stage) {
      await manySessions(stage);
      const { workbench } = stage;
      await workbench.contextMenu(workbench.row('Sessions', 'Migrate the workspace'), 'Show session details');
      await workbench.page.locator('.view-line', { hasText: 'Reasoning effort' }).waitFor();
      return undefined;
    },
  },
  {
    name: 'session-create',
    pace: 6,
    settings: {
      'agentConsole.sessions.presets': {
        Careful: { model: 'atlas-large', autonomyLevel: 'low', interactionMode: 'spec' },
        Quick: { model: 'onyx-mini', reasoningEffort: 'low' },
      },
    },
    async play(stage) {
      await manySessions(stage);
      const { workbench } = stage;
      await workbench.runCommand('Agent Console: New session with settings');
      await workbench.quickInput.getByText('atlas', { exact: true }).waitFor();
      await workbench.pick('atlas');
      await workbench.quickInput.getByText('Careful').waitFor();
      return workbench.quickInput;
    },
  },
  {
    name: 'sessions-by-computer',
    pace: 6,
    settings: { 'agentConsole.sessions.groupBy': 'computer', 'agentConsole.sessions.filter': '-is:archived' },
    async play(stage) {
      await manySessions(stage);
      return sideBar(stage);
    },
  },
  {
    name: 'readiness',
    size: { width: 1280, height: 1000 },
    async play({ workbench }) {
      await openReadiness(workbench);
      await workbench.webview().getByRole('heading', { level: 1 }).waitFor();
      return undefined;
    },
  },
  {
    name: 'readiness-trend',
    size: { width: 1280, height: 1000 },
    async play({ workbench }) {
      await openReadiness(workbench);
      const { page } = workbench;
      await workbench.webview().getByRole('heading', { name: 'Applications' }).scrollIntoViewIfNeeded();
      await workbench.webview().getByRole('heading', { name: 'Trend' }).hover();
      await page.mouse.wheel(0, 600);
      await workbench.webview().getByRole('heading', { name: 'About this report' }).waitFor();
      return undefined;
    },
  },
  {
    name: 'usage-status',
    async play({ workbench }) {
      const item = workbench.page.locator('.statusbar-item[id="agent-console.agent-console.usage"]');
      await item.filter({ hasText: /\d/ }).waitFor();
      await item.hover();
      await workbench.page.locator('.monaco-hover').getByText(/Month/).waitFor();
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
  {
    name: 'chat-find',
    async play({ workbench, service }) {
      await addSessions(workbench, service);
      const chat = workbench.webview();
      await chat.getByRole('textbox').fill('Why did the build job take longer yesterday?');
      await workbench.page.keyboard.press('Enter');
      await chat
        .getByRole('article', { name: /^Agent/ })
        .first()
        .waitFor();
      await workbench.page.keyboard.press('Control+f');
      await chat.getByRole('textbox', { name: 'Find in this session' }).fill('return input');
      await chat.getByText('12 of 12').waitFor();
      await chat.getByRole('button', { name: /tokens/ }).hover();
      await chat.getByRole('tooltip').waitFor();
      return undefined;
    },
  },
  {
    name: 'chat-view',
    settings: { 'agentConsole.chat.location': 'view' },
    async play({ workbench, service }) {
      await workbench.openContainer('Agent Console');
      await workbench.runCommand('Agent Console: Open a session by its id');
      await workbench.answer(service.sessionIds[0] ?? '');
      const chat = workbench.webview();
      await chat.getByRole('textbox').fill('Which tests are left?');
      await workbench.page.keyboard.press('Enter');
      await chat
        .getByRole('article', { name: /^Agent/ })
        .first()
        .waitFor();
      return undefined;
    },
  },
];

function sideBar({ workbench }: Stage): Locator {
  return workbench.page.locator('.part.sidebar');
}

/** Sessions in every state the view knows. */
async function manySessions({ workbench, service }: Stage): Promise<void> {
  const hour = 3_600_000;
  await workbench.openContainer('Agent Console');
  await workbench.row('Computers', 'atlas').waitFor();
  const computers = await computersOf(service);
  const idOf = (name: string): string => computers.find(computer => computer.name === name)?.id ?? '';
  const [waiting = ''] = service.sessionIds;
  const workspace = { uri: 'file:///work/shop', name: 'shop' };
  const running = await working(service, idOf('atlas'), 'Migrate the workspace packages to the new registry');
  const pending = await working(service, idOf('dune'), 'Write release notes');
  const usage = { inputTokens: 3_900_000, outputTokens: 320_000 };
  const at = (title: string, computer: string, messageCount: number) => ({
    title,
    computerId: idOf(computer),
    messageCount,
  });
  await seed(workbench, service, [
    {
      sessionId: waiting,
      session: at('Fix flaky checkout test', 'atlas', 12),
      signal: { kind: 'waiting', message: 'May I delete the old snapshots?' },
      workspace,
    },
    {
      sessionId: running.sessionId,
      session: {
        ...running,
        title: 'Migrate the workspace packages to the new registry',
        sessionSettings: {
          model: 'atlas-large',
          reasoningEffort: 'high',
          autonomyLevel: 'medium',
          tags: [{ name: 'build', metadata: { team: 'web' } }],
          enabledToolIds: ['shell', 'edit'],
          tokenUsage: usage,
        },
      },
      local: { notes: 'Ask about the lock file first', tags: ['registry'] },
    },
    { sessionId: pending.sessionId, session: pending },
    {
      sessionId: 'pinned',
      ageMs: 30 * hour,
      session: at('Where payments are settled', 'dune', 48),
      local: { pinned: true, name: 'Payments map', tags: ['keep'] },
    },
    {
      sessionId: 'today',
      ageMs: 60_000,
      session: at('Explain the billing job', 'atlas', 6),
      local: { readCount: 4 },
    },
    { sessionId: 'stranded', ageMs: 2 * 60_000, session: at('Try the other cache', 'cinder', 2) },
    {
      sessionId: 'ended',
      ageMs: 90_000,
      session: at('Rename the tables', 'ember', 9),
      signal: { kind: 'ended', reason: 'error' },
    },
    {
      sessionId: 'long',
      ageMs: 200 * hour,
      session: at(`A very long title ${'that goes on '.repeat(12)}`, 'fjord', 1_204),
    },
    {
      sessionId: 'old',
      ageMs: 900 * hour,
      session: at('First steps', 'fjord', 2),
      local: { archivedAt: Date.now() },
    },
  ]);
  await workbench.row('Sessions', 'Fix flaky').waitFor();
  await workbench.row('Sessions', 'A very long').waitFor();
}

/** Opens the view of the organization with all the height there is. */
async function showOrganization(workbench: Workbench): Promise<void> {
  await workbench.openContainer('Agent Console');
  for (const view of ['Sessions', 'Computers']) await workbench.view(view).locator('.pane-header').click();
  await workbench.expandView('Organization');
  await workbench.row('Organization', 'Control history').waitFor();
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

/** The readiness view with everything of it to be seen, and the report of its first failing criterion. */
async function openReadiness(workbench: Workbench): Promise<void> {
  await workbench.openContainer('Agent Console');
  await workbench.expandView('Readiness');
  await workbench.row('Readiness', 'acme/shop').waitFor();
  for (const view of ['Sessions', 'Computers']) await workbench.view(view).locator('.pane-header').click();
  await workbench.view('Computers').locator('.pane-header[aria-expanded=false]').waitFor();
  await workbench.row('Readiness', 'Type check').click();
  await workbench.webview().locator('tr.wanted').waitFor();
  await workbench.row('Readiness', 'Reports').click();
  await workbench.row('Readiness', 'Other repositories').click();
  await workbench.row('Readiness', 'acme/billing').waitFor();
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
