import { type FrameLocator, type Locator } from 'playwright-core';
import { type Workbench } from '../workbench';
import { type Scene } from './scene';

const size = { width: 1280, height: 1000 };

/** The dashboard in its tabs and in its states, and the status bar. */
export const usageScenes: readonly Scene[] = [
  {
    name: 'usage-status',
    async play({ workbench }) {
      const item = statusItem(workbench);
      await item.filter({ hasText: /\d/ }).waitFor();
      await item.hover();
      await workbench.page.locator('.monaco-hover').getByText(/Month/).waitFor();
      return undefined;
    },
  },
  {
    name: 'usage-tokens',
    size,
    async play({ workbench }) {
      const page = await openTab(workbench, 'Tokens');
      await page.getByRole('checkbox', { name: 'Compare' }).check();
      await page.getByText('compared with').waitFor();
      return undefined;
    },
  },
  ...['Tools', 'Activity', 'Productivity', 'People'].map((tab): Scene => ({
    name: `usage-${tab.toLowerCase()}`,
    size,
    async play({ workbench }) {
      await openTab(workbench, tab);
      return undefined;
    },
  })),
  {
    name: 'usage-inactive',
    size,
    async play({ workbench }) {
      const page = await openTab(workbench, 'People');
      await page.getByRole('heading', { name: 'No activity in this range' }).scrollIntoViewIfNeeded();
      return undefined;
    },
  },
  {
    name: 'usage-table',
    size,
    async play({ workbench }) {
      const page = await openTab(workbench, 'Tokens');
      await page.getByRole('checkbox', { name: 'Compare' }).check();
      await page.getByText('compared with').waitFor();
      await page.getByRole('checkbox', { name: 'Tables' }).check();
      await page.getByRole('columnheader', { name: 'Day (UTC)' }).first().waitFor();
      return undefined;
    },
  },
  {
    name: 'usage-narrow',
    size: { width: 760, height: 800 },
    async play({ workbench }) {
      await openTab(workbench, 'Tools');
      return undefined;
    },
  },
  {
    name: 'usage-forbidden',
    async play({ workbench, service }) {
      service.fail({ kind: 'status', status: 403, match: { path: /\/analytics\// } });
      await workbench.notified(/403|role/);
      await workbench.runCommand('Agent Console: Open usage');
      await workbench.webview().getByText('Analytics cannot be read').waitFor();
      return undefined;
    },
  },
];

function statusItem(workbench: Workbench): Locator {
  return workbench.page.locator('.statusbar-item[id="agent-console.agent-console.usage"]');
}

/** The dashboard in a tab, complete, without its tooltip. */
async function openTab(workbench: Workbench, name: string): Promise<FrameLocator> {
  await statusItem(workbench).filter({ hasText: /\d/ }).waitFor();
  await workbench.runCommand('Agent Console: Open usage');
  const page = workbench.webview();
  await page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
  await page.locator('nav [aria-current]').getByText(name, { exact: true }).waitFor();
  await page.locator('.drawing:not(.waits) section').first().waitFor();
  await page.locator('.status progress').waitFor({ state: 'detached' });
  await page.getByText(/Data through/).waitFor();
  return page;
}
