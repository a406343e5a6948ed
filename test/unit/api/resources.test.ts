import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { ApiClient } from '../../../src/api';
import { endpoints, type Endpoint, type EndpointName } from '../../../src/api/endpoints';
import type { Rows } from '../../../src/api/service';
import type { Hit } from '../../fakes/faultServer';
import {
  COMPUTER,
  DAYS,
  ENDPOINTS,
  KEY,
  MESSAGE,
  SESSION,
  clientOf,
  failureOf,
  leavesNothing,
  testServer,
} from './support';

describe('what each endpoint sends and takes', () => {
  const [server, app] = [testServer(), testServer()];

  /** Of a service whose web application has an address of its own. */
  function client(body: unknown, status = 200): ApiClient {
    server.answer({ kind: 'answer', status, body });
    app.answer({ kind: 'answer', status, body });
    return clientOf(server, { appUrl: app.origin }).api;
  }

  /** The first request since the last answer was set. */
  function hit(): Hit {
    const [first] = [...server.hits, ...app.hits];
    assert.ok(first !== undefined);
    return first;
  }

  for (const { name, method, url, body, good, call } of ENDPOINTS)
    it(`${name} takes an answer of ids alone with one request to its address, by the fetch of the moment, and leaves nothing behind`, () =>
      leavesNothing(async ({ signal }) => {
        const api = client(good);
        const fetch = mock.method(globalThis, 'fetch');
        const read = (await call(api, signal).finally(() => fetch.mock.restore())) as object;
        const { items, problems } = ('value' in read ? read.value : read) as Rows<unknown>;
        const { list = '' }: Endpoint = endpoints[name];
        assert.deepEqual([items, problems], [Reflect.get(good, list) ?? [good], []]);
        assert.deepEqual([server.hits.length, app.hits.length], name === 'reports' ? [0, 1] : [1, 0]);
        const { headers, ...sent } = hit();
        assert.deepEqual(sent, { method, url, body: body ?? '' });
        assert.equal(headers.authorization, `Bearer ${KEY}`);
        assert.equal(headers.accept, 'application/json');
        assert.equal(headers['content-type'], method === 'POST' ? 'application/json' : undefined);
        const [address, init] = fetch.mock.calls[0]?.arguments ?? [];
        const isPlain =
          typeof address === 'string' && Object.getPrototypeOf(init?.headers) === Object.prototype;
        assert.ok(isPlain && init?.redirect === 'error', 'whatever has replaced it understands this');
      }));

  it('bodies are exactly those of the interface', async () => {
    const tags = [{ name: 't', metadata: { a: 1 } }];
    const sessionSettings = { model: 'm', reasoningEffort: undefined, tags, tokenUsage: { inputTokens: 1 } };
    await client(SESSION, 201).createSession({ computerId: 'c1', sessionSettings });
    assert.equal(
      hit().body,
      '{"computerId":"c1","sessionSettings":{"model":"m","tags":[{"name":"t","metadata":{"a":1}}]}}',
    );
    assert.deepEqual(sessionSettings.tokenUsage, { inputTokens: 1 }, 'the caller keeps its object');

    const text = '{"text":"grüße 🦊"}';
    const bytes = new TextEncoder().encode(text);
    const view = new Uint8Array(new Uint8Array([1, 2, ...bytes, 3]).buffer, 2, bytes.length);
    for (const body of [text, view]) {
      await client({ messageId: 'm2' }).one('sendMessage', { ids: { sessionId: 's1' }, body });
      assert.equal(hit().body, text, 'only the view is sent, not the memory around it');
      assert.equal(hit().headers['content-length'], String(bytes.length));
    }
  });

  it('ids become one segment of the path, below that of the address, and one that would lead elsewhere is not sent', async () => {
    server.answer({ kind: 'answer', body: COMPUTER });
    const { api } = clientOf({ origin: `${server.origin}/gateway/agents` });
    const ids = ['a/b', '../x', 'ü 🦊', '?x=1#y', '%2e%2e', 'a\\b'];
    for (const id of ids) await api.one('computer', { ids: { computerId: id } });
    for (const id of ['', '  ', '.', '..', '\ud800'])
      for (const work of [
        api.one('computer', { ids: { computerId: id } }),
        api.one('sendMessage', { ids: { sessionId: id }, body: '{}' }),
        api.one('message', { ids: { sessionId: 's', messageId: id } }),
      ])
        assert.equal((await failureOf(work)).code, 'badId');
    const segments = server.hits.map(({ url }) =>
      decodeURIComponent(/^\/gateway\/agents\/api\/v0\/computers\/([^/]+)$/.exec(url)?.[1] ?? ''),
    );
    assert.deepEqual(segments, ids);
  });

  const ids = { computerId: 'c1', sessionId: 's1', messageId: 'm1' };
  /** What is read of an answer, and each problem as `index id field: reason`, `-` for what is not said. */
  const read = async (name: EndpointName, body: unknown) => {
    const { items, problems } = await client(body).list(name, { ids, query: DAYS });
    const words = problems.map(
      ({ index = '-', id = '-', field = '-', reason }) => `${index} ${id} ${field}: ${reason}`,
    );
    return [items, words] as const;
  };

  const said = { type: 'hologram', data: { token: 'said, so it stays' } };
  const day = '2026-11-01';
  const models = [{ model_id: 'a', input_tokens: 1 }, { input_tokens: 2 }];
  const people = [{ user_id: 'u', user_email: null, by_model: [{ model_id: 'a', input_tokens: 'x' }, null] }];
  const gaps = { billable_tokens: 0, input_tokens: null, output_tokens: 'many' };
  const rationale = 'r';
  const part = (numerator: number, denominator?: number) => ({ numerator, denominator, rationale });
  const report = {
    ...{ reportId: 'r1', createdAt: 1, apps: { '.': { description: 'all' }, b: 'no' } },
    repoUrl: 'https://user:canary@host/a/b.git',
    report: { good: part(1, 2), over: part(3, 2), none: part(0, 0), less: part(-1, 2), part: part(1) },
    ...{ agentVersion: null, schemaVersion: '7', productVersion: '1.2.3', hasLocalChanges: null },
  };

  const addresses = [
    ['https://user:pw@host/a/b.git', 'https://host/a/b.git'],
    ['https://token@host/a/b', 'https://host/a/b'],
    ['https://user:p@ss@host/a/b', 'https://host/a/b'],
    ['ssh://git:pw@host:22/a/b', 'ssh://git@host:22/a/b'],
    ...['ssh://git@host/a/b', 'git@host:a/b.git', 'https://host/a@b/c'].map(each => [each] as const),
  ] as const;

  for (const [what, name, body, items, ...problems] of [
    [
      'a session keeps unknown fields and values, and null is missing',
      'session',
      { ...SESSION, status: 'levitating', title: null, sessionSettings: { model: null, novelty: [1, null] } },
      [{ ...SESSION, status: 'levitating', sessionSettings: { novelty: [1, null] } }],
    ],
    [
      'a message keeps unknown fields, values and parts, in their order',
      'message',
      { ...MESSAGE, role: 'oracle', providerAPhase: null, extra: 1, content: [said, ...MESSAGE.content] },
      [{ ...MESSAGE, role: 'oracle', extra: 1, content: [said, ...MESSAGE.content] }],
    ],
    ['a message needs nothing but its id', 'message', { id: 'm' }, [{ id: 'm' }]],
    [
      'one bad row never hides the others and is named',
      'computers',
      {
        computers: [
          COMPUTER,
          { ...COMPUTER, id: 'c2', name: 5 },
          null,
          'x',
          { id: 'c3', status: 9 },
          { name: 'boreal', status: 'active' },
          { id: '', title: 'of no id', status: 9 },
          JSON.parse('{"id":"c4","__proto__":{"polluted":1}}'),
        ],
      },
      [
        COMPUTER,
        { id: 'c2', providerType: 'byom', createdAt: 1 },
        ...[{ id: 'c3' }, { id: '', title: 'of no id' }, { id: 'c4' }],
      ],
      '1 c2 name: name: expected string, received number',
      '2 - -: item is missing',
      '3 - -: item: expected object, received string',
      '4 c3 status: status: expected string, received number',
      '5 boreal -: id is missing',
      '6 of no id status: status: expected string, received number',
    ],
    [
      'a day keeps figures apart from gaps, in every nested list',
      'tokens',
      { data: [{ date: day, ...gaps, by_model: models, by_user: people }, { billable_tokens: 4 }], meta: {} },
      [
        {
          ...{ date: day, billable_tokens: 0, by_model: [{ model_id: 'a', input_tokens: 1 }] },
          by_user: [{ user_id: 'u', by_model: [{ model_id: 'a' }] }],
        },
      ],
      `0 ${day} output_tokens: output_tokens: expected number, received string`,
      `0 ${day} by_model[1]: by_model[1].model_id is missing`,
      `0 ${day} by_user[0].by_model[0].input_tokens: by_user[0].by_model[0].input_tokens: expected number, received string`,
      `0 ${day} by_user[0].by_model[1]: by_user[0].by_model[1] is missing`,
      '1 - -: date is missing',
    ],
    ['days may come without what is said of all', 'tokens', { data: [] }, [], '- - -: meta is missing'],
    [
      'or with something else',
      'tokens',
      { data: [], meta: { org_id: 5 } },
      [],
      '- - -: meta: org_id: expected string, received number',
    ],
    [
      'a report goes without bad criteria and the credentials of its address, and its version is found',
      'reports',
      {
        reports: [
          report,
          { repoUrl: 'https://user:canary@host/c/d' },
          { reportId: 'odd', report: 'many' },
          { reportId: 'bare' },
        ],
      },
      [
        {
          ...{ reportId: 'r1', createdAt: 1, apps: { '.': { description: 'all' } } },
          ...{ repoUrl: 'https://host/a/b.git', report: { good: part(1, 2) } },
          ...{ agentVersion: '1.2.3', schemaVersion: '7', productVersion: '1.2.3' },
        },
      ],
      '0 r1 apps.b: apps.b: expected object, received string',
      '0 r1 report.over: report.over: numerator not between 0 and denominator',
      '0 r1 report.none: report.none: denominator below 1',
      '0 r1 report.less: report.less: numerator not between 0 and denominator',
      '0 r1 report.part: report.part.denominator is missing',
      '1 https://host/c/d -: reportId is missing',
      '2 odd -: report: expected object, received string',
      '3 bare -: report is missing',
    ],
    [
      'addresses of repositories lose credentials and nothing else',
      'reports',
      { reports: addresses.map(([repoUrl], at) => ({ reportId: `r${at}`, repoUrl, report: {} })) },
      addresses.map(([given, repoUrl = given], at) => ({ reportId: `r${at}`, repoUrl, report: {} })),
    ],
  ] as const satisfies readonly (readonly [string, EndpointName, object, unknown[], ...string[]])[])
    it(what, async () => assert.deepEqual(await read(name, body), [items, problems]));

  it('what is left out of one item is named in the log, without its value', async () => {
    const provisioningSteps = [{ id: 'a' }, 'canary', { id: 7, name: 'n' }];
    server.answer({ kind: 'answer', body: { ...COMPUTER, hostname: { canary: 1 }, provisioningSteps } });
    const { api, log } = clientOf(server);
    const expected = { ...COMPUTER, provisioningSteps: [{ id: 'a' }, { name: 'n' }] };
    assert.deepEqual(await api.one('computer', { ids }), expected);
    const line = log.lines.find(text => text.includes('left out')) ?? '';
    assert.match(line, /: hostname: .* received object; provisioningSteps\[1\]: expected object, /);
    assert.ok(!line.includes('canary'));
  });

  it('of very many problems some are counted, each stands on one short line, and a bad entry of very many leaves the list', async () => {
    const [items, words] = await read('computers', { computers: Array<unknown>(1200).fill(null) });
    assert.deepEqual([items.length, words.length, words.at(-1)], [0, 501, '- - -: and 700 more']);
    const apps = { [`a\u202e\n${'x'.repeat(500)}`]: 'no' };
    const { problems } = await client({ reports: [{ reportId: 'r', apps, report: {} }] }).list('reports');
    const [{ field = '', reason } = { reason: '' }] = problems;
    assert.ok(field.length > 0 && field.length <= 80 && !/[\n\u202e]/.test(field + reason));
    const by_model = [null, ...Array.from({ length: 300_000 }, (_, at) => ({ model_id: `${at}` }))];
    const many = await client({ data: [{ date: day, by_model }], meta: {} }).list('tokens', { query: DAYS });
    assert.deepEqual([many.items[0]?.by_model?.length, many.problems.length], [300_000, 1]);
  });
});
