import assert from 'node:assert/strict';
import { startSampleService, type SampleService } from '../../fakes/sampleService';
import { base64, Sample } from './harness';

const DAYS = 'startDate=2026-11-01&endDate=2026-11-02';
const SESSIONS = '/api/v0/sessions';

describe('what the sample refuses', () => {
  const sample = new Sample({ pace: 0, extras: false });

  it('days out of bounds, what is not documented, ids nobody has, computers that take no work', async () => {
    const [session, computerId] = [await sample.newSession(), await sample.computerId('ember')];
    for (const [status, detail, path, body] of [
      [400, /YYYY-MM-DD/, '/api/v1/analytics/tokens?startDate=today&endDate=2026-11-02'],
      [
        400,
        /from 2026-01-14 to yesterday/,
        '/api/v1/analytics/tools?startDate=2026-11-01&endDate=2026-11-21',
      ],
      [400, /from 2026-01-14/, '/api/v1/analytics/users?startDate=2026-01-13&endDate=2026-11-02'],
      [400, /cursor/, '/api/v0/organization/users?cursor=nobody'],
      [404, /no such endpoint/, SESSIONS],
      [404, /no such endpoint/, '/api/organization/maturity-level-reports'],
      [404, /no such computer/, '/api/v0/computers/x'],
      [404, /no such session/, `${SESSIONS}/nope`],
      [404, /no such message/, `${SESSIONS}/${session}/messages/nope`],
      [404, /no such session/, `${SESSIONS}/nope/messages`, { text: 'hi' }],
      [404, /no such computer/, `${SESSIONS}/${session}/messages`, { text: 'hi', computerId: 'nope' }],
      [409, /cannot take work/, SESSIONS, { computerId }],
    ] as const)
      await sample.refused(status, detail, path, { body });
    assert.equal((await sample.session(session)).messageCount, 0, 'nothing was added');
  });
});

/** So that a test against it finds whatever the product sends wrongly. */
describe('what the service of tests refuses besides', () => {
  let service: SampleService;
  before(async () => (service = await startSampleService({ pace: 0 })));
  after(() => service.close());

  const ask = async (path: string, body?: unknown, type = 'application/json'): Promise<string> => {
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': type };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(service.baseUrl + path, { headers, ...sent });
    return `${answer.status} ${((await answer.json()) as { readonly detail: string }).detail}`;
  };
  const messages = (): string => `${SESSIONS}/${service.sessionIds[0]}/messages`;
  const image = (over: object): object => ({
    text: 'hi',
    images: [{ type: 'base64', data: base64('x'), mediaType: 'image/png', ...over }],
  });

  it('queries and bodies that the interface does not name', async () => {
    for (const [detail, path, body, type] of [
      [/startDate must be given once/, `/api/v1/analytics/tokens?${DAYS}&startDate=2026-11-01`],
      [/timezone/, `/api/v1/analytics/tokens?${DAYS}&timezone=UTC`],
      [/group_by/, `/api/v1/analytics/tokens?${DAYS}&group_by=day`],
      ...['0', '101', '1.5', ''].map(n => [/limit/, `/api/v0/organization/users?limit=${n}`] as const),
      [/computerId/, SESSIONS, {}],
      [/title/, SESSIONS, { computerId: 'a', title: 'x' }],
      [/tokenUsage/, SESSIONS, { computerId: 'a', sessionSettings: { tokenUsage: {} } }],
      [/tags\.0\.name/, SESSIONS, { computerId: 'a', sessionSettings: { tags: [{ metadata: {} }] } }],
      [/content type/, SESSIONS, { computerId: 'a' }, 'text/plain'],
      [/text: It must not be empty/, messages(), { text: ' \n' }],
      [/role/, messages(), { text: 'hi', role: 'user' }],
      [/images\.0\.type/, messages(), image({ type: 'url' })],
      [/mediaType/, messages(), image({ mediaType: 'image/heic' })],
      [/text type/, messages(), { text: 'hi', files: [{ type: 'base64', data: '', mediaType: 'a/zip' }] }],
    ] as const) {
      const answer = await ask(path, body, type);
      assert.ok(answer.startsWith('400 ') && detail.test(answer), `${path}: ${answer}`);
    }
  });
});
