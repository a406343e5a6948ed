import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ReadinessReport } from '../../../src/api';
import {
  appParts,
  criteriaOf,
  groupReports,
  percentOf,
  identify,
  isCommit,
} from '../../../src/readiness/model';
import { readableName } from '../../../src/util/text';
import { report, score } from './support';

describe('readiness model', () => {
  it('groups every form of an address, the newest report first, and what says nothing of itself', () => {
    const old = report({}, { repoUrl: 'git@h.x:acme/shop.git' });
    const young = report();
    const undated = report({}, { createdAt: undefined });
    const [other, bare] = [report({}, { repoUrl: 'not an address' }), { reportId: 'bare', report: {} }];
    const groups = groupReports([undated, old, other, bare, young]).values();
    const told = [...groups].map(({ key, name, reports }) => [key, name, reports]);
    assert.deepEqual(told, [
      ['?', '?', [bare]],
      ['h.x/acme/shop', 'acme/shop', [young, old, undated]],
      ['not an address', 'not an address', [other]],
    ]);
  });

  it('says what is worse, better, the same, new and gone, in the order of what needs care; names of the prototype are names', () => {
    const before = report({ a: score(2), b: score(0), c: score(1), gone: score(1, 1) });
    const odd = JSON.parse('{"__proto__": {"numerator": 0, "denominator": 1}}') as ReadinessReport['report'];
    const more = { fresh: score(3, 3), a: score(1), c: score(2, 4), b: score(1), constructor: score(0, 9) };
    const now = report(Object.assign(odd, more));
    const told = criteriaOf(now, before).map(({ id, change }) => `${id} ${change}`);
    const wanted = 'a worse, constructor new, __proto__ new, b better, c same, fresh new, gone gone';
    assert.equal(told.join(', '), wanted);
    assert.ok(criteriaOf(now).every(({ change }) => change === undefined));
  });

  it('scores whole percent, 100 only when all pass, and names criteria in words', () => {
    const scored = [{}, { a: score(199, 200) }, { a: score(1, 1), b: score(2, 2) }, { a: score(1, 3) }];
    assert.deepEqual(
      scored.map(criteria => percentOf({ report: criteria })),
      [undefined, 99, 100, 33],
    );
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

  it('never lets an application lead out of its repository, and passes to git nothing but commit ids', () => {
    const path = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', ':') }));
    fc.assert(
      fc.property(path, text => {
        const parts = appParts(text);
        assert.ok(parts === undefined || parts.every(part => part !== '..' && !/[/\\]/.test(part)), text);
      }),
      { numRuns: 3_000 },
    );
    assert.deepEqual(appParts('./apps//web/'), ['apps', 'web']);
    for (const bad of ['../x', 'a/../../b', '/etc', 'C:\\x', '\\\\host', 'a\\..\\..\\b'])
      assert.equal(appParts(bad), undefined);
    const bad = ['', 'HEAD', '--output=/tmp/x', 'abc123', 'a'.repeat(65), 'abcdefg1', 'a..b', undefined];
    for (const text of bad) assert.equal(isCommit(text), false, text);
    assert.ok(isCommit('0123abc') && isCommit('A'.repeat(40)));
  });
});

describe('addresses of repositories', () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
  const host = fc.tuple(label, label).map(parts => `${parts.join('.')}.example`);
  const segment = fc
    .stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,10}$/)
    .filter(text => !/\.git$/i.test(text));
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'));
  /** A repository's key, and its address in some form that git takes. */
  const form = fc
    .record({
      scheme: fc.constantFrom('https', 'http', 'ssh', 'git', 'git+ssh', 'HTTPS', 'scp', 'bare'),
      user: fc.constantFrom('', 'git@', 'me:secret@', 'x-token-auth:ab%40c@'),
      port: fc.constantFrom('', ':22', ':443', ':7999'),
      end: fc.constantFrom('', '.git', '/', '.git/', '.GIT', '//'),
      space: fc.constantFrom('', ' ', '\n'),
      ...{ host, below: path, isLoud: fc.boolean() },
    })
    .map(({ scheme, user, port, end, space, host, below, isLoud }) => {
      const name = isLoud ? host.toUpperCase() : host;
      const scp = `${user.replace(/:.*@/, '@')}${name}:${end === '//' ? '/' : ''}${below}${end}`;
      const url = `${scheme}://${user}${name}${port}/${below}${end}`;
      const spaced = `${space}${scheme === 'scp' ? scp : url}${space}`;
      return [
        `${host}/${below}`.toLowerCase(),
        scheme === 'bare' ? `${name}/${below}${end}` : spaced,
      ] as const;
    });

  it('are the same in every form, without credentials, and none throws', () => {
    fc.assert(
      fc.property(form, ([key, address]) => {
        assert.equal(identify(address).key, key, address);
      }),
      { numRuns: 4_000 },
    );
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.string()), text => {
        const { name, key } = identify(text);
        assert.equal(name === '' || key === '', text.trim() === '', text);
      }),
      { numRuns: 2_000 },
    );
  });

  /** What each form is read as; spaces in a path are written as %20. */
  const repositories = {
    'git.example.com/acme/shop':
      'https://git.example.com/Acme/shop https://git.example.com/acme/shop?x=1#y git.example.com:acme/shop',
    '[2001:db8::1]/acme/shop': 'ssh://git@[2001:db8::1]:22/acme/shop git@[2001:db8::1]:acme/shop',
    'git.example.com/my team/shop': 'https://git.example.com/my%20team/shop',
    'git.example.com/acme/%zz': 'https://git.example.com/acme/%zz',
    'github.com/acme/shop': `https://github.com/acme/shop.git git@github.com:acme/shop.git
      ssh://git@ssh.github.com:443/acme/shop.git git@ssh.github.com:acme/shop.git`,
    'gitlab.com/a/b/c': 'ssh://git@altssh.gitlab.com:443/a/b/c.git https://gitlab.com/a/b/c',
    'bitbucket.org/acme/shop': `ssh://git@altssh.bitbucket.org:443/acme/shop.git
      https://me@bitbucket.org/acme/shop.git`,
    'git.example.com/shop/web': `https://git.example.com/scm/shop/web.git
      ssh://git@git.example.com:7999/shop/web.git`,
    'dev.azure.com/acme/web shop/site': `https://dev.azure.com/acme/Web%20shop/_git/site
      https://acme@dev.azure.com/acme/Web%20shop/_git/site git@ssh.dev.azure.com:v3/acme/Web%20shop/site
      ssh://git@ssh.dev.azure.com:22/v3/acme/Web%20shop/site`,
    'git.example.com/a/b': `https://git.example.com/a/b/.git https://git.example.com/a/b.git/.git/
      ssh://git@git.example.com/a/b/.git`,
  };
  it('of one repository are the same in all its forms, and are called by the last two parts of their path; what names no host is what it is', () => {
    for (const [key, forms] of Object.entries(repositories))
      for (const form of forms.split(/\s+/)) assert.equal(identify(form).key, key, form);
    for (const key of ['', ...'shop . / /srv/Git https://git.example.com file:///a/b'.split(' ')])
      assert.deepEqual(identify(key), { key, name: key });
    for (const [address, name] of Object.entries({
      'https://gitlab.com/a/b/c': 'b/c',
      'https://dev.azure.com/acme/My%20shop/_git/site': 'My shop/site',
    }))
      assert.equal(identify(address).name, name);
  });
});
