import assert from 'node:assert/strict';
import type { ReadinessReport } from '../../../src/api';
import { LocalGit, Matches } from '../../../src/readiness/git';
import { groupReports, type Repository } from '../../../src/readiness/model';
import { ReadinessCommands } from '../../../src/readiness/commands';
import { readinessRows, type RowsContext } from '../../../src/readiness/rows';
import { Tree } from '../../../src/ui/tree';
import type { GitRepository } from '../../../src/util/git';
import { drawnRows, fakeView, textOf } from '../../fakes/view';
import { choices, opened, Uri } from '../../fakes/vscode';

const DAY = 24 * 60 * 60_000;
const at = new Date(2025, 10, 12, 12).getTime();
const score = (numerator: number, denominator: number) => ({ numerator, denominator, rationale: 'Because.' });
const report = (repo: string, days: number, criteria: ReadinessReport['report']): ReadinessReport => ({
  reportId: `${repo} ${days}`,
  createdAt: at + days * DAY,
  repoUrl: `https://h.x/acme/${repo}`,
  report: criteria,
  apps: { 'apps/web': { description: 'Shop' } },
  branch: 'main',
  commitHash: 'a'.repeat(40),
});
const reports = [
  report('shop', 0, { lint: score(2, 2), type_check: score(1, 3) }),
  report('shop', 2, { lint: score(1, 2), type_check: score(3, 3), ci_pipeline: score(0, 1) }),
  report('billing', 1, { lint: score(2, 2) }),
];

