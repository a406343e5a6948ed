import assert from 'node:assert/strict';
import { latestDay, type ApiClient } from '../../../src/api';
import type { Hit } from '../../fakes/faultServer';
import {
  COMPUTER,
  DAYS,
  ENDPOINTS,
  KEY,
  MESSAGE,
  RANGE,
  SESSION,
  clientOf,
  collect,
  failureOf,
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

  for (const { name, method, path, query, good, call } of ENDPOINTS)
    it(`${name} takes a good answer with one request to its address`, async () => {
      await call(client(good));
      const isOfApp = name === 'reports';
      assert.deepEqual([server.hits.length, app.hits.length], isOfApp ? [0, 1] : [1, 0]);
      const { headers, ...sent } = hit();
      assert.deepEqual([sent.method, sent.url], [method, query === '' ? path : `${path}?${query}`]);
      assert.equal(headers.authorization, `Bearer ${KEY}`);
      assert.equal(headers.accept, 'application/json');
      assert.equal(headers['content-type'], method === 'POST' ? 'application/json' : undefined);
    });

  it('other queries are exactly those of the interface', async () => {
    const users = { users: [], pagination: { hasMore: false } };
    const rows = { data: [], meta: { has_more: false } };
    for (const [body, ask, url] of [
      [users, api => collect(api.pages('users', { limit: 7 })), '/api/v0/organization/users?limit=7'],
      [
        rows,
        api => collect(api.pages('people', { query: DAYS, limit: 20 })),
        `/api/v1/analytics/users?${RANGE}&limit=20`,
      ],
      [
        { reports: [] },
        api => collect(api.pages('reports', { query: { repoId: 'a b&c' }, limit: 5000 })),
        '/api/organization/maturity-level-reports?repoId=a+b%26c&limit=5000',
      ],
      [
        SESSION,
        api => api.one('session', { ids: { sessionId: 's1' }, query: { computerId: 'c/1' } }),
        '/api/v0/sessions/s1?computerId=c%2F1',
      ],
      [
        MESSAGE,
        api => api.one('message', { ids: { sessionId: 's1', messageId: 'm1' }, query: { computerId: 'c1' } }),
        '/api/v0/sessions/s1/messages/m1?computerId=c1',
      ],
    ] as readonly (readonly [object, (api: ApiClient) => Promise<unknown>, string])[]) {
      await ask(client(body));
      assert.equal(hit().url, url);
    }
  });

  it('bodies are exactly those of the interface', async () => {
    await client(SESSION, 201).createSession({ computerId: 'c1' });
    assert.equal(hit().body, '{"computerId":"c1"}');

    const sessionSettings = {
      model: 'm',
      reasoningEffort: undefined,
      tags: [{ name: 't', metadata: { a: 1 } }],
      tokenUsage: { inputTokens: 1 },
    };
    await client(SESSION, 201).createSession({ computerId: 'c1', sessionSettings });
    assert.equal(
      hit().body,
      '{"computerId":"c1","sessionSettings":{"model":"m","tags":[{"name":"t","metadata":{"a":1}}]}}',
    );
    assert.deepEqual(sessionSettings.tokenUsage, { inputTokens: 1 }, 'the caller keeps its object');

    const sent = { messageId: 'm2', status: 'pending' };
    assert.deepEqual(
      await client(sent).one('sendMessage', { ids: { sessionId: 's1' }, body: '{"text":"hi","images":[]}' }),
      sent,
    );
    assert.equal(hit().body, '{"text":"hi","images":[]}');

    const bytes = new TextEncoder().encode('{"text":"grüße 🦊"}');
    const view = new Uint8Array(new Uint8Array([1, 2, ...bytes, 3]).buffer, 2, bytes.length);
    assert.deepEqual(await client(sent).one('sendMessage', { ids: { sessionId: 's1' }, body: view }), sent);
    assert.equal(hit().body, '{"text":"grüße 🦊"}', 'only the view is sent, not the memory around it');
    assert.equal(hit().headers['content-length'], String(bytes.length));
  });

  it('ids become one segment of the path, whatever they hold, below the path of the address', async () => {
    const { api } = clientOf({ origin: `${server.origin}/gateway/agents` });
    for (const id of ['a/b', '../x', 'ü 🦊', '?x=1#y', '%2e%2e', 'a\\b']) {
      server.answer({ kind: 'answer', body: COMPUTER });
      await api.one('computer', { ids: { computerId: id } });
      const [, segment = ''] = /^\/gateway\/agents\/api\/v0\/computers\/([^/]+)$/.exec(hit().url) ?? [];
      assert.equal(decodeURIComponent(segment), id);
    }
  });

  it('a session, a message and a computer keep unknown fields and values', async () => {
    const session = {
      ...SESSION,
      status: 'levitating',
      title: null,
      completedAt: null,
      sessionSettings: {
        model: null,
        reasoningEffort: 'heroic',
        novelty: { deep: [1, null] },
        tokenUsage: { inputTokens: 3 },
      },
      extra: { a: 1 },
    };
    assert.deepEqual(await client(session).one('session', { ids: { sessionId: 's1' } }), {
      ...SESSION,
      status: 'levitating',
      sessionSettings: {
        reasoningEffort: 'heroic',
        novelty: { deep: [1, null] },
        tokenUsage: { inputTokens: 3 },
      },
      extra: { a: 1 },
    });

    const content = [{ type: 'hologram', data: { token: 'said, so it stays' } }, ...MESSAGE.content];
    const message = { ...MESSAGE, role: 'oracle', providerAPhase: null, parentId: 'm0', content };
    assert.deepEqual(await client(message).one('message', { ids: { sessionId: 's1', messageId: 'm1' } }), {
      ...MESSAGE,
      role: 'oracle',
      parentId: 'm0',
      content,
    });
  });

  it('what does not fit is left out and named in the log, without its value', async () => {
    server.answer({
      kind: 'answer',
      body: {
        ...COMPUTER,
        hostname: { canary: 1 },
        provisioningSteps: [{ id: 'a' }, 'canary', { id: 7, name: 'n' }],
      },
    });
    const { api, log } = clientOf(server);
    assert.deepEqual(await api.one('computer', { ids: { computerId: 'c1' } }), {
      ...COMPUTER,
      provisioningSteps: [{ id: 'a' }, { name: 'n' }],
    });
    const line = log.lines.find(text => text.includes('left out')) ?? '';
    assert.match(line, /hostname: expected string, received object/);
    assert.match(line, /provisioningSteps\[1\]: expected object, received string/);
    assert.ok(!line.includes('canary'));
  });

  it('one bad row never hides the others and is named', async () => {
    const rows = [
      COMPUTER,
      { ...COMPUTER, id: 'c2', name: 5 },
      null,
      'x',
      { id: 'c4' },
      { ...COMPUTER, id: 'c5', status: 9 },
      { name: 'boreal', status: 'active' },
      JSON.parse('{"id":"c6","__proto__":{"polluted":1}}'),
    ];
    const { items, problems } = await client({ computers: rows }).list('computers');
    assert.deepEqual(
      items.map(({ id, status }) => [id, status]),
      [
        ['c1', undefined],
        ['c2', undefined],
        ['c4', undefined],
        ['c5', undefined],
        ['c6', undefined],
      ],
    );
    assert.deepEqual(problems, [
      { index: 1, id: 'c2', field: 'name', reason: 'name: expected string, received number' },
      { index: 2, reason: 'item is missing' },
      { index: 3, reason: 'item: expected object, received string' },
      { index: 5, id: 'c5', field: 'status', reason: 'status: expected string, received number' },
      { index: 6, id: 'boreal', reason: 'id is missing' },
    ]);
    assert.equal((items.at(-1) as { readonly polluted?: unknown }).polluted, undefined);
  });

  it('problems beyond the first five hundred are counted, and named on one short line', async () => {
    const list = (computers: unknown) => client({ computers }).list('computers');
    const { items, problems } = await list(Array<unknown>(1200).fill(null));
    assert.deepEqual([items.length, problems.length, problems.at(-1)], [0, 501, { reason: 'and 700 more' }]);
    const apps = { [`a\u202e\n${'x'.repeat(500)}`]: 'no' };
    const [page] = await collect(client({ reports: [{ reportId: 'r', apps, report: {} }] }).pages('reports'));
    const [{ field = '', reason } = { reason: '' }] = page?.problems ?? [];
    assert.ok(field.length > 0 && field.length <= 80 && !/[\n\u202e]/.test(field + reason));
  });

  it('only what cannot be addressed, or says nothing, is left out; everything else is unknown where it is missing', async () => {
    const api = client({
      computers: [{ id: 'c' }],
      users: [{ id: 'u' }],
      changes: [{ revision: 3, settings: {} }],
      reports: [{ reportId: 'r' }],
      data: [{ date: '2026-11-01', user_id: 'u' }],
      pagination: { hasMore: false },
      meta: { has_more: false },
      sessionId: 's',
      id: 'm',
      messageId: 'm',
    });
    const range = { startDate: '2026-11-01', endDate: '2026-11-01' };
    const pages = [
      [await api.list('computers')],
      await collect(api.pages('users')),
      await collect(api.pages('controlHistory')),
      await collect(api.pages('reports')),
      await collect(api.pages('people', { query: range })),
      [await api.list('tokens', { query: range })],
    ];
    for (const [index, [page]] of pages.entries()) {
      assert.equal(page?.items.length, 1, `list ${index}`);
      assert.deepEqual(page.problems, [], `list ${index}`);
    }
    const { createdAt, status, messageCount } = await api.one('session', { ids: { sessionId: 's' } });
    assert.deepEqual([createdAt, status, messageCount], [undefined, undefined, undefined]);
    const message = await api.one('message', { ids: { sessionId: 's', messageId: 'm' } });
    assert.deepEqual([message.id, message.role, message.createdAt], ['m', undefined, undefined]);
    const sent = await api.one('sendMessage', {
      ids: { sessionId: 's' },
      body: JSON.stringify({ text: 'x' }),
    });
    assert.deepEqual([sent.messageId, sent.status], ['m', undefined]);
  });

  it('analytics rows keep figures apart from gaps, in every nested list', async () => {
    const data = [
      {
        date: '2026-11-01',
        billable_tokens: 0,
        input_tokens: null,
        output_tokens: 'many',
        by_model: [{ model_id: 'a', input_tokens: 1 }, { input_tokens: 2 }],
        by_user: [{ user_id: 'u', user_email: null, by_model: [{ model_id: 'a' }, null] }],
      },
      { billable_tokens: 4 },
    ];
    const range = { startDate: '2026-11-01', endDate: '2026-11-02' };
    const answer = await client({ data, meta: { org_id: 'o' } }).list('tokens', { query: range });
    assert.deepEqual(answer.items, [
      {
        date: '2026-11-01',
        billable_tokens: 0,
        by_model: [{ model_id: 'a', input_tokens: 1 }],
        by_user: [{ user_id: 'u', by_model: [{ model_id: 'a' }] }],
      },
    ]);
    assert.deepEqual(answer.meta, { org_id: 'o' });
    assert.deepEqual(
      answer.problems.map(({ index, field }) => [index, field]),
      [
        [0, 'output_tokens'],
        [0, 'by_model[1]'],
        [0, 'by_user[0].by_model[1]'],
        [1, undefined],
      ],
    );
    const bare = await client({ data: [] }).list('activity', { query: range });
    assert.deepEqual(bare, { items: [], problems: [{ reason: 'meta is missing' }], meta: {} });
  });

  it('a bad entry of very many leaves the list', async () => {
    const by_model = [null, ...Array.from({ length: 300_000 }, (_, at) => ({ model_id: `${at}` }))];
    const data = [{ date: '2026-11-01', by_model }];
    const { items, problems } = await client({ data, meta: {} }).list('tokens', { query: DAYS });
    assert.deepEqual([items[0]?.by_model?.length, problems.length], [300_000, 1]);
  });

  it('a bad criterion leaves the report, credentials leave its address, the version is found', async () => {
    const report = {
      reportId: 'r1',
      createdAt: 1,
      repoUrl: 'https://user:canary@host/a/b.git',
      apps: { '.': { description: 'all' } },
      report: {
        good: { numerator: 1, denominator: 2, rationale: 'r' },
        over: { numerator: 3, denominator: 2, rationale: 'r' },
        none: { numerator: 0, denominator: 0, rationale: 'r' },
        part: { numerator: 1, rationale: 'r' },
      },
      agentVersion: null,
      productVersion: '1.2.3',
      hasLocalChanges: null,
    };
    const others = [{ repoUrl: 'https://user:canary@host/c/d' }, { reportId: 'odd', report: 'many' }];
    const [page] = await collect(client({ reports: [report, ...others] }).pages('reports'));
    const [item, ...rest] = page?.items ?? [];
    assert.deepEqual(rest, [{ reportId: 'odd', report: {} }]);
    assert.deepEqual(Object.keys(item?.report ?? {}), ['good']);
    assert.equal(item?.repoUrl, 'https://host/a/b.git');
    assert.equal(item.agentVersion, '1.2.3');
    assert.equal(item.hasLocalChanges, undefined);
    assert.deepEqual(
      page?.problems.map(({ id, field, reason }) => [id, field, reason]),
      [
        ['r1', 'report.over', 'report.over: numerator not between 0 and denominator'],
        ['r1', 'report.none', 'report.none: denominator below 1'],
        ['r1', 'report.part', 'report.part.denominator is missing'],
        ['https://host/c/d', undefined, 'reportId is missing'],
        ['odd', 'report', 'report: expected object, received string'],
      ],
    );
  });

  it('an accepted message without its id is an unknown outcome', async () => {
    const error = await failureOf(
      client({ status: 'pending' }).one('sendMessage', {
        ids: { sessionId: 's1' },
        body: JSON.stringify({ text: 'x' }),
      }),
    );
    assert.deepEqual([error.kind, error.code, error.status], ['outcomeUnknown', 'wrongShape', 200]);
  });

  it('the fetch of the moment is used, with an address and plain data', async () => {
    const real = globalThis.fetch;
    const seen: unknown[] = [];
    const api = client({ computers: [] });
    globalThis.fetch = ((input: unknown, init: RequestInit) => {
      seen.push(input, init.redirect, typeof init.headers);
      return real(input as string, init);
    }) as typeof fetch;
    try {
      await api.list('computers');
    } finally {
      globalThis.fetch = real;
    }
    assert.deepEqual(seen, [`${server.origin}/api/v0/computers`, 'error', 'object']);
  });
});

