import assert from 'node:assert/strict';
import type { ApiClient, Extra, Message, Page } from '../../../src/api';
import { MessageList } from '../../../src/chat/transcript/messageList';
import type { KnownMessage, StoredMessage } from '../../../src/chat/transcript/messages';
import { RowBuilder } from '../../../src/chat/transcript/rows';
import { startSampleService } from '../../fakes/sampleService';
import { Formatter } from '../../../src/util/format';
import { sendAndRead, texts } from './scene';
import { afterwards, cleanUp, clientOf, openWindow, temporaryFolder, until } from './support';

afterEach(cleanUp);

/** A transcript without a disk. */
class Kept {
  readonly known = new Map<string, KnownMessage>();
  keep(messages: readonly StoredMessage[]): Promise<void> {
    for (const message of messages) this.known.set(message.id, { id: message.id, message });
    return Promise.resolve();
  }
}

const body = (id: string, createdAt: number, updatedAt = createdAt): Message => ({
  id,
  role: 'assistant',
  content: [],
  createdAt,
  updatedAt,
});

/** A service's list of messages that is served three at a time. */
class Served {
  messages: Message[] = [];
  readonly asked: (string | undefined)[] = [];
  newestFirst = false;

  readonly page = (cursor: string | undefined): Promise<Extra<Page<Message>>> => {
    this.asked.push(cursor);
    const all = this.newestFirst ? this.messages.toReversed() : this.messages;
    const from = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
    const items = all.slice(from, from + 3);
    const hasMore = from + 3 < all.length;
    return Promise.resolve({
      items,
      problems: [],
      hasMore,
      ...(hasMore ? { cursor: items.at(-1)!.id } : {}),
    });
  };
}

describe('messages from a list of the service', () => {
  for (const newestFirst of [false, true]) {
    it(`are read whole once, then only where something is new, ${newestFirst ? 'newest' : 'oldest'} first`, async () => {
      const served = new Served();
      served.newestFirst = newestFirst;
      served.messages = Array.from({ length: 10 }, (_, index) => body(`m${index}`, index));
      const kept = new Kept();
      const list = new MessageList({
        transcript: kept,
        page: () => served.page,
        onFailure: error => assert.fail(String(error)),
      });
      assert.equal(await list.read(), true);
      assert.equal(kept.known.size, 10);
      assert.equal(list.isComplete, true);
      served.asked.length = 0;
      served.messages.push(body('m10', 10));
      await list.read();
      assert.ok(kept.known.has('m10'));
      assert.ok(served.asked.length <= 2, `asked ${served.asked.length} pages`);
      served.messages[10] = body('m10', 10, 11);
      await list.read();
      assert.equal(kept.known.get('m10')?.message?.updatedAt, 11, 'a message that grew is read again');
      list.dispose();
    });
  }

  it('are asked for once at a time, and once more for what came meanwhile', async () => {
    const served = new Served();
    served.messages = [body('m0', 0)];
    const kept = new Kept();
    let inFlight = 0;
    const list = new MessageList({
      transcript: kept,
      page: () => async cursor => {
        assert.equal(++inFlight, 1);
        const answer = await served.page(cursor);
        await new Promise(resolve => setImmediate(resolve));
        inFlight--;
        return answer;
      },
      onFailure: error => assert.fail(String(error)),
    });
    await Promise.all([list.read(), list.read(), list.read()]);
    assert.equal(served.asked.length, 2);
    list.dispose();
  });

  it('leave the reading to another way where there is none, or it fails', async () => {
    const kept = new Kept();
    const failures: unknown[] = [];
    let page: () => Promise<Extra<Page<Message>>> = () => Promise.resolve('missing');
    const list = new MessageList({
      transcript: kept,
      page: () => page,
      onFailure: error => failures.push(error),
    });
    assert.equal(await list.read(), false);
    page = () => Promise.reject(new Error('down'));
    assert.equal(await list.read(), false);
    assert.equal(failures.length, 1);
    assert.equal(list.isComplete, false);
    list.dispose();
  });

  it('do not keep a reading that goes in circles', async () => {
    const kept = new Kept();
    let asked = 0;
    const list = new MessageList({
      transcript: kept,
      page: () => () => {
        asked++;
        return Promise.resolve({ items: [body('m0', 0)], problems: [], hasMore: true, cursor: 'same' });
      },
      onFailure: error => assert.fail(String(error)),
    });
    await list.read();
    assert.equal(asked, 2);
    list.dispose();
  });
});

