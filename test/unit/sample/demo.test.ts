import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { demoFacts } from '../../../src/sample';
import { STORIES } from '../../../src/sample/stories';
import { temporaryFolder } from '../../vscode/paths';
import { copyShop } from '../../vscode/sampleWorkspace';
import { Sample, type Session } from './harness';

const MINUTE = 60_000;

describe('the sessions of the sample', () => {
  let sample: Sample;
  beforeEach(() => {
    sample = new Sample();
  });

  const working = async (): Promise<Session | undefined> =>
    (await sample.sessions()).find(({ status }) => status === 'running');

  it('are varied: a question each, calls of tools, a failed one, a diff, tables, a picture, and an answer', async () => {
    const all = await sample.sessions();
    assert.equal(new Set(all.map(({ title }) => title)).size, 8);
    assert.deepEqual(
      all.map(({ status }) => status).filter(status => status !== 'idle'),
      ['running'],
    );
    const bodies = await Promise.all(all.map(({ sessionId }) => sample.messages(sessionId)));
    for (const [index, body] of bodies.entries()) {
      assert.equal(body.length, all[index]?.messageCount);
      assert.equal(body[0]?.role, 'user');
      assert.ok(body.every((message, at) => message.parentId === body[at - 1]?.id));
    }
    const text = JSON.stringify(bodies);
    for (const kind of ['```diff', '| ---', '"type":"image"', '"type":"tool_use"', '"isError":true'])
      assert.ok(text.includes(kind), kind);
  });

  it('name only files and lines that the shop has', () => {
    const shop = temporaryFolder('shop');
    copyShop(shop);
    const texts = JSON.stringify(STORIES);
    const named = [...texts.matchAll(/\b((?:apps|services|packages|docs)\/[\w./]*\.\w+)(?::(\d+))?/g)];
    assert.ok(named.length > 20);
    for (const [, file = '', line = '1'] of named) {
      // Of tests, also those the agent makes.
      if (file.endsWith('.test.ts') && line === '1') continue;
      const content = readFileSync(path.join(shop, file), 'utf8');
      assert.ok(Number(line) <= content.split('\n').length, `${file}:${line}`);
    }
  });

  it('have one that works on for minutes, message by message', async () => {
    const first = await working();
    assert.ok(first);
    const began = sample.time;
    let [count, steps] = [first.messageCount, 0];
    for (let now = first; now.status === 'running'; now = await sample.session(first.sessionId)) {
      sample.time += 1_000;
      assert.ok(now.messageCount - count <= 1, 'one thing after another');
      if (now.messageCount > count) steps++;
      count = now.messageCount;
    }
    assert.ok(sample.time - began > 2 * MINUTE && steps > 20, `${sample.time - began} ms, ${steps}`);
  });

  it('are what hooks and people on this machine are said to have told about', async () => {
    const facts = demoFacts();
    const all = new Map((await sample.sessions()).map(session => [session.sessionId, session]));
    assert.deepEqual(new Set(facts.map(({ sessionId }) => sessionId)), new Set(all.keys()));
    assert.equal(facts.filter(({ signal }) => signal?.kind === 'waiting').length, 1);
    assert.equal(facts.filter(({ signal }) => signal?.reason === 'error').length, 1);
    assert.equal(facts.filter(({ pinned }) => pinned).length, 1);
    assert.equal(facts.filter(({ archived }) => archived).length, 1);
    const known = (id: string): number => all.get(id)?.messageCount ?? 0;
    const unread = facts.filter(
      ({ sessionId, read = 0, signal }) => signal?.kind === 'finished' && read < known(sessionId),
    );
    assert.equal(unread.length, 2);
    for (const { sessionId, read = 0 } of facts) assert.ok(read <= known(sessionId), 'read what is there');
  });

  it('stop when they are interrupted, which does no harm to one that rests', async () => {
    const before = await working();
    assert.ok(before);
    const interrupt = (id: string) =>
      sample.call(`/api/v0/sessions/${id}/interrupt`, { method: 'POST' }).then(({ status }) => status);
    assert.equal(await interrupt(before.sessionId), 200);
    assert.equal(await working(), undefined);
    sample.time += MINUTE;
    assert.equal((await sample.session(before.sessionId)).messageCount, before.messageCount);
    assert.equal(await interrupt(before.sessionId), 200);
    assert.equal(await interrupt('no-such-session'), 404);
    assert.equal((await sample.send(before.sessionId, 'Go on')).status, 'pending');
  });
});
