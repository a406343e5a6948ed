import assert from 'node:assert/strict';
import type { LocalRepository, Staleness } from '../../../src/readiness/git';
import { groupReports, type StoredReport } from '../../../src/readiness/model';
import { readinessRows, type RowsContext } from '../../../src/readiness/rows';
import { Tree } from '../../../src/ui/tree';
import { Formatter } from '../../../src/util/format';
import { drawnRows, fakeView, textOf } from '../../fakes/view';
import { Uri } from '../../fakes/vscode';

const DAY = 24 * 60 * 60_000;
const at = new Date(2025, 10, 12, 12).getTime();
const score = (numerator: number, denominator: number) => ({ numerator, denominator, rationale: 'Because.' });
const report = (repo: string, days: number, criteria: StoredReport['report']): StoredReport => ({
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
  const local = { root: Uri.file('/w/shop'), urls: [] } as unknown as LocalRepository;
  const trees: Tree[] = [];
  afterEach(() => trees.splice(0).forEach(tree => tree.dispose()));
  const treeOf = (change: Partial<RowsContext> = {}): Tree => {
    const repositories = groupReports(reports);
    const shop = repositories.get('h.x/acme/shop')!;
    const context: RowsContext = {
      repositories,
      matches: [{ repository: shop, local }],
      git: { kind: 'found', repositories: [local] },
      staleness: (): Staleness => ({ kind: 'behind', behind: 1, beside: 0 }),
      format: new Formatter('en'),
      ...change,
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
    assert.ok(rows.includes('    Nov 14, 2025 | 67% · +7 · main') && rows.includes('    Branch | main'));
    assert.ok(rows[end + 1]?.startsWith('  acme/billing | 100%'));
    assert.deepEqual(await textOf(treeOf({ repositories: new Map(), matches: [] })), []);
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

  it('say why no repository of this window has a report', async () => {
    const git = { kind: 'disabled' } as const;
    const [first] = await textOf(treeOf({ matches: [], git }));
    assert.equal(first, 'Git is turned off');
  });
});
