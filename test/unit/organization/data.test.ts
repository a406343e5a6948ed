import assert from 'node:assert/strict';
import { compareSettings, settingsOf } from '../../../src/organization/changes';
import { nameOf } from '../../../src/organization/model';
import { changeText } from '../../../src/organization/words';
import { answerLists, largeOrganization } from '../../fakes/largeOrganization';
import { growsEvenly } from '../../growth';
import { addressesOf, apiOf, cleanUp, faultServer, openWindow, temporaryFolder } from './support';

describe('the organization as last known', function () {
  afterEach(cleanUp);

  it('reads every page of both lists, tells how far it is, and knows the order whatever the service does', async () => {
    const server = await faultServer();
    const organization = largeOrganization(250, 130);
    const shuffled = { ...organization, changes: [...organization.changes].sort(() => 0.5 - Math.random()) };
    server.answer(hit => answerLists(shuffled, hit));
    const { data } = openWindow(temporaryFolder(), server);
    const counts: number[] = [];
    data.people.state.onDidChange(({ reading }) => reading && counts.push(reading.count));
    await data.freshen();
    assert.deepEqual(counts, [0, 100, 200, 250]);
    assert.equal(data.people.state.current.items.length, 250);
    assert.deepEqual(
      data.revisions.map(({ revision }) => revision),
      Array.from({ length: 130 }, (_, index) => 130 - index),
    );
    assert.ok(server.hits.every(({ url }) => url.includes('limit=100')));
    const names = data.sortedPeople.map(nameOf);
    assert.deepEqual(names, names.toSorted(new Intl.Collator('en', { numeric: true }).compare));
    const newest = data.revisions[0]!;
    assert.equal(newest.before?.revision, 129);
    assert.deepEqual(settingsOf(newest.changes), [
      'commandAllowlist',
      'enableAgentShield',
      'maxAutonomyLevel',
      'modelPolicy.allowCustomModels',
      'modelPolicy.blockedModelIds',
    ]);
  });

  it('one bad entry hides no other and is named; a setting of an odd shape is shown as it is', async () => {
    const server = await faultServer();
    const { users, changes } = largeOrganization(5, 4);
    const bad = {
      users: [users[0]!, { email: 'no id' }, ...users.slice(1), null, { id: 7 }],
      changes: changes.map(change => {
        const { revision, settings } = change as { revision: number; settings: object };
        if (revision === 4)
          return { ...change, settings: { ...settings, commandAllowlist: 'rm', customModels: [5] } };
        return revision === 2 ? { revision, settings: 'none' } : change;
      }),
    };
    server.answer(hit => answerLists(bad, hit));
    const { data } = openWindow(temporaryFolder(), server);
    await data.refresh();
    assert.equal(data.people.state.current.items.length, 5);
    assert.deepEqual(
      data.people.state.current.problems.map(({ index, id, reason }) => [index, id, reason]),
      [
        [1, 'no id', 'id is missing'],
        [6, undefined, 'item is missing'],
        [7, '7', 'id: expected string, received number'],
      ],
    );
    assert.deepEqual(
      data.controls.state.current.problems.map(({ id, reason }) => [id, reason]),
      [['2', 'settings: expected record, received string']],
    );
    const [newest, third, first] = data.revisions;
    assert.deepEqual([newest?.revision, third?.revision, first?.revision], [4, 3, 1]);
    assert.equal(third?.before?.revision, 1);
    const told = newest!.changes.map(changeText).join('\n');
    assert.match(told, /^commandAllowlist: \[.* → rm$/m);
    assert.match(told, /^customModels\[\?\]: not set → 5$/m);
  });

  it('takes 5,000 users and 2,000 revisions in its stride', async () => {
    const server = await faultServer();
    const organization = largeOrganization(5_000, 2_000);
    server.answer(hit => answerLists(organization, hit));
    const root = temporaryFolder();
    const { data, close } = openWindow(root, server);
    await data.refresh();
    assert.equal(server.hits.length, 70, 'as few calls as the interface allows');
    assert.equal(data.people.state.current.items.length, 5_000);
    const { revisions } = data;
    await growsEvenly('all revisions compared', 2_000, size =>
      revisions.slice(0, size).forEach(each => compareSettings(each.before?.settings, each.settings)),
    );
    await close();
    const again = openWindow(root, server);
    await again.data.ready();
    assert.equal(again.data.revisions.length, 2_000);
    again.connection.go(apiOf(server), addressesOf(server), 'other');
    await again.data.ready();
    assert.equal(again.data.revisions.length, 0, 'nothing of another service');
  });
});
