import assert from 'node:assert/strict';
import type { ReadinessReport } from '../../../src/api';
import { ReadinessCommands } from '../../../src/readiness/commands';
import { LocalGit, Matches } from '../../../src/readiness/git';
import { groupReports } from '../../../src/readiness/model';
import { readinessRows } from '../../../src/readiness/rows';
import { Tree } from '../../../src/ui/tree';
import type { GitRepository } from '../../../src/util/git';
import { drawnRows, fakeView, textOf } from '../../fakes/view';
import { choices, opened, Uri } from '../../fakes/vscode';
import { report as reportOf, score } from './support';

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];
const report = (repo: string, day: number, criteria: ReadinessReport['report']): ReadinessReport =>
  reportOf(criteria, {
    createdAt: new Date(2025, 10, day, 12).getTime(),
    repoUrl: `https://h.x/acme/${repo}`,
    apps: { 'apps/web': { description: 'Shop' } },
    ...{ branch: 'main', commitHash: A },
  });
const reports = [
  report('shop', 12, { lint: score(2), type_check: score(1, 3) }),
  report('shop', 14, { lint: score(1), type_check: score(3, 3), ci_pipeline: score(0, 1) }),
  report('billing', 13, { lint: score(2) }),
];
const open = (path: string, ...urls: string[]): GitRepository =>
  ({
    rootUri: Uri.file(path),
    state: { remotes: urls.map(fetchUrl => ({ name: 'origin', fetchUrl })) },
  }) as unknown as GitRepository;
const local = open('/w/shop', 'git@h.x:acme/shop.git');

describe('the rows of readiness', () => {
  const trees: Tree[] = [];
  afterEach(() => trees.splice(0).forEach(tree => tree.dispose()));
  const treeOf = (repositoriesHere = [local], known = groupReports(reports)): Tree => {
    const window = new Matches(known, repositoriesHere);
    const git = { staleness: () => ({ behind: 1, isInHead: true }) };
    const roots = () => readinessRows({ known, window, git });
    const tree = new Tree({ view: fakeView(), ready: () => Promise.resolve(), roots });
    trees.push(tree);
    return tree;
  };
  const tooltipOf = async (tree: Tree, start: string) => {
    const row = (await drawnRows(tree)).find(({ text }) => text.startsWith(start))!;
    const { value } = tree.resolveTreeItem(row.item, row.node).tooltip as { readonly value: string };
    return { ...row, tooltip: value };
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
    const { item } = await tooltipOf(tree, 'Lint');
    const [given = {}] = (item.command?.arguments ?? []) as readonly Partial<Record<string, unknown>>[];
    assert.deepEqual([given['key'], given['criterion']], ['h.x/acme/shop', 'lint']);
    assert.equal(item.accessibilityInformation?.label, 'Lint, fails, 1/2 · 50% · was 2/2, worse');
    const { tooltip, text } = await tooltipOf(tree, 'Type check');
    assert.match(tooltip, /^\*\*Type.*check\*\*[^]*Because\.[^]*type_check$/);
    assert.ok(!text.includes('type_check'));
    assert.match((await tooltipOf(tree, 'acme/shop')).tooltip, /Failing .criteria: .2[^]*Got .worse: .1/);
    const ids = (await drawnRows(tree)).map(({ item: { id } }) => id);
    assert.equal(new Set(ids).size, ids.length, 'no two rows have one id');
  });

  it('list repositories of this window without a report beside those with one, and say why they have none', async () => {
    const tree = treeOf([open('/w/alone'), local, open('/w/other', 'https://me:secret@h.x/acme/other')]);
    const top = (await drawnRows(tree)).filter(({ depth }) => depth === 0);
    assert.deepEqual(
      top.map(({ text }) => text.replace(/ \|.*%.*/, '')),
      ['acme/shop', 'alone | no remote', 'other | no report', 'Other repositories | 1'],
    );
    const { tooltip } = await tooltipOf(tree, 'other');
    assert.ok(tooltip.includes('acme/other') && !tooltip.includes('secret'), tooltip);
    const [alone] = await textOf(treeOf([open('/w/alone')]));
    assert.equal(alone, 'alone | no remote');
    const [none] = await drawnRows(treeOf([]));
    assert.match(none?.item.accessibilityInformation?.label ?? '', /^No repository is known here\. Open a/);
  });
});

describe('the commands of readiness', () => {
  const commandsOf = (of: readonly ReadinessReport[], here: GitRepository, written: string[] = []) => {
    const known = groupReports(of);
    return new ReadinessCommands({
      reports: {
        ...{ ready: () => Promise.resolve(), known, git: new LocalGit() },
        window: { here: { repository: known.get('h.x/acme/shop')!, local: here } },
        shown: ({ key }) => {
          const repository = known.get(key)!;
          return { repository, report: repository.reports[0], local: here, isPartial: false };
        },
        commits: () => Promise.resolve(undefined),
      },
      open: () => undefined,
      prefill: ({ text }) => Promise.resolve(written.push(text) > 0),
    }).handlers;
  };

  it('ask which of two repositories is to be fixed, and fix what of that one fails', async () => {
    const written: string[] = [];
    const { fix } = commandsOf(
      reports.map(each => ({ ...each, report: { lint: score(0) } })),
      local,
      written,
    );
    const [billing, shop] = ['billing', 'shop'].map(name => ({ key: `h.x/acme/${name}`, criterion: 'lint' }));
    choices.push('acme/billing');
    await fix(shop, [billing, shop]);
    assert.match(written.join(), /^Please fix the readiness of acme\/billing/);
    await fix(shop, [billing, shop]);
    assert.equal(written.length, 1, 'nothing was chosen');
    await fix(shop, [shop]);
    assert.match(written.splice(0)[1] ?? '', /acme\/shop/);
    const named = 'lint lint ci_pipeline type_check not-there'.split(' ');
    const rows = named.map(criterion => ({ ...shop, criterion }));
    const real = commandsOf(reports, local, written);
    await real.fix(rows[0], rows);
    const asked = ['- ci_pipeline: 0/1 pass', '- lint: 1/2 pass'];
    assert.deepEqual(
      written.map(text => text.match(/^- \w+: \d\/\d pass/gm)),
      [asked],
    );
    await assert.rejects(Promise.resolve(real.fix(rows[3], [rows[3]])), /None of the/);
  });

  it('export a report with how it stands against HEAD, also before Git has been asked', async () => {
    const unnamed = '- The report names no commit';
    const [unseen, behind] = [
      "- The report's commit is not in HEAD",
      '- HEAD has 3 commits that are not in the report',
    ];
    for (const [commitHash, ...said] of [
      [A, unseen, behind],
      [undefined, unnamed],
    ] as const) {
      const log = ({ range = '' }): Promise<readonly []> =>
        Promise.resolve(Array(range.startsWith('a') ? 3 : 1) as []);
      const git = { ...local, state: { ...local.state, HEAD: { commit: B } }, log };
      opened.length = 0;
      await commandsOf(
        reports.map(each => ({ ...each, commitHash })),
        git,
      ).exportReport();
      const notes = [unseen, behind, unnamed].filter(note => opened.join().includes(note));
      assert.deepEqual(notes, said);
    }
  });
});
