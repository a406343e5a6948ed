import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { Extra, Message, Page } from '../../../src/api';
import * as messages from '../../../src/chat/transcript/messages';
import type { KnownMessage, StoredMessage } from '../../../src/chat/transcript/messages';
import { Reading } from '../../../src/chat/transcript/reading';
import { Transcript } from '../../../src/chat/transcript/transcript';
import { silentLog } from '../../fakes/log';
import { later, knownOf, message, rowsOf, sendRecord, storageIn, temporaryFolder, text } from './support';

const body = (index: number, updatedAt = index): Message => ({
  ...{ id: `m${index}`, role: 'assistant', content: [], createdAt: index, updatedAt },
  ...(index === 0 ? {} : { parentId: `m${index - 1}` }),
});
const bodies = (length: number, from = 0) => Array.from({ length }, (_, index) => body(from + index));

/** A service with messages that each name the one before, and perhaps a list of them, three at a time. */
class Served {
  readonly known = new Map<string, KnownMessage>();
  readonly asked: (string | undefined)[] = [];
  readonly log = silentLog();
  readonly all: Message[];
  newestFirst = false;
  session = { messageCount: 0, updatedAt: 0 };
  list: (cursor?: string) => Promise<Extra<Page<Message>>> = () => Promise.resolve('missing');
  readonly reading: Reading;

  constructor(length: number, content: Message['content'] = []) {
    this.all = bodies(length).map(each => ({ ...each, content }));
    const one = (_: string, { ids: { messageId: id } }: { ids: { messageId: string } }) => {
      this.asked.push(id);
      const found = this.all.find(each => each.id === id);
      return found === undefined ? Promise.reject(new Error(`no ${id}`)) : Promise.resolve(found);
    };
    const keep = async (kept: readonly StoredMessage[]): Promise<void> => {
      for (const each of await Promise.resolve(kept)) this.known.set(each.id, { id: each.id, message: each });
    };
    const extras = { messages: (_: string, cursor?: string) => this.list(cursor) };
    this.reading = new Reading({
      ...{ sessionId: 's', session: () => this.session, transcript: { known: this.known, keep } },
      ...{ api: () => ({ one, extras }) as never, extras: () => true, describe: String },
      ...{ log: this.log, onRead: () => Promise.resolve() },
    });
    later(() => this.reading.dispose());
  }

  readonly pages = (cursor?: string): Promise<Page<Message>> => {
    this.asked.push(cursor);
    const all = this.newestFirst ? this.all.toReversed() : this.all;
    const from = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
    const items = all.slice(from, from + 3);
    const more = from + 3 < all.length ? { cursor: items.at(-1)!.id } : {};
    return Promise.resolve({ items, problems: [], ...more });
  };

  /** This id is known, as after a send, and is read on from: how many have been read then. */
  async readFrom(id: string): Promise<number> {
    this.known.set(id, { id });
    await this.reading.read(true);
    return [...this.known.values()].filter(each => each.message !== undefined).length;
  }

  /** These were read before, by their numbers. */
  knows(...indices: readonly number[]): void {
    for (const body of indices.map(index => this.all[index]!))
      this.known.set(body.id, { id: body.id, message: messages.toStored(body.id, body) });
  }

  /** What is said to be missing, by what is shown below it. */
  get breaks(): unknown[] {
    const rows = rowsOf({ known: this.known, ...this.reading.state });
    return rows.flatMap(row => (row.kind === 'gap' ? [[row.key, row.sentence, row.canRead]] : []));
  }
}

describe('messages by the ancestor walk', () => {
  it('are read up to the first one, no further than one that is known or a loop, the newest place first', async () => {
    const served = new Served(15);
    assert.equal(await served.readFrom('m5'), 6);
    served.knows(10, 12);
    served.asked.length = 0;
    await served.readFrom('m14');
    assert.equal(served.asked.join(' '), 'm14 m13 m11 m9 m8 m7 m6');
    assert.deepEqual(served.breaks, []);
    const circular = new Served(4);
    circular.all[1] = { ...body(1), parentId: 'm3' };
    await circular.readFrom('m3');
    assert.deepEqual(circular.asked, ['m3', 'm2', 'm1']);
  });

  it('are kept when a question fails or there are too many, which is said where it was; a word reads on, also while others are read', async () => {
    const [served, many] = [new Served(6), new Served(300)];
    const [gone] = served.all.splice(2, 1);
    assert.equal(await served.readFrom('m5'), 3);
    assert.deepEqual(served.breaks, [['break:m3', 'Earlier messages could not be read: Error: no m2', true]]);
    served.all.push(gone!);
    await served.reading.read(false);
    assert.equal(served.known.size, 3);
    assert.equal(await many.readFrom('m299'), 200);
    assert.deepEqual(many.breaks, [['break:m100', 'Earlier messages have not been read yet.', true]]);
    for (const { reading } of [served, many])
      await Promise.all([false, true].map(retry => reading.read(retry)));
    assert.deepEqual([served.known.size, many.known.size], [6, 300]);
  });
});

