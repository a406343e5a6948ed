import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { mock } from 'node:test';
import { Database } from '../../../src/storage/database';
import { entriesOf, transcriptTexts, World, type Answer, type Disk, type Process } from './outboxWorld';

const MINUTE = 60_000;

type InWindow = 'write' | 'erase' | 'submit' | 'look' | 'store' | 'crash' | 'doom' | 'refresh';
type Decision = 'sendAgain' | 'discard' | 'takeBack';
type Act =
  | { readonly act: InWindow; readonly at: number }
  | { readonly act: 'decide'; readonly at: number; readonly how: Decision }
  | { readonly act: 'answer'; readonly answer: Answer }
  | { readonly act: 'status'; readonly status: 'idle' | 'running' }
  | { readonly act: 'step'; readonly which: number }
  | { readonly act: 'run'; readonly at: number; readonly most: number }
  | { readonly act: 'pass' | 'jump'; readonly ms: number }
  | { readonly act: 'fail'; readonly how: 'before' | 'after' };

const at = fc.nat(1);
const one = fc.constantFrom;
const weighed = <T>(weight: number, of: { [K in keyof T]: fc.Arbitrary<T[K]> }) => ({
  weight,
  arbitrary: fc.record<T>(of),
});
const acts: fc.Arbitrary<Act> = fc.oneof(
  weighed(12, { act: one('write', 'submit'), at }),
  weighed(4, { act: one('look', 'store', 'refresh', 'erase'), at }),
  weighed(2, { act: one('crash', 'doom'), at }),
  weighed(4, { act: one('decide'), at, how: one('sendAgain', 'discard', 'takeBack') }),
  weighed(4, { act: one('answer'), answer: one('accepted', 'accepted', 'refused', 'lost', 'never arrived') }),
  weighed(2, { act: one('status'), status: one('idle', 'running') }),
  weighed(14, { act: one('step'), which: fc.nat(20) }),
  weighed(10, { act: one('run'), at, most: fc.nat(25) }),
  weighed(2, { act: one('pass'), ms: one(300, 10_000, 30_000) }),
  weighed(2, { act: one('jump'), ms: one(20 * MINUTE, -24 * 60 * MINUTE) }),
  weighed(2, { act: one('fail'), how: one('before', 'after') }),
);

/** The pieces of text a person wrote, by what may have become of each. */
class Ledger {
  readonly written: string[] = [];
  readonly discarded = new Set<string>();
  /** How often each may leave: once, and again after it was refused or by a person's decision about one whose outcome is unknown. */
  readonly #allowed = new Map<string, number>();

  /** A piece unlike every other. */
  next(): string {
    const number = this.written.length + 1;
    const piece = `<${(number * 2_654_435_761) % 1_000_000_007}>`;
    this.written.push(piece);
    return piece;
  }

  in(text: string): readonly string[] {
    return this.written.filter(piece => text.includes(piece));
  }

  allow(text: string): void {
    for (const piece of this.in(text)) this.#allowed.set(piece, this.allowed(piece) + 1);
  }

  allowed(piece: string): number {
    return this.#allowed.get(piece) ?? 1;
  }
}

class Run {
  readonly world: World;
  readonly ledger = new Ledger();
  readonly windows: Process[] = [];
  /** What a page was told is not sent, although it is recorded. */
  readonly #recorded: string[] = [];
  /** What a page that died had left: nobody knows what it was written over, so it may stand beside its earlier version, or that has gone out. */
  readonly #left = new Set<string>();
  #ids = 0;

  constructor(world: World) {
    this.world = world;
  }

  async begin(): Promise<void> {
    this.windows.push(await this.world.start(), await this.world.start());
  }

