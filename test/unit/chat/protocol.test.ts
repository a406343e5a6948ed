import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { chatProtocol, MAX_PIECE } from '../../../src/chat/protocol';
import { readPageState, readSendRequest, readSessionId } from '../../../src/chat/requests';
import { panelSide, type PanelHandlers } from '../../../src/webview/ipc';

/** What each message must look like when it reaches the panel, written down again by hand. */
const shapes: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  send: { text: isText, sendId: isText },
  history: {},
  attach: {},
  attachUris: { uris: value => Array.isArray(value) && value.length <= 500 && value.every(isText) },
  attachBytes: {
    upload: isText,
    name: isText,
    bytes: value => isBytes(value) && (value as Uint8Array).length <= MAX_PIECE,
    isLast: value => typeof value === 'boolean',
    replaces: value => value === undefined || isText(value),
  },
  attachedPicture: { key: isText, from: isNumber },
  takeBackQueued: { id: isText },
  removeQueued: { id: isText },
  chooseTarget: {},
  sendAgain: { sendId: isText },
  discard: { sendId: isText },
  editAgain: { sendId: isText },
  refresh: {},
  openPath: { path: isText },
  addAgain: {},
  more: {},
  kept: {
    scroll: value => value === undefined || isPosition(value),
    opened: value => value === undefined || (Array.isArray(value) && value.every(isText)),
  },
  readEarlier: {},
  picture: { messageId: isText, index: isNumber, from: isNumber },
  ready: { timeZone: value => value === undefined || isText(value) },
  timeZone: { timeZone: isText },
  draft: { text: isText, stash: value => value === undefined || isText(value), version: isNumber },
  unsaved: {
    text: isText,
    at: value => value === undefined || isNumber(value),
    sendId: value => value === undefined || isText(value),
  },
  openAttachment: { key: isText },
  detach: { key: isText },
  openLink: { href: isText },
  copy: { text: isText },
  copyMessage: { key: isText },
  openMessage: { key: isText },
  failed: { names: value => Array.isArray(value) && value.length <= 10 && value.every(isText) },
};

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isBytes(value: unknown): boolean {
  return value instanceof Uint8Array;
}