describe('the rows of readiness', () => {
  const open = (path: string, ...urls: string[]): GitRepository =>
    ({
      rootUri: Uri.file(path),
      state: { remotes: urls.map(fetchUrl => ({ name: 'origin', fetchUrl })) },
    }) as unknown as GitRepository;
  const local = open('/w/shop', 'git@h.x:acme/shop.git');
  const trees: Tree[] = [];
  afterEach(() => trees.splice(0).forEach(tree => tree.dispose()));
  const treeOf = (
    repositoriesHere: readonly GitRepository[] = [local],
    repositories = groupReports(reports),
  ): Tree => {
    const context: RowsContext = {
      known: repositories,
      window: new Matches(repositories, repositoriesHere),
      git: { staleness: () => ({ behind: 1, isInHead: true }) },
    };
    const ready = (): Promise<void> => Promise.resolve();
    const tree = new Tree({ view: fakeView(), ready, roots: () => readinessRows(context) });
    trees.push(tree);
    return tree;
  };

  it('are this window’s repositories with what fails first, then all others', async () => {
    const rows = await textOf(treeOf());
    const end = rows.indexOf('Other repositories | 1');
    assert.deepEqual(rows.slice(0, 8), [
      'acme/shop | 67% · 1 commit behind · +7 since Nov 12, 2025',
      '  Lint | 1/2 · 50% · was 2/2',
      '  CI pipeline | 0/1 · 0% · new',
      '  Passing | 1',
      '    Type check | 3/3 · 100% · was 1/3',
      '  Applications | 1',
      '    apps/web | Shop',
      '  Reports | 2',
    ]);
    assert.ok(rows.includes('    Nov 14, 2025 | 67% · +7 · main'));
    assert.ok(rows[end + 1]?.startsWith('  acme/billing | 100%'));
    assert.deepEqual(await textOf(treeOf(undefined, new Map())), []);
  });

  it('hold what commands need, and the id of a criterion in its tooltip alone', async () => {
    const tree = treeOf();
    const rows = await drawnRows(tree);
    const lint = rows.find(({ text }) => text.startsWith('Lint'))!;
    assert.deepEqual(lint.item.command?.arguments, [
      { kind: 'criterion', key: 'h.x/acme/shop', criterion: 'lint' },
    ]);
    assert.equal(lint.item.accessibilityInformation?.label, 'Lint, fails, 1/2 · 50% · was 2/2, worse');
    const check = rows.find(({ text }) => text.startsWith('Type check'))!;
    const tooltip = (tree.resolveTreeItem(check.item, check.node).tooltip as { readonly value: string })
      .value;
    assert.match(tooltip, /^\*\*Type.*check\*\*[^]*Because\.[^]*type_check$/);
    assert.ok(!check.text.includes('type_check'));
    const ids = rows.map(({ item }) => item.id);
    assert.equal(new Set(ids).size, ids.length, 'no two rows have one id');
  });

  it('list repositories of this window without a report beside those with one, and say why they have none', async () => {
    const other = open('/w/other', 'https://me:secret@h.x/acme/other');
    const tree = treeOf([open('/w/alone'), local, other]);
    const rows = await drawnRows(tree);
    assert.deepEqual(
      rows.filter(({ depth }) => depth === 0).map(({ text }) => text.replace(/ \|.*%.*/, '')),
      ['acme/shop', 'alone | no remote', 'other | no report', 'Other repositories | 1'],
    );
    const { item, node } = rows.find(({ text }) => text.startsWith('other'))!;
    const { value } = tree.resolveTreeItem(item, node).tooltip as { readonly value: string };
    assert.ok(value.includes('acme/other') && !value.includes('secret'), value);
    const [alone] = await textOf(treeOf([open('/w/alone')]));
    assert.equal(alone, 'alone | no remote');
  });

  it('say why this window has no repository', async () => {
    const [first] = await drawnRows(treeOf([]));
    assert.match(first?.item.accessibilityInformation?.label ?? '', /^No repository is known here\. Open a/);
  });

  const commandsOf = (
    repositories: ReadonlyMap<string, Repository>,
    here: GitRepository,
    written: string[],
  ) =>
    new ReadinessCommands({
      reports: {
        ready: () => Promise.resolve(),
        known: repositories,
        window: { here: { repository: repositories.get('h.x/acme/shop')!, local: here } },
        shown: ({ key }) => {
          const repository = repositories.get(key)!;
          return { repository, report: repository.reports[0], local: here, isPartial: false };
        },
        commits: () => Promise.resolve(undefined),
        git: new LocalGit(),
      },
      open: () => undefined,
      prefill: ({ text }) => {
        written.push(text);
        return Promise.resolve(true);
      },
    });

  it('of two repositories that are to be fixed ask which one, and fix that one alone', async () => {
    const repositories = groupReports(reports.map(each => ({ ...each, report: { lint: score(0, 2) } })));
    const written: string[] = [];
    const { handlers } = commandsOf(repositories, local, written);
    const nodes = [...repositories.keys()].map(key => ({ key, criterion: 'lint' }));
    choices.push('acme/billing');
    await handlers.fix(nodes[1], nodes);
    assert.match(written.join(), /^Please fix the readiness of acme\/billing/);
    await handlers.fix(nodes[1], nodes);
    assert.equal(written.length, 1, 'nothing was chosen');
    await handlers.fix(nodes[1], [nodes[1]]);
    assert.match(written[1] ?? '', /acme\/shop/);
    written.length = 0;
    const two = ['lint', 'lint', 'ci_pipeline', 'type_check', 'not there'].map(criterion => ({
      ...nodes[1],
      criterion,
    }));
    await commandsOf(groupReports(reports), local, written).handlers.fix(two[0], two);
    assert.equal(written.length, 1);
    assert.deepEqual(written[0]?.match(/^- \w+: \d\/\d pass/gm), [
      '- ci_pipeline: 0/1 pass',
      '- lint: 1/2 pass',
    ]);
    const passing = commandsOf(groupReports(reports), local, []).handlers.fix(two[3], [two[3]]);
    await assert.rejects(Promise.resolve(passing), /None of the/);
  });

  it('are exported with how the report stands against HEAD, also before Git has been asked', async () => {
    const exported = async (behind: number, ahead: number, commitHash?: string): Promise<string> => {
      const git = {
        ...local,
        state: { HEAD: { commit: 'b'.repeat(40) } },
        log: ({ range }: { readonly range: string }) =>
          Promise.resolve(Array(range.startsWith('a') ? behind : ahead)),
      } as unknown as GitRepository;
      const given = groupReports(reports.map(each => ({ ...each, commitHash })));
      opened.length = 0;
      await commandsOf(given, git, []).handlers.exportReport();
      return opened.join();
    };
    const commit = 'a'.repeat(40);
    assert.match(await exported(3, 0, commit), /HEAD has 3 commits that are not in the report/);
    const [ahead, diverged] = [await exported(0, 1, commit), await exported(3, 1, commit)];
    for (const text of [ahead, diverged]) assert.match(text, /- The report's commit is not in HEAD/);
    assert.doesNotMatch(ahead, /- HEAD has/);
    assert.match(diverged, /- HEAD has 3 commits that are not in the report/);
    assert.match(await exported(0, 0), /- The report names no commit/);
  });
});
