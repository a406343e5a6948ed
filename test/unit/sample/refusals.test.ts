import assert from 'node:assert/strict';
import fc from 'fast-check';
import { base64, Sample } from './harness';

const ANALYTICS = ['tokens', 'tools', 'activity', 'productivity', 'users'].map(
  name => `/api/v1/analytics/${name}`,
);
const DAYS = 'startDate=2026-11-01&endDate=2026-11-02';
const READINESS = '/api/organization/maturity-level-reports';
const HISTORY = '/api/v0/organization/enterprise-controls/history';
const USERS = '/api/v0/organization/users';

describe('what the sample refuses', () => {
  const sample = new Sample({ pace: 0, extras: false });
  let session: string;
  let atlas: string;
  before(async () => {
    atlas = await sample.computerId();
    session = await sample.newSession();
  });

  const refuses = (
    what: string,
    rows: readonly (readonly [path: string, detail: RegExp])[],
    app = false,
  ): void => {
    it(what, async () => {
      for (const [path, detail] of rows) await sample.refused(400, detail, path, { app });
    });
  };

  refuses(
    'days that are none, or out of bounds',
    ANALYTICS.flatMap(path => [
      [path, /startDate/],
      [`${path}?startDate=2026-11-01`, /endDate/],
      [`${path}?startDate=2026-11-1&endDate=2026-11-02`, /YYYY-MM-DD/],
      [`${path}?startDate=2026-02-30&endDate=2026-11-02`, /YYYY-MM-DD/],
      [`${path}?startDate=2026-11-01T00:00:00Z&endDate=2026-11-02`, /YYYY-MM-DD/],
      [`${path}?startDate=2026-11-03&endDate=2026-11-02`, /not be after query.endDate/],
      [`${path}?startDate=2026-11-01&endDate=2026-11-21`, /after yesterday \(UTC\), 2026-11-20/],
      [`${path}?startDate=2026-01-13&endDate=2026-11-02`, /before 2026-01-14/],
      [`${path}?${DAYS}&startDate=2026-11-01`, /startDate must be given once/],
      [`${path}?${DAYS}&timezone=UTC`, /timezone/],
      [`${path}?${DAYS}&group_by=day`, /group_by/],
    ]),
  );

  refuses(
    'limits and cursors out of bounds',
    [`${ANALYTICS.at(-1)}?${DAYS}&`, `${HISTORY}?`, `${USERS}?`].flatMap(path => [
      ...['0', '101', '-1', '1.5', '1e1', '010', '', 'ten', '%2020', '99999999999999999999'].map(
        limit => [`${path}limit=${limit}`, /limit/] as const,
      ),
      [`${path}cursor=`, /cursor/],
      [`${path}cursor=nobody`, /cursor/],
      [`${path}offset=1`, /offset/],
    ]),
  );

  refuses(
    'the same of readiness reports',
    ['limit=0', 'limit=x', 'startAfter=x', 'repoId=', 'cursor=x'].map(query => [
      `${READINESS}?${query}`,
      new RegExp(query.replace(/=.*/, '')),
    ]),
    true,
  );

  it('paths and methods that are not documented, and those of the other address', async () => {
    for (const path of [
      '/',
      '/api/v0/computers/',
      '/api/v0//computers',
      '/api/v0/Computers',
      '/api/v1/computers',
      '/api/v0/sessions/x/messages/y/z',
      '/api/v0/sessions/x/interrupt',
      '/api/organization/agent-readiness-reports',
      READINESS,
    ]) {
      await sample.refused(404, /no such endpoint/, path);
    }
    await sample.refused(404, /no such endpoint/, '/api/v0/computers', { app: true });
    for (const [method, path] of [
      ['GET', '/api/v0/sessions'],
      ['DELETE', `/api/v0/sessions/${session}`],
      ['GET', `/api/v0/sessions/${session}/messages`],
      ['POST', '/api/v0/computers'],
    ] as const) {
      await sample.refused(405, /not offered/, path, { method });
    }
  });

  it('ids nobody has, and work for a computer that cannot take any', async () => {
    for (const [path, body] of [
      ['/api/v0/computers/nope'],
      ['/api/v0/computers/%E0%A4%A'],
      ['/api/v0/sessions/nope'],
      ['/api/v0/sessions/nope/messages/nope'],
      [`/api/v0/sessions/${session}/messages/nope`],
      [`/api/v0/sessions/${session}?computerId=nope`],
      ['/api/v0/sessions/nope/messages', { text: 'hi' }],
      ['/api/v0/sessions', { computerId: 'nope' }],
      [`/api/v0/sessions/${session}/messages`, { text: 'hi', computerId: 'nope' }],
    ] as const) {
      await sample.refused(404, /no such (computer|session|message)/, path, { body });
    }
    const slow = new Sample();
    for (const name of ['boreal', 'cinder', 'ember']) {
      const body = { computerId: await slow.computerId(name) };
      await slow.refused(409, /cannot take work/, '/api/v0/sessions', { body });
    }
  });

  const settings = (sessionSettings: unknown): object => ({ computerId: 'ATLAS', sessionSettings });
  const sessions: readonly (readonly [body: unknown, detail: RegExp])[] = [
    [{}, /body\.computerId/],
    [[], /body/],
    ['null', /body/],
    ['{"computerId": ', /not JSON/],
    [{ computerId: 5 }, /computerId/],
    [{ computerId: '' }, /computerId: It must not be empty/],
    [{ computerId: 'ATLAS', title: 'x' }, /title/],
    ['{"computerId":"ATLAS","__proto__":{}}', /__proto__/],
    [settings(null), /sessionSettings/],
    [settings({ tokenUsage: {} }), /tokenUsage/],
    [settings({ model: null }), /model/],
    [settings({ assistantActiveTimeMs: 1.5 }), /assistantActiveTimeMs/],
    [settings({ tags: ['x'] }), /tags\.0/],
    [settings({ tags: [{ metadata: {} }] }), /tags\.0\.name/],
    [settings({ tags: [{ name: 'x', metadata: [] }] }), /metadata/],
    [settings({ disabledToolIds: [1] }), /disabledToolIds\.0/],
  ];
  for (const [body, detail] of sessions) {
    it(`a session made from ${JSON.stringify(body)}`, async () => {
      const sent = (typeof body === 'string' ? body : JSON.stringify(body)).replace('ATLAS', atlas);
      await sample.refused(400, detail, '/api/v0/sessions', { body: sent });
    });
  }

  const image = (over: object): object => ({
    text: 'hi',
    images: [{ type: 'base64', data: base64('x'), mediaType: 'image/png', ...over }],
  });
  const file = (over: object): object => ({
    text: 'hi',
    files: [{ type: 'base64', data: base64('x'), mediaType: 'text/plain', name: 'a', ...over }],
  });
  const messages: readonly (readonly [body: object, detail: RegExp])[] = [
    [{}, /body\.text/],
    [{ text: ' \n' }, /text: It must not be empty/],
    [{ text: ['hi'] }, /text/],
    [{ text: 'hi', role: 'user' }, /role/],
    [{ text: 'hi', files: null }, /files/],
    [image({ type: 'url' }), /images\.0\.type/],
    [image({ data: undefined }), /images\.0\.data/],
    [image({ mediaType: 'image/heic' }), /mediaType/],
    [image({ name: 'a.png' }), /name/],
    [image({ data: `data:image/png;base64,${base64('xy')}` }), /does not decode/],
    [file({ mediaType: 'application/zip' }), /application\/pdf or a text type/],
    [file({ data: 'not base64!' }), /files\.0\.data: It does not decode/],
    [file({ parsedData: {} }), /parsedData/],
  ];
  for (const [body, detail] of messages) {
    it(`a message made from ${JSON.stringify(body)}`, async () => {
      await sample.refused(400, detail, `/api/v0/sessions/${session}/messages`, { body });
      assert.equal((await sample.session(session)).messageCount, 0, 'nothing was added');
    });
  }

  it('bodies of another type', async () => {
    const body = { computerId: atlas };
    for (const type of ['text/plain', 'application/json; charset=latin1', '']) {
      await sample.refused(400, /content type/, '/api/v0/sessions', { body, type });
    }
    const type = 'Application/JSON; charset=UTF-8';
    assert.equal((await sample.call('/api/v0/sessions', { body, type })).status, 201);
  });

  it('exactly the data that would not come back from its bytes', async () => {
    const path = `/api/v0/sessions/${await sample.newSession()}/messages`;
    const letters = fc.array(fc.constantFrom(...'ABab09+/=-_ \n'.split('')), { maxLength: 8 });
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 }).map(base64);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          bytes,
          letters.map(all => all.join('')),
        ),
        async data => {
          const isSound = data !== '' && Buffer.from(data, 'base64').toString('base64') === data;
          const { status } = await sample.call(path, { body: image({ data }) });
          assert.equal(status, isSound ? 200 : 400, data);
        },
      ),
    );
  });

  it('any other body and query, with the error body of the interface', async () => {
    const paths = ['/api/v0/sessions', `/api/v0/sessions/${session}/messages`];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.json(), async (path, body) => {
        await sample.refused(400, /./, path, { body });
      }),
    );
    const queried = [...ANALYTICS, HISTORY, USERS, '/api/v0/computers'];
    const queries = fc.dictionary(fc.string(), fc.string(), { minKeys: 1 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...queried), queries, async (path, query) => {
        await sample.refused(400, /./, `${path}?${new URLSearchParams(query).toString()}`);
      }),
    );
  });

  it('a request that has been given up', async () => {
    const { fetch } = sample;
    await assert.rejects(
      fetch('https://api.sample.invalid/api/v0/computers', { signal: AbortSignal.abort() }),
    );
  });
});
