import * as vscode from 'vscode';
import { Disposable } from '../util/disposable';
import { Emitter, type Event } from '../util/event';
import { without } from '../util/without';
import type { Attachments, Inspected } from './attachments';
import {
  EMPTY_DRAFT,
  routeOf,
  targetOf,
  type Changing,
  type Draft,
  type Drafts,
  type Route,
  type Target,
} from './drafts';
import type { Outgoing } from './sender';
import type { AttachmentReference, SendJournal, SendRecord } from './sendJournal';

/** An attachment of the draft: `undefined` while it is being looked at. */
export interface Attached {
  readonly uri: string;
  readonly inspected: Inspected | undefined;
}

/** Attachments of one message, and how many are looked at together. */
const MOST_ATTACHED = 500;
const AT_ONCE = 16;

/** What a person writes for one session: text and attachments, durable until the service has accepted them. */
export class Composition extends Disposable {
  readonly #sessionId: string;
  readonly #drafts: Drafts;
  readonly #journal: SendJournal;
  readonly #attachments: Attachments;
  readonly #inspected = new Map<string, Inspected | undefined>();
  readonly #changed = this.register(new Emitter<void>());

  constructor(sessionId: string, drafts: Drafts, journal: SendJournal, attachments: Attachments) {
    super();
    this.#sessionId = sessionId;
    this.#drafts = drafts;
    this.#journal = journal;
    this.#attachments = attachments;
    this.register(
      drafts.onDidChange(ids => {
        if (ids.includes(sessionId)) this.#follow();
      }),
    );
  }

  /** Fires when everything written so far is durable. */
  readonly onDidStore: Event<string> = (listener, ...rest) =>
    this.#drafts.onDidStore(id => (id === this.#sessionId ? listener(id) : undefined), ...rest);
  /** Fires when attachments or what is known of them changed. */
  readonly onDidChange = this.#changed.event;

