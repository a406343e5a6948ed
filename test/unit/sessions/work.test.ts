import assert from 'node:assert/strict';
import {
  decodeRecord,
  knownOf,
  newRecord,
  observed,
  sent,
  type SessionRecord,
} from '../../../src/sessions/record';
import { decodeWork, workBegan } from '../../../src/sessions/work';
import { sessionOf } from './support';

const at = (record: SessionRecord, status: string, time: number): SessionRecord =>
  observed(record, sessionOf({ status }), time);
const began = (record: SessionRecord, until: number): number | undefined => workBegan(knownOf(record), until);
const start = newRecord('s1', 'created', 50);

describe('the work of a session', () => {
  it('that a message has set off began with the message', () => {
    const record = sent(at(start, 'idle', 100), { status: 'pending', at: 900, text: 'Go' });
    const running = at(at(record, 'running', 910), 'running', 950);
    assert.deepEqual(running.work, { from: 900, at: 950 });
    assert.equal(began(running, 960), 900);
    const done = at(running, 'idle', 970);
    assert.deepEqual(done.work, { from: 900, at: 950 }, 'is remembered when it has ended');
    assert.equal(began(done, 960), 900);
    assert.equal(began(done, 980), 970, 'what ended later began after it');
    const more = sent(running, { status: 'pending', at: 955, text: 'And' });
    assert.deepEqual(more.work, { from: 900, at: 955 }, 'a further message is part of it');
  });

  it('that began elsewhere began after the session was last seen without any', () => {
    const record = at(at(start, 'idle', 100), 'running', 400);
    assert.equal(began(record, 500), 100);
    assert.equal(began(at(start, 'idle', 100), 500), 100, 'though nobody has seen it');
  });

  it('of which nothing is known began at any time', () => {
    assert.equal(began(start, 500), undefined);
    assert.equal(began(at(start, 'running', 400), 500), undefined);
    assert.equal(began(sent(start, { status: 'running', at: 450, text: 'Go' }), 500), undefined);
    assert.equal(began(at(start, 'idle', 600), 500), undefined, 'what was seen later says nothing');
  });

  it('is read back as it was stored, and left out where it is odd', () => {
    const record = at(at(start, 'idle', 100), 'running', 400);
    assert.deepEqual(decodeRecord(JSON.parse(JSON.stringify(record))).work, { from: 100, at: 400 });
    for (const odd of [undefined, null, 3, {}, { from: 1 }, { at: '1' }])
      assert.equal(decodeWork(odd), undefined);
  });
});
