import * as fs from 'node:fs';
import * as path from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { pasteInto } from '../giving';
import { again } from '../../until';
import type { Stage } from '../stage';
import { row, sampleData, type Scene, type Scenes } from './views';

const WAITING = /Session Round the tax/;
const RUNNING = /Session Cover the checkout/;
const FLAKY = /Session Find out why the total test is flaky/;

/** Trees and chat of the sample, in the states a session can be in. */
export const sessionScenes: Scenes = {
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
  'changes-home': {
    signedIn: false,
    async play(stage) {
      await changed(stage);
      await stage.workbench.contextMenu(row(stage, FLAKY), /Bring changes home/);
      await stage.workbench.quickInput.getByText('worktree').first().waitFor();
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
