import assert from 'node:assert/strict';
import type { FaultServer } from '../../fakes/faultServer';
import { drawnRows, textOf } from '../../fakes/view';
import { choices, shown } from '../../fakes/vscode';
import { until } from '../../until';
import {
  addressesOf,
  answerLists,
  apiOf,
  cleanUp,
  faultServer,
  largeOrganization,
  open,
  row,
  temporaryFolder,
  type LargeOrganization,
} from './support';

const FORBIDDEN = { kind: 'answer', status: 403, body: { title: 'Forbidden', requestId: 'req_9' } } as const;
const HOUR_MS = 60 * 60_000;

const people = [
  { id: 'with', email: 'ann@acme.example', firstName: 'Ann' },
  { id: 'without', firstName: 'Bo' },
];
const change = (revision: number, settings: object, day: number): object => ({
  revision,
  settings,
  user: { id: 'ann', name: 'Ann' },
  updatedAt: new Date(2026, 10, day, 10).toISOString(),
});
const changes = [
  change(4, { commandAllowlist: ['a', 'b'], ideAutoConnect: true, maxAutonomyLevel: 'low' }, 12),
  change(2, { commandAllowlist: ['a'], maxAutonomyLevel: 'high' }, 11),
  change(1, {}, 11),
];
const listing = (
  server: FaultServer,
  users: readonly object[] = people,
  all: readonly object[] = changes,
): void =>
  server.answer(({ url }) => ({
    kind: 'answer',
    body: url.includes('/users')
      ? { users, pagination: { hasMore: false } }
      : { changes: all, pagination: { hasMore: false } },
  }));
