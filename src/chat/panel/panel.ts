import * as vscode from 'vscode';
import type { ApiClient } from '../../api';
import { errorSentence, type Connection } from '../../connection';
import type { Logger } from '../../log';
import type { ShownChanges } from '../../shared';
import { Slot, type Event, type IDisposable } from '../../util/lifecycle';
import type { DetailsDocuments } from '../../util/detailsDocuments';
import { oneLine } from '../../util/text';
import type { PanelSide } from '../../webview/ipc';
import { PagePanel } from '../../ui/pagePanel';
import { isPanel, type Place } from '../../webview/page';
import type { Conversations } from '../conversations';
import type { Conversation } from '../conversation';
import type { SendOutcome } from '../outbox/sender';
import { offerInputBox, panelHandlers } from './panelHandlers';
import { blockedReason, composerOf, headerOf, outcomeWords, type ComposerSettings } from './panelState';
import { chatProtocol, type ChatProtocol, type Kept, type Unsaved, type Wanted } from '../protocol';
import { RowFeed } from '../transcript/rows';
import { keyOf, type ChatSessions } from '../sessions';

export interface PanelDeps {
  readonly extensionUri: vscode.Uri;
  readonly connection: Connection;
  readonly sessions: ChatSessions;
  readonly changes: ShownChanges;
  readonly log: Logger;
  readonly composer: ComposerSettings & { readonly onDidChange: Event<unknown> };
  readonly details: Pick<DetailsDocuments, 'show' | 'compare'>;
}

export interface PanelOptions extends PanelDeps, ReturnType<Conversations['use']> {
  readonly title: string;
  /** Where sessions were read in this window, by service and session. */
  readonly reading: Map<string, Kept>;
}

/** Changes that come together are shown together, ms. */
const GATHER = 50;

/** The panel of one session: shows its conversation and carries the person's acts to it. */
export class ChatPanel<P extends Place = Place> extends PagePanel<P> {
  readonly conversation: Conversation;
  readonly options: PanelOptions;
  readonly #rows: RowFeed;
  readonly #toPage: Pick<PanelSide<ChatProtocol>, 'send'>;
  readonly #watch = this.register(new Slot<IDisposable>());
  /** The service can be asked again, and was not yet. */
  #isDue = false;
  #gathering: NodeJS.Timeout | undefined;
  #transcriptProblem: string | undefined;
  #focusWhenReady = false;
  #findWhenReady: Wanted | undefined;
  /** How many texts the page was given for its composer, and what it has made of each: what it says may cross the next. */
  #given = 0;
  #shown = new Map([[0, '']]);
  /** A message of the page is being recorded. */
  #submitting: Promise<void> | undefined;
  #draftVersion = 0;