  async do(act: Act): Promise<void> {
    const { world } = this;
    switch (act.act) {
      case 'answer':
        this.#answer(act.answer);
        break;
      case 'status':
        world.status = act.status;
        for (const { tellStatus } of world.alive) tellStatus();
        break;
      case 'step':
        await world.take(act.which);
        break;
      case 'pass':
        await world.pass(act.ms);
        break;
      case 'jump':
        world.now += act.ms;
        // A draft that a page kept is known by when it was written: a clock that is set back deceives it.
        for (const { unsaved } of act.ms < 0 ? this.windows : [])
          if (unsaved !== undefined && unsaved.sendId === undefined) unsaved.at += act.ms;
        break;
      case 'fail':
        world.failures.push(act.how);
        break;
      default: {
        const window = this.windows[act.at];
        if (window !== undefined) await this.#inWindow(window, act, act.at);
      }
    }
    for (const [index, { isAlive }] of this.windows.entries()) if (!isAlive) await this.#reopen(index);
  }

  async #inWindow(window: Process, act: Extract<Act, { at: number }>, index: number): Promise<void> {
    const { world, ledger } = this;
    switch (act.act) {
      case 'write': {
        if (window.isSubmitting) return;
        const piece = ledger.next();
        this.#look(window);
        const text = window.shown;
        // A text that was rewritten is another, also where what it keeps leaves elsewhere at the same time.
        if (window.hasErased) ledger.allow(text);
        this.#write(window, text === '' ? piece : `${text} ${piece}`);
        return;
      }
      case 'erase': {
        // The last piece that the field holds.
        const text = window.shown;
        const piece = ledger.written.find(each => text.endsWith(each));
        if (window.isSubmitting || piece === undefined) return;
        ledger.discarded.add(piece);
        window.hasErased = true;
        this.#write(window, text.slice(0, -piece.length).trimEnd());
        return;
      }
      case 'submit':
        this.#submit(window);
        return;
      case 'look':
        if (!window.isSubmitting) this.#look(window);
        return;
      case 'store': {
        const { unsaved } = window;
        const stored = window.conversation.flush().then(() => {
          if (window.unsaved === unsaved && unsaved?.sendId === undefined) window.unsaved = undefined;
        });
        await world.finish(stored, window.pid);
        return;
      }
      case 'refresh':
        return void window.conversation.refresh().catch(() => undefined);
      case 'crash':
        world.end(window);
        return;
      case 'doom':
        return void (window.isDoomed = true);
      case 'run':
        return world.run(window.pid, act.most);
      case 'decide':
        this.#decide(this.windows[index] ?? window, act.how);
    }
  }

  #write(window: Process, text: string): void {
    window.conversation.composition.setText(text, window.shown);
    window.shown = text;
    window.unsaved = { text, at: this.world.now };
  }

  #submit(window: Process): void {
    const { world } = this;
    this.#look(window);
    const text = window.shown;
    if (window.isSubmitting || text.trim() === '') return;
    const sendId = `send-${++this.#ids}-of-a-person`;
    window.isSubmitting = true;
    window.unsaved = { text, at: world.now, sendId };
    window.conversation.submit(text, sendId, text).then(
      () => {
        window.isSubmitting = false;
        window.shown = '';
        window.unsaved = undefined;
        this.#look(window);
      },
      () => {
        window.isSubmitting = false;
        if (window.conversation.isRecorded(sendId)) this.#recorded.push(text);
      },
    );
  }

  /** The page shows the draft as its process knows it. */
  #look(window: Process): void {
    if (!window.isSubmitting) window.shown = window.conversation.composition.draft.text;
  }

  #answer(answer: Answer): void {
    const post = this.world.open.shift();
    if (post === undefined) return;
    if (answer === 'refused') this.ledger.allow(post.text);
    post.answer(answer);
  }

  #decide({ conversation }: Process, how: Decision): void {
    const { queued, sends } = conversation;
    const entry = how === 'takeBack' ? queued[0] : sends.find(({ state }) => state === 'unknown');
    if (entry === undefined) return;
    if (entry.state === 'unknown') this.ledger.allow(entry.text);
    if (how === 'discard') for (const piece of this.ledger.in(entry.text)) this.ledger.discarded.add(piece);
    conversation[how](entry.id).catch(() => undefined);
  }

  async #reopen(index: number): Promise<void> {
    const unsaved = this.windows[index]?.unsaved;
    // Another window has sent the same words meanwhile: nobody can tell them from the same words written anew.
    for (const piece of this.ledger.in(unsaved?.text ?? '')) {
      this.#left.add(piece);
      if (this.world.hasLeft(piece)) this.ledger.allow(piece);
    }
    this.windows[index] = await this.world.start(unsaved);
  }

  /** Nothing fails any more, and all that can go on goes on. */
  async end(): Promise<void> {
    const { world } = this;
    world.failures.length = 0;
    world.status = 'idle';
    for (const window of this.windows) window.isDoomed = false;
    for (let round = 0; round < 12; round++) {
      await world.run();
      for (let at = world.open.length; at > 0; at--) this.#answer('accepted');
      await world.run();
      world.now += 20 * MINUTE;
      await world.pass(30_000);
      for (const window of this.windows) {
        window.tellStatus();
        void window.conversation.flush().catch(() => undefined);
      }
    }
    await world.run();
    this.windows.push(await world.start());
    await world.run();
    // What the last window to open has found out may let a message go.
    while (world.open.length > 0) {
      this.#answer('accepted');
      await world.run();
    }
  }

  check(): void {
    const { world, ledger } = this;
    const seen = this.windows.map(window => ({
      pid: window.pid,
      draft: window.conversation.composition.draft,
      entries: entriesOf(window),
      transcript: transcriptTexts(window),
    }));
    const told = JSON.stringify(seen, undefined, 1);
    assert.deepEqual(this.#recorded, [], told);
    for (const piece of ledger.written) {
      const posts = world.posted.filter(text => text.includes(piece)).length;
      assert.ok(posts <= ledger.allowed(piece), `${piece} left ${posts} times: ${told}`);
      for (const { pid, draft, entries, transcript } of seen) {
        const isLeft = this.#left.has(piece);
        const counts = [draft, ...entries].map(({ text }) => text.split(piece).length - 1);
        const written = counts.reduce((sum, count) => sum + (isLeft ? Math.min(1, count) : count), 0);
        const places = written + Number(transcript.some(entry => entry.includes(piece)));
        if (!ledger.discarded.has(piece)) assert.ok(places > 0, `${piece} is lost in ${pid}: ${told}`);
        const most = ledger.allowed(piece) > 1 ? Infinity : isLeft ? 2 : 1;
        assert.ok(places <= most, `${piece} is shown ${places} times in ${pid}: ${told}`);
      }
    }
    for (const { pid, draft, entries } of seen) {
      assert.deepEqual(draft, seen[0]?.draft, `${pid} shows another draft: ${told}`);
      assert.ok(!entries.some(({ state }) => state === 'sending'), `${pid} sends for ever: ${told}`);
    }
    for (const { pid, conversation } of this.windows)
      assert.ok(!conversation.isUnwritten, `${pid} keeps something it never writes: ${told}`);
  }
}

