import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { readPageState, readSendRequest } from '../../../src/chat/requests';
import { readSessionId } from '../../../src/ui/target';

describe('arguments from outside', () => {
  it('name a session as text or as a row of a tree', () => {
    assert.equal(readSessionId(' s1 '), 's1');
    assert.equal(readSessionId({ kind: 'session', sessionId: 's1' }), 's1');
    for (const nothing of [undefined, null, '', '  ', 5, {}, { sessionId: 5 }, []]) {
      assert.equal(readSessionId(nothing), undefined);
    }
  });

  it('of a send are checked', () => {
    const uri = { scheme: 'file', path: '/a', toString: () => 'file:///a' };
    const request = { sessionId: 's', text: 'hi' };
    const read = readSendRequest({ ...request, attachments: [uri] });
    assert.deepEqual(read, { ...request, attachments: ['file:///a'] });
    for (const wrong of [undefined, 's', { sessionId: 's' }, { sessionId: 's', text: ' ' }, { text: 'hi' }])
      assert.throws(() => readSendRequest(wrong), /session id and a text/);
    assert.throws(() => readSendRequest({ ...request, attachments: ['/a'] }), /list of URIs/);
  });

  it('of a page that is restored are old or hostile, and never trusted', () => {
    const kept = { sessionId: 's', serviceId: 'ab12', title: 't' };
    assert.deepEqual(readPageState(kept), kept);
    for (const wrong of [{ serviceId: '../../etc' }, { sessionId: '' }, { extra: 1 }, { title: 7 }])
      assert.equal(readPageState({ ...kept, ...wrong }), undefined);
    for (const wrong of ['text', null]) assert.equal(readPageState(wrong), undefined);
    fc.assert(fc.property(fc.anything(), state => void readPageState(state)));
    const field = fc.oneof(fc.string(), fc.anything(), fc.constant('../../x'));
    fc.assert(
      fc.property(fc.record({ sessionId: field, serviceId: field, title: field }), state => {
        assert.match(readPageState(state)?.serviceId ?? 'none', /^[a-z0-9_-]+$/);
      }),
    );
  });
});
