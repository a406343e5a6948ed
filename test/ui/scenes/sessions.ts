import * as fs from 'node:fs';
import * as path from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { noisePicture, pasteInto } from '../giving';
import { again } from '../../until';
import { seed, working, type Seed } from '../seed';
import type { Stage } from '../stage';
import { addSessions, each, type Scene, type Scenes } from './views';

/** Trees and chat, in the states a session can be in. */
export const sessionScenes: Scenes = {
  sample: { signedIn: false, play: sampleData },
  'sample-narrow': { signedIn: false, narrow: 'sidebar', play: sampleData },
  'chat-narrow': {
    signedIn: false,
    settings: { 'agentConsole.chat.location': 'view' },
    size: { width: 1280, height: 1200 },
    narrow: 'auxiliarybar',
    async play(stage) {
      await sampleData(stage);
      await row(stage, /Session Round the tax/).click();
      await stage.workbench.webview().getByRole('article').getByText('pull request?').waitFor();
    },
  },
  // The pictures of the README and the guide are of the sample where they can be.
  ...each(
    {
      'sample-waiting': [/Session Round the tax/, 'pull request?'],
      'sample-running': [/Session Cover the checkout/, 'The checkout service has'],
      'sample-failed': [/Session Move the workspace/, 'The session ended'],
      'sample-chart': [/Session Are returns/, 'There are more returns'],
    } as const,
    ([title, words]) => ({
      signedIn: false,
      async play(stage) {
        await sampleData(stage);
        await row(stage, title).click();
        await stage.workbench.webview().getByRole('article').getByText(words).waitFor();
      },
    }),
  ),
  'sample-composer': {
    signedIn: false,
    async play(stage) {
      await sampleData(stage);
      await row(stage, /Session Round the tax/).click();
      const chat = stage.workbench.webview();
      await chat.getByRole('textbox').fill('Yes, push it. And please cover the cart of this ticket, too.');
      const base64 = fs.readFileSync(path.join(stage.folder, 'docs/orders.png'), 'base64');
      await pasteInto(chat.locator('textarea'), {
        files: [
          { name: 'totals.png', type: 'image/png', base64 },
          { name: 'ticket-1412.md', type: '', base64: 'IyBUb3RhbHMgYXJlIG9mZiBieSBhIGNlbnQK' },
        ],
      });
      await chat.locator('.thumbnail').waitFor();
      await chat.locator('.chip').nth(1).waitFor();
    },
  },
  'changes-chat-narrow': {
    signedIn: false,
    settings: { 'agentConsole.chat.location': 'view' },
    size: { width: 1280, height: 900 },
    narrow: 'auxiliarybar',
    play: changed,
  },
  'changes-diff': {
    signedIn: false,
    async play(stage) {
      await changed(stage);
      await stage.workbench
        .webview()
        .getByRole('button', { name: /agent\/flaky/ })
        .click();
      const { page } = stage.workbench;
      const side = page.locator('.multiDiffEditor .modified');
      const plus = side.locator('.comment-range-glyph.line-hover').first();
      await again(
        async limit => {
          await page.mouse.move(700, 9);
          await side.locator('.view-line').getByText('await').first().hover(limit);
        },
        limit => plus.waitFor(limit),
      );
      await plus.click();
      await page.getByText('What should the agent do here?').first().waitFor();
      await page.keyboard.type('Keep a case for a provider that answers late, please.');
      await page.getByRole('button', { name: 'Add comment' }).click();
      await page.locator('.review-comment-contents').getByText('answers late').waitFor();
    },
  },
  'changes-home': {
    signedIn: false,
    async play(stage) {
      await changed(stage);
      await stage.workbench.contextMenu(row(stage, FLAKY), /Bring changes home/);
      await stage.workbench.quickInput.getByText('worktree').first().waitFor();
    },
  },
  chat: {
    async play(stage) {
      await addSessions(stage);
      await askAgent(stage, 'Why did the build job take longer yesterday?');
      await stage.service.settle();
    },
  },
  'chat-find': {
    async play(stage) {
      await addSessions(stage);
      const chat = await askAgent(stage, 'Why did the build job take longer yesterday?');
      await stage.workbench.page.keyboard.press('Control+f');
      await chat.getByRole('textbox', { name: 'Find in this session' }).fill('return input');
      await chat.getByText(/^\d+ of \d+$/).waitFor();
      await chat.getByRole('button', { name: /tokens/ }).hover();
      await chat.getByRole('tooltip').waitFor();
    },
  },
  composer: {
    settings: { 'agentConsole.chat.maxAttachmentMegabytes': 1 },
    async play(stage) {
      await addSessions(stage);
      const chat = stage.workbench.webview();
      const picture = (name: string, width: number, height: number) => ({
        ...{ name, type: 'image/png', base64: noisePicture(width, height).toString('base64') },
      });
      await chat.getByRole('textbox').fill('The screen flickers since yesterday. What changed?');
      await pasteInto(chat.locator('textarea'), {
        files: [
          picture('shot.png', 60, 40),
          picture('far-too-large-picture.png', 800, 700),
          { name: 'notes.md', type: '', base64: 'IyBOb3Rlcwo=' },
          { name: 'tool.bin', type: '', base64: 'AAECAwA=' },
        ],
      });
      await chat.locator('.chip').nth(3).waitFor();
      await chat.locator('.thumbnail').nth(1).waitFor();
    },
  },
  queue: {
    async play(stage) {
      await addSessions(stage);
      const chat = stage.workbench.webview();
      stage.service.busy();
      await chat.getByRole('button', { name: 'Refresh' }).first().click();
      await chat.getByRole('button', { name: 'Queue', exact: true }).waitFor();
      const long = 'Then write the release notes, with every change since the last tag, grouped by package. ';
      for (const [index, text] of ['Run the tests again', long.repeat(5), 'Open a pull request'].entries()) {
        await chat.getByRole('textbox', { name: 'Message to the agent' }).fill(text);
        await stage.workbench.page.keyboard.press('Enter');
        await chat.locator('.queued').nth(index).waitFor();
      }
    },
  },
  sessions: ofMany(() => Promise.resolve(), sideBar),
  'sessions-narrow': { ...ofMany(() => Promise.resolve()), narrow: 'sidebar' },
  'session-details': ofMany(async ({ workbench }) => {
    await workbench.contextMenu(workbench.row('Sessions', 'Migrate the workspace'), 'Show session details');
    await workbench.page.locator('.view-line', { hasText: 'Reasoning effort' }).waitFor();
  }),
  'session-create': ofMany(async ({ workbench }) => {
    await workbench.runCommand('Agent Console: New session');
    await workbench.quickInput.getByText('atlas', { exact: true }).waitFor();
    await workbench.pick('atlas');
    await workbench.quickInput.getByText('Careful').waitFor();
    return workbench.quickInput;
  }),
};

