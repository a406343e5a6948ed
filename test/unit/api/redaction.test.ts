import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Redactor, redact } from '../../../src/util/redact';
import { harmlessTexts, harmlessValues, secretTexts, secretValues } from '../../fakes/redaction';
import { clientOf, KEY, MESSAGE, testServer } from './support';
import { growsEvenly } from '../../growth';

const MARK = /^\[redacted [0-9a-f]{8}\]$/;
const SECRET = 'canary-9f8e7d6c5b4a3210';

describe('redaction', () => {
  const redactor = new Redactor('a key of this installation');
  const server = testServer();
  const whole = (value: unknown): unknown => redactor.redact(structuredClone(value));
  const textOf = (text: string): string => redact(text, redactor);

  it('none gets through, in a text, a sentence, JSON or a value at any depth, and a changed secret is a changed text', () => {
    const tellText = (text: string): readonly string[] =>
      [text, `Run ${text} first`, JSON.stringify({ run: text })].map(textOf);
    const tellValue = (value: unknown): readonly string[] => [
      JSON.stringify(whole({ deep: [{ deeper: value }] })),
    ];
    const [one, two] = ['canary9f8e7d6c', 'canary0a1b2c3d'].map(secret => [
      ...secretTexts.flatMap(spell => tellText(spell(secret))),
      ...secretValues.flatMap(spell => tellValue(spell(secret))),
    ]);
    const isTold = (told: string, at: number): boolean =>
      /canary/i.test(told) || !/\[redacted [0-9a-f]{8}\]/.test(told) || told === two?.[at];
    assert.deepEqual(one?.filter(isTold), []);
  });

  it('what is no secret stays readable', () => {
    for (const text of harmlessTexts) assert.equal(textOf(text), text);
    for (const value of harmlessValues) assert.deepEqual(whole(value), value);
  });

  it('copies nothing, keeps the order, and marks no name twice', () => {
    const given = JSON.parse(
      `{"first":1,"__proto__":{"polluted":1},"plain":{"name":"b"},"apiKey":"${SECRET}","last":[2]}`,
    ) as Record<string, unknown>;
    const result = whole(given) as typeof given;
    assert.deepEqual(Object.keys(result), ['first', 'plain', 'apiKey', 'last']);
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.match(String(result['apiKey']), MARK);
    assert.deepEqual(whole(result), result, 'what is marked stays as it is');
  });

  it('stays whole on deep values', () => {
    let deep: unknown = SECRET;
    for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? [deep] : { deep };
    assert.ok(JSON.stringify(redactor.redact(deep)).includes('[too deep]'));
  });

  it('a text with hundreds of secrets is marked as one', () => {
    const text = (count: number) => Array.from({ length: count }, (_, at) => `token=${at}abc`).join(' ');
    assert.equal(textOf(text(300)).match(/\[redacted /g)?.length, 300);
    assert.match(textOf(text(5_000)), MARK);
  });

  it('no secret survives under a secret name, wherever it is, and nothing else is lost', () => {
    const names = 'apiKey API_KEY extraHeaders Password x-client-secret accessToken relayAgentUrl'.split(' ');
    const secrets = fc.constantFrom<unknown>(SECRET, [SECRET], { a: { b: SECRET } });
    const { node } = fc.letrec(tie => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('node'), { maxKeys: 3 }),
        fc.tuple(fc.constantFrom(...names), secrets).map(pair => Object.fromEntries([pair])),
      ),
    }));
    fc.assert(
      fc.property(node, value => !JSON.stringify(whole(value) ?? null).includes('canary')),
      { numRuns: 500 },
    );
  });

  it('names of criteria and tools hide nothing; texts of them are searched all the same', () => {
    const told = {
      report: { secrets_management: { numerator: 1, rationale: 'No key in the repository.' } },
      data: [{ tools: [{ token: 5, name: 'reset_password' }] }],
    };
    assert.deepEqual(redactor.redact(structuredClone(told), 'texts'), told);
    assert.ok(!JSON.stringify(redactor.redact({ a: [`--token ${SECRET}`] }, 'texts')).includes('canary'));
  });

  it("the person's own key leaves in no answer, whatever it is part of, and what was said stays otherwise as it was said", async () => {
    const said = `password: ${SECRET} and ${KEY}`;
    const content = [{ type: 'text', text: said, [KEY]: [KEY] }];
    server.answer({ kind: 'answer', body: { ...MESSAGE, id: KEY, content, novelty: { [KEY]: KEY } } });
    const { api } = clientOf(server, { redactionKey: 'k' });
    const message = await api.one('message', { ids: { sessionId: 's', messageId: 'm' } });
    assert.ok(!JSON.stringify(message).includes(KEY));
    assert.equal(message.content![0]?.text, `password: ${SECRET} and ${new Redactor('k').mark(KEY)}`);
  });

  it('a short word is no key of a person, and a name that was known before holds none either', () => {
    const told = ['word123', 'word1234'].map(own => redact(`say ${own}`, { own }));
    assert.deepEqual(told, ['say word123', 'say [redacted]']);
    assert.notEqual(new Redactor().mark('one'), new Redactor().mark('one'), 'random without a key');
    const other = new Redactor('k');
    const named = () => JSON.stringify(other.redact({ [KEY]: 1 }));
    assert.ok(named().includes(KEY));
    other.keepOut(KEY);
    assert.ok(!named().includes(KEY));
  });

  it('what leads to the next page stays, and what is said in a message, and nothing else that looks like them', () => {
    const at = `token=${SECRET}`;
    const kept = { pagination: { at }, meta: { at }, role: 'user', content: [{ text: at }] };
    assert.deepEqual(whole(kept), kept);
    for (const other of [{ list: [{ pagination: { at } }] }, { content: [{ text: at }] }, { pin: '1234' }])
      assert.match(JSON.stringify(whole(other)), /\[redacted [0-9a-f]{8}\]/);
  });

  it('holds for whole answers, wherever a secret stands in them', async () => {
    const pagination = { hasMore: false };
    const all = secretValues.map(spell => spell(SECRET));
    const command = `curl -H "Authorization: Bearer ${SECRET}" https://host/x?token=${SECRET}`;
    const tools = [{ date: '2026-11-01', hooks_by_event: [{ event: 'Stop', command, count: 3 }] }];
    const relay = { relayClientUrl: 'wss://relay/canary1', relayAgentUrl: 'wss://relay/canary2' };
    for (const [name, body] of [
      ['controlHistory', { changes: [{ revision: 1, settings: { all } }], pagination }],
      ['users', { users: [{ id: 'u', metadata: { all } }], pagination }],
      ['session', { sessionId: 's', sessionSettings: { tags: [{ name: 't', metadata: { all } }] } }],
      ['computers', { computers: [{ id: 'c', ...relay }] }],
      ['tools', { data: tools, meta: {} }],
    ] as const) {
      server.answer({ kind: 'answer', body });
      const told = JSON.stringify(await clientOf(server).api.list(name, { ids: { sessionId: 's' } }));
      assert.doesNotMatch(told, /canary/);
      assert.match(told, /\[redacted [0-9a-f]{8}\]/);
    }
  });
});