describe('a conversation with a service that lists messages', () => {
  async function live(extras: boolean, used = true) {
    const service = await startSampleService({ pace: 0, extras });
    afterwards(() => service.close());
    const client: ApiClient = clientOf(service);
    const [computer] = (await client.computers.list()).items;
    const { sessionId } = await client.sessions.create({ computerId: computer!.id });
    const window = await openWindow({ root: temporaryFolder(), client, sessionId, extras: () => used });
    return { service, client, sessionId, window };
  }
  const rows = (window: Awaited<ReturnType<typeof live>>['window']) =>
    new RowBuilder(new Formatter('en')).build({ ...window.conversation.rows, timeZone: 'UTC' });

  it('shows replies while somebody looks, without another message', async () => {
    const { service, window } = await live(true);
    const { conversation } = window;
    const watch = conversation.watch();
    await sendAndRead(window, 'Hello');
    await service.settle();
    await window.sessions.refresh(conversation.sessionId);
    const { messageCount } = window.sessions.get(conversation.sessionId)!;
    await until(conversation.onDidChange, () => conversation.transcript.known.size === messageCount);
    assert.ok(rows(window).some(row => row.kind === 'message' && row.author === 'agent'));
    await until(conversation.onDidChange, () => conversation.rows.messageCount !== undefined);
    assert.ok(!rows(window).some(row => row.kind === 'gap' || row.kind === 'break'));
    const before = service.requests.length;
    await window.sessions.refresh(conversation.sessionId);
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(service.requests.length, before + 1, 'nothing is read again while nothing changes');
    watch.dispose();
    const walked = service.requests.filter(({ path }) => /\/messages\/./.test(path));
    assert.deepEqual(walked, []);
  });

  it('goes on showing replies after the list could not be read once', async () => {
    const { service, window, client, sessionId } = await live(true);
    const { conversation } = window;
    await window.sessions.refresh(sessionId);
    await conversation.readOn();
    const watch = conversation.watch();
    service.fail({ kind: 'status', status: 400, match: { method: 'GET', path: /\/messages$/ }, times: 1 });
    await client.messages.sendBody(sessionId, JSON.stringify({ text: 'From elsewhere' }));
    await service.settle();
    const failed = (): boolean => window.log.lines.some(line => /could not be read/.test(line));
    await window.sessions.refresh(sessionId);
    await until(conversation.onDidChange, failed);
    const { messageCount } = await window.sessions.refresh(sessionId);
    await until(conversation.onDidChange, () => conversation.transcript.known.size === messageCount);
    assert.ok(texts(window).includes('From elsewhere'));
    watch.dispose();
  });

  it('falls back to the documented way, with one question and without a word', async () => {
    const { service, window } = await live(false);
    await sendAndRead(window, 'one');
    await service.settle();
    await sendAndRead(window, 'two');
    assert.deepEqual(texts(window), ['one', 'two']);
    const probes = service.requests.filter(
      ({ method, path }) => method === 'GET' && path.endsWith('/messages'),
    );
    assert.equal(probes.length, 1);
    assert.deepEqual(
      window.log.lines.filter(line => /warn|error/i.test(line)),
      [],
    );
  });

  it('asks nothing beyond the interface when extras are off', async () => {
    const { service, window } = await live(true, false);
    await sendAndRead(window, 'one');
    await service.settle();
    await sendAndRead(window, 'two');
    assert.deepEqual(texts(window), ['one', 'two']);
    assert.ok(!service.requests.some(({ method, path }) => method === 'GET' && path.endsWith('/messages')));
  });

  it('never shows what a person must not see', async () => {
    const { service, window, client, sessionId } = await live(true);
    service.fail({
      kind: 'alter',
      match: { method: 'GET', path: /\/messages$/ },
      alter: answer => {
        const { messages, ...rest } = answer as { messages: Record<string, unknown>[] };
        const marks = [
          { visibility: 'llm_only' },
          { isUserVisible: false },
          { role: 'system', visibility: 'llm_only' },
        ];
        return {
          ...rest,
          messages: messages.map((message, index) =>
            message['role'] === 'user'
              ? message
              : { ...message, ...marks[index % marks.length], providerAEncryptedContent: 'xyzzy' },
          ),
        };
      },
    });
    await client.messages.sendBody(sessionId, JSON.stringify({ text: 'Hello' }));
    await service.settle();
    await window.sessions.refresh(sessionId);
    await window.conversation.readOn();
    assert.ok(window.conversation.transcript.known.size > 3);
    const shown = rows(window).filter(row => row.kind === 'message');
    assert.deepEqual(
      shown.map(row => row.author),
      ['person'],
    );
    assert.ok(!JSON.stringify([...window.conversation.transcript.known.values()]).includes('xyzzy'));
  });
});