const FLAKY = /Session Find out why the total test is flaky/;

/** The chat of a session whose agent has pushed a branch. */
async function changed(stage: Stage): Promise<void> {
  await sampleData(stage);
  await row(stage, FLAKY).click();
  await row(stage, /agent\/flaky-total-test/).waitFor();
  await stage.workbench
    .webview()
    .getByRole('button', { name: /agent\/flaky/ })
    .waitFor();
}

async function sampleData(stage: Stage): Promise<void> {
  const { workbench } = stage;
  await workbench.openContainer('Agent Console');
  await workbench.welcome('Sessions').getByRole('button', { name: 'Try with sample data' }).click();
  await row(stage, /Session Review of/).waitFor();
  await workbench.row('Computers', 'atlas').waitFor();
  await workbench.runCommand('Notifications: Clear All Notifications');
}

function row({ workbench }: Stage, name: RegExp): Locator {
  return workbench.view('Sessions').getByRole('treeitem', { name });
}

/** Writes to the agent of the chat that is shown, and waits for what it answers. */
async function askAgent({ workbench }: Stage, text: string): Promise<FrameLocator> {
  const chat = workbench.webview();
  await chat.getByRole('textbox').fill(text);
  await workbench.page.keyboard.press('Enter');
  await chat
    .getByRole('article', { name: /^Agent/ })
    .first()
    .waitFor();
  return chat;
}

