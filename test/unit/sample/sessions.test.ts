import assert from 'node:assert/strict';
import { base64, Sample, type Message } from './harness';

const IMAGE = (bytes: number) => ({
  type: 'base64',
  data: base64(Buffer.alloc(bytes)),
  mediaType: 'image/png',
});

describe('the sample: agents', () => {
  let sample: Sample;
  beforeEach(() => {
    sample = new Sample();
  });

  /** What the agent says to `text` in a session of its own. */
  async function replies(text: string | object, settings?: object): Promise<readonly Message[]> {
    const session = await sample.newSession(settings);
    await sample.send(session, text);
    sample.time += 20_000;
    return (await sample.messages(session)).slice(1);
  }
  const textOf = (message: Message | undefined): string => message?.content[0]?.text ?? '';

  it('go from pending over running to idle within 6 to 10 seconds, saying one thing after another', async () => {
    const session = await sample.newSession();
    assert.equal((await sample.send(session, 'Explain the billing job')).status, 'pending');
    const began = sample.time;
    const seen: string[] = [];
    let last = await sample.session(session);
    for (; sample.time < began + 15_000 && last.status !== 'idle'; sample.time += 100) {
      const now = await sample.session(session);
      assert.ok(now.messageCount - last.messageCount <= 1);
      assert.ok(now.updatedAt >= last.updatedAt && now.updatedAt <= sample.time);
      if (now.status !== seen.at(-1)) seen.push(now.status);
      last = now;
    }
    assert.deepEqual(seen, ['pending', 'running', 'idle']);
    assert.ok(sample.time - began > 5_000 && sample.time - began < 10_500, `${sample.time - began} ms`);
    assert.equal(last.title, 'Explain the billing job');
    assert.equal(last.completedAt, last.updatedAt);
    const { tokenUsage, assistantActiveTimeMs } = last.sessionSettings;
    assert.ok(Object.values(tokenUsage as Record<string, number>).every(tokens => tokens > 0));
    assert.ok(Number(assistantActiveTimeMs) > 3_000);
  });

  it('can be read back from the next message alone: commentary, reasoning, tools, answer, in one chain', async () => {
    const session = await sample.newSession();
    const file = { type: 'base64', mediaType: 'text/markdown', name: 'notes.md' };
    const first = await sample.send(session, {
      text: 'Please review this',
      files: [{ ...file, data: base64('# Notes\n// TODO one\n// FIXME two\n') }],
    });
    sample.time += 20_000;
    const second = await sample.send(session, 'Thanks');
    const chain = (await sample.ancestors(session, second.messageId)).toReversed();
    assert.equal(chain.length, (await sample.session(session)).messageCount);
    assert.equal(chain[0]?.id, first.messageId);
    assert.deepEqual(
      chain.map(({ role, providerAPhase, content }) =>
        [role, typeof providerAPhase === 'string' ? providerAPhase : content[0]?.type].join(' '),
      ),
      [
        'user text',
        'assistant commentary',
        'assistant ',
        ...Array.from({ length: 3 }, () => ['assistant tool_use', 'tool tool_result']).flat(),
        'assistant final_answer',
        'user text',
      ],
    );
    assert.ok(chain[2]?.['providerAReasoningSummary']);
    const ids = chain.flatMap(entry => [entry.id, ...entry.content.map(item => item.id)]);
    assert.equal(new Set(ids).size, ids.length);
    const times = chain.map(({ createdAt }) => createdAt);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.match(textOf(chain[9]), /`notes\.md` \| text\/markdown \| 33 B \|/);
    assert.match(JSON.stringify(chain[4]?.content), /# Notes/);
  });

  it('keep a message that comes while they work, and take it up afterwards', async () => {
    const session = await sample.newSession();
    await sample.send(session, 'Write the release notes');
    sample.time += 2_500;
    const queued = await sample.send(session, 'And explain them');
    assert.equal(queued.status, 'running');
    const statuses = new Set<string>();
    for (let second = 0; second < 30; second++) {
      sample.time += 1_000;
      statuses.add((await sample.session(session)).status);
    }
    assert.deepEqual([...statuses].filter(status => status !== 'pending').sort(), ['idle', 'running']);
    const said = await sample.messages(session);
    assert.deepEqual(
      said.flatMap(entry => entry['providerAPhase'] ?? []),
      ['commentary', 'final_answer', 'commentary', 'final_answer'],
      'one answer after the other',
    );
    assert.ok(said.some(({ id }) => id === queued.messageId));
  });

  it('answer different requests differently and the same one the same', async () => {
    const answers = new Map<string, string>();
    for (const text of ['Fix the bug', 'Review my diff', 'Upgrade it', 'Add tests', 'Hello', 'Hello']) {
      const answer = textOf((await replies(text)).at(-1));
      assert.equal(answers.get(text) ?? answer, answer);
      assert.doesNotMatch(answer, /[{}]attachments|\{word\}/);
      answers.set(text, answer);
    }
    assert.equal(new Set(answers.values()).size, 5);
  });

  it('keep small attachments in the message and describe large ones', async () => {
    const session = await sample.newSession();
    const { messageId } = await sample.send(session, { text: 'See', images: [IMAGE(30), IMAGE(2_000_000)] });
    const { content } = await sample.ok<Message>(`/api/v0/sessions/${session}/messages/${messageId}`);
    assert.deepEqual(
      content.map(({ type }) => type),
      ['text', 'image', 'text'],
    );
    assert.deepEqual((content[1] as unknown as Record<string, unknown>)['source'], IMAGE(30));
    assert.equal(content[2]?.text, 'Attached: image 2 (image/png, 2000000 bytes)');
  });

  it('cannot be led to end a table early', async () => {
    const file = { type: 'base64', mediaType: 'text/plain', data: base64('````\n</x>'), name: 'a`|\nb.txt' };
    const answer = textOf((await replies({ text: 'Hello $& $1', files: [file] })).at(-1));
    assert.ok(answer.includes("| `a'''b.txt` | text/plain |"));
  });

  it('take no time at pace 0', async () => {
    sample = new Sample({ pace: 0 });
    const session = await sample.newSession();
    await sample.send(session, 'Hello');
    assert.equal((await sample.session(session)).status, 'idle');
  });
});
