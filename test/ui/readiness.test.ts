import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { makeSampleWorkspace, sampleCommits, sampleRemote } from '../vscode/sampleWorkspace';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { startReports, type FakeReports } from '../unit/readiness/reportsServer';
import { violations } from './axe';
import { clickFor } from './waiting';
import { stored } from './windowState';
import { signedInTo, Workbench } from './workbench';

/** The way from "is this repository ready" to a message that mends it, with a real git repository in the window. */
describe('readiness of the open repository', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-C', folder, ...args], {
      encoding: 'utf8',
    });

  const showReport = (): Promise<void> =>
    clickFor(
      workbench.tab(/Readiness: acme/),
      workbench.webview().getByRole('heading', { level: 1, name: 'acme/shop' }),
    );

  before(async () => {
    folder = temporaryFolder('readiness');
    makeSampleWorkspace(folder);
    service = await startSampleService({
      pace: 0,
      openRepository: { url: sampleRemote, commits: sampleCommits(folder) },
    });
    workbench = await Workbench.open({
      folder,
      env: signedInTo(service),
    });
    await workbench.showOnly('Readiness');
  });
  after(async () => {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  });

  it('shows the repository first with what fails, and the others below', async () => {
    await workbench.row('Readiness', /acme\/shop.*%.*since/s).waitFor();
    await workbench.row('Readiness', /\d\/3.*\d+%/s).waitFor();
    await workbench.row('Readiness', /Passing/).waitFor();
    await workbench.row('Readiness', /Other repositories/).waitFor();
    const [first = ''] = await workbench.rows('Readiness').allInnerTexts();
    assert.match(first, /acme\/shop/);
    assert.equal(await workbench.row('Readiness', 'acme/billing').count(), 0);
  });

  it('tells that HEAD moved on as soon as Git knows', async () => {
    git('commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message', 'Later than the report');
    await workbench.runCommand('Git: Refresh');
    await workbench.row('Readiness', /acme\/shop.*1 commit behind/s).waitFor();
  });

  it('opens the report of a failing criterion as a page that holds up', async () => {
    const page = workbench.webview();
    const title = page.getByRole('heading', { level: 1, name: 'acme/shop' });
    await clickFor(workbench.row('Readiness', /\d\/3.*\d+%/s), title);
    await page.locator('tr.wanted:focus').waitFor();
    await page.getByText('HEAD has 1 commit that is not in the report.').waitFor();
    await page.getByRole('img', { name: /Score over \d+ reports/ }).waitFor();
    const trend = page.getByRole('table', { name: /Trend/ });
    assert.ok((await trend.getByRole('row').count()) > 5);
    assert.deepEqual(await workbench.inPage(violations), []);
  });

  it('takes the reader to the beginning of another report of the trend, and of a comparison', async () => {
    const page = workbench.webview();
    const title = page.getByRole('heading', { level: 1, name: 'acme/shop' });
    const focused = page.locator(':focus');
    const seen = async (): Promise<void> => {
      await workbench.pageShows(
        `(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();
        return top > -1 && bottom <= innerHeight;
      })()`,
        undefined,
      );
    };
    const older = page.getByRole('button', { name: /Compare with the report of/ });
    await older.last().click();
    await page.getByText(/\d+ worse, \d+ better/).waitFor();
    await page
      .getByRole('button', { name: 'Compare with the previous report of this branch' })
      .press('Enter');
    await title.and(focused).waitFor();
    await seen();
    const open = page.getByRole('button', { name: /^Open the report of/ });
    const newest = await page
      .getByRole('table', { name: /Trend/ })
      .locator('tr[aria-current] th')
      .innerText();
    await open.last().press('Enter');
    await title.and(focused).waitFor();
    await seen();
    await page
      .getByRole('button', { name: `Open the report of ${newest}`, exact: true })
      .first()
      .press('Enter');
    await page.locator('tr[aria-current] th', { hasText: newest }).waitFor();
    await title.and(focused).waitFor();
  });

  it('prepares a message that mends a criterion, and sends nothing', async () => {
    const fix = workbench
      .webview()
      .getByRole('button', { name: /^Fix (?!failing)/ })
      .first();
    const name = ((await fix.getAttribute('aria-label')) ?? '').replace('Fix ', '');
    await fix.click();
    await workbench.quickInput.getByText('New session…').waitFor();
    await workbench.pick('New session');
    await workbench.pick('atlas', 'Default');
    const composer = workbench.webview().getByRole('textbox');
    await composer.waitFor();
    const text = await composerText(workbench, 'Please fix');
    assert.match(text, /Please fix this readiness criterion of acme\/shop/);
    assert.ok(text.includes(name.toLowerCase().replaceAll(' ', '_')), text);
    assert.match(text, /apps\/web: Storefront/);
    assert.match(text, /commit [0-9a-f]{40}/);
    assert.deepEqual(
      service.requests.filter(({ path, method }) => method === 'POST' && path.endsWith('/messages')),
      [],
    );
  });

  it('adds to a draft that is there, and takes nothing of it away', async () => {
    await workbench.webview().getByRole('textbox').fill('My own words');
    await showReport();
    await workbench
      .webview()
      .getByRole('button', { name: /^Fix (?!failing)/ })
      .first()
      .click();
    await workbench.quickInput.getByText('New session…').waitFor();
    await workbench.quickInput.locator('.monaco-list-row').nth(1).click();
    await workbench.webview().getByRole('textbox').waitFor();
    const text = await composerText(workbench, 'My own words\n\nPlease fix this readiness criterion');
    assert.equal(text.split('Please fix').length, 2);
  });

  it('shows the same report again after a reload, and asks the service once more at most', async () => {
    await showReport();
    const asked = (): number => service.requests.filter(({ path }) => path.includes('maturity')).length;
    const before = asked();
    // With what its page keeps, and the chat that was opened after it: an earlier state of the window may lack both.
    await stored(workbench, /^(?=.*agentConsole\.chat)(?=.*agentConsole\.readinessReport.*reportId)/);
    await workbench.page.reload();
    // A browser may be reloaded before VS Code has stored which tab is in front.
    await showReport();
    assert.ok(asked() <= before + 1, `${asked() - before} readings after the reload`);
  });
});