function sideBar({ workbench }: Stage): Locator {
  return workbench.page.locator('.part.sidebar');
}

/** A scene of sessions in every state the view knows, of which a part is taken. */
function ofMany(play: Scene['play'], part?: (stage: Stage) => Locator): Scene {
  const presets = {
    Careful: { model: 'atlas-large', autonomyLevel: 'low', interactionMode: 'spec' },
    Quick: { model: 'onyx-mini', reasoningEffort: 'low' },
  };
  return {
    pace: 6,
    settings: { 'agentConsole.sessions.presets': presets },
    async play(stage) {
      await manySessions(stage);
      const taken = await play(stage);
      return part?.(stage) ?? taken;
    },
  };
}

async function manySessions({ workbench, service }: Stage): Promise<void> {
  const hour = 3_600_000;
  await workbench.openContainer('Agent Console');
  await workbench.row('Computers', 'atlas').waitFor();
  const { computers } = await service.ask<{ computers: { id: string; name: string }[] }>('/api/v0/computers');
  const idOf = (name: string): string => computers.find(computer => computer.name === name)?.id ?? '';
  const [waiting = ''] = service.sessionIds;
  const long = 'Migrate the workspace packages to the new registry';
  const running = await working(service, idOf('atlas'), long);
  const pending = await working(service, idOf('dune'), 'Write release notes');
  const settings = {
    model: 'atlas-large',
    reasoningEffort: 'high',
    autonomyLevel: 'medium',
    tags: [{ name: 'build', metadata: { team: 'web' } }],
    enabledToolIds: ['shell', 'edit'],
    tokenUsage: { inputTokens: 3_900_000, outputTokens: 320_000 },
  };
  const shop = { uri: 'file:///home/ada/shop', name: 'shop' };
  const signal = { kind: 'waiting', message: 'May I delete the old snapshots?' } as const;
  const veryLong = `A very long title ${'that goes on '.repeat(12)}`;
  const rests = (
    sessionId: string,
    ageMs: number,
    title: string,
    computer: string,
    messageCount: number,
    more: Partial<Seed> = {},
  ): Seed => ({ sessionId, ageMs, session: { title, computerId: idOf(computer), messageCount }, ...more });
  await seed(workbench, service, [
    rests(waiting, 0, 'Fix flaky checkout test', 'atlas', 12, { signal, workspace: shop }),
    { sessionId: running.sessionId, session: { ...running, title: long, sessionSettings: settings } },
    { sessionId: pending.sessionId, session: pending },
    rests('pinned', 30 * hour, 'Where payments are settled', 'dune', 48, {
      local: { pinned: true, name: 'Payments map' },
    }),
    rests('today', 60_000, 'Explain the billing job', 'atlas', 6, { local: { readCount: 4 } }),
    rests('stranded', 120_000, 'Try the other cache', 'cinder', 2),
    rests('ended', 90_000, 'Rename the tables', 'ember', 9, { signal: { kind: 'ended', reason: 'error' } }),
    rests('long', 200 * hour, veryLong, 'fjord', 1_204),
    rests('old', 900 * hour, 'First steps', 'fjord', 2, { local: { archivedAt: Date.now() } }),
  ]);
  // Titles may be cut; what screen readers say is not.
  for (const name of [/^Session .*flaky checkout/, /^Session A very long/])
    await workbench.view('Sessions').getByRole('treeitem', { name }).waitFor();
}
