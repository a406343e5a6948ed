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
  { ...report('shop', 13, { lint: score(0), type_check: score(2, 3) }), branch: 'other' },
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
      '  Reports | 3',
    ]);
    assert.ok(rows.includes('    Nov 14, 2025 | 67% · +7 · main'));
    assert.ok(rows[end + 1]?.startsWith('  acme/billing | 100%'));
    assert.deepEqual(await textOf(treeOf(undefined, new Map())), []);
  });

  it('hold what commands need, and the id of a criterion in its tooltip alone', async () => {
    const tree = treeOf();
    const { item } = await tooltipOf(tree, 'Lint');
    const given = (item.command?.arguments ?? []) as unknown as readonly { key: string; criterion: string }[];
    assert.deepEqual([given[0]?.key, given[0]?.criterion], ['h.x/acme/shop', 'lint']);
    assert.equal(item.accessibilityInformation?.label, 'Lint, fails, 1/2 · 50% · was 2/2, worse');
    const { tooltip } = await tooltipOf(tree, 'Type check');
    assert.match(tooltip, /^\*\*Type.*check\*\*[^]*Because\.[^]*type_check$/);
    assert.match((await tooltipOf(tree, 'acme/shop')).tooltip, /Failing .criteria: .2[^]*Got .worse: .1/);
    const ids = (await drawnRows(tree)).map(each => each.item.id);
    assert.equal(new Set(ids).size, ids.length, 'no two rows have one id');
  });

  it('list repositories of this window without a report beside those with one, and say why they have none', async () => {
    const tree = treeOf([open('/w/alone'), local, open('/w/other', 'https://me:secret@h.x/acme/other')]);
    const top = (await textOf(tree))
      .filter(text => !text.startsWith(' '))
      .map(text => text.replace(/ \|.*%.*/, ''));
    assert.deepEqual(top, ['acme/shop', 'alone | no remote', 'other | no report', 'Other repositories | 1']);
    const { tooltip } = await tooltipOf(tree, 'other');
    assert.ok(tooltip.includes('acme/other') && !tooltip.includes('secret'), tooltip);
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
    const failing = reports.map(each => ({ ...each, report: { lint: score(0) } }));
    const { fix } = commandsOf(failing, local, written);
    const [billing, shop] = ['billing', 'shop'].map(name => ({ key: `h.x/acme/${name}`, criterion: 'lint' }));
    choices.push('acme/billing');
    await fix(shop, [billing, shop]);
    await fix(shop, [billing, shop]);
    await fix(shop, [shop]);
    const named = 'lint lint ci_pipeline type_check not-there'.split(' ');
    const rows = named.map(criterion => ({ ...shop, criterion }));
    const real = commandsOf(reports, local, written);
    await real.fix(rows[0], rows);
    assert.deepEqual(
      written.map(text => text.match(/acme\/\w+|^- \w+: \d\/\d pass/gm)),
      [
        ['acme/billing', '- lint: 0/2 pass'],
        ['acme/shop', '- lint: 0/2 pass'],
        ['acme/shop', '- ci_pipeline: 0/1 pass', '- lint: 1/2 pass'],
      ],
      'nothing was chosen the second time',
    );
    await assert.rejects(Promise.resolve(real.fix(rows[3], [rows[3]])), /None of the/);
  });

  it('export a report with how it stands against HEAD, also before Git has been asked', async () => {
    const log = ({ range = '' }) => Promise.resolve(Array(range.startsWith('a') ? 3 : 1) as []);
    const git = { ...local, state: { ...local.state, HEAD: { commit: B } }, log };
    opened.length = 0;
    await commandsOf(reports, git).exportReport();
    const notes = opened.join().match(/^- .*(?:HEAD).*$/gm);
    assert.deepEqual(notes, [
      "- The report's commit is not in HEAD.",
      '- HEAD has 3 commits that are not in the report.',
    ]);
  });
});