  /**
   * The draft as the person sees it: what went into a send is gone from it, and back when that send was refused.
   */
  get draft(): Draft {
    const stored = this.#drafts.get(this.#sessionId);
    if (stored.sendId === undefined) return stored;
    return this.#journal.get(stored.sendId)?.state === 'refused' ? stored : rest(stored);
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
  load(): Promise<void> {
    return this.#inspectAll(this.draft.attachments);
  }

  /** `stash` is what was written before an earlier message was called up. */
  setText(text: string, stash?: string, at = Date.now()): void {
    const draft = without(this.draft, 'stash');
    this.#drafts.set(this.#sessionId, { ...draft, text, at, ...(stash === undefined ? {} : { stash }) });
  }

  /** What has been written for a queued message, kept as the draft is; `undefined` when none is being changed. */
  setChanging(changing: Changing | undefined): void {
    const draft = this.#drafts.get(this.#sessionId);
    if (draft.changing?.id === changing?.id && draft.changing?.text === changing?.text) return;
    this.#drafts.set(this.#sessionId, {
      ...without(draft, 'changing'),
      ...(changing === undefined ? {} : { changing }),
    });
  }

  /** The person writes something else than what came back from a refused send, which stays with that send. */
  beginAnew(): void {
    if (this.draft.sendId !== undefined) this.#drafts.set(this.#sessionId, rest(this.draft));
  }

  /**
   * Takes up what was written without the stored draft in sight, at `at` (Unix ms): the newer of the two is the draft from now on,
   * the other is stashed unless it is only a version of it.
   */
  takeUnsaved(text: string, at: number): void {
    const { draft } = this;
    if (text === '' || draft.text === text) return;
    const isNewer = draft.text === '' || at >= (draft.at ?? 0);
    const [now, other] = isNewer ? [text, draft.text] : [draft.text, text];
    const stash = [draft.stash ?? '', isVersion(now, other) ? '' : other].filter(part => part !== '');
    this.setText(now, stash.length === 0 ? undefined : stash.join('\n\n'), isNewer ? at : draft.at);
    this.#changed.fire();
  }

  /** Chooses where the message is routed; `undefined` for the session's own computer. */
  setTarget(target: Target | undefined): void {
    const draft = without(this.draft, 'target');
    this.#drafts.set(this.#sessionId, { ...draft, ...(target === undefined ? {} : { target }) });
    this.#changed.fire();
  }

  /** Why the attachments cannot go with one message together; `undefined` when they can. */
  get tooMuch(): string | undefined {
    return this.#attachments.tooMuch(this.references.reduce((sum, { size }) => sum + size, 0));
  }

  /** The draft with this text as a message, durable before anything else happens to it; rejects with a sentence when it is none. */
  async message(text: string): Promise<Outgoing> {
    if (text.trim() === '') throw new Error(vscode.l10n.t('Write a message first.'));
    this.setText(text, this.draft.stash);
    const { attached, references, tooMuch, draft } = this;
    await this.#drafts.flush();
    if (attached.some(({ inspected }) => inspected === undefined)) {
      throw new Error(vscode.l10n.t('The attachments are still being checked. Try again in a moment.'));
    }
    if (references.length < attached.length)
      throw new Error(vscode.l10n.t('Remove the attachments that cannot be sent.'));
    if (tooMuch !== undefined) throw new Error(tooMuch);
    const { computerId, name: computerName } = draft.target ?? {};
    return { text, attachments: references, ...routeOf({ computerId, computerName }) };
  }

  /** Empties the draft: it stands in the queue now. What was added meanwhile, and what was stashed, stays. */
  async putAside(queued: {
    readonly text: string;
    readonly attachments: readonly AttachmentReference[];
  }): Promise<void> {
    const { draft } = this;
    const taken = queued.attachments.map(({ uri }) => uri);
    this.#drafts.set(this.#sessionId, {
      ...rest(draft),
      text: draft.text === queued.text ? (draft.stash ?? '') : draft.text,
      attachments: draft.attachments.filter(uri => !taken.includes(uri)),
    });
    await this.#drafts.flush();
    this.#changed.fire();
  }

  /** Puts another file in the place of one. */
  async replace(uri: string, by: string): Promise<void> {
    const { draft } = this;
    const attachments = draft.attachments.map(other => (other === uri ? by : other));
    this.#drafts.set(this.#sessionId, { ...draft, attachments });
    await this.#inspect(by);
  }

  /**
   * Adds files at the end; one that is there already stays where it is. Resolves when all were looked at; rejects with a sentence
   * when they were too many, after the first of them.
   */
  async attach(uris: readonly string[]): Promise<void> {
    const { draft } = this;
    const there = new Set(draft.attachments);
    const given = [...new Set(uris)].filter(uri => !there.has(uri));
    const added = given.slice(0, Math.max(0, MOST_ATTACHED - draft.attachments.length));
    this.#drafts.set(this.#sessionId, { ...draft, attachments: [...draft.attachments, ...added] });
    this.#changed.fire();
    await this.#inspectAll([...added, ...uris.filter(uri => there.has(uri))]);
    if (added.length === given.length) return;
    throw new Error(
      vscode.l10n.t('A message takes up to {0} attachments here. The others were left out.', MOST_ATTACHED),
    );
  }

  detach(uri: string): void {
    const { draft } = this;
    this.#drafts.set(this.#sessionId, {
      ...draft,
      attachments: draft.attachments.filter(other => other !== uri),
    });
    this.#inspected.delete(uri);
    this.#changed.fire();
  }

  /** Notes what the last reading of the files found. */
  setProblems(problems: ReadonlyMap<string, string>): void {
    for (const [uri, problem] of problems) {
      const before = this.#inspected.get(uri);
      this.#inspected.set(uri, { ok: false, name: before?.name ?? uri, problem });
    }
    this.#changed.fire();
  }

  /**
   * The draft went into this send; it stays stored until `sent`. What was added while the send was being recorded is a draft of its
   * own from now on. Resolves when that is durable.
   */
  async putIn(send: SendRecord): Promise<void> {
    const { draft } = this;
    const replaced = this.#drafts.get(this.#sessionId).sendId;
    const sent = send.attachments.map(attachment => attachment.uri);
    const added = draft.attachments.filter(uri => !sent.includes(uri));
    const text = draft.text === send.text ? '' : draft.text;
    this.#drafts.set(
      this.#sessionId,
      text === '' && added.length === 0
        ? { ...draft, text: send.text, attachments: sent, sendId: send.sendId }
        : { ...rest(draft), text, attachments: added },
    );
    await this.#drafts.flush();
    if (replaced !== undefined && this.#journal.get(replaced)?.state === 'refused')
      await this.#journal.remove(replaced);
    this.#changed.fire();
  }

  /** The send holds its text by itself now (accepted or unknown), so the draft it came from goes. */
  release(sendId: string): void {
    if (this.#drafts.get(this.#sessionId).sendId !== sendId) return;
    const { stash = '', ...draft } = this.#drafts.get(this.#sessionId);
    this.#drafts.set(this.#sessionId, { ...rest(draft), text: stash });
    this.#changed.fire();
  }

  /** The draft no longer belongs to a send that was discarded, but stays. */
  keepWithout(sendId: string): void {
    const { draft } = this;
    if (draft.sendId !== sendId) return;
    this.#drafts.set(this.#sessionId, without(draft, 'sendId'));
  }

  /**
   * Puts what a send or a queued message held before what is written now, which goes where that was to go. Resolves when that is
   * durable.
   */
  async takeBack(
    send: Pick<SendRecord, 'text' | 'attachments' | keyof Route> & { readonly sendId?: string },
  ): Promise<void> {
    const { draft } = this;
    if (draft.sendId === undefined || draft.sendId !== send.sendId) {
      const uris = send.attachments.map(attachment => attachment.uri);
      const target = targetOf(send);
      this.#drafts.set(this.#sessionId, {
        ...without(without(draft, 'sendId'), 'target'),
        ...(target === undefined ? {} : { target }),
        text: [send.text, draft.text].filter(text => text !== '').join('\n\n'),
        attachments: [...new Set([...uris, ...draft.attachments])],
      });
    }
    await this.#drafts.flush();
    await this.load();
  }

  /** Another window changed the draft. */
  #follow(): void {
    const unseen = this.draft.attachments.filter(uri => !this.#inspected.has(uri));
    for (const uri of unseen) void this.#inspect(uri);
    this.#changed.fire();
  }

  /** A few at a time: a drop may hold thousands, and a machine opens only so many files. */
  async #inspectAll(uris: readonly string[]): Promise<void> {
    for (const uri of uris) if (!this.#inspected.has(uri)) this.#inspected.set(uri, undefined);
    const left = uris.values();
    const some = async (): Promise<void> => {
      for (const uri of left) if (this.#inspected.has(uri)) await this.#inspect(uri);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
  }

  async #inspect(uri: string): Promise<void> {
    if (!this.#inspected.has(uri)) this.#inspected.set(uri, undefined);
    const inspected = await this.#attachments.inspect(uri);
    if (this.isDisposed || !this.#inspected.has(uri)) return;
    this.#inspected.set(uri, inspected);
    this.#changed.fire();
  }
}

/** Whether most of `other` is still there in `text`, from its beginning and from its end. */
function isVersion(text: string, other: string): boolean {
  const shorter = Math.min(text.length, other.length);
  let begin = 0;
  while (begin < shorter && text[begin] === other[begin]) begin++;
  let end = 0;
  while (begin + end < shorter && text.at(-1 - end) === other.at(-1 - end)) end++;
  return 2 * (begin + end) >= other.length;
}

/** What a draft keeps when its text and attachments are gone. */
function rest({ target, changing }: Draft): Draft {
  return {
    ...EMPTY_DRAFT,
    ...(target === undefined ? {} : { target }),
    ...(changing === undefined ? {} : { changing }),
  };
}
