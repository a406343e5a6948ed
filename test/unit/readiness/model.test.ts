import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  appParts,
  criteriaOf,
  failuresOf,
  groupReports,
  isCommit,
  percentOf,
  previousOf,
  readableName,
  type StoredReport,
} from '../../../src/readiness/model';

let count = 0;
function report(change: Partial<StoredReport> = {}): StoredReport {
  count++;
  return {
    reportId: `r${count}`,
    createdAt: count * 1000,
    repoUrl: 'https://h.x/acme/shop',
    report: {},
    ...change,
  };
}
const score = (numerator: number, denominator: number, rationale = '') => ({
  numerator,
  denominator,
  rationale,
});

describe('readiness model', () => {
  it('groups every form of an address, newest report first', () => {
    const old = report({ repoUrl: 'git@h.x:acme/shop.git' });
    const young = report();
    const other = report({ repoUrl: 'not an address' });
    const groups = groupReports([old, other, young]);
    assert.deepEqual([...groups.keys()], ['h.x/acme/shop', 'not an address']);
    assert.deepEqual(groups.get('h.x/acme/shop')?.reports, [young, old]);
    assert.equal(groups.get('h.x/acme/shop')?.name, 'acme/shop');
  });

  it('shows a report once, as it was read last, when its repository was renamed', () => {
    const before = report();
    const after = { ...before, repoUrl: 'https://h.x/acme/store' };
    const groups = groupReports([before, after]);
    assert.deepEqual([...groups.keys()], ['h.x/acme/store']);
    assert.deepEqual(groups.get('h.x/acme/store')?.reports, [after]);
  });

  it('compares with the previous report of the same branch only', () => {
    const first = report({ branch: 'main' });
    const feature = report({ branch: 'feature' });
    const last = report({ branch: 'main' });
    assert.equal(previousOf([last, feature, first], last), first);
    assert.equal(previousOf([last, feature, first], feature), undefined);
    assert.equal(previousOf([last, feature, first], first), undefined);
  });

  it('says what is worse, better, the same, new and gone, in the order of what needs care', () => {
    const before = report({ report: { a: score(2, 2), b: score(0, 2), c: score(1, 2), gone: score(1, 1) } });
    const now = report({
      report: { fresh: score(3, 3), a: score(1, 2), c: score(2, 4), b: score(1, 2), zero: score(0, 9) },
    });
    assert.deepEqual(
      criteriaOf(now, before).map(({ id, change }) => `${id} ${change ?? ''}`),
      ['a worse', 'zero new', 'b better', 'c same', 'fresh new', 'gone gone'],
    );
    assert.deepEqual(
      criteriaOf(now).map(({ change }) => change),
      [undefined, undefined, undefined, undefined, undefined],
    );
  });

  it('takes names of the prototype for what they are: names', () => {
    const odd = JSON.parse(
      '{"__proto__": {"numerator": 0, "denominator": 1}, "constructor": {"numerator": 1, "denominator": 1}}',
    ) as StoredReport['report'];
    const rows = criteriaOf(report({ report: odd }), report({ report: {} }));
    assert.deepEqual(
      rows.map(({ id, change }) => `${id} ${change ?? ''}`),
      ['__proto__ new', 'constructor new'],
    );
  });

  it('scores whole percent, 100 only when all pass', () => {
    assert.equal(percentOf(report()), undefined);
    assert.equal(percentOf(report({ report: { a: score(199, 200) } })), 99);
    assert.equal(percentOf(report({ report: { a: score(1, 1), b: score(2, 2) } })), 100);
    assert.equal(percentOf(report({ report: { a: score(1, 3) } })), 33);
  });

  for (const [id, name] of [
    ['type_check', 'Type check'],
    ['typeCheck', 'Type check'],
    ['type-check.strict', 'Type check strict'],
    ['CI_pipeline', 'CI pipeline'],
    ['ci_pipeline', 'CI pipeline'],
    ['openApiSchema', 'Open API schema'],
    ['capital_idea', 'Capital idea'],
    ['lint', 'Lint'],
    ['__', '__'],
  ] as const) {
    it(`names ${id}`, () => assert.equal(readableName(id), name));
  }

  it('finds applications in rationales by their whole path', () => {
    const now = report({
      apps: { 'apps/web': {}, '.': {}, '(a+)+$': {} },
      report: {
        a: score(1, 2, 'No linter in `apps/web`.'),
        b: score(1, 2, 'apps/web/ and services/x'),
        c: score(1, 2, 'apps/website and my/apps/web'),
        d: score(2, 2, 'fine in apps/web'),
      },
    });
    assert.deepEqual(failuresOf(now, 'apps/web'), ['a', 'b']);
    assert.deepEqual(failuresOf(now, '.'), []);
    assert.deepEqual(failuresOf(now, '(a+)+$'), []);
  });

  it('counts for each application what none of them passes, and nothing that only some pass', () => {
    const apps = { 'apps/web': {}, api: {} };
    const criteria = {
      none: score(0, 2, 'Nothing here.'),
      some: score(1, 2, 'One of them.'),
      named: score(1, 2, 'Not in `api`.'),
      whole: score(0, 1, 'The repository has none.'),
      fine: score(2, 2, 'api'),
    };
    const now = report({ apps, report: criteria });
    assert.deepEqual(failuresOf(now, 'apps/web'), ['none']);
    assert.deepEqual(failuresOf(now, 'api'), ['none', 'named']);
    assert.deepEqual(failuresOf(report({ apps: { '.': {}, api: {} }, report: criteria }), '.'), ['none']);
  });

  it('looks through a report once, however many applications there are', () => {
    let read = 0;
    const counted = {
      numerator: 1,
      denominator: 3,
      get rationale() {
        read++;
        return 'Not in `api`.';
      },
    };
    const now = report({ apps: { api: {}, web: {} }, report: { a: counted } });
    for (let round = 0; round < 3; round++) assert.deepEqual(failuresOf(now, 'api'), ['a']);
    assert.deepEqual(failuresOf(now, 'web'), []);
    assert.equal(read, 1);
  });

  it('finds paths of all kinds in a rationale, and no parts of paths', () => {
    const apps = Object.fromEntries(
      ['apps/web', 'apps/web-admin', 'my app', './lib', 'a.b', 'x'].map(path => [path, {}]),
    );
    const named = (rationale: string): string[] => {
      const now = report({ apps, report: { one: score(1, 9, rationale) } });
      return Object.keys(apps).filter(app => failuresOf(now, app).length > 0);
    };
    assert.deepEqual(named('Neither apps/web nor ./apps/web-admin/ has one.'), [
      'apps/web',
      'apps/web-admin',
    ]);
    assert.deepEqual(named('See apps/web.'), ['apps/web']);
    assert.deepEqual(named('(`apps/web`:12), "a.b"'), ['apps/web', 'a.b']);
    assert.deepEqual(named('apps/web/src, old/apps/web, apps/web.ts, -x'), []);
    assert.deepEqual(named('In my app, not in ./lib.'), ['my app', './lib']);
  });

  it('reads 5,000 rationales for 1,000 applications in no time that is felt', () => {
    const apps = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`apps/app-${at}`, {}]));
    const criteria = Object.fromEntries(
      Array.from({ length: 5000 }, (_, at) => [
        `c${at}`,
        score(1, 1000, `${'A long reason. '.repeat(100)}Not in apps/app-${at % 1000}.`),
      ]),
    );
    const now = report({ apps, report: criteria });
    const before = performance.now();
    assert.equal(failuresOf(now, 'apps/app-7').length, 5);
    assert.ok(performance.now() - before < 2000, `${performance.now() - before} ms`);
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
    for (const bad of [
      '',
      'HEAD',
      '--output=/tmp/x',
      'abc123',
      'a'.repeat(65),
      'abcdefg1',
      'a..b',
      undefined,
    ]) {
      assert.equal(isCommit(bad), false, bad);
    }
    assert.ok(isCommit('0123abc') && isCommit('A'.repeat(40)));
  });

  it('is quick with thousands of criteria and of reports', function () {
    const many = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [
        `criterion_${index}`,
        score(index % 3, 3, `apps/a${index % 50} fails`),
      ]),
    );
    const [before, now] = [report({ report: many }), report({ apps: { 'apps/a7': {} }, report: many })];
    const began = performance.now();
    assert.equal(criteriaOf(now, before).length, 5_000);
    assert.ok(failuresOf(now, 'apps/a7').length > 0);
    const criteriaMs = performance.now() - began;
    const reports = Array.from({ length: 5_000 }, (_, index) =>
      report({ repoUrl: `https://h.x/acme/repo-${index % 40}`, createdAt: (index * 7919) % 5_000 }),
    );
    const then = performance.now();
    assert.equal(groupReports(reports).size, 40);
    const groupMs = performance.now() - then;
    this.test!.title += `: 5,000 criteria compared in ${criteriaMs.toFixed(0)} ms, 5,000 reports grouped in ${groupMs.toFixed(0)} ms`;
    assert.ok(criteriaMs < 500 && groupMs < 500);
  });
});
