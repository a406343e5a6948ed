import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { mock } from 'node:test';
import { textOf } from '../../../src/chat/transcript/messages';
import { cleanUp, later } from '../../fakes/cleanUp';
import { World, type Answer, type Process } from './outboxWorld';

const MINUTE = 60_000;

const at = fc.nat(1);
const one = fc.constantFrom;
const weighed = <T extends unknown[]>(weight: number, ...of: { [K in keyof T]: fc.Arbitrary<T[K]> }) => ({
  ...{ weight, arbitrary: fc.tuple<T>(...of) },
});
/** What happens, by the name of a method of `Run`, and with what it is called. */
const acts = fc.oneof(
  weighed(12, one('write', 'submit'), at),
  weighed(4, one('look', 'store', 'refresh', 'erase'), at),
  weighed(2, one('crash', 'doom'), at),
  weighed(4, one('decide'), at, one('sendAgain', 'discard', 'takeBack')),
  weighed(4, one('answer'), one('accepted', 'accepted', 'refused', 'lost', 'never arrived')),
  weighed(2, one('turn'), one('idle', 'running')),
  weighed(14, one('take'), fc.nat(20)),
  weighed(10, one('run'), at, fc.nat(25)),
  weighed(2, one('pass'), one(300, 10_000, 30_000)),
  weighed(2, one('jump'), one(20 * MINUTE, -24 * 60 * MINUTE)),
  weighed(2, one('fail'), one('before', 'after')),
);
type Act = typeof acts extends fc.Arbitrary<infer T> ? T : never;

/** What a person does in two windows, and what may have become of each piece of text they wrote. */
class Run extends World {
  readonly windows: Process[] = [];
  readonly #written: string[] = [];
  readonly #discarded = new Set<string>();
  /** How often a piece may leave: once, and again after it was refused or by a person's decision about one whose outcome is unknown. */
  readonly #allowed = new Map<string, number>();
  /** What a page was told is not sent, although it is recorded. */
  readonly #recorded: string[] = [];
  /** What a page that died had left: nobody knows what it was written over, so it may stand beside its earlier version, or that has gone out. */
  readonly #left = new Set<string>();
  #ids = 0;

