import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { Organization } from '../../../src/organization';
import type { UsageOfPeople } from '../../../src/shared';
import { peopleCsv } from '../../../src/organization/rows';
import { ObservableValue } from '../../../src/util/lifecycle';
import type { Fault } from '../../fakes/faultServer';
import { secretTexts, secretValues } from '../../fakes/redaction';
import { drawnRows, textOf } from '../../fakes/view';
import { choices, shown } from '../../fakes/vscode';
import { testServer } from '../api/support';
import { later, temporaryFolder, until, windowAt } from '../sessions/support';
import { filesBelow } from '../storage/support';

/** What the two list calls answer. */
type Lists = Readonly<{ users: readonly object[] | Fault; changes: readonly object[] }>;

const FORBIDDEN = { kind: 'answer', status: 403, body: { title: 'Forbidden', requestId: 'req_9' } } as const;
const NOT_FOUND = { kind: 'answer', status: 404, body: {} } as const;
const HOUR_MS = 60 * 60_000;
const USAGE = { people: new Map([['with', { lastActiveDay: '2026-11-19', tokens: 1_500 }]]), none: 0 };
const ann = { id: 'with', email: 'ann@acme.example', firstName: 'Ann' };
const users = [{ id: 'without', firstName: 'Bo' }, ann];
const change = (revision: number, settings: unknown, day: number): object => ({
  ...{ revision, settings, user: { id: 'ann', name: 'Ann' } },
  updatedAt: new Date(2026, 10, day, 10).toISOString(),
});
const changes = [
  change(2, { commandAllowlist: ['a'], maxAutonomyLevel: 'high' }, 11),
  change(1, {}, 11),
  change(4, { commandAllowlist: ['a', 'b'], ideAutoConnect: true, maxAutonomyLevel: 'low' }, 12),
];
/** In any order: the interface promises none. */
const LISTS: Lists = { users, changes };

