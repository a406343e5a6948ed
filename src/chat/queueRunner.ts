import { Disposable, Slot, type IDisposable } from '../util/disposable';
import { TakenElsewhere } from './owner';
import type { QueuedMessage, SendQueue } from './sendQueue';
import type { ChatSessions } from './sessions';

export interface QueueRunnerOptions {
  readonly sessionId: string;
  readonly queue: SendQueue;
  readonly sessions: Pick<ChatSessions, 'get' | 'refresh' | 'watch'>;
  /**
   * Nothing of this session is being sent, and the service can be asked; without `force` also nothing waits for a decision of the
   * person.
   */
  readonly isFree: (force: boolean) => boolean;
  /** Whether a message with this id was sent, or may have been: not while somebody may still take it from the queue to send it. */
  readonly isSent: (id: string) => boolean;
  /**
   * Sends a message; `recorded` is awaited between its journal record and its request. Resolves when it is settled; rejects with
   * a sentence when nothing was sent.
   */
  readonly send: (message: QueuedMessage, recorded: () => Promise<void>) => Promise<unknown>;
  /** What was being changed when a page went, also in an earlier window. */
  readonly begun: () => Changing | undefined;
  /** Keeps what has been written for a message; nothing when none is being changed. */
  readonly keep: (begun: (Changing & { readonly text: string }) | undefined) => void;
  readonly onError: (error: unknown) => void;
}

/** How long the mark on a message that is being changed stays as it is, ms. */
const MARK_AGAIN_MS = 60_000;

/** A queued message that is being changed, and what it has become so far; without a text nothing yet. */
export interface Changing {
  readonly id: string;
  readonly text?: string | undefined;
}

/**
 * Sends the queued messages of one session in order, each when the agent is idle. A message leaves the queue after it stands in
 * the journal and before its request leaves, and only by the claim of who sends it, so neither two windows nor a crash nor a
 * machine that slept can send it twice.
 */
export class QueueRunner extends Disposable {
  readonly #options: QueueRunnerOptions;
  readonly #watch = this.register(new Slot<IDisposable>());
  #running: Promise<void> | undefined;
  #again = false;
  #changing: Changing | undefined;
  #isHolding = false;
  #marked: { readonly id: string; readonly at: number } | undefined;

  constructor(options: QueueRunnerOptions) {
    super();
    this.#options = options;
  }

  /** To be called whenever something changed that the queue may have waited for. */
  look(): void {
    const { queue, sessionId, sessions } = this.#options;
    const waiting = !this.isDisposed && queue.of(sessionId).length > 0;
    if (!waiting) this.#watch.set(undefined);
    else if (this.#watch.value === undefined) this.#watch.set(sessions.watch(sessionId));
    if (waiting && this.#mayGo()) this.#start(false);
  }

  /** Keeps back a message that is being changed, and those after it, until told otherwise. */
  hold(changing: Changing | undefined): void {
    const before = this.isHeld;
    this.#changing = changing;
    this.#isHolding = changing !== undefined;
    const { id, text } = changing ?? {};
    this.#options.keep(id === undefined || text === undefined ? undefined : { id, text });
    this.#mark(id);
    if (before !== this.isHeld) this.look();
  }

  /** The page is put away: a message goes on waiting when something was written for it. */
  pageGone(): void {
    if (this.#changing?.text === undefined) this.letGo();
  }

  /** Nobody comes back to the change: the message may go, what was written for it stays known. */
  letGo(): void {
    this.#isHolding = false;
    this.#mark(undefined);
    this.look();
  }

  override dispose(): void {
    this.#mark(undefined);
    super.dispose();
  }

  /** What is being changed here, or was when its page went; nothing that is being changed in another window. */
  get changing(): Changing | undefined {
    if (this.#changing !== undefined) return this.#changing;
    const { queue, sessionId, begun } = this.#options;
    const left = begun();
    const message = queue.of(sessionId).find(({ id }) => id === left?.id);
    return message !== undefined && queue.isChangedElsewhere(message) ? undefined : left;
  }

  /** The first message waits until it has been changed, here or in another window. */
  get isHeld(): boolean {
    const { queue, sessionId } = this.#options;
    const [first] = queue.of(sessionId);
    if (first === undefined) return false;
    return (this.#isHolding && first.id === this.#changing?.id) || queue.isChangedElsewhere(first);
  }

  /** Changes of a queued message that nobody is sending; each resolves to whether it was there. */
  edit(id: string, text: string): Promise<boolean> {
    return this.#options.queue.edit(this.#options.sessionId, id, text);
  }

  move(id: string, to: number): Promise<boolean> {
    return this.#options.queue.move(this.#options.sessionId, id, to);
  }

  remove(id: string): Promise<boolean> {
    return this.#options.queue.remove(this.#options.sessionId, id);
  }

  /** Sends the first message even where the agent works or it could not be sent before. */
  async sendNow(): Promise<void> {
    await this.#running;
    this.#start(true);
    await this.#running;
  }

  /** Tells all windows what is being changed here. */
  #mark(id: string | undefined): void {
    const now = Date.now();
    if (id === this.#marked?.id && (this.#marked === undefined || now - this.#marked.at < MARK_AGAIN_MS))
      return;
    this.#marked = id === undefined ? undefined : { id, at: now };
    const { queue, sessionId, onError } = this.#options;
    queue.setChanging(sessionId, id).catch(onError);
  }

  #mayGo(): boolean {
    const { queue, sessionId, sessions, isFree, isSent } = this.#options;
    const [first] = queue.of(sessionId);
    if (first === undefined) return false;
    if (isSent(first.id)) return true;
    if (this.isHeld) return false;
    return first.problem === undefined && isFree(false) && sessions.get(sessionId)?.status === 'idle';
  }

  #start(force: boolean): void {
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#running = this.#next(force)
      .catch(this.#options.onError)
      .finally(() => {
        this.#running = undefined;
        if (this.#again) this.look();
      });
  }

  async #next(force: boolean): Promise<void> {
    const { queue, sessionId, isFree, isSent, send } = this.#options;
    const [first] = queue.of(sessionId);
    if (first === undefined) return;
    // A window was closed between recording the send and taking it from the queue.
    if (isSent(first.id)) return queue.drop(sessionId, first.id);
    const message = await queue.claim(sessionId);
    if (message === undefined) return;
    let problem: string | undefined;
    const state = { left: false };
    try {
      // Another window may know more of the agent than this one.
      if (!force && !(await this.#isIdle())) return;
      if (!isFree(force) || isSent(message.id) || this.isHeld) return;
      await send(message, async () => {
        await queue.done(sessionId, message);
        state.left = true;
      });
      this.#again = true;
    } catch (error) {
      if (!(error instanceof TakenElsewhere))
        problem = error instanceof Error ? error.message : String(error);
    } finally {
      if (!state.left) await queue.release(sessionId, message, problem);
    }
  }

  /** Asks; where that fails the status is not known, and the queue waits until it is. */
  async #isIdle(): Promise<boolean> {
    const { sessionId, sessions } = this.#options;
    try {
      return (await sessions.refresh(sessionId)).status === 'idle';
    } catch {
      return false;
    }
  }
}
