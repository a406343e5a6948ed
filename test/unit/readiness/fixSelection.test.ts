import assert from 'node:assert/strict';
import { fixSelection } from '../../../src/readiness/fixSelection';
import { criteriaOf, type Repository, type StoredReport } from '../../../src/readiness/model';

describe('criteria selected to be mended', () => {
  const report: StoredReport = {
    reportId: 'r',
    createdAt: 1,
    repoUrl: 'x',
    report: {
      lint: { numerator: 0, denominator: 2 },
      unit_tests: { numerator: 1, denominator: 2 },
      readme: { numerator: 1, denominator: 1 },
    },
  };
  const repository = (name: string): Repository => ({ key: name, name, url: name, reports: [report] });
  const shop = repository('acme/shop');
  const rows = (of: Repository, ...ids: string[]) =>
    criteriaOf(report)
      .filter(({ id }) => ids.includes(id))
      .map(({ id }) => ({ repository: of, criterion: id }));

  it('are those that fail, each once', () => {
    const all = [...rows(shop, 'lint', 'unit_tests'), ...rows(shop, 'lint')];
    assert.deepEqual(fixSelection(all, shop, report), { criteria: ['lint', 'unit_tests'], leftOut: '' });
  });

  it('leave out what passes and what is of another repository, and say so', () => {
    const mixed = [...rows(shop, 'lint', 'readme'), ...rows(repository('acme/billing'), 'unit_tests')];
    const { criteria, leftOut } = fixSelection(mixed, shop, report);
    assert.deepEqual(criteria, ['lint']);
    assert.match(leftOut, /do not fail: Readme\./);
    assert.match(leftOut, /another repository: Unit tests \(acme\/billing\)\./);
  });

  it('leave out what the latest report no longer has', () => {
    const [row] = rows(shop, 'lint');
    assert.ok(row);
    const others = Object.entries(report.report).filter(([id]) => id !== 'lint');
    const now = { ...report, report: Object.fromEntries(others) };
    const { criteria, leftOut } = fixSelection([row], shop, now);
    assert.deepEqual(criteria, []);
    assert.match(leftOut, /Lint/);
  });
});
