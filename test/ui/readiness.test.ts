import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SampleService } from '../fakes/sampleService';
import { again, until } from '../until';
import { startReports, type FakeReports } from '../unit/readiness/support';
import { violations } from './page';
import { onStage, signedInTo } from './stage';
import { click, clickFor } from './waiting';
import { stored } from './window';
import type { Workbench } from './workbench';

const EVIL = '[x](command:workbench.action.quit) <img src=x onerror=alert(1)> $(zap) \u202Egnp';

/** From "are these repositories ready" to a message that mends one, with real repositories in a window of several roots. */
describe('readiness', () => {
  let reports: FakeReports;
  let service: SampleService;
  let parent: string;
  let workbench: Workbench;

  /** Git of nobody in a folder. */
  const git = (of: string, ...args: readonly string[]): string => {
    const settings = ['user.name=A', 'user.email=a@example.com', 'protocol.file.allow=always'];
    const all = [...settings.flatMap(each => ['-c', each]), '-C', path.join(parent, of), ...args];
    return execFileSync('git', all, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  };
  const commit = (folder: string, subject: string): string =>
    git(folder, 'commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message', subject);
  const repository = (folder: string, ...subjects: readonly string[]): void => {
    fs.mkdirSync(path.join(parent, folder), { recursive: true });
    git(folder, 'init', '--quiet', '--initial-branch=main');
    for (const subject of subjects) commit(folder, subject);
  };
  const report = (name: string, month: number, commitHash?: string): void => {
    reports.reports.unshift({
      reportId: `${name} ${month}`,
      // The same day in every time zone the tests run in.
      createdAt: Date.UTC(2025, month, 10, 11, 30),
      repoUrl: `https://git.example.com/${name}`,
      apps: { 'apps/web': { description: 'Storefront' }, 'services/api': { description: EVIL } },
      report: {
        lint: {
          numerator: Math.min(2, Math.max(0, 2 - month)),
          denominator: 2,
          rationale: `No linter. ${EVIL}`,
        },
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
  const row = (text: string | RegExp) => workbench.row('Readiness', text);
  const title = () => workbench.front.getByRole('heading', { level: 1, name: 'fork/shop' });
  const showReport = (): Promise<void> => clickFor(workbench.tab(/Readiness: fork/), title());

  onStage(
    async stage => {
      ({ service, workbench } = stage);
      await workbench.showOnly('Readiness');
    },
    // All rows are seen at once.
    { files: {}, height: 920 },
    async prepared => {
      ({ parent } = prepared);
      repository('ui-source', 'Parts of the interface');
      repository('shop', 'Change 1', 'Change 2', 'Change 3', 'Change 4', 'Change 5');
      const commits = git('shop', 'log', '--reverse', '--format=%H').split('\n');
      git('shop', 'submodule', '--quiet', 'add', path.join(parent, 'ui-source'), 'libs/ui');
      git('shop/libs/ui', 'remote', 'set-url', 'origin', 'git@git.example.com:acme/ui.git');
      git('shop', 'remote', 'add', 'origin', 'https://git.example.com/fork/shop.git');
      git('shop', 'remote', 'add', 'upstream', 'ssh://git@git.example.com:7999/acme/shop.git');
      fs.mkdirSync(path.join(parent, 'shop', 'apps', 'web'), { recursive: true });
      // VS Code shows a dot of its own instead of a folder's mark when a file in it has changed.
      fs.writeFileSync(path.join(parent, 'shop', 'apps', 'web', '.keep'), '');
      fs.appendFileSync(path.join(parent, 'shop', '.git', 'info', 'exclude'), 'apps/\n');
      repository('bare', 'Alone');
      fs.mkdirSync(path.join(parent, 'notes'));
      const folder = path.join(parent, 'all.code-workspace');
      const folders = ['shop', 'bare', 'notes'].map(name => ({ path: name }));
      fs.writeFileSync(folder, JSON.stringify({ folders }));
      reports = await startReports({ count: 0 });
      for (let month = -500; month <= 0; month++) report('acme/billing', month);
      for (const name of ['acme/ui', 'acme/shop']) report(name, 0);
      for (const [month, at] of [0, 2, 4].entries()) report('fork/shop', month, commits[at]);
      return { folder, env: signedInTo({ ...prepared.service, appUrl: reports.origin }) };
    },
  );
  after(() => reports.close());

  it('shows a fork and its parent, and a submodule, and that HEAD moved on as soon as Git knows', async () => {
    await row(/Other repositories\s*1/).waitFor();
    for (const name of ['fork/shop', 'acme/shop', 'acme/ui']) await workbench.turn('Readiness', name, false);
    // One after the other, each just once.
    const wanted = [/fork\/shop/, /acme\/shop/, /acme\/ui/, /^bare.*no remote/s, /Other repositories/];
    await until(async () => {
      const rows = await workbench.rows('Readiness').allInnerTexts();
      return rows.length === wanted.length && wanted.every((text, index) => text.test(rows[index] ?? ''));
    });
    commit('shop', 'Later than the report');
    await workbench.runCommand('Git: Refresh');
    await workbench.pick('shop');
    await row(/fork\/shop.*1 commit behind/s).waitFor();
  });

  it('opens the report of a failing criterion as a page that holds up, with every foreign text as text', async () => {
    await workbench.turn('Readiness', 'fork/shop', true);
    await clickFor(row(/Lint.*0\/2/s), title());
    await workbench.front.locator('tr.wanted:focus').waitFor();
    await workbench.front.getByText('HEAD has 1 commit that is not in the report.').waitFor();
    await workbench.front.getByRole('img', { name: 'Score over 3 reports' }).waitFor();
    await workbench.front.getByRole('searchbox').fill('onerror=alert');
    await workbench.front.locator('.rationale').getByText(EVIL.slice(0, 20)).waitFor();
    await workbench.front.getByRole('searchbox').fill('');
    assert.equal(await workbench.front.locator('img[src], a[href]').count(), 0);
    assert.deepEqual(await workbench.inPage(violations), []);
  });

  it('takes the reader to the beginning of another report of the trend, and of a comparison', async () => {
    const act = (name: string | RegExp) => workbench.front.getByRole('button', { name });
    const isAtBeginning = async (): Promise<void> => {
      await title().and(workbench.front.locator(':focus')).waitFor();
      await workbench.pageShows(`(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();
        return top > -1 && bottom <= innerHeight;
      })()`);
    };
    await act(/Compare with the report of Jan/).press('Enter');
    await workbench.front.getByText('1 worse, 0 better').waitFor();
    await act('Compare with the previous report of this branch').press('Enter');
    await isAtBeginning();
    for (const month of ['Jan', 'Mar']) {
      await act(new RegExp(`^Open the report of ${month}`))
        .last()
        .press('Enter');
      await workbench.front.locator('tr[aria-current] th', { hasText: month }).waitFor();
      await isAtBeginning();
    }
  });

  it('prepares a message that mends a criterion, and sends nothing', async () => {
    await workbench.front.getByRole('button', { name: 'Fix Lint' }).click();
    await workbench.quickInput.getByText('New session…').waitFor();
    await workbench.pick('New session', 'atlas', 'Default');
    const composer = workbench.front.getByRole('textbox', { name: 'Message to the agent' });
    await composer.waitFor();
    await workbench.pageShows(`document.querySelector('textarea')?.value.includes('Please fix')`);
    const text = await composer.inputValue();
    for (const part of [
      /readiness of fork\/shop/,
      /lint: 0\/2/,
      /apps\/web: Storefront/,
      /commit [0-9a-f]{40}/,
    ])
      assert.match(text, part);
    assert.ok(
      !service.requests.some(({ path: at, method }) => method === 'POST' && at.endsWith('/messages')),
    );
  });

  it('compares two rows of the tree, lists the commits between them, and shows that again after a reload', async () => {
    await workbench.turn('Readiness', /^\s*Reports/, true);
    await clickFor(row('Mar 10, 2025'), title());
    await row('Jan 10, 2025').click({ modifiers: ['ControlOrMeta'] });
    await workbench.view('Readiness').locator('.monaco-list-row.selected').nth(1).waitFor();
    await workbench.contextMenu(row('Jan 10, 2025'), 'Compare readiness reports');
    const compared = async (): Promise<void> => {
      await workbench.front.getByRole('heading', { name: /Changes since Jan 10, 2025/ }).waitFor();
      const listed = workbench.front.getByRole('table', { name: 'Commits between the two reports' });
      await until(async () => {
        const subjects = await listed.locator('tbody td:nth-child(2)').allInnerTexts();
        return subjects.join() === 'Change 5,Change 4,Change 3,Change 2';
      });
    };
    await compared();
    await workbench.front.locator('.rationale li', { hasText: 'no script' }).waitFor();
    await workbench.front.getByText('The newer report has 4 commits that the older one does not.').waitFor();
    // With what its page keeps, and the chat that was opened before it: an earlier state of the window may lack both.
    await stored(workbench, /^(?=.*agentConsole\.chat)(?=.*agentConsole\.readinessReport.*baseId)/);
    await workbench.page.reload();
    // A browser may be reloaded before VS Code has stored which tab is in front.
    await showReport();
    await compared();
  });

  it('exports Markdown, and stands as it was left when its tab is shown again', async () => {
    await workbench.front.getByRole('combobox').selectOption('failing');
    await workbench.front.getByRole('searchbox').fill('tests');
    const criteria = workbench.front.getByRole('table', { name: /Criteria/ }).getByRole('row');
    await criteria.nth(2).waitFor({ state: 'detached' });
    await workbench.front.getByRole('heading', { name: 'About this report' }).scrollIntoViewIfNeeded();
    const before = await workbench.inPage(frame => frame.evaluate<number>('scrollY'));
    assert.ok(before > 0);
    await workbench.front
      .getByRole('button', { name: 'Export Markdown' })
      .evaluate(button => (button as { click(): void }).click());
    const exported = workbench.page.locator('.monaco-editor .view-lines', {
      hasText: 'Readiness of fork/shop',
    });
    await exported.waitFor();
    await showReport();
    assert.equal(await workbench.front.getByRole('searchbox').inputValue(), 'tests');
    assert.equal(await workbench.front.getByRole('combobox').inputValue(), 'failing');
    assert.equal(await criteria.count(), 2);
    await workbench.pageShows(`Math.abs(scrollY - ${before}) < 3`);
  });

  it('draws as much of a long trend as anybody reads', async () => {
    await workbench.runCommand('Agent Console: Open readiness report');
    await workbench.pick('acme/billing');
    await workbench.front.getByRole('img', { name: 'Score over 501 reports' }).waitFor();
    await workbench.front.getByText('The newest 500 of 501 are shown.').waitFor();
  });

  it('reveals the folder of an application', async () => {
    await workbench.turn('Readiness', 'Applications', true);
    const folder = workbench.page.locator('.explorer-folders-view .monaco-list-row.selected');
    await clickFor(row(/apps\/web/), folder.filter({ hasText: 'web' }));
  });

  it('says that no repository is known while Git is turned off, and hides its status bar item where a person wants that', async () => {
    const { page: window } = workbench;
    const toggle = async (setting: string, on: boolean): Promise<void> => {
      const box = window.locator(`.settings-editor [role="checkbox"][aria-label="${setting}"]`);
      const turned = box.and(window.locator(`[aria-checked="${String(on)}"]`));
      await workbench.runCommand('Preferences: Open Settings (UI)');
      await again(
        async limit => {
          await click(window.locator('.settings-editor .suggest-input-container'), limit);
          await window.keyboard.press('ControlOrMeta+a');
          await window.keyboard.type(`@id:${setting}`);
          await box.waitFor(limit);
          if (!(await turned.isVisible())) await click(box, limit);
        },
        limit => turned.waitFor(limit),
      );
    };
    const bar = workbench.statusItem('readiness');
    await workbench.openContainer('Agent Console');
    await bar.filter({ hasText: '%' }).waitFor();
    await toggle('agentConsole.readiness.statusBar', false);
    await bar.waitFor({ state: 'detached' });
    for (const [isOn, shown] of [
      [false, row('No repository is known here')],
      [true, row(/fork\/shop\s*40%/)],
    ] as const) {
      await toggle('git.enabled', isOn);
      await workbench.openContainer('Agent Console');
      await shown.waitFor();
    }
  });
});
