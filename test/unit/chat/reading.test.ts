import assert from 'node:assert/strict';
import type { Extra, Message, Page } from '../../../src/api';
import { toStored, type KnownMessage, type StoredMessage } from '../../../src/chat/transcript/messages';
import { Reading } from '../../../src/chat/transcript/reading';
import { RowBuilder } from '../../../src/chat/transcript/rows';
import { silentLog } from '../../fakes/log';
import { Formatter } from '../../../src/util/format';
import { scene, sendAndRead, texts } from './scene';
import { afterwards, cleanUp, until, type Window } from './support';

afterEach(cleanUp);

/** A service with messages that each name the one before, and perhaps a list of them, three at a time. */
class Served {
  readonly known = new Map<string, KnownMessage>();
  readonly asked: (string | undefined)[] = [];
  readonly log = silentLog();
  messages: Message[];
  newestFirst = false;
  session = { messageCount: 0, updatedAt: 0 };
  list: (cursor?: string) => Promise<Extra<Page<Message>>> = () => Promise.resolve('missing');
  readonly reading: Reading;

  constructor(count: number) {
    this.messages = Array.from({ length: count }, (_, index) => body(index));
    const one = (_: string, { ids: { messageId: id } }: { ids: { messageId: string } }) => {
      this.asked.push(id);
      const found = this.messages.find(message => message.id === id);
      return found === undefined ? Promise.reject(new Error(`no ${id}`)) : Promise.resolve(found);
    };
    this.reading = new Reading({
      sessionId: 's',
      session: () => this.session,
      transcript: { known: this.known, keep: messages => this.#keep(messages) },
      api: () => ({ one, extras: { messages: (_: string, cursor?: string) => this.list(cursor) } }) as never,
      extras: () => true,
      describe: String,
      log: this.log,
      onRead: () => Promise.resolve(),
    });
    afterwards(() => this.reading.dispose());
  }

  /** From now on it lists them. */
  lists(): void {
    this.list = cursor => {
      this.asked.push(cursor);
      const all = this.newestFirst ? this.messages.toReversed() : this.messages;
      const from = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
      const items = all.slice(from, from + 3);
      const more = from + 3 < all.length ? { cursor: items.at(-1)!.id } : {};
      return Promise.resolve({ items, problems: [], ...more });
    };
  }

  /** This id is known, as after a send, and is read on from. */
  async readFrom(...ids: readonly string[]): Promise<string[]> {
    for (const id of ids) this.known.set(id, { id });
    await this.reading.read(true);
    return [...this.known.values()].flatMap(({ id, message }) => (message === undefined ? [] : [id]));
  }

  /** What is said to be missing, by what is shown below it. */
  get breaks(): unknown[] {
    const shown = { known: this.known, sends: [], inComposer: undefined, ...this.reading.state };
    const rows = new RowBuilder(new Formatter('en')).build(shown);
    return rows.flatMap(row => (row.kind === 'gap' ? [[row.key, row.sentence]] : []));
  }

  #keep(messages: readonly StoredMessage[]): Promise<void> {
    for (const message of messages) this.known.set(message.id, { id: message.id, message });
    return Promise.resolve();
  }
}

const knownAs = (message: Message): KnownMessage => ({
  id: message.id,
  message: toStored(message.id, message),
});

function body(index: number, updatedAt = index): Message {
  const parent = index === 0 ? {} : { parentId: `m${index - 1}` };
  return { id: `m${index}`, role: 'assistant', content: [], createdAt: index, updatedAt, ...parent };
}

describe('messages by the ancestor walk', () => {
  it('are read up to the first one, and no further than one that is known', async () => {
    const served = new Served(25);
    assert.equal((await served.readFrom('m9')).length, 10);
    served.asked.length = 0;
    await served.readFrom('m14');
    assert.deepEqual(served.asked, ['m14', 'm13', 'm12', 'm11', 'm10']);
    assert.deepEqual(served.breaks, []);
  });

  it('are kept when a question fails, which is said where it was, and asked again on a word', async () => {
    const served = new Served(6);
    const [gone] = served.messages.splice(2, 1);
    assert.deepEqual(await served.readFrom('m5'), ['m5', 'm4', 'm3']);
    assert.deepEqual(served.breaks, [['break:m3', 'Earlier messages could not be read: Error: no m2']]);
    served.messages.push(gone!);
    await served.reading.read(false);
    assert.equal(served.known.size, 3);
    await served.reading.read(true);
    assert.equal(served.known.size, 6);
  });

  it('are read on from the newest place where something is missing', async () => {
    const served = new Served(6);
    for (const index of [1, 3]) served.known.set(`m${index}`, knownAs(served.messages[index]!));
    await served.readFrom('m5');
    assert.deepEqual(served.asked, ['m5', 'm4', 'm2', 'm0']);
  });

  it('end in a loop', async () => {
    const served = new Served(4);
    served.messages[1] = { ...body(1), parentId: 'm3' };
    await served.readFrom('m3');
    assert.deepEqual(served.asked, ['m3', 'm2', 'm1']);
  });

  it('are not asked for without end: so many at once, then on a word', async () => {
    const served = new Served(300);
    assert.equal((await served.readFrom('m299')).length, 200);
    assert.deepEqual(served.breaks, [['break:m100', 'Earlier messages have not been read yet.']]);
    await served.reading.read(true);
    assert.equal(served.known.size, 300);
  });
});

