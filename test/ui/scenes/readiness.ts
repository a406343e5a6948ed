import { type Workbench } from '../workbench';
import { type Scene } from './scene';

export const readinessScenes: readonly Scene[] = [
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
    name: 'readiness-failed',
    async play({ workbench, service }) {
      service.fail({ kind: 'status', status: 503, match: { path: REPORTS } });
      await workbench.showOnly('Readiness');
      await workbench.row('Readiness', 'Try again').waitFor();
      return undefined;
    },
  },
  {
    name: 'readiness-stale',
    async play({ workbench, service }) {
      await workbench.showOnly('Readiness');
      await workbench.row('Readiness', 'acme/shop').waitFor();
      service.fail({ kind: 'html', match: { path: REPORTS } });
      await workbench.viewAction('Readiness', 'Refresh');
      await workbench
        .view('Readiness')
        .getByText(/Shown as of/)
        .waitFor();
      return undefined;
    },
  },
  {
    name: 'readiness-empty',
    async play({ workbench, service }) {
      service.fail({ kind: 'alter', alter: () => ({ reports: [] }), match: { path: REPORTS } });
      await workbench.showOnly('Readiness');
      await workbench.welcome('Readiness').getByText('no readiness reports yet').waitFor();
      return undefined;
    },
  },
  {
    name: 'readiness-no-match',
    async play({ workbench }) {
      await workbench.showOnly('Readiness');
      await workbench.row('Readiness', /\d\/3.*\d+%/s).click();
      await workbench.webview().locator('tr.wanted').waitFor();
      await workbench.webview().getByRole('searchbox').fill('no such criterion');
      await workbench.webview().getByText('No matching criteria.').waitFor();
      return undefined;
    },
  },
];

const REPORTS = '/api/organization/maturity-level-reports';

/** The readiness view with everything of it to be seen, and the report of its first failing criterion. */
async function openReadiness(workbench: Workbench): Promise<void> {
  await workbench.showOnly('Readiness');
  await workbench.row('Readiness', 'acme/shop').waitFor();
  await workbench.row('Readiness', /\d\/3.*\d+%/s).click();
  await workbench.webview().locator('tr.wanted').waitFor();
  await workbench.row('Readiness', 'Reports').click();
  await workbench.row('Readiness', 'Other repositories').click();
  await workbench.row('Readiness', 'acme/billing').waitFor();
}