function isPosition(value: unknown): boolean {
  const { key, offset, ...more } = value as Record<string, unknown>;
  return isText(key) && typeof offset === 'number' && Object.keys(more).length === 0;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

function isRight(name: string, params: unknown): boolean {
  const shape = shapes[name] ?? {};
  const fields = params as Readonly<Record<string, unknown>>;
  return (
    Object.keys(fields).every(field => field in shape) &&
    Object.entries(shape).every(([field, holds]) => holds(fields[field]))
  );
}

describe('messages of the chat page', () => {
  it('reach the panel only in their right shape, out of 10,000', async () => {
    const reached: string[] = [];
    const wrong: string[] = [];
    const posted: unknown[] = [];
    const record = (name: string) => (params: unknown) => {
      (isRight(name, params) ? reached : wrong).push(name);
      return null;
    };
    const handlersOf = (names: object): object =>
      Object.fromEntries(Object.keys(names).map(name => [name, record(name)]));
    const panel = panelSide({
      protocol: chatProtocol,
      handlers: {
        requests: handlersOf(chatProtocol.requests),
        notifications: handlersOf(chatProtocol.notifications),
      } as PanelHandlers<typeof chatProtocol>,
      post: message => posted.push(message),
      describe: String,
      onProblem: (problem, error) => {
        if (error !== undefined) wrong.push(problem);
      },
    });
    const names = Object.keys({ ...chatProtocol.requests, ...chatProtocol.notifications });
    const value = fc.oneof(fc.string(), fc.integer(), fc.constant({}), fc.anything());
    const params = fc.oneof(
      fc.constantFrom<object>(
        {},
        { text: 'x' },
        { sendId: 'a' },
        { key: 'k' },
        { text: 'x', sendId: 'a' },
        { text: 'x', version: 1 },
        { upload: 'u', name: 'n', bytes: new Uint8Array(3), isLast: true },
        { upload: 'u', name: 'n', bytes: new Uint8Array(MAX_PIECE + 1), isLast: false },
        { uris: ['file:///a'] },
        { id: 'q', to: 1 },
        { href: 'https://example.com' },
        { messageId: 'm', index: 0 },
        { path: 'a.ts:1' },
        { opened: ['a'], scroll: { key: 'k', offset: 1 } },
      ),
      fc.dictionary(
        fc.constantFrom('text', 'sendId', 'messageId', 'index', 'key', 'href', 'names', 'timeZone'),
        value,
        {
          maxKeys: 2,
        },
      ),
      fc.anything(),
    );
    const messages = fc.record({
      kind: fc.constantFrom('request', 'notification'),
      id: fc.nat(),
      name: fc.oneof(fc.constantFrom(...names), fc.string()),
      params,
    });
    const cut = messages.map(({ kind, id, ...rest }) =>
      kind === 'request' ? { kind, id, ...rest } : { kind, ...rest },
    );
    fc.assert(
      fc.property(cut, message => panel.receive(message)),
      { numRuns: 10_000 },
    );
    await new Promise(resolve => setImmediate(resolve));
    assert.deepEqual(wrong, []);
    assert.ok(new Set(reached).size > 5, 'right ones do get through');
  });

  it('answer or refuse every request', async () => {
    const answers: { readonly id: number }[] = [];
    const panel = panelSide({
      protocol: { requests: chatProtocol.requests, notifications: {}, events: {} },
      handlers: {
        requests: {
          send: () => Promise.reject(new Error('no')),
          history: () => [],
          stop: () => null,
          attachBytes: () => null,
          attachedPicture: () => Promise.reject(new Error('no')),
          attach: () => null,
          attachUris: () => null,
          takeBackQueued: () => null,
          removeQueued: () => null,
          chooseTarget: () => null,
          sendAgain: () => null,
          discard: () => {
            throw new Error('no');
          },
          editAgain: () => null,
          refresh: () => null,
          readEarlier: () => null,
          openPath: () => null,
          addAgain: () => null,
          findWhole: () => [],
          picture: () => ({ mediaType: 'image/png', bytes: new Uint8Array(), isLast: true }),
        },
        notifications: {},
      },
      post: message => answers.push(message as { readonly id: number }),
      describe: () => 'sentence',
      onProblem: () => undefined,
    });
    const asked = Object.keys(chatProtocol.requests).flatMap((name, index) => [
      { kind: 'request', id: index * 2, name, params: { text: 'x', sendId: 'x' } },
      {
        kind: 'request',
        id: index * 2 + 1,
        name,
        params: name === 'send' ? { text: 'x', sendId: 'x' } : { sendId: 'x' },
      },
    ]);
    for (const message of asked) panel.receive(message);
    await new Promise(resolve => setImmediate(resolve));
    assert.deepEqual(
      answers.map(({ id }) => id).sort((a, b) => a - b),
      asked.map(({ id }) => id),
    );
  });
});

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
    assert.deepEqual(readSendRequest({ sessionId: 's', text: 'hi', attachments: [uri] }), {
      sessionId: 's',
      text: 'hi',
      attachments: ['file:///a'],
    });
    for (const wrong of [undefined, 's', { sessionId: 's' }, { sessionId: 's', text: ' ' }, { text: 'hi' }]) {
      assert.throws(() => readSendRequest(wrong), /session id and a text/);
    }
    assert.throws(() => readSendRequest({ sessionId: 's', text: 'hi', attachments: ['/a'] }), /list of URIs/);
  });

  it('of a page that is restored are old or hostile, and never trusted', () => {
    const kept = { sessionId: 's', serviceId: 'ab12', title: 't' };
    assert.deepEqual(readPageState(kept), kept);
    assert.ok(readPageState({ ...kept, unsaved: { text: 'half', at: 5, sendId: 'a' } }));
    for (const wrong of [
      { ...kept, serviceId: '../../etc' },
      { ...kept, sessionId: '' },
      { ...kept, extra: 1 },
      { ...kept, unsaved: 'text' },
      { ...kept, unsaved: { text: 7 } },
      { ...kept, unsaved: { text: 'x', at: 'now' } },
      { ...kept, unsaved: { text: 'x'.repeat(8_000_001) } },
      { ...kept, unsaved: { text: 'x', sendId: {} } },
      { ...kept, title: 7 },
      'text',
      null,
    ]) {
      assert.equal(readPageState(wrong), undefined);
    }
    fc.assert(
      fc.property(fc.anything(), state => {
        readPageState(state);
      }),
    );
    const field = fc.oneof(fc.string(), fc.anything(), fc.constant('../../x'));
    const nearly = fc.record(
      { sessionId: field, serviceId: field, title: field, unsaved: field },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(nearly, state => {
        const read = readPageState(state);
        assert.ok(read === undefined || /^[a-z0-9_-]+$/.test(read.serviceId));
        assert.ok(read?.unsaved === undefined || typeof read.unsaved.text === 'string');
      }),
      { numRuns: 2000 },
    );
  });
});
