import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { startReports, type FakeReports } from '../unit/readiness/reportsServer';
import { again, until } from '../until';
import { click, clickFor } from './waiting';
import { signedInTo, Workbench } from './workbench';

/** A workspace of several roots, with a fork, a submodule, and reports of commits that Git knows. */
describe('readiness of a workspace with several roots', () => {
  let service: SampleService;
  let reports: FakeReports;
  let parent: string;
  let workbench: Workbench;
  const commits: string[] = [];

  const git = (folder: string, ...args: readonly string[]): string =>
    execFileSync(
      'git',
      [
        ...['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always'],
        ...['-C', path.join(parent, folder), ...args],
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    ).trim();
  const repository = (folder: string, ...subjects: readonly string[]): void => {
    fs.mkdirSync(path.join(parent, folder), { recursive: true });
    git(folder, 'init', '--quiet', '--initial-branch=main');
    for (const subject of subjects) {
      git(folder, 'commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message', subject);
    }
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

  before(async () => {
    parent = temporaryFolder('readiness-roots');
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
    const folders = ['shop', 'bare', 'notes'].map(folder => ({ path: folder }));
    fs.writeFileSync(workspace, JSON.stringify({ folders }));
    service = await startSampleService({ pace: 0 });
    reports = await startReports({ count: 0 });
    for (const url of ['acme/billing', 'acme/ui', 'acme/shop']) {
      report(`https://git.example.com/${url}`, 0, undefined);
    }
    for (const [month, commit] of [0, 2, 4].entries()) {
      report('https://git.example.com/fork/shop', month, commits[commit]);
    }
    workbench = await Workbench.open({
      folder: workspace,
      // All rows are seen at once.
      contextOptions: { viewport: { width: 1280, height: 920 } },
      env: signedInTo({ ...service, appUrl: reports.origin }),
    });
    await workbench.showOnly('Readiness');
  });
  after(async () => {
    await workbench.close();
    await reports.close();
    await service.close();
    removeFolder(parent);
  });

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
    const before = await workbench.inPage(frame => frame.evaluate(scrolled));
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
    await workbench.pageShows(
      wanted => Math.abs((globalThis as unknown as { readonly scrollY: number }).scrollY - wanted) < 3,
      before,
    );
  });

  it('reveals the folder of an application', async () => {
    await workbench.turn('Readiness', 'Applications', true);
    const folder = workbench.page.locator('.explorer-folders-view .monaco-list-row.selected', {
      hasText: 'web',
    });
    await clickFor(workbench.row('Readiness', /apps\/web/), folder);
  });

  it('hides its status bar item where a person does not want it', async () => {
    const bar = workbench.page.locator('.statusbar-item[id$="agentConsole.readiness"]');
    await bar.filter({ hasText: '%' }).waitFor();
    await toggle('agentConsole.readiness.statusBar', false);
    await bar.waitFor({ state: 'detached' });
  });

  it('says that no repository is known while Git is turned off, and knows the repositories again when it is on', async () => {
    await workbench.openContainer('Agent Console');
    await workbench.row('Readiness', 'fork/shop').waitFor();
    await toggle('git.enabled', false);
    await workbench.row('Readiness', 'No repository is known here').waitFor();
    await toggle('git.enabled', true);
    await workbench.row('Readiness', 'No repository is known here').waitFor({ state: 'detached' });
    await workbench.row('Readiness', /fork\/shop\s*40%/).waitFor();
  });
});

/** How far the page is scrolled, px. */
function scrolled(): number {
  return (globalThis as unknown as { readonly scrollY: number }).scrollY;
}