describe('messages from a list of the service', () => {
  for (const newestFirst of [false, true])
    it(`are read whole once, then only where something is new or it was away, ${newestFirst ? 'newest' : 'oldest'} first`, async () => {
      const served = new Served(10);
      served.list = served.pages;
      served.newestFirst = newestFirst;
      await served.reading.read(false);
      assert.deepEqual([served.known.size, served.reading.state.complete], [10, true]);
      served.asked.length = 0;
      served.all.push(body(10));
      await served.reading.read(false);
      assert.ok(served.known.has('m10'));
      assert.ok(served.asked.length <= 2, `asked ${served.asked.length} pages`);
      served.all[10] = body(10, 11);
      await served.reading.read(false);
      assert.equal(served.known.get('m10')?.message?.updatedAt, 11, 'a message that grew is read again');
      served.list = () => Promise.resolve('missing');
      await served.reading.read(false);
      served.all.push(...bodies(7, 11));
      served.knows(15, 16, 17);
      served.list = served.pages;
      await served.reading.read(false);
      assert.equal(served.known.size, 18);
    });

  it('are asked for once at a time, once more for what came meanwhile, and not called unreadable until then', async () => {
    const served = new Served(10, [text('x')]);
    served.session = { messageCount: 10, updatedAt: 1 };
    let inFlight = 0;
    const said: unknown[][] = [];
    served.list = async cursor => {
      said.push([++inFlight, ...(cursor === undefined ? [] : served.breaks)]);
      const answer = await served.pages(cursor);
      await setImmediate();
      inFlight--;
      return answer;
    };
    await Promise.all([1, 2, 3].map(() => served.reading.read(false)));
    assert.deepEqual(served.asked, [undefined, 'm2', 'm5', 'm8', 'm8']);
    assert.deepEqual(said, [[1], [1], [1], [1], [1]]);
  });

  it('leave the reading to the walk where that fails, which is logged and said, and are not read in circles', async () => {
    const served = new Served(3);
    served.session.messageCount = 10;
    served.list = () => Promise.reject(new Error('down'));
    for (const id of ['m0', 'm1', 'm2']) await served.readFrom(id);
    assert.deepEqual(served.asked, ['m0', 'm1', 'm2']);
    assert.ok(served.log.lines.some(line => line.includes('down')));
    assert.deepEqual(served.breaks, [['gap', '7 messages could not be read: Error: down', true]]);
    const circular = new Served(1);
    circular.list = async () => ({ ...(await circular.pages()), cursor: 'same' });
    await circular.reading.read(false);
    assert.equal(circular.asked.length, 2);
  });

  it('are read whenever there is something new while somebody looks, also after that failed once', async () => {
    const served = new Served(1);
    served.list = served.pages;
    await served.reading.read(false);
    /** How many are known after the session was asked about. */
    const looked = async (): Promise<number> => {
      for (let times = 0; times < 2; times++) served.reading.follow();
      await setImmediate();
      return served.known.size;
    };
    /** One more has come, and the session says so. */
    const more = (): Promise<number> => {
      const updatedAt = served.all.push(body(served.all.length));
      served.session = { messageCount: updatedAt, updatedAt };
      return looked();
    };
    assert.equal(await more(), 1, 'nobody looks');
    served.reading.watch(1);
    assert.equal(await more(), 3);
    served.list = () => Promise.reject(new Error('down'));
    assert.equal(await more(), 3);
    served.list = served.pages;
    assert.equal(await looked(), 4);
    const { length } = served.asked;
    await looked();
    assert.equal(served.asked.length, length, 'nothing is read again while nothing changes');
    served.reading.watch(-1);
    assert.equal(await more(), 4);
  });
});

