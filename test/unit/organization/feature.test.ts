import assert from 'node:assert/strict';
import { drawnRows } from '../../fakes/view';
import { choices, shown } from '../../fakes/vscode';
import { until } from '../../until';
import {
  addressesOf,
  cleanUp,
  faultServer,
  largeOrganization,
  open,
  opened,
  serve,
  temporaryFolder,
} from './support';

const FORBIDDEN = { kind: 'answer', status: 403, body: { title: 'Forbidden', requestId: 'req_9' } } as const;
const HOUR_MS = 60 * 60_000;

const users = [
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
const LISTS = { users, changes };
const NOT_FOUND = { kind: 'answer', status: 404, body: {} } as const;
const USAGE = new Map([['with', { lastActiveDay: '2026-11-19', tokens: 1_500 }]]);

describe('the view of the organization', () => {
  afterEach(cleanUp);

  it('shows users and what each revision changed', async () => {
    const { feature, usage, documents, rows } = await opened(LISTS);
    usage.of = USAGE;
    assert.equal(usage.asked, 0, 'nobody looks at people yet');
    await rows();
    await until(() => usage.asked === 1);
    const text = (await rows()).join('\n');
    const [people, history] = [text.slice(0, text.indexOf('\nC')), text.slice(text.indexOf('\nC') + 1)];
    const [ann, bo] = ['Ann | last sign-in unknown · 1.5K tokens', 'Bo | activity unknown'];
    assert.equal(people, `Users | 2\n  ${ann}\n  ${bo}`);
    for (const part of [
      /^Control history \| 3\n {2}rev 4 \| Nov 12, 2026 · Ann · commandAllowlist, \+2 · since rev 2\n/,
      /^ {4}maxAutonomyLevel: high → low \| tightens$/m,
      /^ {4}commandAllowlist: \+b \| loosens$/m,
      /^ {2}rev 1 \| Nov 11, 2026 · Ann · first known revision$/m,
    ])
      assert.match(history, part);
    const itemOf = async (start: string) =>
      (await drawnRows(feature.tree)).find(each => each.text.startsWith(start))!.item;
    const user = await itemOf('Ann');
    const spoken = 'User Ann, ann@acme.example, last sign-in unknown · 1.5K tokens';
    assert.equal(user.accessibilityInformation?.label, spoken);
    await feature.commands.showUser(user.command?.arguments?.[0]);
    assert.match(documents.get('Ann') ?? '', /^# Ann$[^]*\*\*E-mail\*\*: ann@acme\.example/m);
    await feature.commands.openChanges((await itemOf('rev 4')).command?.arguments?.[0]);
    const compared = documents.get('Controls: revision 2 ↔ 4 (Ann, Nov 12, 2026)');
    assert.match(compared ?? '', /"maxAutonomyLevel": "high"[^]*→[^]*"maxAutonomyLevel": "low"/);
  });

  it('is one clear state for a key without any right, and names the list it may not read where it lacks one', async () => {
    const { feature, server, view, connection, rows } = await opened(FORBIDDEN);
    assert.deepEqual(await rows(), []);
    assert.match(
      String(view.message),
      /^This key has no access to this .* \(403, request req_9\)\. Ask an administrator[^(]*$/,
    );
    serve(server, largeOrganization(1, 2), FORBIDDEN);
    connection.anotherKey();
    await feature.refresh();
    assert.match(String(view.message), /has no access to this at .* \(403, request req_9\)/);
    const [users, history] = (await drawnRows(feature.tree)).filter(({ depth }) => depth === 0);
    assert.deepEqual([users?.text, users?.item.collapsibleState], ['Users | no access with this key', 0]);
    assert.equal(history?.text, 'Control history | 2');
  });

  it('tells a failure of both lists once, with its age, and keeps the rows', async () => {
    const { feature, server, clock, view, connection, rows } = await opened(LISTS);
    server.answer(NOT_FOUND);
    clock.now += 3 * 60_000;
    await feature.refresh();
    assert.match(String(view.message), /^[^]*\(404[^]* Shown as of 3 min ago\.$/);
    assert.equal(String(view.message).match(/\(404/g)?.length, 1);
    assert.ok((await rows()).includes('Users | 2 · 3 min old'));
    connection.signOut();
    await until(async () => (await rows()).length === 0);
  });

  it('calls nobody inactive before it is known what their agents did, in the picker and in the details', async () => {
    for (const user of [undefined, { personId: 'with' }]) {
      const server = await faultServer();
      serve(server, { users: [{ ...users[0], lastSignInAt: '2026-01-02T03:04:05Z' }], changes });
      const { feature, usage, documents } = open(server);
      usage.of = USAGE;
      if (user !== undefined) await feature.people();
      choices.push('Ann');
      shown.length = 0;
      await feature.commands.showUser(user);
      choices.length = 0;
      assert.deepEqual(shown, user === undefined ? ['323 days · 1.5K tokens'] : []);
      assert.match(documents.get('Ann') ?? '', /\*\*Last active day \(UTC\)\*\*: 2026-11-19/);
    }
  });

  it('asks again for the usage of people that did not come: later by itself, at once on refresh or with another key', async () => {
    const { feature, usage, clock, connection, rows } = await opened(LISTS);
    usage.of = undefined;
    const drawn = async (asked: number): Promise<void> => {
      await rows();
      await until(() => usage.asked === asked);
    };
    await drawn(1);
    await drawn(1);
    await feature.refresh();
    assert.equal(usage.asked, 2);
    connection.anotherKey();
    await drawn(3);
    clock.now += HOUR_MS;
    usage.of = USAGE;
    await drawn(4);
    await until(async () => (await rows()).some(each => each.includes('1.5K tokens')));
  });

  it('tells progress above the rows, which stay as they are while they are read again', async () => {
    const { feature, server, view } = await opened(LISTS);
    const items = async (): Promise<unknown> =>
      (await drawnRows(feature.tree)).map(({ text, item: { iconPath } }) => [text, iconPath]);
    const before = await items();
    server.answer({ kind: 'silence' });
    const again = feature.refresh();
    await until(() => String(view.description).includes('read so far'));
    assert.deepEqual(await items(), before);
    feature.dispose();
    await again;
  });

  it('offers to try again where nothing could be read, and names what could not', async () => {
    const { feature, server, view, rows } = await opened(NOT_FOUND);
    assert.equal((await rows()).join(), 'Users,  Try again,Control history,  Try again');
    serve(server, { users: [{ id: 'a' }, { email: 'no id' }], changes });
    await feature.refresh();
    assert.equal(view.message, '1 entry could not be read: no id id is missing');
  });

  it('says why there is none to choose from instead of asking with an empty list', async () => {
    const { feature, server, connection } = await opened({ users: [], changes: [] });
    const { commands } = feature;
    const names = {
      people: ['showUser', 'export'],
      controls: ['openChanges', 'compareRevisions', 'showRevision', 'export'],
    } as const;
    const says = async (list: keyof typeof names, reason: RegExp): Promise<void> => {
      for (const name of names[list]) {
        const row = name === 'export' ? { id: `group/${list}` } : undefined;
        await assert.rejects(Promise.resolve(commands[name](row)), reason);
      }
    };
    await says('people', /^Error: There are no users yet\.$/);
    await says('controls', /^Error: There are no control revisions yet\.$/);
    server.answer(FORBIDDEN);
    await feature.refresh();
    await says('people', /has no access to this/);
    await says('controls', /has no access to this/);
    serve(server, { users: [], changes: [change(1, {}, 1)] });
    await feature.refresh();
    const compared = commands.compareRevisions({ revision: 1 });
    await assert.rejects(Promise.resolve(compared), /no other control revision/);
    serve(server, { users: [], changes: [] });
    await feature.refresh();
    connection.reject('The key was not accepted.');
    await says('people', /^Error: The key was not accepted\.$/);
    connection.signOut();
    await says('people', /^Error: Sign in to see the organization\.$/);
  });

  it('is read page by page and listed in order, whatever the service does', async () => {
    const { users: all, changes: history } = largeOrganization(250, 130);
    const odd = history.toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
    const { feature } = await opened({ users: all, changes: odd });
    const rows = await drawnRows(feature.tree);
    const [names = [], revisions] = ['person', 'revision'].map(kind =>
      rows.filter(({ node }) => node.kind === kind).map(({ node }) => node.row().label),
    );
    assert.equal(names.length, 250);
    assert.deepEqual(names, names.toSorted(new Intl.Collator('en', { numeric: true }).compare));
    const newestFirst = history.map((_, index) => `rev ${130 - index}`);
    assert.deepEqual(revisions, newestFirst);
  });

  it('is listed though some of it cannot be read, which is named; a setting of an odd shape is shown as it is', async () => {
    const { users: two, changes: four } = largeOrganization(2, 4);
    const spoilt: Readonly<Record<number, object>> = {
      4: { settings: { commandAllowlist: 'rm', customModels: [5] } },
      2: { settings: 'none' },
    };
    const { view, rows } = await opened({
      users: [two[0]!, { email: 'no id' }, { id: 7 }],
      changes: four.map(each => ({ ...each, ...spoilt[(each as { revision: number }).revision] })),
    });
    const message = String(view.message);
    for (const part of ['3 entries', 'no id id is missing', '2 settings: expected object, received string'])
      assert.ok(message.includes(part), message);
    const text = (await rows()).join('\n');
    const odd = /^Users \| 1$[^]*^ {4}commandAllowlist: \[.* → rm$[^]*^ {4}customModels\[\?\]: not set → 5$/m;
    assert.match(text, odd);
    assert.match(text, /^ {2}rev 3 .* · since rev 1$/m);
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
    const { tree, commands } = again.feature;
    await commands.openChanges({ revision: 7 });
    const third = open(server, root);
    await third.feature.commands.showUser({ personId: 'user_7' });
    const found = [again, third].flatMap(({ documents }) => [...documents.keys()]);
    const titles = ['Controls: revision 6 ↔ 7 (Admin, Nov 20, 2026)', 'First7 Last7'];
    assert.deepEqual(found, titles, 'at once, as who has searched opens them');
    const counts = async (): Promise<string> =>
      (await tree.getChildren()).map(node => String(tree.getTreeItem(node).description ?? '')).join(' ');
    assert.equal(await counts(), '5,000 2,000');
    assert.equal(server.hits.length, 70, 'nobody asks again');
    again.connection.go(again.connection.api!, addressesOf(server), 'other');
    await until(async () => (await counts()) === ' ');
  });
});

describe('what other features ask of the organization', () => {
  afterEach(cleanUp);

  it('who the people are, and when which setting changed', async () => {
    const { feature } = await opened(LISTS);
    assert.deepEqual(await feature.people(), [
      { id: 'with', email: 'ann@acme.example', name: 'Ann', lastSignInAt: undefined },
      { id: 'without', email: undefined, name: 'Bo', lastSignInAt: undefined },
    ]);
    const [newest] = await feature.revisions();
    assert.deepEqual([newest?.revision, newest?.who], [4, 'Ann']);
    assert.deepEqual(newest?.changed, ['commandAllowlist', 'ideAutoConnect', 'maxAutonomyLevel']);
    const refused = await opened(FORBIDDEN);
    await assert.rejects(refused.feature.people(), /has no access to this/);
  });

  it('whether the controls forbid a session: from what is known where reading takes long, and again soon after a failure', async () => {
    const server = await faultServer();
    const { feature, clock } = open(server);
    const warned = async ({ policy } = feature): Promise<number> =>
      (await policy.warnings({ autonomyLevel: 'high' })).length;
    server.answer(NOT_FOUND);
    assert.equal(await warned(), 0);
    serve(server, LISTS);
    clock.now += 30_000;
    assert.deepEqual([await warned(), server.hits.length], [0, 0], 'a moment later nobody is asked');
    clock.now += 31_000;
    assert.equal(await warned(), 1, 'a minute later the controls are known');
    server.answer(FORBIDDEN);
    clock.now += 2 * HOUR_MS;
    assert.equal(await warned(), 1);
    const refused = server.hits.length;
    clock.now += 24 * HOUR_MS;
    const again = [await warned(), server.hits.length];
    assert.deepEqual(again, [1, refused + 1], 'without the right it is asked once an hour at most');
    server.answer({ kind: 'silence' });
    assert.equal(await warned(open(server).feature), 0);
  });
});
