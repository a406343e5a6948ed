import * as fs from 'node:fs';
import * as path from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { again } from '../until';
import { pasteInto } from './giving';
import type { Stage, StageOptions } from './stage';
import type { Workbench } from './workbench';

const WAITING = /Session Round the tax/;
const RUNNING = /Session Cover the checkout/;
const FLAKY = /Session Find out why the total test is flaky/;

/** A named state to take pictures of: what is played, and in which window; signed in unless told. */
export interface Scene extends Pick<StageOptions, 'signedIn' | 'settings'> {
  readonly size?: { readonly width: number; readonly height: number };
  /** The side bar that is made 250 px wide then, and of which the picture is. */
  readonly narrow?: 'sidebar' | 'auxiliarybar';
  readonly play: (stage: Stage) => Promise<unknown>;
}

export const scenes: Readonly<Record<string, Scene>> = {
  'signed-out': {
    signedIn: false,
    async play({ workbench }) {
      await workbench.openContainer('Agent Console');
      await workbench.welcome('Sessions').getByRole('button').first().waitFor();
    },
  },
  readiness: {
    size: { width: 1280, height: 1000 },
    async play({ workbench }) {
      await openReadiness(workbench);
      await workbench.front.getByRole('heading', { level: 1 }).waitFor();
    },
  },
  'readiness-narrow': { narrow: 'sidebar', play: ({ workbench }) => openReadiness(workbench) },
  organization: {
    async play({ workbench }) {
      await showOrganization(workbench);
      await workbench.row('Organization', /^rev \d/).click();
      await workbench.page.locator('.monaco-diff-editor').getByText('maxAutonomyLevel').first().waitFor();
    },
  },
  'organization-narrow': { narrow: 'sidebar', play: ({ workbench }) => showOrganization(workbench) },
  'usage-tokens': usageTab('Tokens', 1280),
  'usage-tools': usageTab('Tools', 1280),
  'usage-activity': usageTab('Activity', 1280),
  'usage-productivity': usageTab('Productivity', 1280),
  'usage-people': usageTab('People', 1280),
  'usage-narrow': usageTab('Tools', 760),
  sample: { signedIn: false, play: sampleData },
  'sample-narrow': { signedIn: false, narrow: 'sidebar', play: sampleData },
  'chat-narrow': {
    ...chatOf(WAITING, 'pull request?'),
    settings: { 'agentConsole.chat.location': 'view' },
    size: { width: 1280, height: 1200 },
    narrow: 'auxiliarybar',
  },
  'sample-waiting': chatOf(WAITING, 'pull request?'),
  'sample-running': chatOf(RUNNING, 'The checkout service has'),
  'sample-failed': chatOf(/Session Move the workspace/, 'The session ended'),
  'sample-chart': chatOf(/Session Are returns/, 'There are more returns'),
  'sample-composer': chatOf(WAITING, 'pull request?', async (chat, { folder }) => {
    await chat.getByRole('textbox').fill('Yes, push it. And please cover the cart of this ticket, too.');
    const base64 = fs.readFileSync(path.join(folder, 'docs/orders.png'), 'base64');
    const picture = { name: 'totals.png', type: 'image/png', base64 };
    const notes = { name: 'ticket-1412.md', type: '', base64: 'IyBUb3RhbHMgYXJlIG9mZiBieSBhIGNlbnQK' };
    await pasteInto(chat.locator('textarea'), { files: [picture, notes] });
    await chat.locator('.thumbnail').waitFor();
    await chat.locator('.chip').nth(1).waitFor();
  }),
  'changes-diff': {
    signedIn: false,
    async play(stage) {
      const chat = await changed(stage);
      await chat.getByRole('button', { name: /agent\/flaky/ }).click();
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
  chat: chatOf(FLAKY, 'total'),
  'chat-find': chatOf(FLAKY, 'total', async (chat, { workbench }) => {
    await workbench.page.keyboard.press('Control+f');
    await chat.getByRole('textbox', { name: 'Find in this session' }).fill('total');
    await chat.locator('.find output', { hasText: ' of ' }).waitFor();
    await chat.getByRole('button', { name: /tokens/ }).hover();
    await chat.getByRole('tooltip').waitFor();
  }),
  queue: chatOf(RUNNING, 'The checkout service has', async (chat, { workbench }) => {
    const long = 'Then write the release notes, with every change since the last tag, grouped by package. ';
    for (const [index, text] of ['Run the tests again', long.repeat(5), 'Open a pull request'].entries()) {
      await chat.getByRole('textbox', { name: 'Message to the agent' }).fill(text);
      await workbench.page.keyboard.press('Enter');
      await chat.locator('.queued').nth(index).waitFor();
    }
  }),
};

/** The report of the first failing criterion, and the view with everything of it to be seen. */
async function openReadiness(workbench: Workbench): Promise<void> {
  await workbench.showOnly('Readiness');
  await workbench.row('Readiness', 'acme/shop').waitFor();
  await workbench.row('Readiness', /\d\/3.*\d+%/s).click();
  await workbench.front.locator('tr.wanted').waitFor();
  await workbench.row('Readiness', 'Reports').click();
  await workbench.row('Readiness', 'Other repositories').click();
  await workbench.row('Readiness', 'acme/billing').waitFor();
}

/** Opens the view of the organization with all the height there is, and what its newest revision changed. */
async function showOrganization(workbench: Workbench): Promise<void> {
  await workbench.showOnly('Organization');
  await workbench.turn('Organization', /^rev \d/, true);
  await workbench.row('Organization', /^maxAutonomyLevel: /).waitFor();
}

async function sampleData({ workbench }: Stage): Promise<void> {
  await workbench.openContainer('Agent Console');
  await workbench.welcome('Sessions').getByRole('button', { name: 'Try with sample data' }).click();
  await row({ workbench }, /Session Review of/).waitFor();
  await workbench.row('Computers', 'atlas').waitFor();
  await workbench.runCommand('Notifications: Clear All Notifications');
}

function row({ workbench }: Pick<Stage, 'workbench'>, name: RegExp): Locator {
  return workbench.view('Sessions').getByRole('treeitem', { name });
}

/** The dashboard in a tab, complete, without its tooltip; tokens are compared. */
function usageTab(name: string, width: number): Scene {
  return {
    size: { width, height: 1000 },
    async play({ workbench }) {
      await workbench.statusItem('usage').filter({ hasText: /\d/ }).waitFor();
      await workbench.runCommand('Agent Console: Open usage');
      const page = workbench.front;
      await page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
      await page.locator('nav [aria-current]').getByText(name, { exact: true }).waitFor();
      await page.locator('.drawing:not(.waits) section').first().waitFor();
      await page.locator('.status progress').waitFor({ state: 'detached' });
      await page.getByText(/Data through/).waitFor();
      if (name === 'Tokens') {
        await page.getByRole('checkbox', { name: 'Compare' }).check();
        await page.getByText('compared with').waitFor();
      }
    },
  };
}

/** The chat of a session of the sample, in which something is done. */
function chatOf(
  session: RegExp,
  words: string,
  act?: (chat: FrameLocator, stage: Stage) => Promise<unknown>,
): Scene {
  return {
    signedIn: false,
    async play(stage) {
      await sampleData(stage);
      await row(stage, session).click();
      const chat = stage.workbench.front;
      await chat.getByRole('article').getByText(words).first().waitFor();
      await act?.(chat, stage);
    },
  };
}

/** The chat of a session whose agent has pushed a branch. */
async function changed(stage: Stage): Promise<FrameLocator> {
  await sampleData(stage);
  await row(stage, FLAKY).click();
  await row(stage, /agent\/flaky-total-test/).waitFor();
  const chat = stage.workbench.front;
  await chat.getByRole('button', { name: /agent\/flaky/ }).waitFor();
  return chat;
}
