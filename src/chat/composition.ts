import * as vscode from 'vscode';
import { Disposable, Emitter, type Event } from '../util/lifecycle';
import type { Attachments } from './attach/attachments';
import { nameAmong, type AwayFile } from './attach/given';
import { MOST_ATTACHED, type Picture } from './protocol';
import type { Outbox } from './outbox/outbox';
import { inDraft, withWords, type Attachment, type Draft, type Message } from './outbox/record';

/** The draft of one session as a person composes it. */
export class Composition extends Disposable {
  readonly #outbox: Outbox;
  readonly #attachments: Attachments;
  readonly #serviceId: string;
  readonly #changed = this.register(new Emitter<void>());
  #looks = 0;

  constructor(outbox: Outbox, attachments: Attachments, serviceId: string) {
    super();
    this.#outbox = outbox;
    this.#attachments = attachments;
    this.#serviceId = serviceId;
    this.onDidStore = outbox.onDidStore;
  }

  readonly onDidStore: Event<void>;
  /** Fires when `isLooking` changed; the outbox says the rest. */
  readonly onDidChange = this.#changed.event;

  get draft(): Draft {
    return this.#outbox.current.draft;
  }

  /** Files that are to be attached are being looked at. */
  get isLooking(): boolean {
    return this.#looks > 0;
  }

  /** Why the attachments cannot go with one message; `undefined` when they can. */
  get problem(): string | undefined {
    const { attachments } = this.draft;
    if (attachments.some(({ problem }) => problem !== undefined))
      return vscode.l10n.t('Remove the attachments that cannot be sent.');
    return this.#attachments.tooMuch(attachments.reduce((sum, { size }) => sum + size, 0));
  }

  /** The draft as a message; throws a sentence when it is none. */
  get message(): Message {
    const problem = this.isLooking
      ? vscode.l10n.t('The attachments are still being checked. Try again in a moment.')
      : this.problem;
    if (problem !== undefined) throw new Error(problem);
    const { text, attachments, target } = this.draft;
    return { text, attachments, target };
  }

  /** `over` is what the page showed that changes it. */
  setText(text: string, over = this.draft.text): void {
    this.#outbox.type({ over, text });
  }

  setTarget(target: Draft['target']): void {
    this.#outbox.edit(inDraft(() => ({ target })));
  }

  async putBack(message: Message): Promise<void> {
    await this.#outbox.settle(withWords(message));
  }

  /**
   * Adds files at the end; one that is there already stays where it is, and is looked at again. Rejects with a sentence when they
   * were too many, after the first of them.
   */
  attach(uris: readonly string[]): Promise<void> {
    const given = [...new Set(uris)].slice(0, MOST_ATTACHED + 1);
    return this.#looking(async () => {
      const found: Attachment[] = [];
      // No more than one of them is in memory.
      for (const uri of given) found.push(await this.#attachments.inspect(uri));
      this.#add(found);
    });
  }

  /**
   * Attaches files without an address one after another, or one in the place of `replaces`. Rejects with the reasons why some cannot
   * be, after the others are attached.
   */
  attachFiles(files: readonly AwayFile[], replaces?: string): Promise<void> {
    const problems = new Set<string>();
    return this.#looking(async () => {
      for (const file of files)
        try {
          const others = this.draft.attachments.filter(({ uri }) => uri !== replaces);
          const name = nameAmong(file, others);
          const kept = await this.#attachments.keep(this.#serviceId, name, file);
          if (replaces !== undefined) this.#need(replaces);
          this.#add([kept], replaces);
        } catch (error) {
          problems.add((error as Error).message);
        }
      if (problems.size > 0) throw new Error([...problems].join(' '));
    });
  }

  detach(gone: string): void {
    this.#outbox.edit(
      inDraft(({ attachments }) => ({ attachments: attachments.filter(({ uri }) => uri !== gone) })),
    );
  }

  picture(uri: string): Promise<Picture> {
    this.#need(uri);
    return this.#attachments.picture(uri);
  }

  async open(uri: string): Promise<void> {
    this.#need(uri);
    const options = { preview: true, viewColumn: vscode.ViewColumn.Beside };
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(uri, true), options);
  }

  /** Nothing is sent meanwhile. */
  async #looking(work: () => Promise<void>): Promise<void> {
    this.#looks++;
    this.#changed.fire();
    try {
      await work();
    } finally {
      this.#looks--;
      this.#changed.fire();
    }
  }

  /** Attaches what was found, in the place of what is there of it already, or of `replaces`. */
  #add(found: readonly Attachment[], replaces?: string): void {
    const places = new Map(found.map(each => [replaces ?? each.uri, each]));
    this.#outbox.edit(
      inDraft(({ attachments }) => {
        const known = attachments.map(each => places.get(each.uri) ?? each);
        const added = found.filter(({ uri }) => !known.some(each => each.uri === uri));
        return { attachments: [...known, ...added].slice(0, MOST_ATTACHED) };
      }),
    );
    if (found.every(({ uri }) => this.#has(uri))) return;
    throw new Error(
      vscode.l10n.t('A message can have up to {0} attachments. The others were left out.', MOST_ATTACHED),
    );
  }

  #has(uri: string): boolean {
    return this.draft.attachments.some(each => each.uri === uri);
  }

  #need(uri: string): void {
    if (!this.#has(uri)) throw new Error(vscode.l10n.t('This attachment has been removed meanwhile.'));
  }
}
