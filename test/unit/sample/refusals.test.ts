import assert from 'node:assert/strict';
import fc from 'fast-check';
import { base64, Sample, type CallOptions } from './harness';

const TOKENS = '/api/v1/analytics/tokens';
const DAYS = 'startDate=2026-11-01&endDate=2026-11-02';
const READINESS = '/api/organization/maturity-level-reports';
const USERS = '/api/v0/organization/users';
const SESSIONS = '/api/v0/sessions';

/** What the sample takes is what the interface says, so that a test against it finds whatever the product sends wrongly. */
describe('what the sample refuses', () => {
  const sample = new Sample({ pace: 0, extras: false });
  const messages = (): string => `${SESSIONS}/${session}/messages`;
  let session: string;
  let atlas: string;
  before(async () => {
    atlas = await sample.computerId();
    session = await sample.newSession();
  });

  const image = (over: object): object => ({
    text: 'hi',
    images: [{ type: 'base64', data: base64('x'), mediaType: 'image/png', ...over }],
  });
  const made = (sessionSettings: unknown): object => ({ computerId: atlas, sessionSettings });

  type Refused = readonly [status: number, detail: RegExp, path: string, options?: CallOptions];
  const cases: Readonly<Record<string, () => readonly Refused[]>> = {
    'days that are none, or out of bounds': () => [
      [400, /startDate/, TOKENS],
      [400, /endDate/, `${TOKENS}?startDate=2026-11-01`],
      [400, /YYYY-MM-DD/, `${TOKENS}?startDate=2026-02-30&endDate=2026-11-02`],
      [400, /not be after query.endDate/, `${TOKENS}?startDate=2026-11-03&endDate=2026-11-02`],
      [400, /after yesterday \(UTC\), 2026-11-20/, `${TOKENS}?startDate=2026-11-01&endDate=2026-11-21`],
      [400, /before 2026-01-14/, `${TOKENS}?startDate=2026-01-13&endDate=2026-11-02`],
      [400, /startDate must be given once/, `${TOKENS}?${DAYS}&startDate=2026-11-01`],
      [400, /timezone/, `${TOKENS}?${DAYS}&timezone=UTC`],
      [400, /group_by/, `${TOKENS}?${DAYS}&group_by=day`],
    ],
    'limits and cursors out of bounds': () => [
      ...['0', '101', '1.5', '', 'ten'].map(n => [400, /limit/, `${USERS}?limit=${n}`] as const),
      [400, /cursor/, `${USERS}?cursor=nobody`],
      [400, /cursor/, `/api/v1/analytics/users?${DAYS}&cursor=nobody`],
      [400, /limit/, `${READINESS}?limit=0`, { app: true }],
      [400, /startAfter/, `${READINESS}?startAfter=x`, { app: true }],
    ],
    'paths and methods that are not documented, and those of the other address': () => [
      ...['/', '/api/v0/computers/', '/api/v1/computers', `${SESSIONS}/x/interrupt`, READINESS].map(
        path => [404, /no such endpoint/, path] as const,
      ),
      [404, /no such endpoint/, '/api/v0/computers', { app: true }],
      [405, /not offered/, SESSIONS],
      [405, /not offered/, messages()],
      [405, /not offered/, '/api/v0/computers', { method: 'POST' }],
    ],
    'ids nobody has': () => [
      [404, /no such computer/, '/api/v0/computers/%E0%A4%A'],
      [404, /no such session/, `${SESSIONS}/nope`],
      [404, /no such message/, `${messages()}/nope`],
      [404, /no such computer/, `${SESSIONS}/${session}?computerId=nope`],
      [404, /no such session/, `${SESSIONS}/nope/messages`, { body: { text: 'hi' } }],
      [404, /no such computer/, SESSIONS, { body: { computerId: 'nope' } }],
      [404, /no such computer/, messages(), { body: { text: 'hi', computerId: 'nope' } }],
    ],
    'a session made of anything else than the interface names': () =>
      (
        [
          [{}, /body\.computerId/],
          ['{"computerId": ', /not JSON/],
          [{ computerId: atlas, title: 'x' }, /title/],
          [made({ tokenUsage: {} }), /tokenUsage/],
          [made({ model: null }), /model/],
          [made({ tags: [{ metadata: {} }] }), /tags\.0\.name/],
        ] as const
      ).map(([body, detail]) => [400, detail, SESSIONS, { body }]),
    'a message made of anything else than the interface names': () =>
      (
        [
          [{ text: ' \n' }, /text: It must not be empty/],
          [{ text: 'hi', role: 'user' }, /role/],
          [image({ type: 'url' }), /images\.0\.type/],
          [image({ mediaType: 'image/heic' }), /mediaType/],
          [image({ name: 'a.png' }), /name/],
          [{ text: 'hi', files: [{ type: 'base64', data: '', mediaType: 'application/zip' }] }, /text type/],
        ] as const
      ).map(([body, detail]) => [400, detail, messages(), { body }]),
    'bodies of another type': () => [
      [400, /content type/, SESSIONS, { body: { computerId: atlas }, type: 'text/plain' }],
    ],
  };
  for (const [what, refused] of Object.entries(cases))
    it(what, async () => {
      for (const each of refused()) await sample.refused(...each);
      assert.equal((await sample.session(session)).messageCount, 0, 'nothing was added');
    });

  it('work for a computer that cannot take any', async () => {
    const slow = new Sample();
    for (const name of ['boreal', 'cinder', 'ember']) {
      const body = { computerId: await slow.computerId(name) };
      await slow.refused(409, /cannot take work/, SESSIONS, { body });
    }
  });

  it('any other body, with the error body of the interface', () =>
    fc.assert(
      fc.asyncProperty(fc.boolean(), fc.json(), (isMessage, body) =>
        sample.refused(400, /./, isMessage ? messages() : SESSIONS, { body }),
      ),
    ));
});
