import * as vscode from 'vscode';
import { Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/event';
import type { Attachments, Inspected } from '../attach/attachments';
import type { Outbox } from './outbox';
import {
  type AttachmentReference,
  type Draft,
  type Entry,
  inDraft,
  isSettled,
  isVersion,
  type Message,
  type Shown,
  type Target,
  together,
  UNDECIDED,
  withTakenBack,
  withWords,
} from './record';

/** An attachment of the draft: `undefined` while it is being looked at. */
export interface Attached {
  readonly uri: string;
  readonly inspected: Inspected | undefined;
}

/** Attachments of one message, and how many are looked at together. */
const MOST_ATTACHED = 500;
const AT_ONCE = 16;

/** The draft of one session as a person composes it, with what is known of its files. */
export class Composition extends Disposable {
  readonly #outbox: Outbox;
  readonly #attachments: Attachments;
  readonly #inspected = new Map<string, Inspected | undefined>();
  readonly #changed = this.register(new Emitter<void>());
  #looking: Promise<unknown> = Promise.resolve();

  constructor(outbox: Outbox, attachments: Attachments) {
    super();
    this.#outbox = outbox;
    this.onDidStore = outbox.onDidStore;
    this.#attachments = attachments;
    this.register(outbox.onDidChange(() => this.#follow()));
  }

  /** Fires when everything written so far is durable. */
  readonly onDidStore: Event<void>;
  /** Fires when attachments or what is known of them changed. */
  readonly onDidChange = this.#changed.event;

  get draft(): Draft {
    return this.#outbox.current.draft;
  }

  /** In the order they were attached. */
  get attached(): readonly Attached[] {
    return this.draft.attachments.map(uri => ({ uri, inspected: this.#inspected.get(uri) }));
  }

  /** What a send would carry. */
  get references(): readonly AttachmentReference[] {
    return this.attached.flatMap(({ uri, inspected }) =>
      inspected?.ok === true
        ? [{ uri, name: inspected.name, kind: inspected.kind, size: inspected.size }]
        : [],
    );
  }

  /** Looks at the attachments of a stored draft. */
  async load(): Promise<void> {
    this.#follow();
    await this.#looking;
  }

  /** `stash` comes back after the text; `over` is what the page showed that changes it. */
  setText(text: string, stash?: string, over: Shown = this.draft, at = Date.now()): void {
    this.#outbox.type({ text, stash, over: { text: over.text, stash: over.stash }, at });
  }

  /**
   * Takes up what was written without the stored draft in sight, at `at` (Unix ms): the fuller version of the draft, or else the newer
   * of the two, is the draft from now on; the other is stashed unless it is only a version of it.
   */
  takeUnsaved(text: string, at: number): void {
    const { draft } = this;
    // It may stand there already, with what was taken back into the composer.
    if (text === '' || `\n\n${draft.text}\n\n`.includes(`\n\n${text}\n\n`)) return;
    const isNewer = isVersion(text, draft.text) || at >= (draft.at ?? 0);
    const [now, other] = isNewer ? [text, draft.text] : [draft.text, text];
    const stash = together([draft.stash, isVersion(now, other) ? undefined : other], now);
    this.setText(now, stash, draft, isNewer ? at : draft.at);
  }

  /** Chooses where the message is routed; `undefined` for the session's own computer. */
  setTarget(target: Target | undefined): void {
    this.#outbox.edit(inDraft(() => ({ target })));
  }

  /** Why the attachments cannot go with one message together; `undefined` when they can. */
  get tooMuch(): string | undefined {
    return this.#attachments.tooMuch(this.references.reduce((sum, { size }) => sum + size, 0));
  }

  /** The draft as a message; throws a sentence when it is none. */
  get message(): Message {
    const { attached, references, tooMuch, draft } = this;
    const { text, target } = draft;
    if (attached.some(({ inspected }) => inspected === undefined)) {
      throw new Error(vscode.l10n.t('The attachments are still being checked. Try again in a moment.'));
    }
    if (references.length < attached.length)
      throw new Error(vscode.l10n.t('Remove the attachments that cannot be sent.'));
    if (tooMuch !== undefined) throw new Error(tooMuch);
    return { text, attachments: references, target };
  }

  /** Moves a refused message, or one of unknown outcome, before what is written now. */
  async editAgain(id: string): Promise<void> {
    if (this.draft.refused?.id === id) return;
    const entry = await this.#outbox.take(id, UNDECIDED, withTakenBack(id, 'before'));
    if (entry === undefined) throw isSettled();
  }

  /** Moves a queued message that nobody is sending behind what is written now; resolves to it, if it was there. */
  takeBackQueued(id: string): Promise<Entry | undefined> {
    return this.#outbox.take(id, ['queued'], withTakenBack(id, 'after'));
  }

  /** Puts what was thrown away before what is written now. */
  async putBack(message: Message): Promise<void> {
    await this.#outbox.settle(withWords(message, 'before'));
  }

  /** Puts another file in the place of one. */
  async replace(uri: string, by: string): Promise<void> {
    this.#outbox.edit(
      inDraft(({ attachments }) => ({ attachments: attachments.map(other => (other === uri ? by : other)) })),
    );
    await this.#looking;
  }

  /**
   * Adds files at the end; one that is there already stays where it is, and is looked at again. Resolves when all were looked at;
   * rejects with a sentence when they were too many, after the first of them.
   */
  async attach(uris: readonly string[]): Promise<void> {
    const there = this.draft.attachments;
    const given = [...new Set(uris)].filter(uri => !there.includes(uri));
    const added = given.slice(0, Math.max(0, MOST_ATTACHED - there.length));
    for (const uri of uris) this.#inspected.delete(uri);
    this.#outbox.edit(
      inDraft(({ attachments }) => ({ attachments: [...new Set([...attachments, ...added])] })),
    );
    await this.load();
    if (added.length === given.length) return;
    throw new Error(
      vscode.l10n.t('A message can have up to {0} attachments. The others were left out.', MOST_ATTACHED),
    );
  }

  detach(uri: string): void {
    this.#inspected.delete(uri);
    this.#outbox.edit(
      inDraft(({ attachments }) => ({ attachments: attachments.filter(other => other !== uri) })),
    );
  }

  /** Notes what the last reading of the files found. */
  setProblems(problems: ReadonlyMap<string, string>): void {
    for (const [uri, problem] of problems) {
      const before = this.#inspected.get(uri);
      this.#inspected.set(uri, { ok: false, name: before?.name ?? uri, problem });
    }
    this.#changed.fire();
  }

  /** Looks at files nobody has looked at, a few at a time: a drop may hold thousands, and a machine opens only so many files. */
  #follow(): void {
    const unseen = this.draft.attachments.filter(uri => !this.#inspected.has(uri));
    for (const uri of unseen) this.#inspected.set(uri, undefined);
    const left = unseen.values();
    const some = async (): Promise<void> => {
      for (const uri of left) if (this.#inspected.has(uri)) await this.#inspect(uri);
    };
    if (unseen.length > 0)
      this.#looking = Promise.all([this.#looking, ...Array.from({ length: AT_ONCE }, some)]);
    this.#changed.fire();
  }

  async #inspect(uri: string): Promise<void> {
    const inspected = await this.#attachments.inspect(uri);
    if (this.isDisposed || !this.#inspected.has(uri)) return;
    this.#inspected.set(uri, inspected);
    this.#changed.fire();
  }
}
