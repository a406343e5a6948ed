import * as vscode from 'vscode';
import { panels, views } from '../../contributions';
import { Disposable } from '../../util/lifecycle';
import { serially } from '../../util/promises';
import { oneLine } from '../../util/text';
import { createPanel, PagePanels } from '../../ui/pagePanel';
import { pageHtml, pageOptions, type Place } from '../../webview/page';
import type { ChatPanel } from './panel';
import { isPageState, type PageState } from '../protocol';
import { keyOf, type ChatSessions } from '../sessions';

export interface PlacesOptions {
  readonly extensionUri: vscode.Uri;
  readonly sessions: Pick<ChatSessions, 'get' | 'all'>;
  readonly serviceId: () => string | undefined;
  readonly makePanel: <P extends Place>(place: P, chat: ChatOfPlace) => ChatPanel<P>;
  /** Where a session is opened; asked each time. */
  readonly location: () => 'panel' | 'view';
  /** Of this window and folder alone. */
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
}

export type ChatOfPlace = Pick<PageState, 'serviceId' | 'sessionId' | 'title'>;

/** What the view showed. */
const VIEW_MEMORY = 'agentConsole.chat.view';
/** A view that was asked for is there within this time, ms; else there is none, as when the person has hidden it for good. */
const SHOWN_WITHIN = 10_000;

/** The chat pages of this window: one panel a session, and the view that follows the selected one. */
export class Places extends Disposable {
  readonly #options: PlacesOptions;
  readonly #panels = this.register(new PagePanels<ChatPanel<vscode.WebviewPanel>>());
  #view: vscode.WebviewView | undefined;
  #inView: ChatPanel | undefined;
  /** What the view shows as soon as there is one. */
  #wanted: ChatOfPlace | undefined;
  /** Whoever waits for the view hears that it is there. */
  #came: (() => void) | undefined;
  /** Two clicks must not make two panels. */
  readonly #inTurn = serially();

  constructor(options: PlacesOptions) {
    super();
    this.#options = options;
  }

  /** The chat the person works in, or the only one there is; the view's also while other views are in front of it. */
  get inFront(): ChatPanel | undefined {
    const [only, ...others] = this.#shown;
    return this.#shown.find(({ isActive }) => isActive) ?? (others.length === 0 ? only : undefined);
  }

  /** The same for what is done with a chat of whatever service. */
  get active(): ChatPanel | undefined {
    return this.#all.find(({ isActive }) => isActive) ?? this.inFront;
  }

