import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import type { SampleService } from '../fakes/sampleService';
import { again } from '../until';
import { onStage } from './stage';
import { clickFor } from './waiting';
import { saveAs } from './window';
import type { Workbench } from './workbench';

type Row = Readonly<Record<string, unknown>>;
/** Usage as people have it: the real window, the real page, the real requests. */
describe('usage', () => {
  let service: SampleService;
  let workbench: Workbench;

  const dashboard = (): FrameLocator => workbench.webview();
  const tab = (name: string): Locator =>
    dashboard().getByRole('navigation').getByRole('button', { name, exact: true });
  const chosen = (name: string): Locator => tab(name).and(dashboard().locator('[aria-current]'));
  const section = (name: string): Locator => dashboard().getByRole('region', { name, exact: true });
  /** Which days the figures shown are of. */
  const days = (count: number): Locator => dashboard().getByText(new RegExp(`UTC, ${count} days`));
  const item = (): Locator =>
    workbench.page.locator('.statusbar-item[id="agent-console.agent-console.usage"]');
  /** Everything asked for is there. */
  const complete = (): Locator =>
    dashboard().locator('.status:not(:has(progress))', { hasText: /^Data through .*fetched/ });
  /** Resolves when a figure has this value. */
  const shows = (label: string, value: number): Promise<void> =>
    dashboard()
      .locator(`.figure[title^="${value.toLocaleString('en')}\\a "]`)
      .filter({ has: dashboard().getByText(label, { exact: true }) })
      .waitFor();
  /** Resolves when there is a number. */
  const known = (label: string): Promise<void> =>
    dashboard()
      .locator('.figure')
      .filter({ has: dashboard().getByText(label, { exact: true }) })
      .filter({ has: dashboard().locator('dd.value', { hasText: /\d/ }) })
      .waitFor();
  /** What the service answers to the last question about an endpoint, asked once more without the extension. */
  const answered = async (endpoint: string): Promise<readonly Row[]> => {
    const asked = service.requests.findLast(({ path: at }) => at === `/api/v1/analytics/${endpoint}`);
    assert.ok(asked, `${endpoint} was never asked for`);
    const search = new URLSearchParams(asked.query as Record<string, string>);
    search.delete('cursor');
    const body = await service.ask<{ readonly data: readonly Row[] }>(`${asked.path}?${search.toString()}`);
    return body.data;
  };

  onStage(
    stage => ({ service, workbench } = stage),
    { settings: { 'agentConsole.usage.budget': 1000, 'agentConsole.usage.budgetPeriod': 'day' } },
    // On every day so many tokens were used; the sample's people rest on weekends.
    prepared => {
      prepared.service.fail({
        kind: 'alter',
        match: { path: /\/analytics\/tokens$/ },
        alter: body => {
          const { data, ...rest } = body as { readonly data: readonly object[] };
          return { ...rest, data: data.map(row => ({ ...row, billable_tokens: 1_000 })) };
        },
      });
    },
  );

  it('stands in the status bar after one call while nothing is open, and tells once of a budget, also as an earlier version stored it', async () => {
    await item()
      .filter({ hasText: /\d.* [↑↓→]/ })
      .waitFor();
    const asked = service.requests.filter(({ path: at }) => at.includes('/analytics/'));
    assert.deepEqual(
      asked.map(({ path: at }) => at),
      ['/api/v1/analytics/tokens'],
    );
    const tooltip = workbench.page.locator('.monaco-hover').filter({ hasText: 'Billable tokens' });
    await again(
      async limit => {
        await workbench.page.mouse.move(400, 300);
        await item().hover(limit);
      },
      limit => tooltip.getByText(/Month to date/).waitFor(limit),
    );
    assert.match(await tooltip.innerText(), /UTC[\s\S]*Last\s30\sdays[\s\S]*Data\sthrough/);
    const notice = await workbench.notified(/100% of your own budget of 1,000 a day is reached/);
    assert.match(await notice.innerText(), /UTC/);
    assert.equal(await workbench.notification(/your own budget/).count(), 1);
  });

  it('opens from the command and from the status bar, and its figures are what the service answered', async () => {
    await workbench.runCommand('Agent Console: Open usage');
    await chosen('Tokens').waitFor();
    await days(30).waitFor();
    await workbench.runCommand('View: Close Editor');
    await workbench.tab('Usage').waitFor({ state: 'detached' });
    await clickFor(item(), chosen('Tokens'));
    await section('Tokens by day').waitFor();

    await tab('Productivity').click();
    await chosen('Productivity').waitFor();
    await known('Commits');
    const rows = (await answered('productivity')).slice(-30);
    assert.equal(rows.length, 30);
    // Figures of the days that are there come first.
    await shows('Commits', total(rows, 'git_commits'));
    await shows('Files edited', total(rows, 'files_edited'));
    // The organization's changes of controls stand in the table of each chart.
    await dashboard().getByRole('checkbox', { name: 'Tables' }).check();
    await section('Files')
      .getByText(/Controls, revision \d+/)
      .first()
      .waitFor();
  });

  it('names people without activity, and exports what it shows', async () => {
    await tab('People').click();
    await section('No activity in this range')
      .getByText(/^none from \d{4}-\d\d-\d\d on$/)
      .first()
      .waitFor();
    await complete().waitFor();
    const first = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
    const rows = (await answered('users')).filter(row => String(row['date']) >= first);
    await shows('Billable tokens', total(rows, 'billable_tokens'));
    await dashboard().getByRole('checkbox', { name: 'Hide names' }).check();
    await section('People')
      .getByRole('button', { name: /^Person [2-9A-Z]{6}$/ })
      .first()
      .waitFor();
    await section('People')
      .getByRole('button', { name: /Export this table/ })
      .click();
    const file = await saveAs(workbench, '.csv');
    assert.match(file, /usage-people-people-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    await dashboard()
      .getByText(`Saved as ${path.basename(file)}.`)
      .waitFor();
    const [head = [], ...lines] = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\r\n')
      .map(line => line.split(','));
    assert.equal(lines.pop()?.[0], 'Total');
    assert.ok(lines.every(([name = '']) => /^Person [2-9A-Z]{6}$/.test(name)));
    const column = head.indexOf('Billable tokens');
    const sum = lines.reduce((all, cells) => all + Number(cells[column]), 0);
    assert.equal(sum, total(rows, 'billable_tokens'));
  });
});

function total(rows: readonly Row[], field: string): number {
  return rows.reduce((sum, row) => sum + Number(row[field] ?? 0), 0);
}
