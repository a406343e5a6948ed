import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ReadinessReport } from '../../../src/api';
import {
  appParts,
  criteriaOf,
  groupReports,
  identify,
  isCommit,
  matching,
  percentOf,
  previousOf,
} from '../../../src/readiness/model';
import { readableName } from '../../../src/util/text';
import { growsEvenly } from '../../growth';
import { report, score } from './support';

const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const host = fc.tuple(label, label).map(parts => `${parts.join('.')}.example`);
const segment = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,10}$/).filter(text => !/\.git$/i.test(text));
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'));
const user = fc.constantFrom('', 'git@', 'me:secret@', 'x-token-auth:ab%40c@');
const port = fc.constantFrom('', ':22', ':443', ':7999');
const ending = fc.constantFrom('', '.git', '/', '.git/', '.GIT', '//');

/** One repository in some form that git takes. */
const form = (at: string, below: string): fc.Arbitrary<string> =>
  fc
    .record({
      scheme: fc.constantFrom('https', 'http', 'ssh', 'git', 'git+ssh', 'HTTPS', 'scp', 'bare'),
      user,
      port,
      ending,
      upper: fc.boolean(),
      space: fc.constantFrom('', ' ', '\n'),
    })
    .map(({ scheme, user: who, port: door, ending: end, upper, space }) => {
      const name = upper ? at.toUpperCase() : at;
      if (scheme === 'scp')
        return `${space}${who.replace(/:.*@/, '@')}${name}:${end === '//' ? '/' : ''}${below}${end}${space}`;
      if (scheme === 'bare') return `${name}/${below}${end}`;
      return `${space}${scheme}://${who}${name}${door}/${below}${end}${space}`;
    });

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

describe('addresses of repositories', () => {
  it('are the same in every form', () => {
    fc.assert(
      fc.property(
        fc
          .tuple(host, path)
          .chain(([at, below]) => fc.tuple(form(at, below), form(at, below), fc.constant([at, below]))),
        ([one, other, [at, below]]) => {
          assert.equal(identify(one)?.key, identify(other)?.key, `${one} ${other}`);
          assert.equal(identify(one)?.key, `${at}/${below}`);
          assert.deepEqual(matching([identify(one)!.key], ['https://elsewhere.example/x', other]), [
            identify(one)!.key,
          ]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('never throw, hold no credentials, and stay what they are', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.string()), text => {
        const identity = identify(text);
        if (identity !== undefined) assert.ok(identity.name !== '' && identity.key !== '');
        matching(['a/b'], [text]);
      }),
      { numRuns: 2_000 },
    );
    assert.ok(!identify('https://me:secret@git.example.com/a/b')!.key.includes('secret'));
  });

  /** What each form is read as; spaces in a path are written as %20. */
  const repositories = {
    'git.example.com/acme/shop': `git@git.example.com:acme/shop.git git.example.com:acme/shop
      git@git.example.com:/acme/shop.git/ ssh://git@git.example.com:7999/acme/shop.git
      https://git.example.com./acme/shop https://git.example.com/acme/shop?x=1#y`,
    '[2001:db8::1]/acme/shop': 'ssh://git@[2001:db8::1]:22/acme/shop git@[2001:db8::1]:acme/shop',
    'git.example.com/my team/shop': 'https://git.example.com/my%20team/shop',
    'git.example.com/acme/%zz': 'https://git.example.com/acme/%zz',
    'file:/srv/git/shop': `/srv/git/shop.git /srv/git/shop /srv/git/shop/.git file:///srv/git/shop.git/
      file://localhost/srv/git/shop`,
    'file:/C:/git/shop': 'C:\\git\\shop.git C:/git/shop file:///C:/git/shop',
    'github.com/acme/shop': `https://github.com/acme/shop.git git@github.com:acme/shop.git
      ssh://git@ssh.github.com:443/acme/shop.git git@ssh.github.com:acme/shop.git`,
    'gitlab.com/a/b/c': 'ssh://git@altssh.gitlab.com:443/a/b/c.git https://gitlab.com/a/b/c',
    'bitbucket.org/acme/shop': `ssh://git@altssh.bitbucket.org:443/acme/shop.git
      https://me@bitbucket.org/acme/shop.git`,
    'git.example.com/shop/web': `https://git.example.com/scm/shop/web.git
      ssh://git@git.example.com:7999/shop/web.git`,
    'dev.azure.com/acme/Web shop/_git/site': `https://dev.azure.com/acme/Web%20shop/_git/site
      https://acme@dev.azure.com/acme/Web%20shop/_git/site git@ssh.dev.azure.com:v3/acme/Web%20shop/site
      ssh://git@ssh.dev.azure.com:22/v3/acme/Web%20shop/site
      https://acme.visualstudio.com/Web%20shop/_git/site
      https://acme.visualstudio.com/DefaultCollection/Web%20shop/_git/site
      acme@vs-ssh.visualstudio.com:v3/acme/Web%20shop/site`,
    'dev.azure.com/acme/site/_git/site': `https://dev.azure.com/acme/_git/site
      https://acme.visualstudio.com/_git/site git@ssh.dev.azure.com:v3/acme/site/site`,
    'git.example.com/a/b': `[git@git.example.com:22]:a/b.git git@[git.example.com:2222]:a/b.git
      [git.example.com]:a/b https://git.example.com/a/b/.git https://git.example.com/a/b.git/.git/
      ssh://git@git.example.com/a/b/.git`,
  };
  it('of one repository are the same in all its forms', () => {
    for (const [key, forms] of Object.entries(repositories))
      for (const form of forms.split(/\s+/)) assert.equal(identify(form)?.key, key, form);
    for (const none of [
      '',
      '   ',
      'shop',
      '.',
      '../shop',
      '/',
      'https://git.example.com',
      'https:///acme/shop',
    ])
      assert.equal(identify(none), undefined, none);
    assert.equal(identify(`https://git.example.com/${'a'.repeat(3_000)}`), undefined);
  });

  it('are called by the last two parts of their path', () => {
    for (const [form, name] of [
      ['https://github.com/acme/shop.git', 'acme/shop'],
      ['https://gitlab.com/a/b/c', 'b/c'],
      ['https://dev.azure.com/acme/Web%20shop/_git/site', 'Web shop/site'],
      ['/srv/git/shop/.git', 'git/shop'],
    ] as const)
      assert.equal(identify(form)?.name, name);
  });

  it('match in another letter case of the path only when that leaves no doubt', () => {
    assert.deepEqual(matching(['h.x/acme/Shop'], ['git@h.x:acme/shop']), ['h.x/acme/Shop']);
    assert.deepEqual(matching(['h.x/acme/Shop', 'h.x/acme/SHOP'], ['git@h.x:acme/shop']), []);
    assert.deepEqual(matching(['h.x/acme/Shop', 'h.x/acme/shop'], ['git@h.x:acme/shop']), ['h.x/acme/shop']);
  });

  it('of a fork and of its parent match both, in the order of the remotes', () => {
    const keys = ['h.x/acme/shop', 'h.x/me/shop', 'h.x/you/shop'];
    const urls = ['git@h.x:me/shop.git', 'https://h.x/me/shop', 'https://h.x/acme/shop', 'https://h.x/none'];
    assert.deepEqual(matching(keys, urls), ['h.x/me/shop', 'h.x/acme/shop']);
  });
});