  #in(text: string): readonly string[] {
    return this.#written.filter(piece => text.includes(piece));
  }

  #allow(text: string): void {
    for (const piece of this.#in(text)) this.#allowed.set(piece, (this.#allowed.get(piece) ?? 1) + 1);
  }

  async do([name, ...args]: Act): Promise<void> {
    const act = this[name].bind(this) as (...given: typeof args) => unknown;
    await act(...args);
    for (const [index, { isAlive }] of this.windows.entries()) if (!isAlive) await this.#reopen(index);
  }

  write(index: number): void {
    const window = this.windows[index]!;
    if (window.isSubmitting) return;
    // Unlike every other.
    const piece = `<${((this.#written.length + 1) * 2_654_435_761) % 1_000_000_007}>`;
    this.#written.push(piece);
    this.look(index);
    const text = window.shown;
    // A text that was rewritten is another, also where what it keeps leaves elsewhere at the same time.
    if (window.hasErased) this.#allow(text);
    this.#write(window, text === '' ? piece : `${text} ${piece}`);
  }

  /** The last piece that the field holds. */
  erase(index: number): void {
    const window = this.windows[index]!;
    const text = window.shown;
    const piece = this.#written.find(each => text.endsWith(each));
    if (window.isSubmitting || piece === undefined) return;
    this.#discarded.add(piece);
    window.hasErased = true;
    this.#write(window, text.slice(0, -piece.length).trimEnd());
  }

  #write(window: Process, text: string): void {
    window.conversation.composition.setText(text, window.shown);
    window.shown = text;
    window.unsaved = { text, at: this.now };
  }

  submit(index: number): void {
    const window = this.windows[index]!;
    this.look(index);
    const text = window.shown;
    if (window.isSubmitting || text.trim() === '') return;
    const sendId = `send-${++this.#ids}-of-a-person`;
    window.isSubmitting = true;
    window.unsaved = { text, at: this.now, sendId };
    window.conversation.submit(text, sendId, text).then(
      () => {
        window.isSubmitting = false;
        window.unsaved = undefined;
        window.shown = window.conversation.composition.draft.text;
      },
      () => {
        window.isSubmitting = false;
        if (window.conversation.isRecorded(sendId)) this.#recorded.push(text);
      },
    );
  }

  /** The page shows the draft as its process knows it. */
  look(index: number): void {
    const window = this.windows[index]!;
    if (!window.isSubmitting) window.shown = window.conversation.composition.draft.text;
  }

  async store(index: number): Promise<void> {
    const window = this.windows[index]!;
    const { unsaved, conversation, pid } = window;
    const stored = conversation.flush().then(() => {
      if (window.unsaved === unsaved && unsaved?.sendId === undefined) window.unsaved = undefined;
    });
    await this.finish(stored, pid);
  }

  readonly refresh = (index: number) =>
    void this.windows[index]!.conversation.refresh().catch(() => undefined);
  readonly crash = (index: number) => this.end(this.windows[index]!);
  /** It dies with its next write. */
  readonly doom = (index: number) => (this.windows[index]!.isDoomed = true);
  readonly run = (index: number, most: number) => this.go(this.windows[index]!.pid, most);
  /** So ends the next write. */
  readonly fail = (how: 'before' | 'after') => this.failures.push(how);

  decide(index: number, how: 'sendAgain' | 'discard' | 'takeBack'): void {
    const { conversation } = this.windows[index]!;
    const { queued, sends } = conversation;
    const entry = how === 'takeBack' ? queued[0] : sends.find(({ state }) => state === 'unknown');
    if (entry === undefined) return;
    if (entry.state === 'unknown') this.#allow(entry.text);
    if (how === 'discard') for (const piece of this.#in(entry.text)) this.#discarded.add(piece);
    conversation[how](entry.id).catch(() => undefined);
  }

  /** Of the service, to the oldest request. */
  answer(answer: Answer): void {
    const post = this.open.shift();
    if (answer === 'refused') this.#allow(post?.text ?? '');
    post?.answer(answer);
  }

  turn(status: 'idle' | 'running'): void {
    this.status = status;
    for (const { tellStatus } of this.windows) tellStatus();
  }

  /** The clock is set, or the machine slept. */
  jump(ms: number): void {
    this.now += ms;
    // A draft that a page kept is known by when it was written: a clock that is set back deceives it.
    for (const { unsaved } of ms < 0 ? this.windows : [])
      if (unsaved !== undefined && unsaved.sendId === undefined) unsaved.at += ms;
  }

  async #reopen(index: number): Promise<void> {
    const unsaved = this.windows[index]?.unsaved;
    // Another window has sent the same words meanwhile: nobody can tell them from the same words written anew.
    for (const piece of this.#in(unsaved?.text ?? '')) {
      this.#left.add(piece);
      if (this.hasLeft(piece)) this.#allow(piece);
    }
    this.windows[index] = await this.start(unsaved);
  }

  /** Nothing fails any more, and all that can go on goes on. */
  async rest(): Promise<void> {
    this.failures.length = 0;
    this.status = 'idle';
    for (const window of this.windows) window.isDoomed = false;
    for (let round = 0; round < 12; round++) {
      await this.go();
      for (let left = this.open.length; left > 0; left--) this.answer('accepted');
      await this.go();
      this.now += 20 * MINUTE;
      await this.pass(30_000);
      for (const { tellStatus, conversation } of this.windows) {
        tellStatus();
        conversation.flush().catch(() => undefined);
      }
    }
    await this.go();
    this.windows.push(await this.start());
    await this.go();
    // What the last window to open has found out may let a message go.
    while (this.open.length > 0) {
      this.answer('accepted');
      await this.go();
    }
  }

  check(): void {
    const seen = this.windows.map(({ pid, conversation }) => ({
      pid,
      draft: conversation.composition.draft,
      entries: [...conversation.sends, ...conversation.queued],
      transcript: [...conversation.transcript.known.values()].map(({ message, sent }) =>
        message === undefined ? (sent?.text ?? '') : textOf(message),
      ),
      isUnwritten: conversation.isUnwritten,
    }));
    const told = JSON.stringify(seen, undefined, 1);
    assert.deepEqual(this.#recorded, [], told);
    for (const piece of this.#written) {
      const allowed = this.#allowed.get(piece) ?? 1;
      const posts = this.posted.filter(text => text.includes(piece)).length;
      assert.ok(posts <= allowed, `${piece} left ${posts} times: ${told}`);
      for (const { pid, draft, entries, transcript } of seen) {
        const isLeft = this.#left.has(piece);
        const counts = [draft, ...entries].map(({ text }) => text.split(piece).length - 1);
        const written = counts.reduce((sum, count) => sum + (isLeft ? Math.min(1, count) : count), 0);
        const places = written + Number(transcript.some(entry => entry.includes(piece)));
        if (!this.#discarded.has(piece)) assert.ok(places > 0, `${piece} is lost in ${pid}: ${told}`);
        const most = allowed > 1 ? Infinity : isLeft ? 2 : 1;
        assert.ok(places <= most, `${piece} is shown ${places} times in ${pid}: ${told}`);
      }
    }
    for (const { pid, draft, entries, isUnwritten } of seen) {
      assert.deepEqual(draft, seen[0]?.draft, `${pid} shows another draft: ${told}`);
      assert.ok(!entries.some(({ state }) => state === 'sending'), `${pid} sends for ever: ${told}`);
      assert.ok(!isUnwritten, `${pid} keeps something it never writes: ${told}`);
    }
  }
}

it('what a person writes, in windows that die, sleep and fill the disk, leaves at most once, and is always in the draft, among the entries or in the transcript, and in one of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 80, size: 'max' }), async chosen => {
      await cleanUp();
      mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
      later(() => mock.timers.reset());
      const run = new Run();
      run.windows.push(await run.start(), await run.start());
      for (const act of chosen) await run.do(act);
      await run.rest();
      run.check();
      for (const window of run.windows) run.end(window);
    }),
    { numRuns: Number(process.env['AGENT_CONSOLE_OUTBOX_RUNS'] ?? 200) },
  );
});