describe('messages from a list of the service', () => {
  it('are not called unreadable while the rest of the list is still being read', async () => {
    const served = new Served(10);
    served.messages = served.messages.map(each => ({ ...each, content: [{ type: 'text', text: 'x' }] }));
    served.session = { messageCount: 10, updatedAt: 1 };
    served.lists();
    const { list } = served;
    const said: unknown[][] = [];
    served.list = cursor => {
      if (cursor !== undefined) said.push(served.breaks);
      return list(cursor);
    };
    await served.reading.read(false);
    assert.deepEqual(said, [[], [], []]);
  });

  for (const newestFirst of [false, true]) {
    it(`are read whole once, then only where something is new, ${newestFirst ? 'newest' : 'oldest'} first`, async () => {
      const served = new Served(10);
      served.lists();
      served.newestFirst = newestFirst;
      await served.reading.read(false);
      assert.equal(served.known.size, 10);
      assert.equal(served.reading.state.complete, true);
      served.asked.length = 0;
      served.messages.push(body(10));
      await served.reading.read(false);
      assert.ok(served.known.has('m10'));
      assert.ok(served.asked.length <= 2, `asked ${served.asked.length} pages`);
      served.messages[10] = body(10, 11);
      await served.reading.read(false);
      assert.equal(served.known.get('m10')?.message?.updatedAt, 11, 'a message that grew is read again');
    });
  }

  it('are read whole again after the list was away', async () => {
    const served = new Served(3);
    served.newestFirst = true;
    served.lists();
    await served.reading.read(false);
    const { list } = served;
    served.list = () => Promise.resolve('missing');
    await served.reading.read(false);
    served.messages.push(...Array.from({ length: 7 }, (_, index) => body(3 + index)));
    for (const index of [7, 8, 9]) served.known.set(`m${index}`, knownAs(served.messages[index]!));
    served.list = list;
    await served.reading.read(false);
    assert.equal(served.known.size, 10);
  });

  it('are asked for once at a time, and once more for what came meanwhile', async () => {
    const served = new Served(1);
    served.lists();
    const { list, reading } = served;
    let inFlight = 0;
    served.list = async cursor => {
      assert.equal(++inFlight, 1);
      const answer = await list(cursor);
      await new Promise(resolve => setImmediate(resolve));
      inFlight--;
      return answer;
    };
    await Promise.all([reading.read(false), reading.read(false), reading.read(false)]);
    assert.equal(served.asked.length, 2);
  });

  it('leave the reading to the walk where there is none, or it fails, which is logged once', async () => {
    const served = new Served(3);
    await served.readFrom('m0');
    served.list = () => Promise.reject(new Error('down'));
    await served.readFrom('m1');
    await served.readFrom('m2');
    assert.deepEqual(served.asked, ['m0', 'm1', 'm2']);
    assert.equal(served.log.lines.filter(line => line.includes('down')).length, 1);
    assert.equal(served.reading.state.complete, false);
  });

  it('are not read in circles', async () => {
    const served = new Served(0);
    let asked = 0;
    served.list = () => {
      asked++;
      return Promise.resolve({ items: [body(0)], problems: [], cursor: 'same' });
    };
    await served.reading.read(false);
    assert.equal(asked, 2);
  });
});

describe('a conversation with a service that lists messages', () => {
  const live = (lists: boolean, used = true) => scene({ lists, extras: () => used });
  const rows = (window: Window) => new RowBuilder(new Formatter('en')).build(window.conversation.rows);

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
    assert.ok(!rows(window).some(row => row.kind === 'gap'));
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
    await client.one('sendMessage', { ids: { sessionId }, body: JSON.stringify({ text: 'From elsewhere' }) });
    await service.settle();
    const failed = (): boolean => window.log.lines.some(line => /could not be read/.test(line));
    await window.sessions.refresh(sessionId);
    await until(conversation.onDidChange, failed);
    const { messageCount } = await window.sessions.refresh(sessionId);
    await until(conversation.onDidChange, () => conversation.transcript.known.size === messageCount);
    assert.ok(texts(window).includes('From elsewhere'));
    watch.dispose();
  });

  for (const [what, lists, used, probes] of [
    ['with one question where there is no list', false, true, 1],
    ['without one when extras are off', true, false, 0],
  ] as const)
    it(`falls back to the documented way, ${what}, and without a word`, async () => {
      const { service, window } = await live(lists, used);
      await sendAndRead(window, 'one');
      await service.settle();
      await sendAndRead(window, 'two');
      assert.deepEqual(texts(window), ['one', 'two']);
      const asked = service.requests.map(({ method, path }) => `${method} ${path}`);
      const told = window.log.lines.filter(line => /warn|error/i.test(line));
      assert.deepEqual([asked.filter(each => /^GET .*\/messages$/.test(each)).length, told], [probes, []]);
    });
});