describe('what a person writes, in windows that die, sleep and fill the disk', () => {
  let close = (): void => undefined;
  let current = { now: Date.now() };
  let number = 0;

  /** A new database, in memory where that is possible: it is not the disk that is tested. */
  function open(): Disk {
    const memory = '/dev/shm';
    const root = fs.mkdtempSync(
      path.join(fs.existsSync(memory) ? memory : os.tmpdir(), 'agent-console-outbox-'),
    );
    const quiet = { onChanged: () => undefined, onReplaced: () => undefined, onProblem: () => undefined };
    const database = new Database({ root, now: () => current.now, ...quiet });
    database.write([]);
    close = () => {
      database.close();
      fs.rmSync(root, { recursive: true, force: true });
    };
    return { database, root };
  }
  let disk: Disk;

  beforeEach(() => (disk = open()));

  afterEach(() => {
    mock.timers.reset();
    close();
  });

  it('leaves at most once, and is always in the draft, among the entries or in the transcript, and in one of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 80, size: 'max' }), async chosen => {
        mock.timers.reset();
        // What many runs leave makes each of them slow.
        if (++number % 250 === 0) {
          close();
          disk = open();
        }
        mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
        const world = new World(disk, number);
        current = world;
        const run = new Run(world);
        await run.begin();
        for (const act of chosen) await run.do(act);
        await run.end();
        run.check();
        for (const window of run.windows) world.end(window);
      }),
      { numRuns: Number(process.env['AGENT_CONSOLE_OUTBOX_RUNS'] ?? 200) },
    );
  });
});
