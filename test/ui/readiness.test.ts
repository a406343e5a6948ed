import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SampleService } from '../fakes/sampleService';
import { again, until } from '../until';
import { startReports, type FakeReports } from '../unit/readiness/support';
import { violations } from './page';
import { onStage, reportsOf, signedInTo } from './stage';
import { click, clickFor } from './waiting';
import { stored } from './window';
import type { Workbench } from './workbench';

/** Git of nobody in a folder. */
const gitIn = (folder: string, ...args: readonly string[]): string => {
  const settings = ['user.name=A', 'user.email=a@example.com', 'protocol.file.allow=always'];
  const all = [...settings.flatMap(setting => ['-c', setting]), '-C', folder, ...args];
  return execFileSync('git', all, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
};

const commitIn = (folder: string, subject: string): string =>
  gitIn(folder, 'commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message', subject);

/** The way from "is this repository ready" to a message that mends it, with a real git repository in the window. */
describe('readiness of the open repository', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  const showReport = (): Promise<void> =>
    clickFor(
      workbench.tab(/Readiness: acme/),
      workbench.webview().getByRole('heading', { level: 1, name: 'acme/shop' }),
    );

  onStage(
    async stage => {
      ({ service, folder, workbench } = stage);
      await workbench.showOnly('Readiness');
    },
    { service: reportsOf },
  );

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
    commitIn(folder, 'Later than the report');
    await workbench.runCommand('Git: Refresh');
    await workbench.row('Readiness', /acme\/shop.*4 commits behind/s).waitFor();
  });

  it('opens the report of a failing criterion as a page that holds up', async () => {
    const page = workbench.webview();
    const title = page.getByRole('heading', { level: 1, name: 'acme/shop' });
    await clickFor(workbench.row('Readiness', /\d\/3.*\d+%/s), title);
    await page.locator('tr.wanted:focus').waitFor();
    await page.getByText('HEAD has 4 commits that are not in the report.').waitFor();
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
      await workbench.pageShows(`(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();
        return top > -1 && bottom <= innerHeight;
      })()`);
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
    await workbench.pageShows(`document.querySelector('textarea')?.value.includes('Please fix')`);
    const text = await composer.inputValue();
    assert.match(text, /Please fix the readiness of acme\/shop/);
    assert.ok(text.includes(name.toLowerCase().replaceAll(' ', '_')), text);
    assert.match(text, /apps\/web: Storefront/);
    assert.match(text, /commit [0-9a-f]{40}/);
    assert.deepEqual(
      service.requests.filter(({ path, method }) => method === 'POST' && path.endsWith('/messages')),
      [],
    );
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

/** 5,000 reports of one repository, the newest with 1,000 criteria, some of them malformed and all of them hostile. */
describe('readiness of a very large and hostile kind', () => {
  const EVIL = '[x](command:workbench.action.quit) <img src=x onerror=alert(1)> $(zap) \u202Egnp';
  let reports: FakeReports;
  let workbench: Workbench;

  onStage(
    async stage => {
      ({ workbench } = stage);
      await workbench.showOnly('Readiness');
    },
    { files: {} },
    async ({ service, folder }) => {
      gitIn(folder, 'init', '--quiet');
      gitIn(folder, 'remote', 'add', 'mirror', 'git@GIT.example.com:acme/repo-0.git/');
      reports = await startReports({ count: 5_000, repositories: 1 });
      const many = Array.from({ length: 1_000 }, (_, index) => [
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
      return { env: signedInTo({ ...service, appUrl: reports.origin }) };
    },
  );
  after(() => reports.close());

  it('draws every criterion, and as much of the trend as anybody reads, with every foreign text as text', async () => {
    const page = workbench.webview();
    const title = page.getByRole('heading', { level: 1, name: 'acme/repo-0' });
    await clickFor(workbench.row('Readiness', /Criterion 0 .*0\/2/s), title);
    await page.getByRole('img', { name: /Score over 5000 reports/ }).waitFor();
    const rows = page.locator('#criteria tbody tr:not([hidden])');
    await rows.nth(997).waitFor();
    await page.getByText('The newest 500 of 5000 are shown.').waitFor();
    await page.locator('.rationale strong', { hasText: 'sure' }).first().waitFor();
    await page.getByRole('searchbox').fill('criterion_998');
    await rows.nth(1).waitFor({ state: 'detached' });
    assert.equal(await page.locator('img[src], a[href]').count(), 0);
    assert.deepEqual(await workbench.inPage(violations), []);
  });
});

/** A workspace of several roots, with a fork, a submodule, and reports of commits that Git knows. */
describe('readiness of a workspace with several roots', () => {
  let reports: FakeReports;
  let parent: string;
  let workbench: Workbench;
  const commits: string[] = [];

  const git = (of: string, ...args: readonly string[]): string => gitIn(path.join(parent, of), ...args);
  const repository = (folder: string, ...subjects: readonly string[]): void => {
    fs.mkdirSync(path.join(parent, folder), { recursive: true });
    git(folder, 'init', '--quiet', '--initial-branch=main');
    for (const subject of subjects) commitIn(path.join(parent, folder), subject);
  };
  const report = (repoUrl: string, month: number, commitHash: string | undefined): void => {
    reports.reports.unshift({
      reportId: `${repoUrl} ${month}`,
      // The same day in every time zone the tests run in.
      createdAt: Date.UTC(2025, month, 10, 11, 30),
      repoUrl,
      apps: { 'apps/web': { description: 'Storefront' }, 'services/api': { description: 'Interface' } },
      report: {
        lint: { numerator: 0, denominator: 2, rationale: 'No linter anywhere.' },
        unit_tests: {
          numerator: 1,
          denominator: 2,
          rationale: 'None in `apps/web`:\n- no runner\n- no script',
        },
        readme: { numerator: 1, denominator: 1, rationale: 'There is one.' },
      },
      branch: 'main',
      commitHash,
    });
  };
  /** Ticks a setting in the settings editor, or takes the tick away. */
  const toggle = async (setting: string, on: boolean): Promise<void> => {
    const { page } = workbench;
    const box = page.locator(`.settings-editor [role="checkbox"][aria-label="${setting}"]`);
    const turned = box.and(page.locator(`[aria-checked="${String(on)}"]`));
    await workbench.runCommand('Preferences: Open Settings (UI)');
    await again(
      async limit => {
        await click(page.locator('.settings-editor .suggest-input-container'), limit);
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type(`@id:${setting}`);
        await box.waitFor(limit);
        if (!(await turned.isVisible())) await click(box, limit);
      },
      limit => turned.waitFor(limit),
    );
  };

  onStage(
    async stage => {
      ({ workbench } = stage);
      await workbench.showOnly('Readiness');
    },
    // All rows are seen at once.
    { files: {}, height: 920 },
    async prepared => {
      ({ parent } = prepared);
      repository('ui-source', 'Parts of the interface');
      repository('shop', 'Change 1', 'Change 2', 'Change 3', 'Change 4', 'Change 5');
      commits.push(...git('shop', 'log', '--reverse', '--format=%H').split('\n'));
      git('shop', 'submodule', '--quiet', 'add', path.join(parent, 'ui-source'), 'libs/ui');
      git(path.join('shop', 'libs', 'ui'), 'remote', 'set-url', 'origin', 'git@git.example.com:acme/ui.git');
      git('shop', 'remote', 'add', 'origin', 'https://git.example.com/fork/shop.git');
      git('shop', 'remote', 'add', 'upstream', 'ssh://git@git.example.com:7999/acme/shop.git');
      fs.mkdirSync(path.join(parent, 'shop', 'apps', 'web'), { recursive: true });
      // VS Code shows a dot of its own instead of a folder's mark when a file in it has changed.
      fs.writeFileSync(path.join(parent, 'shop', 'apps', 'web', '.keep'), '');
      fs.appendFileSync(path.join(parent, 'shop', '.git', 'info', 'exclude'), 'apps/\n');
      repository('bare', 'Alone');
      fs.mkdirSync(path.join(parent, 'notes'));
      const workspace = path.join(parent, 'all.code-workspace');
      const folders = ['shop', 'bare', 'notes'].map(name => ({ path: name }));
      fs.writeFileSync(workspace, JSON.stringify({ folders }));
      reports = await startReports({ count: 0 });
      for (const url of ['acme/billing', 'acme/ui', 'acme/shop']) {
        report(`https://git.example.com/${url}`, 0, undefined);
      }
      for (const [month, commit] of [0, 2, 4].entries()) {
        report('https://git.example.com/fork/shop', month, commits[commit]);
      }
      return {
        folder: path.join(parent, 'all.code-workspace'),
        env: signedInTo({ ...prepared.service, appUrl: reports.origin }),
      };
    },
  );
  after(() => reports.close());

  it('shows a fork and its parent, and a submodule', async () => {
    await workbench.row('Readiness', /Other repositories\s*1/).waitFor();
    for (const name of ['fork/shop', 'acme/shop', 'acme/ui']) await workbench.turn('Readiness', name, false);
    // One after the other, each just once.
    const wanted = [/fork\/shop/, /acme\/shop/, /acme\/ui/, /^bare.*no remote/s, /Other repositories/];
    await until(async () => {
      const rows = await workbench.rows('Readiness').allInnerTexts();
      return rows.length === wanted.length && wanted.every((text, index) => text.test(rows[index] ?? ''));
    });
  });

  it('compares two rows of the tree, and lists the commits between them', async () => {
    await workbench.turn('Readiness', 'fork/shop', true);
    await workbench.turn('Readiness', /^\s*Reports/, true);
    const row = (day: string) => workbench.row('Readiness', day);
    await clickFor(
      row('Mar 10, 2025'),
      workbench.webview().getByRole('heading', { level: 1, name: 'fork/shop' }),
    );
    await row('Jan 10, 2025').click({ modifiers: ['ControlOrMeta'] });
    await workbench.view('Readiness').locator('.monaco-list-row.selected').nth(1).waitFor();
    await workbench.contextMenu(row('Jan 10, 2025'), 'Compare readiness reports');
    const page = workbench.webview();
    await page.getByRole('heading', { name: /Changes since Jan 10, 2025/ }).waitFor();
    const listed = page.getByRole('table', { name: 'Commits between the two reports' });
    await listed.getByText('Change 5').waitFor();
    await page.locator('.rationale li', { hasText: 'no script' }).waitFor();
    assert.deepEqual(await listed.locator('tbody td:nth-child(2)').allInnerTexts(), [
      'Change 5',
      'Change 4',
      'Change 3',
      'Change 2',
    ]);
    await page.getByText('The newer report has 4 commits that the older one does not.').waitFor();
  });

  it('exports Markdown, and stands as it was left when its tab is shown again', async () => {
    const page = workbench.webview();
    await page.getByRole('combobox').selectOption('failing');
    await page.getByRole('searchbox').fill('tests');
    const criteria = page.getByRole('table', { name: /Criteria/ }).getByRole('row');
    await criteria.nth(2).waitFor({ state: 'detached' });
    const about = page.getByRole('heading', { name: 'About this report' });
    await about.scrollIntoViewIfNeeded();
    const before = await workbench.inPage(frame => frame.evaluate<number>('scrollY'));
    assert.ok(before > 0);
    await page
      .getByRole('button', { name: 'Export Markdown' })
      .evaluate(button => (button as { click(): void }).click());
    await workbench.page
      .locator('.monaco-editor .view-lines', { hasText: 'Readiness of fork/shop' })
      .waitFor();
    await clickFor(workbench.tab(/Readiness: fork/), about);
    assert.equal(await page.getByRole('searchbox').inputValue(), 'tests');
    assert.equal(await page.getByRole('combobox').inputValue(), 'failing');
    assert.equal(await criteria.count(), 2);
    await page.getByRole('table', { name: 'Commits between the two reports' }).waitFor();
    await workbench.pageShows(`Math.abs(scrollY - ${before}) < 3`);
  });

  it('reveals the folder of an application', async () => {
    await workbench.turn('Readiness', 'Applications', true);
    const folder = workbench.page.locator('.explorer-folders-view .monaco-list-row.selected', {
      hasText: 'web',
    });
    await clickFor(workbench.row('Readiness', /apps\/web/), folder);
  });

  it('says that no repository is known while Git is turned off, and hides its status bar item where a person wants that', async () => {
    const none = workbench.row('Readiness', 'No repository is known here');
    const bar = workbench.page.locator('.statusbar-item[id$="agentConsole.readiness"]');
    await workbench.openContainer('Agent Console');
    await bar.filter({ hasText: '%' }).waitFor();
    await toggle('git.enabled', false);
    await none.waitFor();
    await toggle('git.enabled', true);
    await workbench.openContainer('Agent Console');
    await none.waitFor({ state: 'detached' });
    await workbench.row('Readiness', /fork\/shop\s*40%/).waitFor();
    await bar.filter({ hasText: '%' }).waitFor();
    await toggle('agentConsole.readiness.statusBar', false);
    await bar.waitFor({ state: 'detached' });
  });
});
