import * as vscode from 'vscode';
import { errorSentence, type Connection } from '../../connection';
import type { Logger } from '../../log';
import { Disposable, Slot, type IDisposable } from '../../util/disposable';
import { Emitter } from '../../util/event';
import type { DetailsDocuments } from '../../util/detailsDocuments';
import { Formatter } from '../../util/format';
import { openAddress } from '../../ui/openAddress';
import { oneLine } from '../../util/text';
import type { PanelSide } from '../../webview/ipc';
import { WebviewPage } from '../../webview/page';
import { Composing, type ComposingDeps } from './composing';
import type { Conversation } from '../conversation';
import { offerInputBox } from './nativeComposer';
import type { SendOutcome } from '../outbox/sender';
import type { Shown } from '../outbox/record';
import { panelHandlers } from './panelHandlers';
import { blockedReason, composerOf, headerOf, outcomeWords } from './panelState';
import type { ChatPlace } from './places';
import type { ReadingPlaces } from './readingPlaces';
import { chatProtocol, type ChatProtocol, type Kept, type Unsaved, type Wanted } from '../protocol';
import { RowFeed } from '../transcript/rowFeed';
import { keyOf, type ChatSessions } from '../sessions';

export interface PanelOptions {
  readonly extensionUri: vscode.Uri;
  readonly conversation: Conversation;
  readonly connection: Connection;
  readonly sessions: ChatSessions;
  readonly log: Logger;
  /** The title until the session is known. */
  readonly title: string;
  readonly composing: ComposingDeps;
  readonly details: Pick<DetailsDocuments, 'compare'>;
  readonly reading: ReadingPlaces;
  /** Puts another panel in the place of this one: what keeps a page from loading may be the frame VS Code made for it. */
  readonly startAnew?: (() => void) | undefined;
}

/** Changes that come together are shown together, ms; at most a sixth of the time goes into showing them. */
const GATHER = 30;
const REST_FACTOR = 5;

/** The panel of one session: shows its conversation and carries the person's acts to it. */
export class ChatPanel extends Disposable {
  readonly conversation: Conversation;
  readonly place: ChatPlace;
  readonly #options: PanelOptions;
  readonly #format = new Formatter(vscode.env.language);
  readonly #rows: RowFeed;
  readonly #life: WebviewPage;
  readonly #page: Pick<PanelSide<ChatProtocol>, 'send'>;
  /** Held while the session is followed. */
  readonly #watch = this.register(new Slot<IDisposable>());
  /** The service can be asked again, and was not yet. */
  #isDue = false;
  readonly #disposed = new Emitter<void>();
  #gathering: NodeJS.Timeout | undefined;
  #gatherFor = GATHER;
  #transcriptProblem: string | undefined;
  #focusWhenReady = false;
  #findWhenReady: Wanted | undefined;
  /** The composer as the page has it. */
  #shown: Shown = { text: '' };
  #isSubmitting = false;
  #draftVersion = 0;
  readonly composing: Composing;
  readonly details: Pick<DetailsDocuments, 'compare'>;
  readonly log: Logger;

