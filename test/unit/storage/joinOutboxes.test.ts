import assert from 'node:assert/strict';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { outboxSchema, type OutboxRecord } from '../../../src/chat/outbox/record';
import { storedRows, storeRows } from '../../fakes/storage';
import { cleanUp, openWindow, temporaryFolder } from './support';

afterEach(cleanUp);

const SERVICE = 'services/s1';
const message = (text: string) => ({
  text,
  attachments: [{ uri: 'file:///a', name: 'a', kind: 'text', size: 1 }],
});
const send = (sendId: string, state: string, text: string) => ({
  ...message(text),
  ...{ sendId, sessionId: 'session', state, startedAt: 100, owner: { host: 'here', pid: 1, startedAt: 1 } },
});
const draft = (text: string, rest = {}) => ({ text, attachments: ['file:///a'], at: 50, ...rest });

/** What is read after a start with these records of version 1 of the database. */
async function joined(
  drafts: readonly unknown[],
  sends: readonly ReturnType<typeof send>[],
  items: readonly unknown[] = [],
): Promise<OutboxRecord> {
  const root = temporaryFolder();
  storeRows(root, `${SERVICE}/drafts`, 1, [
    ...drafts.map(value => ['session', value] as const),
    ['broken', null],
  ]);
  storeRows(
    root,
    `${SERVICE}/sends`,
    1,
    sends.map(value => [value.sendId, value]),
  );
  if (items.length > 0) storeRows(root, `${SERVICE}/queue`, 1, [['session', { items }]]);
  const db = new DatabaseSync(path.join(root, 'store', 'console.db'));
  db.exec('PRAGMA user_version = 1');
  db.close();
  const outboxes = openWindow(root).collection({
    path: `${SERVICE}/outbox`,
    version: 1,
    schema: outboxSchema,
  });
  await outboxes.load();
  const left = storedRows(root).filter(
    ({ value, collection }) => value !== null && !collection.endsWith('outbox'),
  );
  assert.deepEqual(
    left.map(({ id }) => id),
    ['broken'],
    'what cannot be read stays, the rest is in one place',
  );
  return outboxes.get('session') ?? assert.fail('nothing was joined');
}

describe('drafts, sends and queues of the version before', () => {
  it('become one record: what is written, what was sent, what waits', async () => {
    const { draft: own, entries } = await joined(
      [draft('half a thought', { stash: 'other', target: { computerId: 'c', name: 'C' } })],
      [send('two', 'unknown', 'lost'), send('one', 'sending', 'on its way')],
      [
        { ...message('on its way'), id: 'one', queuedAt: 90 },
        { ...message('later'), id: 'three', queuedAt: 95, problem: 'no file', computerId: 'd' },
      ],
    );
    assert.deepEqual([own.text, own.stash, own.attachments], ['half a thought', 'other', ['file:///a']]);
    assert.deepEqual(own.target, { computerId: 'c', name: 'C' });
    assert.deepEqual(
      entries.map(({ id, state, text }) => [id, state, text]),
      [
        ['one', 'sending', 'on its way'],
        ['two', 'unknown', 'lost'],
        ['three', 'queued', 'later'],
      ],
    );
    assert.deepEqual([entries[2]?.sentence, entries[2]?.target], ['no file', { computerId: 'd', name: 'd' }]);
  });

  it('keep a refused message in the composer, with the reason', async () => {
    const { draft: own, entries } = await joined(
      [draft('No', { sendId: 'one' })],
      [{ ...send('one', 'refused', 'No'), ...{ sentence: 'Forbidden.' } }],
    );
    assert.deepEqual(
      [own.text, own.refused?.id, own.refused?.sentence, entries],
      ['No', 'one', 'Forbidden.', []],
    );
  });

  for (const [what, rest] of [
    ['is with its message', { sendId: 'one' }],
    ['was about to be emptied when the window died', {}],
  ] as const)
    it(`do not show a text twice that ${what}`, async () => {
      const { draft: own, entries } = await joined(
        [draft('Hello', { ...rest, stash: 'next' })],
        [send('one', 'sending', 'Hello')],
      );
      assert.deepEqual([own.text, own.stash, own.attachments], ['next', undefined, []]);
      assert.deepEqual(
        entries.map(({ text }) => text),
        ['Hello'],
      );
    });
});
