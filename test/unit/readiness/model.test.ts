import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ReadinessReport } from '../../../src/api';
import {
  appParts,
  criteriaOf,
  groupReports,
  isCommit,
  percentOf,
  previousOf,
} from '../../../src/readiness/model';
import { readableName } from '../../../src/util/text';
import { growsEvenly } from '../../growth';
import { report, score } from './support';

describe('readiness model', () => {
  it('groups every form of an address, newest report first', () => {
    const old = report({}, { repoUrl: 'git@h.x:acme/shop.git' });
    const young = report();
    const other = report({}, { repoUrl: 'not an address' });
    const groups = groupReports([old, other, young]);
    assert.deepEqual([...groups.keys()], ['h.x/acme/shop', 'not an address']);
    assert.deepEqual(groups.get('h.x/acme/shop')?.reports, [young, old]);
    assert.equal(groups.get('h.x/acme/shop')?.name, 'acme/shop');
  });

  it('shows reports that say nothing of themselves but their id, and those without a time last', () => {
    const { createdAt, ...undated } = report();
    const dated = { ...undated, reportId: 'dated', createdAt };
    const groups = groupReports([{ reportId: 'bare', report: {} }, undated, dated], 'Unnamed');
    assert.deepEqual(groups.get('h.x/acme/shop')?.reports, [dated, undated]);
    assert.equal(groups.get('?')?.name, 'Unnamed');
  });

  it('shows a report once, as it was read last, when its repository was renamed', () => {
    const before = report();
    const after = { ...before, repoUrl: 'https://h.x/acme/store' };
    const groups = groupReports([before, after]);
    assert.deepEqual([...groups.keys()], ['h.x/acme/store']);
    assert.deepEqual(groups.get('h.x/acme/store')?.reports, [after]);
  });

  it('compares with the previous report of the same branch only', () => {
    const first = report({}, { branch: 'main' });
    const feature = report({}, { branch: 'feature' });
    const last = report({}, { branch: 'main' });
    assert.equal(previousOf([last, feature, first], last), first);
    assert.equal(previousOf([last, feature, first], feature), undefined);
    assert.equal(previousOf([last, feature, first], first), undefined);
  });

  it('says what is worse, better, the same, new and gone, in the order of what needs care', () => {
    const before = report({ a: score(2), b: score(0), c: score(1), gone: score(1, 1) });
    const now = report({ fresh: score(3, 3), a: score(1), c: score(2, 4), b: score(1), zero: score(0, 9) });
    assert.deepEqual(
      criteriaOf(now, before).map(({ id, change }) => `${id} ${change ?? ''}`),
      ['a worse', 'zero new', 'b better', 'c same', 'fresh new', 'gone gone'],
    );
    assert.ok(criteriaOf(now).every(({ change }) => change === undefined));
  });

  it('takes names of the prototype for what they are: names', () => {
    const odd = JSON.parse(
      '{"__proto__": {"numerator": 0, "denominator": 1}, "constructor": {"numerator": 1, "denominator": 1}}',
    ) as ReadinessReport['report'];
    const rows = criteriaOf(report(odd), report());
    assert.deepEqual(
      rows.map(({ id, change }) => `${id} ${change ?? ''}`),
      ['__proto__ new', 'constructor new'],
    );
  });

  it('scores whole percent, 100 only when all pass', () => {
    assert.equal(percentOf(report()), undefined);
    assert.equal(percentOf(report({ a: score(199, 200) })), 99);
    assert.equal(percentOf(report({ a: score(1, 1), b: score(2, 2) })), 100);
    assert.equal(percentOf(report({ a: score(1, 3) })), 33);
  });

  it('names criteria in words', () => {
    for (const [name, ids] of [
      ['Type check', 'type_check typeCheck'],
      ['Type check strict', 'type-check.strict'],
      ['CI pipeline', 'CI_pipeline ci_pipeline'],
      ['Open API schema', 'openApiSchema'],
      ['Capital idea', 'capital_idea'],
      ['__', '__'],
    ] as const)
      for (const id of ids.split(' ')) assert.equal(readableName(id), name);
  });

  it('never lets an application lead out of its repository', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', ':') })),
        text => {
          const parts = appParts(text);
          assert.ok(parts === undefined || parts.every(part => part !== '..' && !/[/\\]/.test(part)), text);
        },
      ),
      { numRuns: 3_000 },
    );
    assert.deepEqual(appParts('./apps//web/'), ['apps', 'web']);
    for (const bad of ['../x', 'a/../../b', '/etc', 'C:\\x', '\\\\host', 'a\\..\\..\\b'])
      assert.equal(appParts(bad), undefined);
  });

  it('passes to git nothing but commit ids', () => {
    const bad = ['', 'HEAD', '--output=/tmp/x', 'abc123', 'a'.repeat(65), 'abcdefg1', 'a..b', undefined];
    for (const text of bad) assert.equal(isCommit(text), false, text);
    assert.ok(isCommit('0123abc') && isCommit('A'.repeat(40)));
  });

  it('compares criteria, and groups reports, in steps with how many there are', async () => {
    const criteria = Array.from(
      { length: 5_000 },
      (_, index) => [`c_${index}`, score(index % 3, 3)] as const,
    );
    const made = new Map(
      [1_250, 5_000].map(size => [size, report(Object.fromEntries(criteria.slice(0, size)))]),
    );
    await growsEvenly('criteria compared', 5_000, size => {
      assert.equal(criteriaOf(made.get(size)!, made.get(size)).length, size);
    });
    const reports = Array.from({ length: 5_000 }, (_, index) =>
      report({}, { repoUrl: `https://h.x/acme/repo-${index % 40}`, createdAt: (index * 7919) % 5_000 }),
    );
    await growsEvenly('reports grouped', 5_000, size =>
      assert.equal(groupReports(reports.slice(0, size)).size, 40),
    );
  });
});
