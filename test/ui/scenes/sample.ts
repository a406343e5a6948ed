import { type Locator } from 'playwright-core';
import { narrowed } from './sessions';
import { type Scene, type Stage } from './scene';

/** What somebody new sees, and the block that stands for an answer a service does not show yet. */
export const sampleScenes: readonly Scene[] = [
  {
    name: 'sample',
    signedIn: false,
    async play(stage) {
      await sampleData(stage);
      return undefined;
    },
  },
  {
    name: 'sample-narrow',
    signedIn: false,
    async play(stage) {
      await sampleData(stage);
      return narrowed(stage, 250);
    },
  },
  // The pictures of the README and the guide are of the sample where they can be.
  ...(
    [
      ['sample-waiting', /Session Round the tax/, 'pull request?'],
      ['sample-running', /Session Cover the checkout/, 'The checkout service has'],
      ['sample-failed', /Session Move the workspace/, 'The session ended'],
      ['sample-chart', /Session Are returns/, 'There are more returns'],
    ] as const
  ).map(([name, title, words]) => ({
    name,
    signedIn: false,
    async play(stage: Stage) {
      await sampleData(stage);
      await row(stage, title).click();
      await stage.workbench.webview().getByRole('article').getByText(words).waitFor();
      return undefined;
    },
  })),
  {
    name: 'answered',
    async play(stage) {
      await answered(stage);
      return undefined;
    },
  },
  {
    name: 'answered-narrow',
    settings: { 'agentConsole.chat.location': 'view' },
    size: { width: 1280, height: 900 },
    async play(stage) {
      await answered(stage);
      return narrowed(stage, 250, 'auxiliarybar');
    },
  },
];

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

/** A message to a new session of a service without lists, whose agent has answered. */
async function answered({ workbench }: Stage): Promise<void> {
  await workbench.openContainer('Agent Console');
  await workbench.row('Computers', 'active').waitFor();
  await workbench.viewAction('Sessions', 'New session');
  await workbench.pick('atlas', 'Default');
  const chat = workbench.webview();
  await chat.getByRole('textbox').fill('Why does total.test.ts fail now and then?');
  await workbench.page.keyboard.press('Enter');
  await chat.getByRole('article', { name: /^The agent has answered/ }).waitFor();
}