it('an id that would lead elsewhere is not sent', async () => {
  const hits: string[] = [];
  const fetch = (url: string): Promise<Response> => (hits.push(url), Promise.resolve(Response.json({})));
  const { api } = clientOf({ origin: 'https://api.example' }, { fetch });
  for (const id of ['', '  ', '.', '..', '\ud800'])
    for (const work of [
      api.one('computer', { ids: { computerId: id } }),
      api.one('session', { ids: { sessionId: id } }),
      api.one('sendMessage', { ids: { sessionId: id }, body: '{}' }),
      api.one('message', { ids: { sessionId: id, messageId: 'm' } }),
      api.one('message', { ids: { sessionId: 's', messageId: id } }),
    ]) {
      const { kind, code } = await failureOf(work);
      assert.deepEqual([kind, code], ['notFound', 'badId']);
    }
  assert.deepEqual(hits, []);
});

it('the latest day of analytics is yesterday, UTC', () => {
  for (const [now, day] of [
    [Date.UTC(2026, 10, 21), '2026-11-20'],
    [Date.UTC(2026, 10, 21, 23, 59, 59, 999), '2026-11-20'],
    [Date.UTC(2027, 0, 1), '2026-12-31'],
    [Date.UTC(2028, 2, 1), '2028-02-29'],
  ] as const)
    assert.equal(latestDay(now), day);
});