  constructor(place: P, options: PanelOptions) {
    super(place, { ...options, name: 'chat' });
    this.options = options;
    this.conversation = options.conversation;
    this.#rows = this.register(new RowFeed(splice => this.#toPage.send('splice', splice)));
    this.#toPage = this.connect({ protocol: chatProtocol, handlers: panelHandlers(this) });
    const { composition } = this.conversation;
    const { state, onDidBecomeReady } = options.connection;
    const gather = (): void => this.#gather();
    for (const subscription of [
      this.conversation.onDidChange(gather),
      this.conversation.onDidSettle(outcome => this.#settled(outcome)),
      options.composer.onDidChange(gather),
      options.changes.onDidChange(ids => ids.includes(this.conversation.sessionId) && gather()),
      composition.onDidStore(() => this.#toPage.send('draftStored', { version: this.#draftVersion })),
      state.onDidChange(() => {
        this.#payAttention();
        this.#gather();
      }),
      onDidBecomeReady(() => {
        this.#isDue ||= this.#blocked === undefined;
        this.#payAttention();
      }),
    ])
      this.register(subscription);
    this.#showTitle();
    this.load();
    this.conversation.load().catch((error: unknown) => {
      options.log.error('A transcript could not be read', error);
      this.#transcriptProblem = errorSentence(error);
      this.#gather();
    });
  }

  /** The client of this conversation's service; throws the reason where that cannot be asked now. */
  get api(): ApiClient {
    this.check();
    const { api } = this.options.connection;
    if (api === undefined) throw new Error(vscode.l10n.t('Sign in first.'));
    return api;
  }

  /** Throws the reason where the service cannot be asked now. */
  check(): void {
    const blocked = this.#blocked;
    if (blocked !== undefined) throw new Error(blocked);
  }

  override get title(): string {
    return oneLine(this.conversation.session?.title ?? this.options.title, 60);
  }

  get isActive(): boolean {
    return isPanel(this.panel) ? this.panel.active : this.panel.visible;
  }

  reveal(): void {
    if (isPanel(this.panel)) this.panel.reveal(undefined, false);
    else this.panel.show(false);
    this.takeCursor();
  }

  /** Puts the cursor into the composer, at the latest when there is one. */
  takeCursor(): void {
    if (this.isReady) this.#toPage.send('setDraft', { focus: true });
    else this.#focusWhenReady = true;
  }

  /** Leaves its place to another, or to the editor, which restores it when the extension starts again. */
  override dispose(): void {
    if (this.isDisposed) return;
    clearTimeout(this.#gathering);
    super.dispose();
    this.options.lease.dispose();
  }

  async refresh(): Promise<void> {
    this.check();
    await this.conversation.refresh();
  }

  pageReady(): void {
    const { sessionId, serviceId, composition } = this.conversation;
    const { text } = composition.draft;
    this.#given = 0;
    this.#shown = new Map([[0, text]]);
    this.#draftVersion = 0;
    this.#toPage.send('start', {
      texts: vscode.l10n.bundle,
      identity: { sessionId, serviceId, title: this.title },
      kept: this.options.reading.get(keyOf(this.conversation)),
      draft: text,
      // A view that is merely there takes the cursor from nobody.
      focus:
        this.#findWhenReady === undefined &&
        (this.#focusWhenReady || (isPanel(this.panel) && this.panel.active)),
    });
    if (this.#findWhenReady !== undefined) this.#toPage.send('find', this.#findWhenReady);
    this.#findWhenReady = undefined;
    this.#focusWhenReady = false;
    this.#rows.pause();
    this.#show();
    this.#payAttention();
  }

  /** Counts also before the stored draft was read, or where it cannot be. */
  setDraft(text: string, seen: number, version: number): void {
    this.#draftVersion = version;
    this.conversation.composition.setText(text, this.#shown.get(seen));
    this.#shown.set(seen, text);
    this.#gather();
  }

  async send(text: string, seen: number, sendId: string): Promise<void> {
    this.check();
    if (!/^[\w-]{8,64}$/.test(sendId)) throw new RangeError('Not the id of a send.');
    const shown = this.#shown;
    this.#submitting = this.conversation.submit(text, sendId, shown.get(seen));
    try {
      await this.#submitting;
      // The page has emptied its composer by now; another, which began with the text that is sent now, is told.
      if (shown.get(seen) === text) shown.set(seen, '');
    } finally {
      // Before the answer: the page no longer shows the message by itself then.
      this.#show();
      this.#submitting = undefined;
      this.#gather();
    }
  }

  async takeUnsaved(unsaved: Unsaved): Promise<void> {
    // It may be what the page before was sending, and is about to be recorded.
    await this.#submitting?.catch(() => undefined);
    await this.conversation.takeUnsaved(unsaved).finally(() => this.#followDraft());
    this.#toPage.send('draftStored', { version: this.#draftVersion });
  }

  /** Opens find, at the latest when there is a page. */
  find(wanted: Wanted = {}): void {
    if (this.isReady) this.#toPage.send('find', wanted);
    else this.#findWhenReady = wanted;
  }

  /**
   * What was moved into the composer goes from where it was at the same time. While a message is being recorded the page tells nothing
   * of what is written since, and would lose it: it is given the text after the answer.
   */
  showDraft(focus = true): void {
    if (this.#submitting !== undefined) return;
    if (focus) this.#show();
    const { text } = this.conversation.composition.draft;
    this.#shown.set(++this.#given, text);
    this.#shown.delete(this.#given - 10);
    this.#toPage.send('setDraft', { text, focus });
  }

  get #blocked(): string | undefined {
    const reason = blockedReason(this.options.connection.state.current, this.conversation.serviceId);
    if (reason !== undefined || !this.#removed) return reason;
    return vscode.l10n.t('This session is no longer in your list. What you write is kept.');
  }

  /** Nothing is known of the session although the list it would be in has been read. */
  get #removed(): boolean {
    const { serviceId, session } = this.conversation;
    return this.options.sessions.serviceId === serviceId && session === undefined;
  }

  /** Nothing is asked of the service while nobody sees the page or it is still being made, nor of one that is not in use. */
  #payAttention(): void {
    if (this.isDisposed) return;
    if (!this.panel.visible || !this.isReady || this.#blocked !== undefined) {
      this.#watch.set(undefined);
      return;
    }
    if (this.#watch.value === undefined) this.#watch.set(this.conversation.watch());
    if (this.#isDue) void this.refresh().catch(() => undefined);
    this.#isDue = false;
  }

  /** The sample has none; no address of a single session is documented. */
  get webApp(): string | undefined {
    const { service } = this.options.connection.state.current;
    return service?.source === 'sample' ? undefined : service?.appUrl;
  }

  protected override onGone(): void {
    this.#rows.pause();
    this.#payAttention();
  }

  protected override onMissing(): void {
    // It may have come late, or the person has gone elsewhere.
    offerInputBox(this, () => this.isMissing && this.load());
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => this.#show(), GATHER);
  }

  #show(): void {
    if (this.isDisposed) return;
    const { conversation } = this;
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#payAttention();
    this.#showTitle();
    if (!this.isReady) return;
    this.#toPage.send('state', {
      header: {
        ...headerOf(conversation.session, this.options.title, conversation.isRefreshing, Date.now()),
        changes: this.#blocked === undefined ? this.options.changes.of(conversation.sessionId) : undefined,
      },
      composer: composerOf(conversation, this.#blocked, this.options.composer),
      removed: this.#removed,
      ...(!conversation.isLoaded &&
        this.#transcriptProblem && { transcriptProblem: this.#transcriptProblem }),
    });
    if (conversation.isLoaded) this.#rows.show({ ...conversation.rows, webApp: this.webApp !== undefined });
    this.#followDraft();
  }

  #showTitle(): void {
    if (isPanel(this.panel)) this.panel.title = this.title;
    else this.panel.description = this.title;
  }

  /** The draft came back from a refused send, or another window changed it. */
  #followDraft(): void {
    const { text } = this.conversation.composition.draft;
    if (text !== this.#shown.get(this.#given)) this.showDraft(false);
  }

  #settled(outcome: SendOutcome): void {
    this.#toPage.send('announce', { text: outcomeWords(outcome) });
    this.#gather();
  }
}
