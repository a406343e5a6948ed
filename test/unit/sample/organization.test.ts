import assert from 'node:assert/strict';
import { DAY, NOW, Sample } from './harness';

const HISTORY = '/api/v0/organization/enterprise-controls/history';
const USERS = '/api/v0/organization/users';

interface User {
  readonly id: string;
  readonly email: string;
  readonly createdAt: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly lastSignInAt?: string;
}
interface Change {
  readonly revision: number;
  readonly updatedAt: string;
  readonly user: { readonly email: string };
  readonly settings: { readonly customModels?: readonly { apiKey: string; extraHeaders?: object }[] };
}

describe('the organization of the sample', () => {
  const sample = new Sample();
  const users = (limit = 100): Promise<readonly User[]> => sample.all<User>(USERS, 'users', limit);
  const changes = (from = sample, limit = 100): Promise<readonly Change[]> =>
    from.all<Change>(HISTORY, 'changes', limit);

  it('has 128 users, a few of them out of the ordinary', async () => {
    const all = await users();
    assert.deepEqual([all.length, new Set(all.map(({ id }) => id)).size], [128, 128]);
    assert.equal(new Set(all.map(({ email }) => email)).size, 128);
    assert.ok(all.every(({ email }) => /^[a-z0-9.]+@[a-z.]+$/.test(email)));
    assert.ok(all.filter(user => user.firstName === undefined && user.lastName === undefined).length >= 3);
    assert.equal(all.filter(user => user.lastSignInAt === undefined).length, 1);
    assert.ok(all.some(user => /\u202e/.test(user.firstName ?? '')));
    assert.ok(all.some(user => /\p{Script=Hebrew}/u.test(user.firstName ?? '')));
    for (const { createdAt, lastSignInAt = createdAt } of all) {
      assert.ok(createdAt <= lastSignInAt && Date.parse(lastSignInAt) <= NOW);
    }
    const inactive = all.filter(user => Date.parse(user.lastSignInAt ?? '') < NOW - 60 * DAY);
    assert.ok(inactive.length >= 10 && inactive.length < 60, `${inactive.length}`);
  });

  it('pages users and changes without loss, by 20 unless told otherwise', async () => {
    for (const limit of [9, 64]) assert.deepEqual(await users(limit), await users());
    for (const limit of [7, 45]) assert.deepEqual(await changes(sample, limit), await changes());
    assert.equal((await sample.ok<{ users: User[] }>(USERS)).users.length, 20);
    const { pagination } = await sample.ok<{ pagination: { nextCursor: string } }>(USERS);
    await sample.refused(400, /cursor/, `${HISTORY}?cursor=${pagination.nextCursor}`);
  });

  it('has 45 revisions, newest first, each with a change, and with keys that are rotated', async () => {
    const all = await changes();
    assert.deepEqual(
      all.map(({ revision }) => revision),
      Array.from({ length: 45 }, (_, index) => 45 - index),
    );
    for (const [index, change] of all.slice(0, -1).entries()) {
      assert.notDeepEqual(change.settings, all[index + 1]?.settings, `revision ${change.revision}`);
      assert.ok(change.updatedAt > (all[index + 1]?.updatedAt ?? ''));
    }
    const models = all.flatMap(({ settings }) => settings.customModels ?? []);
    assert.ok(models.every(model => model.apiKey.length > 20));
    assert.ok(models.some(model => JSON.stringify(model.extraHeaders).includes('Bearer')));
    assert.ok(new Set(models.map(model => model.apiKey)).size >= 4);
    assert.ok(new Set(all.map(({ user }) => user.email)).size >= 2);
  });
});