describe('the organization', () => {
  const server = testServer();

  /** The organization as one window sees it; windows with the same root share what is kept. */
  function open(root = temporaryFolder()) {
    const window = windowAt({ baseUrl: server.origin, appUrl: server.origin }, root);
    const clock = { now: Date.UTC(2026, 10, 21, 12) };
    /** What was opened, by its title. */
    const documents = new Map<string, string>();
    const usage = { asked: 0, of: { people: new Map(), none: 0 } as UsageOfPeople | undefined };
    const feature = new Organization({
      ...{ ...window, focused: new ObservableValue(true), now: () => clock.now },
      details: {
        show: (_id, title, content) => Promise.resolve(void documents.set(title, content())),
        compare: ({ title, before, after }) => {
          documents.set(title, `${String(before)}→ ${after}`);
          return Promise.resolve({} as never);
        },
      },
      usage: () => {
        usage.asked++;
        return Promise.resolve(usage.of);
      },
    });
    later(() => feature.dispose());
    const rows = (): Promise<readonly string[]> => textOf(feature.tree);
    const answered = (given: Lists | Fault): Promise<void> => {
      serve(given);
      return feature.refresh();
    };
    return { ...window, feature, clock, documents, usage, rows, answered };
  }
  const serve = (given: Lists | Fault): void =>
    server.answer(({ url }) => {
      if ('kind' in given) return given;
      const name = url.includes('/users') ? 'users' : 'changes';
      const all: readonly object[] | Fault = given[name];
      const pagination = { hasMore: false, nextCursor: null };
      return 'kind' in all ? all : { kind: 'answer', body: { [name]: all, pagination } };
    });
  /** A window that has read these lists, or what else the service answers. */
  async function opened(given: Lists | Fault, root?: string) {
    const window = open(root);
    await window.answered(given);
    return window;
  }

  it('is shown with its users and what each revision changed, in rows, documents, and to other features', async () => {
    const { feature, view, usage, documents, rows } = await opened(LISTS);
    usage.of = USAGE;
    assert.equal(usage.asked, 0, 'nobody looks at people yet');
    await rows();
    await until(() => usage.asked === 1);
    const text = (await rows()).join('\n');
    for (const part of [
      /^Users \| 2\n {2}Ann \| last sign-in unknown · 1\.5K tokens\n {2}Bo \| activity unknown\nC/,
      /^Control history \| 3\n {2}rev 4 \| Nov 12, 2026 · Ann · commandAllowlist, \+2 · since rev 2\n/m,
      /^ {4}maxAutonomyLevel: high → low \| tightens$/m,
      /^ {4}commandAllowlist: \+b \| loosens$/m,
      /^ {2}rev 1 \| Nov 11, 2026 · Ann · first known revision$/m,
    ])
      assert.match(text, part);
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
    assert.deepEqual(await feature.people(), [
      { id: 'without', name: 'Bo', lastSignInAt: undefined },
      { id: 'with', name: 'ann@acme.example', lastSignInAt: undefined },
    ]);
    const [newest] = await feature.revisions();
    assert.deepEqual([newest?.revision, newest?.who], [4, 'Ann']);
    assert.deepEqual(newest?.changed, ['commandAllowlist', 'ideAutoConnect', 'maxAutonomyLevel']);
    const drawn = async (): Promise<unknown> =>
      (await drawnRows(feature.tree)).map(each => [each.text, each.item.iconPath]);
    const before = await drawn();
    server.answer({ kind: 'silence' });
    const again = feature.refresh();
    await until(() => String(view.description).includes('read so far'));
    assert.deepEqual(await drawn(), before, 'rows stay while they are read again');
    feature.dispose();
    await again;
  });

  it('names nobody to other features before all users have been read', async () => {
    const { feature, rows } = open();
    const body = { users, pagination: { hasMore: true, nextCursor: 'next' } };
    server.answer(({ url }) => (url.includes('next') ? NOT_FOUND : { kind: 'answer', body }));
    assert.deepEqual(await feature.people(), []);
    assert.match((await rows()).join(), /^Users \| 2 · incomplete,/);
  });

  it('is one clear state for a key without any right, offers to try again where nothing could be read, names the list it lacks, else tells a failure of both once, with its age, and keeps the rows', async () => {
    const { feature, view, clock, connection, rows, answered } = await opened(FORBIDDEN);
    const says = (message: RegExp) => until(() => message.test(String(view.message)));
    assert.deepEqual(await rows(), []);
    await says(/^This key has no access to this .* \(403, request req_9\)\. Ask an administrator[^(]*$/);
    await answered(NOT_FOUND);
    assert.equal((await rows()).join(), 'Users,  Try again,Control history,  Try again');
    await answered({ users: FORBIDDEN, changes });
    await says(/has no access to this at .* \(403, request req_9\)/);
    const [people, history] = (await drawnRows(feature.tree)).filter(({ depth }) => depth === 0);
    assert.deepEqual([people?.text, people?.item.collapsibleState], ['Users | no access with this key', 0]);
    assert.equal(history?.text, 'Control history | 3');
    await answered(LISTS);
    await until(() => view.message === undefined);
    clock.now += 3 * 60_000;
    await answered(NOT_FOUND);
    await says(/^[^]*\(404[^]* Shown as of 3 min ago\.$/);
    assert.equal(String(view.message).match(/\(404/g)?.length, 1);
    assert.ok((await rows()).includes('Users | 2 · 3 min old'));
    connection.signOut();
    await until(async () => (await rows()).length === 0);
  });

  it('calls nobody inactive before it is known what their agents did, in the picker and in the details', async () => {
    serve({ users: [{ ...ann, lastSignInAt: '2026-01-02T03:04:05Z' }], changes });
    const { feature, usage, documents } = open();
    usage.of = USAGE;
    choices.push('Ann');
    shown.length = 0;
    await feature.commands.showUser();
    assert.deepEqual(shown, ['323 days · 1.5K tokens']);
    assert.match(documents.get('Ann') ?? '', /\*\*Last active day \(UTC\)\*\*: 2026-11-19/);
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
    usage.of = undefined;
    connection.anotherKey();
    await drawn(5);
    assert.ok(!(await rows()).join().includes('tokens'), 'what another key could read is not shown');
  });

  it('says why there is none to choose from instead of asking with an empty list', async () => {
    const { feature, connection, answered } = await opened({ users: [], changes: [] });
    const { commands } = feature;
    const says = async (people: RegExp, controls = people): Promise<void> => {
      for (const [reason, ...runs] of [
        [people, () => commands.showUser(), () => commands.export({ id: 'group/people' })],
        [controls, () => commands.openChanges(), () => commands.export({ id: 'group/controls' })],
        [controls, () => commands.compareRevisions(), () => commands.showRevision()],
      ] as const)
        for (const run of runs) await assert.rejects(Promise.resolve(run()), reason);
    };
    await says(/^Error: There are no users yet\.$/, /^Error: There are no control revisions yet\.$/);
    await answered(FORBIDDEN);
    await says(/has no access to this/);
    connection.reject('The key was not accepted.');
    await says(/^Error: The key was not accepted\.$/);
    connection.signOut();
    await says(/^Error: Sign in to see the organization\.$/);
    const one = await opened({ users: [], changes: changes.slice(2) });
    const compared = one.feature.commands.compareRevisions({ revision: 4 });
    await assert.rejects(Promise.resolve(compared), /no other control revision/);
  });

  it('is kept for the next window, which opens what it has at once, as who has searched does, and asks nobody', async () => {
    const root = temporaryFolder();
    const { storage } = await opened(LISTS, root);
    await storage.settled();
    const [again, third] = [open(root), open(root)];
    await again.feature.commands.openChanges({ revision: 4 });
    await third.feature.commands.showUser({ personId: 'without' });
    const titles = [again, third].flatMap(({ documents }) => [...documents.keys()]);
    assert.deepEqual(titles, ['Controls: revision 2 ↔ 4 (Ann, Nov 12, 2026)', 'Bo']);
    assert.equal(server.hits.length, 2, 'one for each list');
    again.connection.go(again.api, again.connection.state.current.service!, 'other');
    await until(async () => (await again.rows()).includes('Users'));
  });

  it('says whether the controls forbid a session: from what is known where reading takes long, and again soon after a failure', async () => {
    const { feature, clock } = open();
    const warned = async ({ policy } = feature): Promise<number> =>
      (await policy.warnings({ autonomyLevel: 'high' })).length;
    server.answer(NOT_FOUND);
    assert.equal(await warned(), 0);
    serve(LISTS);
    clock.now += 30_000;
    assert.deepEqual([await warned(), server.hits.length], [0, 0], 'a moment later nobody is asked');
    clock.now += 91_000;
    // Two minutes later the controls are read; no warning waits long for that.
    await until(async () => (await warned()) === 1);
    server.answer(FORBIDDEN);
    clock.now += 2 * HOUR_MS;
    assert.deepEqual([await warned(), server.hits.length], [1, 1], 'asked again, and what was known counts');
    server.answer({ kind: 'silence' });
    const slow = open();
    assert.equal(await warned(slow.feature), 0);
    assert.match(String(slow.view.description), /read so far/);
  });

  it('lets no secret of the controls into a row, tooltip, diff, document, export, log or store, and still shows that it changed', async () => {
    const places = [...secretTexts, ...secretValues];
    /** A secret in every place a service could put one: each revision's is another. */
    const hiding = (secret: string): object => ({
      ...Object.fromEntries(places.map((spell, at) => [`setting${at}`, spell(secret)])),
      maxAutonomyLevel: 'low',
      customModels: [{ id: 'house', apiKey: secret }],
      numbers: { otp: 123456789, pwd: 987654321 },
    });
    const metadata = { ssoToken: 'canary1f2e3d4c', note: 'token=canary1f2e3d4c' };
    const user = { id: 'u1', email: 'a@acme.example', firstName: 'A', metadata };
    const turns = ['canary9f8e7d6c', 'canary0a1b2c3d', 'canary0a1b2c3d'].map(hiding);
    const root = temporaryFolder();
    const changes = turns.map((settings, index) => change(3 - index, settings, 20));
    const { feature, documents, log, storage } = await opened({ users: [user], changes }, root);
    await storage.settled();
    const [third, second] = await feature.revisions();
    assert.deepEqual(second?.changed, [], 'the same secrets are the same marks');
    assert.equal(third?.changed.length, places.length + 1);

    const rows = (await drawnRows(feature.tree)).map(({ node, item }) =>
      feature.tree.resolveTreeItem(item, node),
    );
    await feature.commands.showUser({ personId: 'u1' });
    await feature.commands.openChanges({ revision: 3 });
    await feature.commands.showRevision({ revision: 1 });
    assert.equal(documents.size, 3);
    const [person] = await feature.people();
    const stored = filesBelow(root)
      .map(name => `${name}\n${fs.readFileSync(path.join(root, name), 'utf8')}`)
      .join('\n');
    const told = [
      JSON.stringify(rows),
      ...documents.values(),
      peopleCsv([user, person as never], undefined, 0),
      ...(await feature.policy.warnings({ model: 'house', autonomyLevel: 'high' })),
      ...log.lines,
      stored,
    ].join('\n');
    assert.match(told, /customModels\[house\]\.apiKey: secret changed/);
    assert.match(stored, /\[redacted /, 'the folder holds the history');
    const leak = told.search(/canary|123456789|987654321/i);
    assert.equal(leak, -1, told.slice(Math.max(0, leak - 200)).slice(0, 400));
  });
});