/** What a hostile text is made of: beginnings of everything that is looked for, and nothing that ends it. */
const PIECES = [
  'a¦a ¦a-¦a:¦a.¦_a-¦::¦=¦//¦//a¦//a:¦//@¦https://¦https://a:¦https://a@¦a://b:¦eyJ¦eyJ-¦eyJa.',
  'eyJaaaaaaaa.a.¦sk-¦sk-1¦npm_¦AKIA1¦xoxe.xox¦ATATT1¦/services/T000000/¦BEGIN ',
  '-----BEGIN PRIVATE KEY-----¦bearer ¦Bearer bearer¦basic a/¦token ¦token=¦token:x ¦token is ',
  'tokens=1¦--key ¦--token --¦-u ¦-u a:¦-u "a:¦authorization¦authorization:¦authorization: a ',
  'authorization:"¦cookie: ="¦key=¦akey=¦akey=\\¦akey="¦akey=\'¦akey=\\"¦akey="\\¦akey={¦akey=[',
  'headers={¦headers=[¦password: |\n ¦password\n¦password>¦<password>¦password "¦password\\"',
  'pwd,,,,,,,,,,,,--¦pwd"-¦pwd$-¦pwd:22, ¦>-_key-¦--token--)¦-u=¦//:a¦passwd-hash`',
  'password,     value=¦password, "¦a:b@¦a:b@c.¦a:b@c.d.e.¦a:@¦[redacted ¦"¦\\¦\\n¦\\"',
].flatMap(line => line.split('¦'));
const SIZE = 64 * 1024;

/** Each piece again and again: alone, before others, and in turn with another, so that what is looked for is found late or never. */
function texts(): readonly ((size: number) => string)[] {
  const filled = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));
  return PIECES.flatMap((piece, index) => {
    const [end = '', other = ''] = [index * 7 + 3, index * 11 + 5].map(at => PIECES[at % PIECES.length]);
    return [
      size => filled(piece, size),
      size => filled(piece, size / 2) + filled(end, size / 2),
      size => filled(piece + other, size),
    ] satisfies ((size: number) => string)[];
  });
}

describe('the work of redaction', function () {
  it('grows as the text does, whatever the text is made of', async () => {
    for (const text of texts())
      await growsEvenly(JSON.stringify(text(40).slice(0, 60)), SIZE, size => redact(text(size)));
  });

  it('a text of many megabytes overflows nothing', () => {
    for (const piece of ['a', 'sk-1', 'eyJa.', 'token="', 'https://a:', ' '])
      assert.equal(typeof redact(piece.repeat(Math.ceil((4 * 1024 * 1024) / piece.length))), 'string');
    assert.equal(redact('sk-1'.repeat(4 * 1024 * 1024)), '[redacted]');
  });
});
