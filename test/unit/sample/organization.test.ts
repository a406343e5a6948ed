import assert from 'node:assert/strict';
import { type SampleService } from '../../../src/sample';
import * as contract from './contract';
import { closeAll, ManualClock, NOW, ok, start } from './harness';

const DAY = 86_400_000;
const HISTORY = '/api/v0/organization/enterprise-controls/history';
const USERS = '/api/v0/organization/users';

async function allUsers(service: SampleService, limit: number) {
  const found = [];
  for (let cursor = ''; ;) {
    const page = await ok(service, `${USERS}?limit=${limit}${cursor && `&cursor=${cursor}`}`, contract.users);
    found.push(...page.users);
    assert.equal(page.pagination.hasMore, page.pagination.nextCursor !== null);
    if (page.pagination.nextCursor === null) return found;
    assert.equal(page.users.length, limit);
    cursor = page.pagination.nextCursor;
  }
}

async function allChanges(service: SampleService, limit: number) {
  const found = [];
  for (let cursor = ''; ;) {
    const page = await ok(
      service,
      `${HISTORY}?limit=${limit}${cursor && `&cursor=${cursor}`}`,
      contract.changes,
    );
    found.push(...page.changes);
    if (page.pagination.nextCursor === null) return found;
    cursor = page.pagination.nextCursor;
  }
}

describe('sample service: organization', () => {
  let service: SampleService;
  before(async () => {
    service = await start();
  });
  after(closeAll);

  it('has 128 users, a few of them out of the ordinary', async () => {
    const users = await allUsers(service, 100);
    assert.equal(users.length, 128);
    assert.equal(new Set(users.map(user => user.id)).size, 128);
    assert.equal(new Set(users.map(user => user.email)).size, 128);
    assert.ok(users.filter(user => user.firstName === undefined && user.lastName === undefined).length >= 3);
    assert.equal(users.filter(user => user.lastSignInAt === undefined).length, 1);
    assert.ok(users.some(user => /\u202e/.test(user.firstName ?? '')));
    assert.ok(users.some(user => /\p{Script=Hebrew}/u.test(user.firstName ?? '')));
    for (const user of users) {
      assert.ok(Date.parse(user.createdAt) <= NOW);
      if (user.lastSignInAt === undefined) continue;
      assert.ok(user.lastSignInAt >= user.createdAt && Date.parse(user.lastSignInAt) <= NOW, user.email);
    }
    const inactive = users.filter(user => Date.parse(user.lastSignInAt ?? '') < NOW - 60 * DAY);
    assert.ok(inactive.length >= 10 && inactive.length < 60, `${inactive.length}`);
  });

  it('pages users and changes without loss, by 20 unless told otherwise', async () => {
    const users = await allUsers(service, 100);
    for (const limit of [9, 64]) assert.deepEqual(await allUsers(service, limit), users);
    assert.equal((await ok(service, USERS, contract.users)).users.length, 20);
    const changes = await allChanges(service, 100);
    for (const limit of [7, 45]) assert.deepEqual(await allChanges(service, limit), changes);
    assert.equal((await ok(service, HISTORY, contract.changes)).changes.length, 20);
  });

  it('knows the people of the analytics, but for the account that is gone', async () => {
    const users = new Map((await allUsers(service, 100)).map(user => [user.id, user]));
    const range = 'startDate=2026-01-14&endDate=2026-11-20&limit=100';
    const { data } = await ok(service, `/api/v1/analytics/users?${range}`, contract.userRows);
    const gone = new Set(data.filter(row => !users.has(row.user_id)).map(row => row.user_id));
    assert.equal(gone.size, 1);
    for (const row of data) assert.equal(row.user_email, users.get(row.user_id)?.email ?? null);
    for (const [id, user] of users) {
      const last = data.filter(row => row.user_id === id).at(-1);
      if (last !== undefined) assert.equal(user.lastSignInAt?.slice(0, 10), last.date);
    }
  });

  it('has 45 revisions, newest first, that touch every setting of the interface', async () => {
    const changes = await allChanges(service, 100);
    assert.deepEqual(
      changes.map(change => change.revision),
      Array.from({ length: 45 }, (_, index) => 45 - index),
    );
    const paths = new Set<string>();
    for (const [index, change] of changes.entries()) {
      const before = changes[index + 1];
      assert.notDeepEqual(change.settings, before?.settings, `revision ${change.revision} changes something`);
      if (before !== undefined) assert.ok(before.updatedAt < change.updatedAt);
      for (const [name, value] of Object.entries(change.settings)) {
        paths.add(name);
        if (typeof value !== 'object' || Array.isArray(value)) continue;
        for (const inner of Object.keys(value)) paths.add(`${name}.${inner}`);
      }
    }
    for (const name of Object.keys(contract.controlSettings)) assert.ok(paths.has(name), name);
    for (const [name, inner] of [
      ['sessionDefaultSettings', 7],
      ['modelPolicy', 6],
      ['mcpPolicy', 2],
      ['missionPolicy', 2],
      ['sandbox', 4],
    ] as const) {
      assert.equal([...paths].filter(path => path.startsWith(`${name}.`)).length, inner, name);
    }
    const network = changes.map(change => Object.keys(change.settings.sandbox?.network ?? {})).flat();
    assert.equal(new Set(network).size, 6);
    const models = changes.flatMap(change => change.settings.customModels ?? []);
    assert.ok(models.every(model => model.apiKey.length > 20));
    assert.ok(models.some(model => JSON.stringify(model.extraHeaders).includes('Bearer')));
    assert.ok(new Set(models.map(model => model.apiKey)).size >= 4, 'keys are rotated');
    assert.ok(new Set(changes.map(change => change.user.email)).size >= 2);
  });

  it('only ever adds to the history', async () => {
    const clock = new ManualClock();
    const moving = await start({ now: clock.now });
    const before = await allChanges(moving, 100);
    clock.advance(30 * DAY);
    const after = await allChanges(moving, 100);
    assert.ok(after.length > before.length);
    assert.deepEqual(after.slice(after.length - before.length), before);
  });
});
