import assert from 'node:assert/strict';
import { Listing } from '../../../src/sessions/view/listing';
import { statusOf } from '../../../src/sessions/store/model';
import { Formatter } from '../../../src/util/format';
import { workspace } from '../../fakes/vscode';
import { recordOf, sessionOf } from './support';

describe('how the sessions are listed', () => {
  const folder = { uri: { path: '/shop', toString: () => 'file:///shop' } };
  const usual = { ...workspace };
  before(() =>
    Object.assign(workspace, {
      workspaceFolders: [folder],
      onDidChangeWorkspaceFolders: () => ({ dispose: () => undefined }),
    }),
  );
  after(() => Object.assign(workspace, { onDidChangeWorkspaceFolders: undefined }, usual));

  const records = new Map(
    [
      recordOf({ sessionId: 'here', workspace: { uri: 'file:///shop/web', name: 'shop' } }),
      recordOf({ sessionId: 'there', workspace: { uri: 'file:///billing', name: 'billing' } }),
    ].map(record => [record.sessionId, { ...record, session: sessionOf({ sessionId: record.sessionId }) }]),
  );
  const open = (kept: Map<string, unknown>): Listing =>
    new Listing({
      memory: {
        get: (key: string) => kept.get(key),
        update: (key: string, value: unknown) => {
          kept.set(key, value);
          return Promise.resolve();
        },
      },
      records: () => records,
      statusOf: record => statusOf(record, undefined),
      computer: () => undefined,
      format: new Formatter('en'),
      language: 'en',
      now: () => 300,
    });

  it('is what was chosen last in this workspace, one choice at a time', async () => {
    const kept = new Map<string, unknown>();
    const listing = open(kept);
    let changes = 0;
    listing.onDidChange(() => changes++);
    assert.deepEqual(listing.options, { grouping: 'attention', sorting: 'activity', onlyHere: false });
    assert.equal(listing.hiddenText(), undefined);
    await listing.choose({ grouping: 'workspace' });
    await listing.choose({ sorting: 'name' });
    assert.deepEqual(
      listing.groups().map(({ name, sessionIds }) => [name, ...sessionIds]),
      [
        ['billing', 'there'],
        ['shop', 'here'],
      ],
    );
    await listing.choose({ onlyHere: true });
    assert.deepEqual(
      listing.groups().map(({ name, sessionIds }) => [name, ...sessionIds]),
      [['shop', 'here']],
    );
    assert.equal(listing.countText(), '1 of 2');
    assert.match(listing.hiddenText() ?? '', /^1 of 2 sessions is not shown/);
    assert.equal(changes, 3);
    assert.deepEqual(open(kept).options, { grouping: 'workspace', sorting: 'name', onlyHere: true });
  });

  it('is the usual, whatever else was kept', () => {
    const odd = open(new Map([['sessions.viewOptions', { grouping: 'moon', onlyHere: 'yes' }]]));
    assert.deepEqual(odd.options, { grouping: 'attention', sorting: 'activity', onlyHere: false });
  });
});