  constructor(place: ChatPlace, options: PanelOptions) {
    super();
    this.place = place;
    this.#options = options;
    this.conversation = options.conversation;
    this.details = options.details;
    this.log = options.log;
    this.composing = new Composing(options.conversation, options.composing);
    this.#rows = this.register(new RowFeed(splice => this.#page.send('splice', splice), this.#format));
    this.#life = this.register(
      new WebviewPage({
        webview: place.webview,
        extensionUri: options.extensionUri,
        name: 'chat',
        title: place.title,
        isVisible: place.isVisible,
        onGone: () => this.#rows.pause(),
        onMissing: () => this.#onMissing(),
        log: options.log,
      }),
    );
    this.#page = this.#life.connect({ protocol: chatProtocol, handlers: panelHandlers(this) });
    const { composition } = this.conversation;
    const { state, onDidBecomeReady } = options.connection;
    const gather = (): void => this.#gather();
    for (const subscription of [
      place.onDidDispose(() => this.dispose()),
      place.onDidChangeVisibility(() => this.#viewChanged()),
      this.conversation.onDidChange(gather),
      this.conversation.onDidSettle(outcome => this.#settled(outcome)),
      options.composing.onDidChange(gather),
      composition.onDidStore(() => {
        if (this.#life.isReady) this.#page.send('draftStored', { version: this.#draftVersion });
      }),
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
    place.setTitle(this.#title);
    this.#life.load();
    this.conversation.load().catch((error: unknown) => {
      options.log.error('A transcript could not be read', error);
      this.#transcriptProblem = errorSentence(error);
      this.#gather();
    });
    this.#viewChanged();
  }

  /** Fires once, when this chat ends. */
  readonly onDidDispose = this.#disposed.event;

  /** Shows the panel with the cursor in the composer. */
  reveal(): void {
    this.place.reveal();
    this.takeCursor();
  }

  /** Puts the cursor into the composer, at the latest when there is one. */
  takeCursor(): void {
    if (this.#life.isReady) this.#page.send('setDraft', { focus: true });
    else this.#focusWhenReady = true;
  }

  /** Ends this chat but leaves its place to another, or to the editor, which restores it when the extension starts again. */
  leave(): void {
    if (this.isDisposed) return;
    clearTimeout(this.#gathering);
    super.dispose();
    this.#disposed.fire();
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.leave();
    this.place.close();
  }

  /** Asks how the session stands; rejects with the reason. */
  async refresh(): Promise<void> {
    const blocked = this.#blocked;
    if (blocked !== undefined) throw new Error(blocked);
    await this.conversation.refresh();
  }

  pageReady(): void {
    const { sessionId, serviceId, composition } = this.conversation;
    const { text, stash } = composition.draft;
    this.#shown = { text, stash };
    this.#page.send('start', {
      texts: vscode.l10n.bundle,
      language: vscode.env.language,
      identity: { sessionId, serviceId, title: this.place.title() },
      kept: this.#options.reading.get(keyOf(this.conversation)),
      draft: text,
      ...(stash === undefined ? {} : { stash }),
      // A view that is merely there takes the cursor from nobody.
      focus:
        this.#findWhenReady === undefined &&
        (this.#focusWhenReady || (this.place.kind === 'panel' && this.place.isActive())),
    });
    if (this.#findWhenReady !== undefined) this.#page.send('find', this.#findWhenReady);
    this.#findWhenReady = undefined;
    this.#focusWhenReady = false;
    this.#rows.pause();
    this.#show();
    this.#payAttention();
  }

  async setDraft(text: string, stash: string | undefined, version: number): Promise<void> {
    const { conversation } = this;
    this.#draftVersion = version;
    const over = this.#shown;
    this.#shown = { text, stash: stash === '' ? undefined : stash };
    // Written before the stored draft was read, which waits in the stash then.
    if (!conversation.isLoaded) await conversation.takeUnsaved({ text, at: Date.now() });
    else conversation.composition.setText(text, this.#shown.stash, over);
    this.#gather();
  }

  async send(text: string, sendId: string): Promise<void> {
    const blocked = this.#blocked;
    if (blocked !== undefined) throw new Error(blocked);
    if (!/^[\w-]{8,64}$/.test(sendId)) throw new RangeError('Not the id of a send.');
    const asked = this.#life.heard;
    const { stash = '' } = this.#shown;
    this.#isSubmitting = true;
    try {
      await this.conversation.submit(text, sendId, this.#shown);
      // The page has what was stashed in its composer by now, unless it is another, which began with the text that is sent now.
      if (asked === this.#life.heard) this.#shown = { text: stash };
    } finally {
      this.#isSubmitting = false;
      this.#gather();
    }
  }

  async takeUnsaved(unsaved: Unsaved): Promise<void> {
    await this.conversation.takeUnsaved(unsaved).finally(() => this.#followDraft());
    this.#page.send('draftStored', { version: this.#draftVersion });
  }

  keep(kept: Kept): void {
    this.#options.reading.keep(keyOf(this.conversation), kept);
  }

  readonly addAgain = (): Promise<void> => this.#options.sessions.ensure(this.conversation.sessionId);

  /** Opens find, at the latest when there is a page. */
  find(wanted: Wanted = {}): void {
    if (this.#life.isReady) this.#page.send('find', wanted);
    else this.#findWhenReady = wanted;
  }

  async openWebApp(): Promise<void> {
    if (this.#webApp !== undefined) await openAddress(this.#webApp);
  }

  /** What was moved into the composer goes from where it was at the same time. */
  showDraft(focus = true): void {
    if (focus) this.#show();
    const { text, stash } = this.conversation.composition.draft;
    this.#shown = { text, stash };
    this.#page.send('setDraft', { text, stash: stash ?? '', focus });
  }

  get #blocked(): string | undefined {
    const reason = blockedReason(this.#options.connection.state.current, this.conversation.serviceId);
    if (reason !== undefined || !this.#removed) return reason;
    return vscode.l10n.t('This session is no longer in your list. What you write is kept.');
  }

  /** Nothing is known of the session although the list it would be in has been read. */
  get #removed(): boolean {
    const { serviceId, session } = this.conversation;
    return this.#options.sessions.serviceId === serviceId && session === undefined;
  }

  get #title(): string {
    return oneLine(this.conversation.session?.title ?? this.#options.title, 60);
  }

  #viewChanged(): void {
    this.#life.followVisibility();
    this.#payAttention();
  }

  /** Nothing is asked of the service while nobody sees the page or it is still being made, nor of one that is not in use. */
  #payAttention(): void {
    if (this.isDisposed) return;
    if (!this.place.isVisible() || !this.#life.isReady || this.#blocked !== undefined) {
      this.#watch.set(undefined);
      return;
    }
    if (this.#watch.value === undefined) this.#watch.set(this.conversation.watch());
    if (this.#isDue) void this.refresh().catch(() => undefined);
    this.#isDue = false;
  }

  /** The sample has none; no address of a single session is documented. */
  get #webApp(): string | undefined {
    const { service } = this.#options.connection.state.current;
    return service?.source === 'sample' ? undefined : service?.appUrl;
  }

  #onMissing(): void {
    const { startAnew = () => this.#life.load() } = this.#options;
    // It may have come late, or the person has gone elsewhere.
    const reload = (): void => {
      if (this.#life.isMissing) startAnew();
    };
    offerInputBox(this.log, this.conversation, this.place.title(), reload);
  }

  #gather(): void {
    if (this.isDisposed) return;
    this.#gathering ??= setTimeout(() => this.#show(), this.#gatherFor);
  }

  #show(): void {
    const { conversation } = this;
    const began = performance.now();
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const title = this.#title;
    this.#payAttention();
    if (this.place.title() !== title) this.place.setTitle(title);
    if (!this.#life.isReady) return;
    this.#page.send('state', {
      header: headerOf(
        conversation.session,
        this.#options.title,
        conversation.isRefreshing,
        Date.now(),
        this.#format,
      ),
      composer: composerOf(conversation, this.#blocked, this.#options.composing, this.#format),
      removed: this.#removed,
      ...(this.#transcriptProblem === undefined ? {} : { transcriptProblem: this.#transcriptProblem }),
    });
    if (conversation.isLoaded) {
      this.#rows.show({ ...conversation.rows, webApp: this.#webApp !== undefined });
    }
    this.#followDraft();
    this.#gatherFor = Math.max(GATHER, REST_FACTOR * (performance.now() - began));
  }

  /** The draft came back from a refused send, or another window changed it. */
  #followDraft(): void {
    const { text, stash } = this.conversation.composition.draft;
    if (this.#isSubmitting) return;
    if (text !== this.#shown.text || stash !== this.#shown.stash) this.showDraft(false);
  }

  #settled(outcome: SendOutcome): void {
    if (this.#life.isReady) this.#page.send('announce', { text: outcomeWords(outcome) });
    this.#gather();
  }
}
