import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type SampleService } from '../../../src/sample';
import { error, users } from './contract';
import { base64, call, closeAll, computerId, newSession, ok, readSession, refused, start } from './harness';

const ANALYTICS = ['tokens', 'tools', 'activity', 'productivity', 'users'].map(
  name => `/api/v1/analytics/${name}`,
);
const DAYS = 'startDate=2026-11-01&endDate=2026-11-02';
const READINESS = '/api/organization/maturity-level-reports';
const HISTORY = '/api/v0/organization/enterprise-controls/history';
const USERS = '/api/v0/organization/users';

describe('sample service: what it refuses', () => {
  let service: SampleService;
  let session: string;
  let atlas: string;
  before(async () => {
    service = await start({ pace: 0 });
    atlas = await computerId(service);
    session = await newSession(service);
  });
  after(closeAll);

  it('missing, wrong and unsuited credentials', async () => {
    const everywhere = [...ANALYTICS.map(path => `${path}?${DAYS}`), HISTORY, USERS, '/api/v0/computers'];
    for (const path of everywhere) {
      const reply = await refused(service, 401, /missing/, path, { key: null });
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
      await refused(service, 401, /not valid/, path, { key: `${service.apiKey}x` });
      await refused(service, 401, /not valid/, path, {
        key: null,
        headers: { Authorization: service.apiKey },
      });
    }
    await refused(service, 401, /missing/, READINESS, { key: null, origin: 'app' });
    await refused(service, 401, /API key, not an access token/, READINESS, {
      key: service.keys.jwt,
      origin: 'app',
    });
    for (const path of ANALYTICS) {
      await refused(service, 401, /API key, not an access token/, `${path}?${DAYS}`, {
        key: service.keys.jwt,
      });
      await refused(service, 403, /Manager or Owner/, `${path}?${DAYS}`, { key: service.keys.member });
    }
    assert.ok(service.requests.every(request => !JSON.stringify(request).includes(service.apiKey)));
  });

  const badDays: [query: string, detail: RegExp][] = [
    ['', /startDate is required/],
    ['startDate=2026-11-01', /endDate is required/],
    ['startDate=2026-11-1&endDate=2026-11-02', /YYYY-MM-DD/],
    ['startDate=2026-02-30&endDate=2026-11-02', /YYYY-MM-DD/],
    ['startDate=01.11.2026&endDate=2026-11-02', /YYYY-MM-DD/],
    ['startDate=2026-11-01T00:00:00Z&endDate=2026-11-02', /YYYY-MM-DD/],
    ['startDate=2026-11-03&endDate=2026-11-02', /not be after query.endDate/],
    ['startDate=2026-11-01&endDate=2026-11-21', /after yesterday \(UTC\), 2026-11-20/],
    ['startDate=2026-11-01&endDate=2027-01-01', /after yesterday/],
    ['startDate=2026-01-13&endDate=2026-11-02', /before 2026-01-14/],
    [`${DAYS}&startDate=2026-11-01`, /startDate must be given once/],
    [`${DAYS}&timezone=UTC`, /timezone is not a known field/],
    [`${DAYS}&start_date=2026-11-01`, /start_date is not a known field/],
  ];
  for (const [query, detail] of badDays) {
    it(`analytics with "${query}"`, async () => {
      for (const path of ANALYTICS) await refused(service, 400, detail, `${path}?${query}`);
    });
  }

  it('groups an endpoint does not offer', async () => {
    for (const [path, group, detail] of [
      ['tokens', 'user', /one of: model/],
      ['tokens', '', /one of: model/],
      ['tools', 'tool', /one of: tool_name/],
      ['activity', 'day', /one of: client/],
      ['productivity', 'language', /not a known field/],
      ['users', 'user', /not a known field/],
    ] as const) {
      await refused(service, 400, detail, `/api/v1/analytics/${path}?${DAYS}&group_by=${group}`);
    }
  });

  it('limits and cursors out of bounds', async () => {
    const rows = `/api/v1/analytics/users?${DAYS}&`;
    for (const path of [rows, `${HISTORY}?`, `${USERS}?`]) {
      for (const limit of [
        '0',
        '101',
        '-1',
        '1.5',
        '1e1',
        '010',
        '',
        'ten',
        '%2020',
        '99999999999999999999',
      ]) {
        await refused(service, 400, /limit must be a whole number from 1 to 100/, `${path}limit=${limit}`);
      }
      await refused(service, 400, /cursor/, `${path}cursor=`);
      await refused(service, 400, /cursor/, `${path}cursor=nobody`);
      await refused(service, 400, /offset is not a known field/, `${path}offset=1`);
    }
    for (const limit of ['0', '-3', 'x', '2.5']) {
      await refused(
        service,
        400,
        /limit must be a whole number of at least 1/,
        `${READINESS}?limit=${limit}`,
        {
          origin: 'app',
        },
      );
    }
    await refused(service, 400, /startAfter/, `${READINESS}?startAfter=x`, { origin: 'app' });
    await refused(service, 400, /repoId must not be empty/, `${READINESS}?repoId=`, { origin: 'app' });
    await refused(service, 400, /cursor is not a known field/, `${READINESS}?cursor=x`, { origin: 'app' });
    const { pagination } = await ok(service, `${USERS}?limit=1`, users);
    await refused(service, 400, /cursor/, `${HISTORY}?cursor=${String(pagination.nextCursor)}`);
  });

  it('paths and methods that are not documented, and those of the other address', async () => {
    for (const path of [
      '/',
      '/api/v0',
      '/api/v0/computers/',
      '/api/v0//computers',
      '/api/v0/Computers',
      '/api/v1/computers',
      '/api/v0/sessions/x/messages/y/z',
      '/api/v0/sessions/x/interrupt',
      '/api/v0/computers/%E0%A4%A',
      '/api/organization/agent-readiness-reports',
      READINESS,
    ]) {
      await refused(service, 404, /no such endpoint/, path);
    }
    await refused(service, 404, /no such endpoint/, '/api/v0/computers', { origin: 'app' });
    await refused(service, 404, /no such endpoint/, `${ANALYTICS[0]}?${DAYS}`, { origin: 'app' });
    for (const [method, path, allow] of [
      ['GET', '/api/v0/sessions', 'POST'],
      ['DELETE', `/api/v0/sessions/${session}`, 'GET'],
      ['PATCH', `/api/v0/sessions/${session}`, 'GET'],
      ['GET', `/api/v0/sessions/${session}/messages`, 'POST'],
      ['POST', '/api/v0/computers', 'GET'],
      ['OPTIONS', '/api/v0/computers', 'GET'],
      ['PUT', USERS, 'GET'],
    ] as const) {
      const reply = await refused(service, 405, /not offered/, path, { method });
      assert.equal(reply.headers.get('allow'), allow);
    }
  });

  it('ids nobody has', async () => {
    await refused(service, 404, /no such computer/, '/api/v0/computers/nope');
    await refused(service, 404, /no such session/, '/api/v0/sessions/nope');
    await refused(service, 404, /no such session/, '/api/v0/sessions/nope/messages/nope');
    await refused(service, 404, /no such message/, `/api/v0/sessions/${session}/messages/nope`);
    await refused(service, 404, /no such session/, '/api/v0/sessions/nope/messages', {
      body: { text: 'hi' },
    });
    await refused(service, 404, /no such computer/, `/api/v0/sessions/${session}?computerId=nope`);
    await refused(service, 404, /no such computer/, '/api/v0/sessions', { body: { computerId: 'nope' } });
    await refused(service, 404, /no such computer/, `/api/v0/sessions/${session}/messages`, {
      body: { text: 'hi', computerId: 'nope' },
    });
  });

  it('work for a computer that cannot take any', async () => {
    for (const name of ['boreal', 'cinder', 'ember']) {
      const slow = await start({ pace: 1 });
      const body = { computerId: await computerId(slow, name) };
      await refused(slow, 409, /cannot take work/, '/api/v0/sessions', { body });
    }
  });

  it('parameters where none are documented', async () => {
    for (const path of ['/api/v0/computers', `/api/v0/computers/${atlas}`]) {
      await refused(service, 400, /x is not a known field/, `${path}?x=1`);
    }
    await refused(service, 400, /not a known field/, `/api/v0/sessions/${session}?include=messages`);
    await refused(service, 400, /not a known field/, '/api/v0/sessions?x=1', { body: { computerId: atlas } });
    await refused(
      service,
      400,
      /not a known field/,
      `/api/v0/sessions/${session}/messages?computerId=${atlas}`,
      {
        body: { text: 'hi' },
      },
    );
  });

  const settings = (sessionSettings: unknown): object => ({ computerId: 'ATLAS', sessionSettings });
  const badSessions: [body: unknown, detail: RegExp][] = [
    [{}, /computerId is required/],
    [[], /body must be an object/],
    ['null', /body must be an object/],
    ['{"computerId": ', /not JSON/],
    [{ computerId: 5 }, /computerId must be a string/],
    [{ computerId: '' }, /computerId must not be empty/],
    [{ computerId: null }, /computerId must be a string/],
    [{ computerId: 'ATLAS', title: 'x' }, /title is not a known field/],
    ['{"computerId":"ATLAS","__proto__":{}}', /__proto__ is not a known field/],
    [settings(null), /sessionSettings must be an object/],
    [settings({ tokenUsage: {} }), /tokenUsage is not a known field/],
    [settings({ temperature: 1 }), /temperature is not a known field/],
    [settings({ model: 3 }), /model must be a string/],
    [settings({ model: null }), /model must be a string/],
    [settings({ assistantActiveTimeMs: 1.5 }), /whole number/],
    [settings({ assistantActiveTimeMs: '1' }), /whole number/],
    [settings({ tags: ['x'] }), /tags\[0\] must be an object/],
    [settings({ tags: [{ metadata: {} }] }), /tags\[0\].name is required/],
    [settings({ tags: [{ name: 'x', metadata: [] }] }), /metadata must be an object/],
    [settings({ tags: [{ name: 'x', colour: 'red' }] }), /colour is not a known field/],
    [settings({ enabledToolIds: 'read' }), /enabledToolIds must be an array/],
    [settings({ disabledToolIds: [1] }), /disabledToolIds\[0\] must be a string/],
  ];
  for (const [body, detail] of badSessions) {
    it(`a session made from ${JSON.stringify(body)}`, async () => {
      const sent = (typeof body === 'string' ? body : JSON.stringify(body)).replace('ATLAS', atlas);
      await refused(service, 400, detail, '/api/v0/sessions', { body: sent });
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
  const badMessages: [body: object, detail: RegExp][] = [
    [{}, /text is required/],
    [{ text: '' }, /text must not be empty/],
    [{ text: ' \n' }, /text must not be empty/],
    [{ text: ['hi'] }, /text must be a string/],
    [{ text: 'hi', role: 'user' }, /role is not a known field/],
    [{ text: 'hi', images: {} }, /images must be an array/],
    [{ text: 'hi', files: null }, /files must be an array/],
    [{ text: 'hi', computerId: 7 }, /computerId must be a string/],
    [image({ type: 'url' }), /images\[0\].type must be one of: base64/],
    [image({ data: undefined }), /images\[0\].data is required/],
    [image({ data: '' }), /does not decode/],
    [image({ data: '****' }), /does not decode/],
    [image({ data: 'eA' }), /does not decode/],
    [image({ data: 'eA=' }), /does not decode/],
    [image({ data: 'e===' }), /does not decode/],
    [image({ data: 'eB==' }), /does not decode/],
    [image({ data: 'e=A=' }), /does not decode/],
    [image({ data: 'e-_A' }), /does not decode/],
    [image({ data: 'eHh4\n' }), /does not decode/],
    [image({ data: `data:image/png;base64,${base64('xy')}` }), /does not decode/],
    [image({ mediaType: 'image/heic' }), /mediaType must be one of: image\/jpeg/],
    [image({ mediaType: 'application/pdf' }), /mediaType must be one of/],
    [image({ mediaType: undefined }), /mediaType is required/],
    [image({ name: 'a.png' }), /name is not a known field/],
    [file({ type: 'text' }), /files\[0\].type must be one of: base64/],
    [file({ mediaType: 'image/png' }), /application\/pdf or a text type/],
    [file({ mediaType: 'application/zip' }), /application\/pdf or a text type/],
    [file({ mediaType: 'text/plain; charset=utf-8' }), /application\/pdf or a text type/],
    [file({ data: 'not base64!' }), /does not decode/],
    [file({ name: 5 }), /name must be a string/],
    [file({ parsedData: {} }), /parsedData must be a string/],
    [file({ size: 1 }), /size is not a known field/],
  ];
  for (const [body, detail] of badMessages) {
    it(`a message made from ${JSON.stringify(body)}`, async () => {
      await refused(service, 400, detail, `/api/v0/sessions/${session}/messages`, { body });
      assert.equal((await readSession(service, session)).messageCount, 0, 'nothing was added');
    });
  }

  it('bodies of another type, compressed, in another encoding, or where none belongs', async () => {
    const path = '/api/v0/sessions';
    const body = JSON.stringify({ computerId: atlas });
    for (const type of ['text/plain', 'application/json; charset=latin1', 'multipart/form-data', '']) {
      await refused(service, 400, /content type/, path, { body, headers: { 'Content-Type': type } });
    }
    await refused(service, 400, /compressed/, path, { body, headers: { 'Content-Encoding': 'gzip' } });
    await refused(service, 400, /not JSON in UTF-8/, path, { body: '', method: 'POST' });
    const latin = await fetch(service.baseUrl + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
      body: Buffer.from('{"computerId":"\xe9"}', 'latin1'),
    });
    assert.equal(latin.status, 400);
    assert.equal(
      (await call(service, path, { body, headers: { 'Content-Type': 'Application/JSON; charset=UTF-8' } }))
        .status,
      201,
    );
  });

  it('answers any body and any query with a documented status and error body', async () => {
    const paths = ['/api/v0/sessions', `/api/v0/sessions/${session}/messages`];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.json(), async (path, body) => {
        const reply = await call(service, path, { body });
        assert.ok([400, 404].includes(reply.status), `${reply.status}`);
        error(reply.body);
      }),
      { numRuns: 150 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ANALYTICS, HISTORY, USERS, '/api/v0/computers'),
        fc.dictionary(fc.string(), fc.string(), { minKeys: 1 }),
        async (path, query) => {
          const reply = await call(service, `${path}?${new URLSearchParams(query).toString()}`);
          assert.equal(reply.status, 400);
          error(reply.body);
        },
      ),
      { numRuns: 150 },
    );
  });
});
