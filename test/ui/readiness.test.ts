import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SampleService } from '../fakes/sampleService';
import { again, until } from '../until';
import { startReports, type FakeReports } from '../unit/readiness/support';
import { onStage, signedInTo } from './stage';
import { click, clickFor } from './waiting';
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

  it('opens the report of a failing criterion with every foreign text as text, and leads the reader to the beginning of others', async () => {
    const page = workbench.front;
    const act = (name: string | RegExp) => page.getByRole('button', { name });
    const isAtBeginning = async (): Promise<void> => {
      await title().and(page.locator(':focus')).waitFor();
      await workbench.pageShows(`(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();
        return top > -1 && bottom <= innerHeight;
      })()`);
    };
    await workbench.turn('Readiness', 'fork/shop', true);
    await clickFor(row(/Lint.*0\/2/s), title());
    await page.locator('tr.wanted:focus').waitFor();
    await page.getByText('HEAD is 1 commit ahead of the report.').waitFor();
    await page.getByRole('img', { name: 'Score over 3 reports' }).waitFor();
    await page.getByRole('searchbox').fill('onerror=alert');
    await page.locator('.rationale').getByText(EVIL.slice(0, 20)).waitFor();
    await page.getByRole('searchbox').fill('');
    assert.equal(await page.locator('img[src], a[href]').count(), 0);
    await act(/Compare with the report of Jan/).press('Enter');
    await page.getByText('1 worse, 0 better').waitFor();
    await act('Compare with the previous report of this branch').press('Enter');
    await isAtBeginning();
    await act(/^Open the report of Jan/)
      .last()
      .press('Enter');
    await page.locator('tr[aria-current] th', { hasText: 'Jan' }).waitFor();
    await isAtBeginning();
  });

  it('prepares a message that mends a criterion, and sends nothing', async () => {
    await workbench.front.getByRole('button', { name: 'Fix Unit tests' }).click();
    await workbench.quickInput.getByText('New session…').waitFor();
    await workbench.pick('New session', 'atlas', 'Default');
    const composer = workbench.front.getByRole('textbox', { name: 'Message to the agent' });
    await composer.waitFor();
    await workbench.pageShows(`document.querySelector('textarea')?.value.includes('Please improve')`);
    const asked = /readiness of fork\/shop[^]*apps\/web: Storefront/;
    assert.match(await composer.inputValue(), asked);
    assert.ok(
      !service.requests.some(({ method, path: at }) => method === 'POST' && at.endsWith('/messages')),
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
    await workbench.front.getByRole('combobox').selectOption('failing');
    await workbench.front.getByRole('searchbox').fill('tests');
    // With what its page keeps, and the chat that was opened before it: an earlier state of the window may lack both.
    await stored(
      workbench,
      /^(?=.*agentConsole\.chat)(?=.*agentConsole\.readinessReport.*baseId)(?=.*words\\*":\\*"tests)/,
    );
    await workbench.page.reload();
    // A browser may be reloaded before VS Code has stored which tab is in front.
    await clickFor(workbench.tab(/Readiness: fork/), title());
    await compared();
    assert.equal(await workbench.front.getByRole('combobox').inputValue(), 'failing');
    assert.equal(await workbench.front.getByRole('searchbox').inputValue(), 'tests');
  });

  it('draws as much of a long trend as anybody reads, and reveals the folder of an application', async () => {
    await workbench.runCommand('Agent Console: Open readiness report');
    await workbench.pick('acme/billing');
    await workbench.front.getByRole('img', { name: 'Score over 501 reports' }).waitFor();
    await workbench.front.getByText('The newest 500 of 501 are shown.').waitFor();
    await workbench.turn('Readiness', 'Applications', true);
    const folder = workbench.page.locator('.explorer-folders-view .monaco-list-row.selected');
    await clickFor(row(/apps\/web/), folder.filter({ hasText: 'web' }));
  });

  it('hides its status bar item where a person wants that', async () => {
    const { page } = workbench;
    const bar = workbench.statusItem('readiness');
    const setting = 'agentConsole.readiness.statusBar';
    const box = page.locator(`.settings-editor [role="checkbox"][aria-label="${setting}"]`);
    const checked = box.and(page.locator('[aria-checked="true"]'));
    await bar.filter({ hasText: '%' }).waitFor();
    await workbench.runCommand('Preferences: Open Settings (UI)');
    await again(
      async limit => {
        await click(page.locator('.settings-editor .suggest-input-container'), limit);
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type(`@id:${setting}`);
        await box.waitFor(limit);
        if (await checked.isVisible()) await click(checked, limit);
      },
      limit => bar.waitFor({ ...limit, state: 'detached' }),
    );
  });
});

/** Leaves the window, each time of which makes it store its state, until the store holds what is wanted. */
async function stored({ page }: Workbench, wanted: RegExp): Promise<void> {
  await until(async () => {
    await page.evaluate(`for (const isFocused of [true, false]) {
      document.hasFocus = () => isFocused;
      document.dispatchEvent(new Event('visibilitychange'));
    }`);
    return page.evaluate<boolean>(`(async wanted => {
      const result = request => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(new Error('The store cannot be read.'));
      });
      for (const { name } of await indexedDB.databases()) {
        if (!name.startsWith('vscode-web-state-db')) continue;
        const database = await result(indexedDB.open(name));
        const values = await result(database.transaction('ItemTable').objectStore('ItemTable').getAll());
        database.close();
        if (values.some(value => wanted.test(String(value)))) return true;
      }
      return false;
    })(${String(wanted)})`);
  });
}