const rejects = (act: unknown, reason: RegExp): Promise<void> => assert.rejects(Promise.resolve(act), reason);
describe('the view of the organization', () => {
  afterEach(cleanUp);

  it('shows users and what each revision changed', async () => {
    const server = await faultServer();
    listing(server);
    const window = open(server);
    window.usage.of = new Map([['with', { lastActiveDay: '2026-11-19', tokens: 1_500 }]]);
    await window.feature.refresh();
    assert.equal(window.usage.asked, 0, 'nobody looks at people yet');
    await drawnRows(window.feature.tree);
    await until(() => window.usage.asked === 1);
    const rows = await textOf(window.feature.tree);
    const history = rows.slice(rows.findIndex(each => each.startsWith('Control history')));
    assert.deepEqual(rows.slice(0, 3), [
      'Users | 2',
      '  Ann | last sign-in unknown · 1.5K tokens',
      '  Bo | activity unknown',
    ]);
    assert.match(
      history.join('\n'),
      /^Control history \| 3\n {2}rev 4 \| Nov 12, 2026 · Ann · commandAllowlist, \+2 · since rev 2\n/,
    );
    assert.ok(history.includes('    maxAutonomyLevel: high → low | tightens'), history.join('\n'));
    assert.ok(history.includes('    commandAllowlist: +b | loosens'));
    assert.ok(history.includes('  rev 1 | Nov 11, 2026 · Ann · first known revision'));
    const user = await row(window, 'Ann');
    assert.equal(
      user.item.accessibilityInformation?.label,
      'User Ann, ann@acme.example, last sign-in unknown · 1.5K tokens',
    );
    await window.feature.commands.showUser(user.item.command?.arguments?.[0]);
    assert.match(window.documents.get('Ann') ?? '', /^# Ann$[^]*\*\*E-mail\*\*: ann@acme\.example/m);
    const revision = await row(window, 'rev 4');
    await window.feature.commands.openChanges(revision.item.command?.arguments?.[0]);
    const compared = window.documents.get('Controls: revision 2 ↔ 4 (Ann, Nov 12, 2026)');
    assert.match(compared ?? '', /"maxAutonomyLevel": "high"[^]*→[^]*"maxAutonomyLevel": "low"/);
  });

  it('is one clear state for a key without any right, and names the list it may not read where it lacks one', async () => {
    const server = await faultServer();
    server.answer(FORBIDDEN);
    const window = open(server);
    await window.feature.refresh();
    assert.deepEqual(await textOf(window.feature.tree), []);
    assert.match(
      String(window.view.message),
      /^This key has no access to this .* \(403, request req_9\)\. Ask an administrator[^(]*$/,
    );
    server.answer(hit =>
      hit.url.includes('/users') ? FORBIDDEN : answerLists(largeOrganization(1, 2), hit),
    );
    window.connection.anotherKey();
    await window.feature.refresh();
    assert.match(String(window.view.message), /has no access to this at .* \(403, request req_9\)/);
    const [users, history] = (await drawnRows(window.feature.tree)).filter(({ depth }) => depth === 0);
    assert.deepEqual([users?.text, users?.item.collapsibleState], ['Users | no access with this key', 0]);
    assert.equal(history?.text, 'Control history | 2');
  });

  it('tells a failure of both lists once, with its age, and keeps the rows', async () => {
    const server = await faultServer();
    listing(server);
    const window = open(server);
    await window.feature.refresh();
    server.answer({ kind: 'answer', status: 404, body: {} });
    window.clock.now += 3 * 60_000;
    await window.feature.refresh();
    assert.match(String(window.view.message), /^[^]*\(404[^]* Shown as of 3 min ago\.$/);
    assert.equal(String(window.view.message).match(/\(404/g)?.length, 1);
    assert.ok((await textOf(window.feature.tree)).includes('Users | 2 · 3 min old'));
    window.connection.signOut();
    await until(async () => (await textOf(window.feature.tree)).length === 0);
  });

  it('calls nobody inactive before it is known what their agents did, in the picker and in the details', async () => {
    const server = await faultServer();
    const lastSignInAt = '2026-01-02T03:04:05Z';
    listing(server, [{ id: 'with', firstName: 'Ann', lastSignInAt }]);
    for (const user of [undefined, { personId: 'with' }]) {
      const window = open(server);
      window.usage.of = new Map([['with', { lastActiveDay: '2026-11-19', tokens: 1_500 }]]);
      if (user !== undefined) await window.feature.people();
      choices.push('Ann');
      shown.length = 0;
      await window.feature.commands.showUser(user);
      choices.length = 0;
      assert.deepEqual(shown, user === undefined ? ['323 days · 1.5K tokens'] : []);
      assert.match(window.documents.get('Ann') ?? '', /\*\*Last active day \(UTC\)\*\*: 2026-11-19/);
    }
  });

  it('asks again for the usage of people that did not come: later by itself, at once on refresh or with another key', async () => {
    const server = await faultServer();
    listing(server);
    const window = open(server);
    window.usage.of = undefined;
    const drawn = async (asked: number): Promise<void> => {
      await drawnRows(window.feature.tree);
      await until(() => window.usage.asked === asked);
    };
    await window.feature.refresh();
    await drawn(1);
    await drawn(1);
    await window.feature.refresh();
    assert.equal(window.usage.asked, 2);
    window.connection.anotherKey();
    await drawn(3);
    window.clock.now += HOUR_MS;
    window.usage.of = new Map([['with', { lastActiveDay: '2026-11-19', tokens: 1_500 }]]);
    await drawn(4);
    await until(async () => (await textOf(window.feature.tree)).some(each => each.includes('1.5K tokens')));
  });

  it('tells progress above the rows, which stay as they are while they are read again', async () => {
    const server = await faultServer();
    listing(server);
    const window = open(server);
    await window.feature.refresh();
    const items = async (): Promise<unknown> =>
      (await drawnRows(window.feature.tree)).map(({ text, item }) => [
        text,
        item.iconPath,
        item.contextValue,
      ]);
    const before = await items();
    server.answer({ kind: 'silence' });
    const again = window.feature.refresh();
    await until(() => String(window.view.description).includes('read so far'));
    assert.deepEqual(await items(), before);
    window.feature.dispose();
    await again;
  });

  it('offers to try again where nothing could be read, and names what could not', async () => {
    const server = await faultServer();
    server.answer({ kind: 'answer', status: 404, body: {} });
    const window = open(server);
    await window.feature.refresh();
    assert.deepEqual(await textOf(window.feature.tree), [
      'Users',
      '  Try again',
      'Control history',
      '  Try again',
    ]);
    listing(server, [{ id: 'a' }, { email: 'no id' }]);
    await window.feature.refresh();
    assert.equal(window.view.message, '1 entry could not be read: no id id is missing');
  });

  it('says why there is none to choose from instead of asking with an empty list', async () => {
    const server = await faultServer();
    const window = open(server);
    const { commands } = window.feature;
    type Asked = readonly [command: keyof typeof commands, row?: object];
    const ofPeople: readonly Asked[] = [['showUser'], ['export', { id: 'group/people' }]];
    const ofRevisions: readonly Asked[] = [
      ['openChanges'],
      ['compareRevisions'],
      ['showRevision'],
      ['export', { id: 'group/controls' }],
    ];
    const says = async (asked: readonly Asked[], reason: RegExp): Promise<void> => {
      for (const [name, row] of asked) await rejects(commands[name](row), reason);
    };
    listing(server, [], []);
    await says(ofPeople, /^Error: There are no users yet\.$/);
    await says(ofRevisions, /^Error: There are no control revisions yet\.$/);
    server.answer(FORBIDDEN);
    await window.feature.refresh();
    await says(ofPeople, /has no access to this/);
    await says(ofRevisions, /has no access to this/);
    listing(server, [], [change(1, {}, 1)]);
    await window.feature.refresh();
    await rejects(commands.compareRevisions({ revision: 1 }), /no other control revision/);
    window.connection.signOut();
    await says(ofPeople, /^Error: Sign in to see the organization\.$/);
  });
});

describe('a large organization', () => {
  afterEach(cleanUp);

  const serve = (server: FaultServer, organization: LargeOrganization): void =>
    server.answer(hit => answerLists(organization, hit));

  it('is read page by page and listed in order, whatever the service does', async () => {
    const server = await faultServer();
    const { users, changes: all } = largeOrganization(250, 130);
    serve(server, {
      users,
      changes: all.toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length),
    });
    const window = open(server);
    await window.feature.refresh();
    const rows = (await drawnRows(window.feature.tree)).filter(({ depth }) => depth === 1);
    const [names, revisions] = ['person', 'revision'].map(kind =>
      rows.filter(({ node }) => node.kind === kind).map(({ node }) => node.row().label),
    ) as [string[], string[]];
    assert.equal(names.length, 250);
    assert.deepEqual(names, names.toSorted(new Intl.Collator('en', { numeric: true }).compare));
    assert.deepEqual(
      revisions,
      all.map((_, index) => `rev ${130 - index}`),
    );
  });

  it('is listed though some of it cannot be read, which is named; a setting of an odd shape is shown as it is', async () => {
    const server = await faultServer();
    const { users, changes: all } = largeOrganization(2, 4);
    serve(server, {
      users: [users[0]!, { email: 'no id' }, { id: 7 }],
      changes: all.map(each => {
        const { revision, settings } = each as { revision: number; settings: object };
        if (revision === 4)
          return { ...each, settings: { ...settings, commandAllowlist: 'rm', customModels: [5] } };
        return revision === 2 ? { revision, settings: 'none' } : each;
      }),
    });
    const window = open(server);
    await window.feature.refresh();
    const message = String(window.view.message);
    for (const part of ['3 entries', 'no id id is missing', '2 settings: expected object, received string'])
      assert.ok(message.includes(part), message);
    const rows = (await textOf(window.feature.tree)).join('\n');
    assert.match(
      rows,
      /^Users \| 1$[^]*^ {4}commandAllowlist: \[.* → rm$[^]*^ {4}customModels\[\?\]: not set → 5$/m,
    );
    assert.match(rows, /^ {2}rev 3 .* · since rev 1$/m);
  });

  it('takes as few calls as the interface allows, and is kept for the next window, not for another service', async () => {
    const server = await faultServer();
    serve(server, largeOrganization(5_000, 2_000));
    const root = temporaryFolder();
    const { feature, close } = open(server, root);
    await feature.refresh();
    assert.equal(server.hits.length, 70);
    await close();
    const again = open(server, root);
    const { tree } = again.feature;
    const counts = async (): Promise<string> =>
      (await tree.getChildren()).map(node => String(tree.getTreeItem(node).description ?? '')).join(' ');
    assert.equal(await counts(), '5,000 2,000');
    assert.equal(server.hits.length, 70, 'nobody asks again');
    again.connection.go(apiOf(server), addressesOf(server), 'other');
    await until(async () => (await counts()) === ' ');
  });
});

describe('what other features ask of the organization', () => {
  afterEach(cleanUp);

  it('who the people are, and when which setting changed', async () => {
    const server = await faultServer();
    listing(server);
    const { feature } = open(server);
    assert.deepEqual(await feature.people(), [
      { id: 'with', email: 'ann@acme.example', name: 'Ann', lastSignInAt: undefined },
      { id: 'without', email: undefined, name: 'Bo', lastSignInAt: undefined },
    ]);
    const [newest] = await feature.revisions();
    assert.deepEqual([newest?.revision, newest?.who], [4, 'Ann']);
    assert.deepEqual(newest?.changed, ['commandAllowlist', 'ideAutoConnect', 'maxAutonomyLevel']);
    const refused = open(server);
    server.answer(FORBIDDEN);
    await assert.rejects(refused.feature.people(), /has no access to this/);
  });

  it('whether the controls forbid a session: from what is known where reading takes long, and again soon after a failure', async () => {
    const server = await faultServer();
    const window = open(server);
    const warned = async (): Promise<number> =>
      (await window.feature.policy.warnings({ autonomyLevel: 'high' })).length;
    server.answer({ kind: 'answer', status: 404, body: { title: 'Not found' } });
    assert.equal(await warned(), 0);
    listing(server);
    window.clock.now += 30_000;
    assert.deepEqual([await warned(), server.hits.length], [0, 0], 'a moment later nobody is asked');
    window.clock.now += 31_000;
    assert.equal(await warned(), 1, 'a minute later the controls are known');
    server.answer(FORBIDDEN);
    window.clock.now += 2 * HOUR_MS;
    assert.equal(await warned(), 1);
    const refused = server.hits.length;
    window.clock.now += 24 * HOUR_MS;
    assert.deepEqual(
      [await warned(), server.hits.length],
      [1, refused + 1],
      'without the right it is asked once an hour at most',
    );
    const slow = open(server);
    server.answer({ kind: 'silence' });
    assert.equal((await slow.feature.policy.warnings({ autonomyLevel: 'high' })).length, 0);
  });
});
