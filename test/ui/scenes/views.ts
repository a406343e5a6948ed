import type { FrameLocator, Locator } from 'playwright-core';
import type { Stage, StageOptions } from '../stage';
import type { Workbench } from '../workbench';

/** A named state to take pictures of: what is played, and in which window; signed in unless told. */
export interface Scene extends Pick<StageOptions, 'signedIn' | 'settings'> {
  readonly size?: { readonly width: number; readonly height: number };
  /** The side bar that is made 250 px wide then, and of which the picture is. */
  readonly narrow?: 'sidebar' | 'auxiliarybar';
  readonly play: (stage: Stage) => Promise<unknown>;
}
export type Scenes = Readonly<Record<string, Scene>>;

const each = (names: readonly string[], scene: (name: string, at: number) => [string, Scene]): Scenes =>
  Object.fromEntries(names.map(scene));
// A narrow editor has no place for the picture of a step.
const WIDE = { width: 1720, height: 900 };

/** The first look, readiness, the organization and usage. */
export const viewScenes: Scenes = {
  'signed-out': {
    signedIn: false,
    async play({ workbench }) {
      await workbench.openContainer('Agent Console');
      await workbench.welcome('Sessions').getByRole('button').first().waitFor();
    },
  },
  ...each(
    ['Sign in, or try', 'Open a session', 'Send a file', 'See how ready', 'Get notified'],
    (step, number) => [
      `walkthrough-${number + 1}`,
      { signedIn: false, size: WIDE, play: stage => walk(stage, step) },
    ],
  ),
  readiness: {
    size: { width: 1280, height: 1000 },
    async play({ workbench }) {
      await openReadiness(workbench);
      await workbench.front.getByRole('heading', { level: 1 }).waitFor();
    },
  },
  'readiness-narrow': { narrow: 'sidebar', play: ({ workbench }) => openReadiness(workbench) },
  'readiness-failed': {
    async play({ workbench, service }) {
      service.fail({ kind: 'status', status: 503, match: { path: REPORTS } });
      await workbench.showOnly('Readiness');
      await workbench.row('Readiness', 'Try again').waitFor();
    },
  },
  organization: {
    async play({ workbench }) {
      await showOrganization(workbench);
      await workbench.row('Organization', /^rev \d/).click();
      await workbench.page.locator('.monaco-diff-editor').getByText('maxAutonomyLevel').first().waitFor();
    },
  },
  'organization-narrow': { narrow: 'sidebar', play: ({ workbench }) => showOrganization(workbench) },
  'usage-status': {
    async play({ workbench }) {
      const item = workbench.statusItem('usage');
      await item.filter({ hasText: /\d/ }).waitFor();
      await item.hover();
      await workbench.page.locator('.monaco-hover').getByText(/Month/).waitFor();
    },
  },
  ...each(['Tokens', 'Tools', 'Activity', 'Productivity', 'People'], tab => [
    `usage-${tab.toLowerCase()}`,
    usageTab(tab, 1280),
  ]),
  'usage-narrow': usageTab('Tools', 760),
  'usage-table': usageTab('Tokens', 1280, async page => {
    await page.getByRole('checkbox', { name: 'Tables' }).check();
    await page.getByRole('columnheader', { name: 'Day (UTC)' }).first().waitFor();
  }),
  'usage-forbidden': {
    async play({ workbench, service }) {
      service.fail({ kind: 'status', status: 403, match: { path: /\/analytics\// } });
      await workbench.notified(/403|role/);
      await workbench.runCommand('Agent Console: Open usage');
      await workbench.front.getByText('Analytics cannot be read').waitFor();
    },
  },
};

async function walk({ workbench }: Stage, step: string): Promise<void> {
  await workbench.runCommand('Open Walkthrough...');
  await workbench.pick('Get started with Agent Console');
  const title = workbench.page.locator('.getting-started-step', { hasText: step }).first();
  await title.click();
  await title.and(workbench.page.locator('.expanded')).waitFor();
}

const REPORTS = '/api/organization/maturity-level-reports';

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

export async function sampleData({ workbench }: Stage): Promise<void> {
  await workbench.openContainer('Agent Console');
  await workbench.welcome('Sessions').getByRole('button', { name: 'Try with sample data' }).click();
  await row({ workbench }, /Session Review of/).waitFor();
  await workbench.row('Computers', 'atlas').waitFor();
  await workbench.runCommand('Notifications: Clear All Notifications');
}

export function row({ workbench }: Pick<Stage, 'workbench'>, name: RegExp): Locator {
  return workbench.view('Sessions').getByRole('treeitem', { name });
}

/** The dashboard in a tab, complete, without its tooltip; tokens are compared. */
function usageTab(name: string, width: number, further?: (page: FrameLocator) => Promise<unknown>): Scene {
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
      await further?.(page);
    },
  };
}