  isShown(sessionId: string): boolean {
    return this.#shown.some(
      ({ panel, conversation }) => panel.visible && conversation.sessionId === sessionId,
    );
  }

  async settled(): Promise<void> {
    await this.#inTurn(() => Promise.resolve());
  }

  /** Shows a session where the person wants chats; one that is open somewhere is shown there. */
  show(sessionId: string): Promise<ChatPanel> {
    const chat = this.#chatOf(sessionId);
    if (chat === undefined) throw new Error(vscode.l10n.t('Sign in first.'));
    const inPanel = this.#panels.has(keyOf(chat)) || this.#options.location() === 'panel';
    return this.#inTurn(() => (inPanel ? this.#openPanel(chat) : this.#showInView(chat)));
  }

  /** A row was selected: the view follows, and nothing else moves. */
  follow(sessionId: string): void {
    const chat = this.#chatOf(sessionId);
    if (chat === undefined || this.#options.location() !== 'view' || this.#panels.has(keyOf(chat))) return;
    if (this.#view === undefined) this.#wanted = chat;
    else this.#attachView(this.#view, chat);
  }

  /** In the place of another of its session: a tab in the background is restored only when it is shown. */
  restorePanel(panel: vscode.WebviewPanel, state: unknown): void {
    const kept = readPageState(state);
    if (kept === undefined) panel.dispose();
    else this.#panels.keep(keyOf(kept), this.#options.makePanel(panel, kept));
  }

  /** The view is shown for the first time, or again after it was moved. */
  resolveView(view: vscode.WebviewView): void {
    this.#inView?.dispose();
    this.#inView = undefined;
    this.#view = view;
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = this.#inView = undefined;
    });
    const next = this.#wanted ?? readPageState(this.#options.memory.get<unknown>(VIEW_MEMORY));
    if (next === undefined) {
      const notice = vscode.l10n.t('Select a session to show its chat here.');
      view.description = '';
      view.webview.options = { ...pageOptions(this.#options.extensionUri), enableScripts: false };
      view.webview.html = pageHtml(view.webview, this.#options.extensionUri, 'chat', notice, false);
    } else {
      this.#attachView(view, next);
    }
    this.#came?.();
  }

  override dispose(): void {
    this.#inView?.dispose();
    super.dispose();
  }

  /** The chats of the service known now. */
  get #shown(): readonly ChatPanel[] {
    const serviceId = this.#options.serviceId();
    return this.#all.filter(({ conversation }) => conversation.serviceId === serviceId);
  }

  get #all(): readonly ChatPanel[] {
    return [...this.#panels.all, ...(this.#inView === undefined ? [] : [this.#inView])];
  }

  #chatOf(sessionId: string): ChatOfPlace | undefined {
    const serviceId = this.#options.serviceId();
    const title = this.#options.sessions.get(sessionId)?.title ?? vscode.l10n.t('Session');
    return serviceId === undefined ? undefined : { serviceId, sessionId, title: oneLine(title, 60) };
  }

  async #openPanel(chat: ChatOfPlace): Promise<ChatPanel> {
    const { extensionUri, makePanel } = this.#options;
    const column = this.#panels.has(keyOf(chat)) ? undefined : await this.#takeTab(chat);
    const made = () => makePanel(createPanel(panels.chat, 'chat', chat.title, extensionUri, column), chat);
    const panel = this.#panels.show(keyOf(chat), made);
    panel.takeCursor();
    return panel;
  }

  /**
   * After a reload VS Code restores the tabs in front, and names those in the background to us only when they are shown. The one with
   * the title of this session is closed, and another takes its place in its group, where the chat goes on as it was. Of several, or
   * where several sessions have this title, nobody knows which it is.
   */
  async #takeTab({ title }: ChatOfPlace): Promise<vscode.ViewColumn | undefined> {
    const known = this.#options.sessions.all().filter(each => oneLine(each.title, 60) === title);
    if (known.length > 1 || this.#panels.all.some(panel => panel.title === title)) return undefined;
    const [tab, ...others] = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input, label, isActive }) => isChat(input) && label === title && !isActive);
    if (tab === undefined || others.length > 0) return undefined;
    const { viewColumn } = tab.group;
    await vscode.window.tabGroups.close(tab, true);
    return viewColumn;
  }

  async #showInView(chat: ChatOfPlace): Promise<ChatPanel> {
    this.#wanted = chat;
    if (this.#view === undefined) {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      this.#came = () => resolve(undefined);
      // It is there later than VS Code says that it is shown.
      const timer = setTimeout(resolve, SHOWN_WITHIN);
      void vscode.commands.executeCommand(`${views.chat}.focus`).then(undefined, resolve);
      await promise.finally(() => clearTimeout(timer));
    }
    // Nor is it to show up there later, beside a panel.
    this.#wanted = undefined;
    if (this.#view === undefined) return this.#openPanel(chat);
    const shown = this.#attachView(this.#view, chat);
    shown.reveal();
    return shown;
  }

  #attachView(view: vscode.WebviewView, chat: ChatOfPlace): ChatPanel {
    this.#wanted = undefined;
    const shown = this.#inView;
    if (shown !== undefined && keyOf(shown.conversation) === keyOf(chat)) return shown;
    shown?.dispose();
    void this.#options.memory.update(VIEW_MEMORY, chat);
    return (this.#inView = this.#options.makePanel(view, chat));
  }
}

function isChat(input: unknown): boolean {
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(panels.chat);
}

/** What a page kept over a reload, if it is that (a page is free to keep anything). */
export function readPageState(state: unknown): PageState | undefined {
  if (!isPageState(state) || state.sessionId === '' || !/^[a-z0-9_-]+$/.test(state.serviceId))
    return undefined;
  return state;
}
