import assert from 'node:assert/strict';
import { type SampleService } from '../../../src/sample';
import * as contract from './contract';
import { base64, call, closeAll, computerId, newSession, NOW, ok, post, readSession, start } from './harness';
import { type Shape } from './shapes';

const RANGE = 'startDate=2026-01-14&endDate=2026-11-20';

describe('sample service: every endpoint of the interface', () => {
  let service: SampleService;
  before(async () => {
    service = await start({ pace: 0, openRepositoryUrl: 'git@example.org:me/open.git' });
  });
  after(closeAll);

  const analytics: [path: string, row: Shape][] = [
    ['tokens?', contract.tokenRow],
    ['tokens?group_by=model&', contract.groupedTokenRow],
    ['tools?', contract.toolRow],
    ['tools?group_by=tool_name&', contract.groupedToolRow],
    ['activity?', contract.activityRow],
    ['activity?group_by=client&', contract.groupedActivityRow],
    ['productivity?', contract.productivityRow],
  ];
  for (const [path, row] of analytics) {
    it(`answers analytics ${path} in the form of section 2`, async () => {
      const body = await ok(service, `/api/v1/analytics/${path}${RANGE}`, contract.envelope(row));
      assert.ok(body.data.length > 300, 'has all days');
      assert.deepEqual([body.meta.start_date, body.meta.end_date], ['2026-01-14', '2026-11-20']);
    });
  }

  it('answers analytics users in the form of section 2', async () => {
    const body = await ok(service, `/api/v1/analytics/users?${RANGE}`, contract.userRows);
    assert.ok(body.data.length > 1000);
    assert.ok(body.data.some(row => row.user_email === null));
  });

  it('answers readiness reports from the other address', async () => {
    const path = '/api/organization/maturity-level-reports';
    const { reports } = await ok(service, path, contract.readinessReports, { origin: 'app' });
    assert.ok(reports.length > 30);
  });

  it('answers control history and users', async () => {
    const history = '/api/v0/organization/enterprise-controls/history?limit=100';
    assert.equal((await ok(service, history, contract.changes)).changes.length, 45);
    const { users } = await ok(service, '/api/v0/organization/users?limit=100', contract.users);
    assert.equal(users.length, 100);
  });

  it('answers computers, one and all', async () => {
    const { computers } = await ok(service, '/api/v0/computers', contract.computers);
    assert.deepEqual(
      computers.map(({ name }) => name),
      ['atlas', 'boreal', 'cinder', 'dune', 'ember', 'fjord'],
    );
    for (const computer of computers) {
      assert.deepEqual(await ok(service, `/api/v0/computers/${computer.id}`, contract.computer), computer);
    }
  });

  it('creates a session with every documented setting and gives all of them back', async () => {
    const sessionSettings = {
      model: 'onyx-large',
      reasoningEffort: 'high',
      interactionMode: 'auto',
      autonomyLevel: 'low',
      autonomyMode: 'auto-low',
      specModeModel: 'lumen-thinking',
      specModeReasoningEffort: 'medium',
      providerLock: 'a',
      providerLockTimestamp: '2026-11-21T00:00:00Z',
      apiProviderLock: 'b',
      assistantActiveTimeMs: 5,
      archivedAt: '2026-11-21T00:00:00Z',
      tags: [{ name: 'x', metadata: { any: ['thing'] } }, { name: 'y' }],
      enabledToolIds: ['read'],
      disabledToolIds: [],
    };
    const id = await computerId(service);
    const body = { computerId: id, sessionSettings };
    const reply = await call(service, '/api/v0/sessions', { body });
    assert.equal(reply.status, 201);
    const created = contract.session(reply.body);
    const { tokenUsage, ...kept } = created.sessionSettings ?? {};
    assert.deepEqual(kept, sessionSettings);
    assert.equal(tokenUsage?.inputTokens, 0);
    assert.deepEqual(
      [created.status, created.messageCount, created.computerId, created.createdAt, created.title],
      ['idle', 0, id, NOW, undefined],
    );
    assert.deepEqual(await readSession(service, created.sessionId), created);
    const direct = `/api/v0/sessions/${created.sessionId}?computerId=${id}`;
    assert.deepEqual(await ok(service, direct, contract.session), created);
    assert.notEqual(await newSession(service), created.sessionId);
  });

  it('takes a message with images and files and answers it', async () => {
    const sessionId = await newSession(service);
    const data = base64('bytes');
    const reply = await post(service, sessionId, {
      text: 'Look at these',
      images: ['jpeg', 'png', 'gif', 'webp'].map(kind => ({
        type: 'base64',
        data,
        mediaType: `image/${kind}`,
      })),
      files: [
        { type: 'base64', mediaType: 'application/pdf', data, name: 'a.pdf', path: '/x/a.pdf' },
        { type: 'base64', mediaType: 'text/plain', data, parsedData: 'bytes', name: 'b.txt' },
        { type: 'base64', mediaType: 'text/x-c++src', data },
      ],
      computerId: await computerId(service, 'dune'),
    });
    const path = `/api/v0/sessions/${sessionId}/messages/${reply.messageId}`;
    const own = await ok(service, path, contract.message);
    assert.deepEqual([own.role, own.content[0]?.text], ['user', 'Look at these']);
    assert.equal(own.content.length, 8);
    const session = await readSession(service, sessionId);
    assert.equal(session.status, 'idle');
    assert.ok(session.messageCount >= 6);
  });

  it('accepts an access token on /api/v0 and a member on everything but analytics', async () => {
    const { jwt, member } = service.keys;
    assert.equal(jwt.split('.').length, 3);
    for (const key of [jwt, member]) {
      await ok(service, '/api/v0/computers', contract.computers, { key });
      await ok(service, '/api/v0/organization/users', contract.users, { key });
      await ok(service, '/api/v0/organization/enterprise-controls/history', contract.changes, { key });
      await ok(service, `/api/v0/sessions/${service.sessionIds[0] ?? ''}`, contract.session, { key });
    }
    const reports = '/api/organization/maturity-level-reports';
    await ok(service, reports, contract.readinessReports, { key: member, origin: 'app' });
  });

  it('has past sessions', async () => {
    const past = await Promise.all(service.sessionIds.map(id => readSession(service, id)));
    assert.deepEqual(
      past.map(session => session.title),
      [
        'Please fix the flaky checkout test',
        'Migrate the build to workspaces',
        'Odd corners of a transcript',
      ],
    );
    assert.ok(past.every(session => session.status === 'idle' && session.updatedAt < NOW));
  });
});
