import { type Locator } from 'playwright-core';
import { computersOf, seed, working } from '../seed';
import { type Scene, type Stage } from './scene';

export const sessionScenes: readonly Scene[] = [
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
      const narrow = await narrowed(stage, 185);
      await stage.workbench.view('Sessions').locator('.pane-header').hover();
      return narrow;
    },
  },
  {
    name: 'computers-unknown',
    pace: 6,
    async play(stage) {
      await manySessions(stage);
      const { workbench, service } = stage;
      service.fail({ kind: 'status', status: 503, match: { path: '/api/v0/computers' } });
      await workbench.runCommand('Agent Console: Refresh');
      await workbench.row('Computers', 'unknown, active').waitFor();
      await workbench.view('Computers').getByText('Shown as of').waitFor();
      return sideBar(stage);
    },
  },
  {
    name: 'sessions-tooltip',
    pace: 6,
    async play(stage) {
      await manySessions(stage);
      await stage.workbench.row('Sessions', 'Migrate the workspace').hover();
      await stage.workbench.page.locator('.monaco-hover:visible', { hasText: /tokens/ }).waitFor();
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
      await workbench.runCommand('Agent Console: New session');
      await workbench.quickInput.getByText('atlas', { exact: true }).waitFor();
      await workbench.pick('atlas');
      await workbench.quickInput.getByText('Careful').waitFor();
      return workbench.quickInput;
    },
  },
  {
    name: 'sessions-by-computer',
    pace: 6,
    async play(stage) {
      await manySessions(stage);
      await stage.workbench.runCommand('Agent Console: Sessions view options');
      await stage.workbench.pick('Computer');
      await stage.workbench.row('Sessions', /^Unknown computer/).waitFor();
      return sideBar(stage);
    },
  },
];

function sideBar({ workbench }: Stage): Locator {
  return workbench.page.locator('.part.sidebar');
}

/** A side bar, so many pixels wide. */
export async function narrowed(
  { workbench: { page } }: Stage,
  width: number,
  part: 'sidebar' | 'auxiliarybar' = 'sidebar',
): Promise<Locator> {
  const bar = page.locator(`.part.${part}`);
  const { x, width: before } = (await bar.boundingBox()) ?? { x: 0, width: 0 };
  const [from, to] = part === 'sidebar' ? [x + before, x + width] : [x, x + before - width];
  await page.mouse.move(from, 300);
  await page.mouse.down();
  await page.mouse.move(to, 300, { steps: 5 });
  await page.mouse.up();
  return bar;
}

/** Sessions in every state the view knows. */
async function manySessions({ workbench, service }: Stage): Promise<void> {
  const hour = 3_600_000;
  await workbench.openContainer('Agent Console');
  await workbench.row('Computers', 'atlas').waitFor();
  const computers = await computersOf(service);
  const idOf = (name: string): string => computers.find(computer => computer.name === name)?.id ?? '';
  const [waiting = ''] = service.sessionIds;
  const workspace = { uri: 'file:///home/ada/shop', name: 'shop' };
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
    },
    { sessionId: pending.sessionId, session: pending },
    {
      sessionId: 'pinned',
      ageMs: 30 * hour,
      session: at('Where payments are settled', 'dune', 48),
      local: { pinned: true, name: 'Payments map' },
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
  // Titles may be cut; what screen readers say is not.
  for (const name of [/^Session .*flaky checkout/, /^Session A very long/])
    await workbench.view('Sessions').getByRole('treeitem', { name }).waitFor();
}
