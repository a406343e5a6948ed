import assert from 'node:assert/strict';
import { type SampleService } from '../../../src/sample';
import {
  ancestors,
  base64,
  call,
  closeAll,
  ManualClock,
  newSession,
  NOW,
  ok,
  post,
  readSession,
  start,
  timed,
} from './harness';
import { message } from './contract';

describe('sample service: agents', () => {
  let clock: ManualClock;
  let service: SampleService;
  beforeEach(async () => {
    clock = new ManualClock();
    service = await start({ now: clock.now });
  });
  afterEach(closeAll);

  it('goes from pending over running to idle within 6 to 10 seconds, saying one thing after another', async () => {
    const session = await newSession(service);
    assert.equal((await post(service, session, 'Explain the billing job')).status, 'pending');
    const seen: string[] = [];
    let last = await readSession(service, session);
    for (; clock.time < NOW + 15_000 && last.status !== 'idle'; clock.time += 100) {
      const now = await readSession(service, session);
      assert.ok(now.messageCount - last.messageCount <= 1);
      assert.ok(now.updatedAt >= last.updatedAt && now.updatedAt <= clock.time);
      if (now.status !== seen.at(-1)) seen.push(now.status);
      last = now;
    }
    assert.deepEqual(seen, ['pending', 'running', 'idle']);
    assert.ok(clock.time - NOW > 5_000 && clock.time - NOW < 10_500, `${clock.time - NOW} ms`);
    assert.equal(last.title, 'Explain the billing job');
    assert.equal(last.completedAt, last.updatedAt);
    const { tokenUsage, assistantActiveTimeMs } = last.sessionSettings ?? {};
    assert.ok(Object.values(tokenUsage ?? {}).every(tokens => tokens > 0));
    assert.ok((assistantActiveTimeMs ?? 0) > 3_000);
  });

  it('can be read back from the next message alone: commentary, reasoning, tools, answer, in one chain', async () => {
    const session = await newSession(service);
    const text = '# Notes\n// TODO one\n// FIXME two\n';
    const first = await post(service, session, {
      text: 'Please review this',
      files: [{ type: 'base64', mediaType: 'text/markdown', data: base64(text), name: 'notes.md' }],
    });
    clock.advance(20_000);
    const second = await post(service, session, 'Thanks');
    const chain = (await ancestors(service, session, second.messageId)).reverse();
    assert.equal(chain.length, (await readSession(service, session)).messageCount);
    assert.equal(chain[0]?.id, first.messageId);
    assert.equal(chain[0].parentId, undefined);
    assert.deepEqual(
      chain.map(entry => [entry.role, entry.providerAPhase ?? entry.content[0]?.type ?? 'reasoning']),
      [
        ['user', 'text'],
        ['assistant', 'commentary'],
        ['assistant', 'reasoning'],
        ['assistant', 'tool_use'],
        ['tool', 'tool_result'],
        ['assistant', 'tool_use'],
        ['tool', 'tool_result'],
        ['assistant', 'tool_use'],
        ['tool', 'tool_result'],
        ['assistant', 'final_answer'],
        ['user', 'text'],
      ],
    );
    assert.ok(chain[2]?.providerAReasoningSummary);
    const ids = chain.flatMap(entry => [entry.id, ...entry.content.map(item => item.id)]);
    assert.equal(new Set(ids).size, ids.length);
    for (let index = 1; index < chain.length; index++) {
      assert.ok((chain[index]?.createdAt ?? 0) >= (chain[index - 1]?.createdAt ?? 0));
    }
    const answer = chain[9]?.content[0]?.text ?? '';
    assert.match(answer, /`notes\.md` \| text\/markdown \| 33 B \| 3 lines, 2 open notes/);
    assert.ok(answer.includes('```md\n# Notes'));
  });

  it('tells its reasoning in the way the model of the session does', async () => {
    const session = await newSession(service, { model: 'onyx-mini' });
    await post(service, session, 'Fix the crash');
    clock.advance(20_000);
    const { messageId } = await post(service, session, 'Go on');
    const chain = await ancestors(service, session, messageId);
    const reasoning = chain.find(entry => entry.chatCompletionReasoningField !== undefined);
    assert.ok(reasoning?.chatCompletionReasoningContent);
    assert.ok(chain.every(entry => entry.providerAReasoningSummary === undefined));
    assert.ok(chain.some(entry => entry.isError === true && entry.role === 'tool'));
  });

  it('keeps a message that comes while it works, and takes it up afterwards', async () => {
    const session = await newSession(service);
    await post(service, session, 'Write the release notes');
    clock.advance(2_500);
    const queued = await post(service, session, 'And explain them');
    assert.equal(queued.status, 'running');
    const own = await ok(service, `/api/v0/sessions/${session}/messages/${queued.messageId}`, message);
    assert.equal(own.createdAt, clock.time);
    const statuses = new Set<string>();
    for (let at = 0; at < 30; at++) {
      clock.advance(1_000);
      statuses.add((await readSession(service, session)).status);
    }
    assert.deepEqual([...statuses].sort(), ['idle', 'running']);
    const { messageId } = await post(service, session, 'Thanks');
    const chain = await ancestors(service, session, messageId);
    assert.deepEqual(
      chain.flatMap(entry => entry.providerAPhase ?? []).reverse(),
      ['commentary', 'final_answer', 'commentary', 'final_answer'],
      'one answer after the other',
    );
    const times = chain.map(entry => entry.createdAt).reverse();
    assert.deepEqual(
      times,
      times.toSorted((x, y) => x - y),
    );
    assert.equal(chain.filter(entry => entry.role === 'user').length, 3);
    assert.ok(chain.some(entry => entry.id === queued.messageId));
  });

  it('answers different requests differently and the same one the same', async () => {
    const answers = new Map<string, string>();
    for (const text of [
      'Fix the bug',
      'Review my diff',
      'Upgrade the linter',
      'Add tests',
      'Hello',
      'Hello',
    ]) {
      const session = await newSession(service);
      await post(service, session, text);
      clock.advance(20_000);
      const { messageId } = await post(service, session, 'x');
      const answer = (await ancestors(service, session, messageId))[1]?.content[0]?.text ?? '';
      assert.equal(answers.get(text) ?? answer, answer);
      answers.set(text, answer);
    }
    assert.equal(new Set(answers.values()).size, 5);
  });

  it('keeps small attachments in the message and describes large ones', async () => {
    const session = await newSession(service);
    const image = (bytes: number) => ({
      type: 'base64',
      data: base64(Buffer.alloc(bytes)),
      mediaType: 'image/png',
    });
    const { messageId } = await post(service, session, {
      text: 'See',
      images: [image(30), image(2_000_000)],
    });
    const own = await ok(service, `/api/v0/sessions/${session}/messages/${messageId}`, message);
    assert.deepEqual(
      own.content.map(item => item.type),
      ['text', 'image', 'text'],
    );
    assert.deepEqual((own.content[1] as Record<string, unknown>).source, image(30));
    assert.equal(own.content[2]?.text, 'Attached: image 2 (image/png, 2000000 bytes)');
  });

  it('cannot be led to end a code block or a table early', async () => {
    const session = await newSession(service);
    await post(service, session, {
      text: 'Hello',
      files: [{ type: 'base64', mediaType: 'text/plain', data: base64('````\n</x>'), name: 'a`|\nb.txt' }],
    });
    clock.advance(20_000);
    const { messageId } = await post(service, session, 'x');
    const answer = (await ancestors(service, session, messageId))[1]?.content[0]?.text ?? '';
    assert.ok(answer.includes("| `a'''b.txt` | text/plain |"));
    assert.ok(answer.includes('`````txt\n````\n</x>\n`````'));
  });

  it('has past sessions to walk through, with everything a transcript must cope with', async () => {
    const kinds = new Set<string>();
    const [, long, odd] = service.sessionIds;
    for (const session of [long ?? '', odd ?? '']) {
      const before = (await readSession(service, session)).messageCount;
      const { messageId } = await post(service, session, 'Go on');
      const chain = await ancestors(service, session, messageId);
      assert.equal(chain.length, before + 1);
      for (const entry of chain) {
        for (const item of entry.content) kinds.add(item.type);
        if (entry.visibility !== undefined) kinds.add(entry.visibility);
        for (const name of [
          'isUserVisible',
          'isError',
          'providerAEncryptedContent',
          'providerBThoughtSignature',
        ]) {
          if (name in entry) kinds.add(name);
        }
      }
      if (session === long) assert.ok(chain.length > 50);
      else assert.ok(chain.some(entry => (entry.content[0]?.text ?? '').length > 4_000));
    }
    for (const kind of [
      'text',
      'thinking',
      'redacted_thinking',
      'tool_use',
      'tool_result',
      'hologram',
      'llm_only',
      'user_only',
      'isUserVisible',
      'isError',
      'providerAEncryptedContent',
      'providerBThoughtSignature',
    ]) {
      assert.ok(kinds.has(kind), kind);
    }
  });

  it('settles: waits for every agent in real time, and not at all when none works', async () => {
    const live = await start({ now: Date.now, pace: 0.02 });
    await live.settle();
    const sessions = [await newSession(live), await newSession(live)];
    for (const session of sessions) await post(live, session, 'Hello');
    assert.ok((await timed(() => live.settle())) > 60);
    for (const session of sessions) assert.equal((await readSession(live, session)).status, 'idle');
  });

  it('takes no time at pace 0', async () => {
    const instant = await start({ pace: 0 });
    const session = await newSession(instant);
    await post(instant, session, 'Hello');
    assert.equal((await readSession(instant, session)).status, 'idle');
    assert.equal((await call(instant, `/api/v0/sessions/${session}`)).status, 200);
  });
});