describe('messages that are known', () => {
  it('have an order whatever links there are: each once, parents first unless they loop', () => {
    const link = fc.record({ at: fc.integer({ min: 0, max: 5 }), parent: fc.option(fc.nat(30)) });
    fc.assert(
      fc.property(fc.array(link, { maxLength: 30 }), links => {
        const all = links.map(({ at: createdAt, parent }, index) =>
          message(`m${index}`, { createdAt, ...(parent === null ? {} : { parentId: `m${parent}` }) }),
        );
        const known = knownOf(...all);
        const ordered = messages.inOrder(known).map(({ id }) => id);
        assert.deepEqual([...ordered].sort(), [...known.keys()].sort());
        for (const { id, parentId = '' } of all) {
          let above: string | undefined = parentId;
          for (let step = 0; step < 30 && above !== id; step++)
            above = known.get(above ?? '')?.message?.parentId;
          if (known.has(parentId) && above !== id)
            assert.ok(ordered.indexOf(parentId) < ordered.indexOf(id), `${parentId} before ${id}`);
        }
      }),
    );
  });

  const send = sendRecord({ before: { messageCount: 3, updatedAt: 500 } });
  const said = (role: string, id: string, words: string, createdAt: number): KnownMessage => ({
    ...{ id, message: message(id, { role, createdAt, content: [text(words)] }) },
  });
  const user = said.bind(undefined, 'user');
  const reply = said('assistant', 'r', 'Hello', 600);

  it('are what a send without an answer became by text and time, but no reply and of no other send', () => {
    const other = { ...user('o', 'Hello', 600), sent: { at: 1, text: 'Hello', attachments: [] } };
    const others = [user('x', 'Hello!', 600), reply, other, user('old', 'Hello', 400)];
    assert.equal(messages.arrivedAs(send, others), undefined);
    assert.equal(messages.arrivedAs(send, [...others, user('new', 'Hello', 600)]), 'new');
  });

  it('are called up with the latest of the person first, each text once', () => {
    const own = ['one', 'two', 'one', ' '].map((words, at) => user(`m${at}`, words, at));
    const sent = { id: 's', sent: { at: 9, text: 'three', attachments: [] } };
    const known = new Map([...own, reply, sent].map(each => [each.id, each]));
    assert.deepEqual(messages.ownTexts(known), ['three', 'one', 'two']);
  });

  it('hold no encrypted field, no signature, and no content of hidden messages', () => {
    const foreign = {
      ...{ id: 'other', role: 'assistant', createdAt: 1, updatedAt: 2 },
      ...{ providerAEncryptedContent: 'SECRET-1', providerBThoughtSignature: 'SECRET-2' },
      providerAReasoningSummary: 'plain',
      content: [
        { type: 'thinking', thinking: 'plain', signature: 'SECRET-3' },
        { type: 'redacted_thinking', data: 'SECRET-4' },
        { type: 'new', nested: [{ encrypted_content: 'SECRET-5', kept: 1 }] },
      ],
    };
    const same = { role: 'assistant', createdAt: 1, updatedAt: 2 };
    const content = [{ type: 'thinking', thinking: 'plain' }, { type: 'redacted_thinking' }];
    const nested = { type: 'new', nested: [{ kept: 1 }] };
    const stored = { id: 'id', ...same, providerAReasoningSummary: 'plain', content: [...content, nested] };
    assert.deepEqual(messages.toStored('id', foreign), stored);
    const hidden = messages.toStored('id', { ...foreign, visibility: 'llm_only', parentId: 'p' });
    assert.deepEqual(hidden, { id: 'id', ...same, visibility: 'llm_only', parentId: 'p', content: [] });
  });

  it('hold the newer body, and what was sent, whatever comes first, after everything known', async () => {
    const transcript = new Transcript(storageIn(temporaryFolder()), 'service1', 'session');
    await transcript.load();
    await transcript.keep([message('m', { updatedAt: 2, createdAt: 9_000, content: [text('new')] })]);
    const sent = { at: 5, text: 'hello', attachments: [{ name: 'a.ts', kind: 'text' as const, size: 3 }] };
    await transcript.keepSent('m', sent);
    await transcript.keep([message('m', { updatedAt: 1, content: [text('old')] })]);
    const known = transcript.known.get('m');
    assert.deepEqual([known?.message?.content, known?.sent?.text], [[text('new')], 'hello']);
    await transcript.keepSent('s', sent);
    assert.equal(transcript.known.get('s')?.sent?.at, 9_001);
  });
});
