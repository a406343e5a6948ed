import assert from 'node:assert/strict';
import {
  newRecord,
  observed,
  sent,
  sessionRecordSchema,
  type SessionRecord,
} from '../../../src/sessions/store/record';
import { sessionOf } from './support';

const at = (record: SessionRecord, status: string, time: number): SessionRecord =>
  observed(record, sessionOf({ status }), time);
const start = newRecord('s1', 'created', 50);

describe('the work of a session', () => {
  it('is remembered when it has ended', () => {
    assert.equal(at(start, 'idle', 100).work, undefined);
    const sentAt = sent(at(start, 'idle', 100), { status: 'pending', at: 900, text: 'Go' });
    assert.deepEqual(sentAt.work, { at: 900 });
    assert.deepEqual(at(at(sentAt, 'running', 950), 'idle', 970).work, { at: 950 });
  });

  it('is read back as it was stored, and left out where it is odd', () => {
    const record = at(start, 'running', 400);
    assert.deepEqual(sessionRecordSchema.parse(JSON.parse(JSON.stringify(record))).work, { at: 400 });
    for (const odd of [undefined, null, 3, {}, { from: 1 }, { at: '1' }])
      assert.equal(sessionRecordSchema.parse({ ...start, work: odd }).work, undefined);
  });
});
