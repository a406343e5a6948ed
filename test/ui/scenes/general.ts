import type { FrameLocator } from 'playwright-core';
import type { Workbench } from '../workbench';
import { addSessions } from './sampleSessions';
import { type Scene } from './scene';

/** The first look, the trees and the chat. */
export const generalScenes: readonly Scene[] = [
  {
    name: 'signed-out',
    signedIn: false,
    async play({ workbench }) {
      await workbench.openContainer('Agent Console');
      await workbench.welcome('Sessions').getByRole('button').first().waitFor();
      return undefined;
    },
  },
  ...['Sign in, or try', 'Open a session', 'Send a file', 'See how ready', 'Get notified'].map(
    (step, index): Scene => ({
      name: `walkthrough-${String(index + 1)}`,
      signedIn: false,
      // A narrow editor has no place for the picture of a step.
      size: { width: 1720, height: 900 },
      async play({ workbench }) {
        await workbench.runCommand('Open Walkthrough...');
        await workbench.pick('Get started with Agent Console');
        const title = workbench.page.locator('.getting-started-step', { hasText: step }).first();
        await title.click();
        await title.and(workbench.page.locator('.expanded')).waitFor();
        return undefined;
      },
    }),
  ),
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
      await askAgent(workbench, 'Why did the build job take longer yesterday?');
      await service.settle();
      return undefined;
    },
  },
  {
    name: 'chat-find',
    async play({ workbench, service }) {
      await addSessions(workbench, service);
      const chat = await askAgent(workbench, 'Why did the build job take longer yesterday?');
      await workbench.page.keyboard.press('Control+f');
      await chat.getByRole('textbox', { name: 'Find in this session' }).fill('return input');
      await chat.getByText(/^\d+ of \d+$/).waitFor();
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
      await workbench.openSession(service.sessionIds[0]);
      await askAgent(workbench, 'Which tests are left?');
      return undefined;
    },
  },
];

/** Writes to the agent of the chat that is shown, and waits for what it answers. */
async function askAgent(workbench: Workbench, text: string): Promise<FrameLocator> {
  const chat = workbench.webview();
  await chat.getByRole('textbox').fill(text);
  await workbench.page.keyboard.press('Enter');
  await chat
    .getByRole('article', { name: /^Agent/ })
    .first()
    .waitFor();
  return chat;
}