/** What the reader sees where there is nothing to match, or nothing to read. */
describe('readiness without a repository', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = temporaryFolder('no-repository');
    service = await startSampleService({ pace: 0 });
  });
  after(async () => {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  });

  it('says why reports cannot be read, and reads them when asked again', async () => {
    const fault = service.fail({
      kind: 'status',
      status: 503,
      match: { path: '/api/organization/maturity-level-reports' },
    });
    workbench = await Workbench.open({
      folder,
      env: signedInTo(service),
    });
    await workbench.showOnly('Readiness');
    await workbench.view('Readiness').getByText(/503/).waitFor();
    await workbench.row('Readiness', 'Try again').waitFor();
    fault.dispose();
    await clickFor(workbench.row('Readiness', 'Try again'), workbench.row('Readiness', 'acme/billing'));
    await workbench.view('Readiness').getByText(/503/).waitFor({ state: 'detached' });
  });

  it('says that no repository is known, and opens the others by name', async () => {
    await workbench.row('Readiness', 'No repository is known here').waitFor();
    assert.equal(
      await workbench.page
        .locator('.statusbar-item[id$="agentConsole.readiness"]')
        .filter({ hasText: '%' })
        .count(),
      0,
    );
    await workbench.runCommand('Agent Console: Open readiness report');
    await workbench.quickInput.getByText('acme/shop').first().waitFor();
    await workbench.pick('acme/site');
    const page = workbench.webview();
    await page.getByRole('heading', { level: 1, name: 'acme/site' }).waitFor();
    await page.getByText(/Not known: the repository must be open in this window/).waitFor();
  });
});

/** 5,000 reports of one repository, the newest with 3,000 criteria, some of them malformed and all of them hostile. */
describe('readiness of a very large and hostile kind', () => {
  const EVIL = '[x](command:workbench.action.quit) <img src=x onerror=alert(1)> $(zap) \u202Egnp';
  let service: SampleService;
  let reports: FakeReports;
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = temporaryFolder('large');
    execFileSync('git', ['init', '--quiet', folder]);
    execFileSync('git', ['-C', folder, 'remote', 'add', 'mirror', 'git@GIT.example.com:acme/repo-0.git/']);
    service = await startSampleService({ pace: 0 });
    reports = await startReports({ count: 5_000, repositories: 1 });
    const many = Array.from({ length: 3_000 }, (_, index) => [
      `criterion_${index} ${EVIL}`,
      {
        numerator: index % 500 === 499 ? 5 : index % 3,
        denominator: 2,
        rationale: `${EVIL} **sure** ${index}`,
      },
    ]);
    Object.assign(reports.reports[0]!, {
      branch: EVIL,
      apps: { [EVIL]: { description: EVIL } },
      report: Object.fromEntries(many) as unknown,
    });
    reports.reports.push({ reportId: 'without anything' } as never);
    workbench = await Workbench.open({
      folder,
      env: signedInTo({ ...service, appUrl: reports.origin }),
    });
    await workbench.showOnly('Readiness');
  });
  after(async () => {
    await workbench.close();
    await reports.close();
    await service.close();
    removeFolder(folder);
  });

  it('draws as much as anybody reads, with every foreign text as text', async () => {
    const page = workbench.webview();
    const title = page.getByRole('heading', { level: 1, name: 'acme/repo-0' });
    await clickFor(workbench.row('Readiness', /Criterion 0 .*0\/2/s), title);
    await page.getByRole('img', { name: /Score over 5000 reports/ }).waitFor();
    const rows = page.getByRole('table', { name: /Criteria/ }).getByRole('row');
    await rows.nth(500).waitFor();
    assert.equal(await rows.count(), 501);
    await page.getByText('The first 500 of 2994 are shown.').waitFor();
    await page.getByText('The newest 500 of 5000 are shown.').waitFor();
    await page.locator('.rationale strong', { hasText: 'sure' }).first().waitFor();
    await page.getByRole('searchbox').fill('criterion_2998');
    await rows.nth(2).waitFor({ state: 'detached' });
    assert.equal(await page.locator('img[src], a[href]').count(), 0);
    assert.deepEqual(await workbench.inPage(violations), []);
  });
});

/** What the composer holds, once that contains these words. */
async function composerText(workbench: Workbench, words: string): Promise<string> {
  interface Browser {
    readonly document: { querySelector(selector: string): { readonly value: string } | null };
  }
  const shown = await workbench.pageShows(wanted => {
    const value = (globalThis as unknown as Browser).document.querySelector('textarea')?.value ?? '';
    return value.includes(wanted) && value;
  }, words);
  return String(shown);
}
