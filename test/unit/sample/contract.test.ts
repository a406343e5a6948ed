import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pastSessions } from '../../fakes/pastSessions';
import { base64, Sample } from './harness';

const RANGE = { startDate: '2026-01-14', endDate: '2026-11-20' };
const DATES = `startDate=${RANGE.startDate}&endDate=${RANGE.endDate}`;
/**
 * The fields of interface section 2 by endpoint, all of which the sample has and no others; `*` names what varies. Of the last ones
 * of `settings` only that they are there.
 */
const file = path.join(process.env['AGENT_CONSOLE_ROOT']!, 'test/unit/sample/fields.txt');
const ENDPOINTS = fs
  .readFileSync(file, 'utf8')
  .split(/\n(?=\/)/)
  .map(block => block.trim().split(/\s+/))
  .map(([asked = '', ...fields]) => ({ asked, fields }));
const OPEN =
  /^(settings\.(?:mcpAutonomyOverrides|userModelPolicies|enabledPlugins|extraKnownMarketplaces)|settings\.customModels\.(?:extraHeaders|extraArgs))\..*/;

/** The names of all values in an answer; those of an application or a criterion are `*`, lists have none. */
function namesIn(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return value.flatMap(item => namesIn(item, place));
  if (typeof value !== 'object' || value === null) return [place];
  return Object.entries(value).flatMap(([name, inner]) => {
    const varies = place.endsWith('.apps') || place.endsWith('.report');
    return namesIn(inner, `${place}${place === '' ? '' : '.'}${varies ? '*' : name}`);
  });
}

function assertFields(answer: unknown, fields: readonly string[]): void {
  const names = namesIn(answer).map(name => name.replace(OPEN, '$1'));
  assert.deepEqual([...new Set(names)].sort(), [...fields].sort());
}

describe('the sample and the interface', () => {
  const sample = new Sample();

  for (const { asked, fields } of ENDPOINTS) {
    it(`${asked} has the fields of section 2`, async () => {
      const isReadiness = asked.startsWith('/api/organization');
      const isHistory = asked.endsWith('/history');
      const answer = isHistory
        ? await sample.all(asked, 'changes', 100)
        : await sample.ok(asked + (asked.includes('analytics') ? DATES : ''), { app: isReadiness });
      assertFields(answer, fields);
    });
  }

  it('a client reads everything without a complaint', async () => {
    const { api, complaints } = sample;
    const drain = async (pages: AsyncIterable<unknown>): Promise<void> => {
      for await (const page of pages) assert.ok(page);
    };
    await api.list('tokens', { query: RANGE });
    await api.list('tools', { query: RANGE });
    await api.list('activity', { query: RANGE });
    await api.list('productivity', { query: RANGE });
    await drain(api.pages('people', { query: RANGE }));
    await drain(api.pages('users'));
    await drain(api.pages('controlHistory'));
    await drain(api.pages('reports'));
    await api.list('computers');
    const computer = await api.one('computer', { ids: { computerId: await sample.computerId() } });
    const { sessionId } = await api.createSession({ computerId: computer.id });
    const image = { type: 'base64' as const, data: base64('bytes'), mediaType: 'image/png' };
    const { messageId } = await api.one('sendMessage', {
      ids: { sessionId },
      body: JSON.stringify({ text: 'Look at this', images: [image] }),
    });
    sample.time += 20_000;
    assert.equal((await api.one('session', { ids: { sessionId } })).status, 'idle');
    assert.equal((await api.one('message', { ids: { sessionId, messageId } })).role, 'user');
    for (const { sessionId: id } of await sample.sessions()) {
      for (const { id: message } of await sample.messages(id))
        await api.one('message', { ids: { sessionId: id, messageId: message } });
    }
    const odd = new Sample({ sessions: pastSessions });
    for (const { sessionId: id } of await odd.sessions()) {
      await odd.api.one('session', { ids: { sessionId: id } });
      for (const { id: message } of await odd.messages(id))
        await odd.api.one('message', { ids: { sessionId: id, messageId: message } });
    }
    assert.deepEqual([...complaints, ...odd.complaints], []);
  });
});
