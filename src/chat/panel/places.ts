import * as vscode from 'vscode';
import { panels, views } from '../../contributions';
import { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/event';
import { noticeHtml } from '../../webview/html';
import type { ChatPanel, PanelOptions } from './panel';
import { createPanel, panelPlace, viewPlace, type ChatPlace } from './place';
import { readPageState } from '../requests';
import type { ChatSessions } from '../sessions';

export interface PlacesOptions {
  readonly extensionUri: vscode.Uri;
  readonly sessions: Pick<ChatSessions, 'get'>;
  /** The service known now. */
  readonly serviceId: () => string | undefined;
  readonly makePanel: (place: ChatPlace, chat: ChatOfPlace) => ChatPanel;
  /** Where a session is opened; asked each time. */
  readonly location: () => 'panel' | 'view';
  /** Of this window and folder alone. */
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
}

/** What a place shows. */
export interface ChatOfPlace extends Pick<PanelOptions, 'title' | 'startAnew'> {
  readonly serviceId: string;
  readonly sessionId: string;
}

/** Which sessions have a panel, over a reload: VS Code names a tab to us only when it is shown. */
const MEMORY = 'agentConsole.chat.panels';
/** What the view showed. */
const VIEW_MEMORY = 'agentConsole.chat.view';
/** A tab that was brought forward becomes a panel within this time, ms. */
const RESTORED_WITHIN = 3_000;
/** A view that was asked for is there within this time, ms; else there is none, as when the person has hidden it for good. */
const SHOWN_WITHIN = 10_000;
const GROUPS = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth'];

/** The chat pages of this window: one panel a session, and the view that follows the selected one. */
export class Places extends Disposable {
  readonly #options: PlacesOptions;
  readonly #panels = new Map<string, ChatPanel>();
  readonly #restored = this.register(new Emitter<void>());
  readonly #resolved = this.register(new Emitter<void>());
  #view: vscode.WebviewView | undefined;
  #inView: ChatPanel | undefined;
  /** What the view shows as soon as there is one. */
  #wanted: { readonly serviceId: string; readonly sessionId: string; readonly title: string } | undefined;
  #opening: Promise<unknown> = Promise.resolve();

  constructor(options: PlacesOptions) {
    super();
    this.#options = options;
  }

  /** The chat the person works in, or the only one there is; the view's also while other views are in front of it. */
  get inFront(): ChatPanel | undefined {
    const serviceId = this.#options.serviceId();
    const ofService = (panel: ChatPanel): boolean => panel.conversation.serviceId === serviceId;
    const panels = [...this.#panels.values()].filter(ofService);
    const views = [this.#inView].filter(panel => panel !== undefined).filter(ofService);
    const [only, ...others] = panels.length > 0 ? panels : views;
    return [...panels, ...views].find(panel => panel.isActive) ?? (others.length === 0 ? only : undefined);
  }

  /** Whether a session is shown in this window. */
  isShown(sessionId: string): boolean {
    const serviceId = this.#options.serviceId();
    return [...this.#panels.values(), this.#inView].some(
      panel =>
        panel?.isVisible === true &&
        panel.conversation.sessionId === sessionId &&
        panel.conversation.serviceId === serviceId,
    );
  }

  /** Resolves when what was asked to be shown is there. */
  async settled(): Promise<void> {
    await this.#opening;
  }

  /** Shows a session where the person wants chats; one that is open somewhere is shown there. */
  show(sessionId: string): Promise<ChatPanel> {
    const serviceId = this.#needService();
    const open = this.#panels.get(panelKey(serviceId, sessionId));
    const inPanel = open !== undefined || this.#options.location() === 'panel';
    return this.#inTurn(() =>
      inPanel ? this.#openPanel(serviceId, sessionId) : this.#showInView(serviceId, sessionId),
    );
  }

  /** One at a time: two clicks must not make two panels. */
  #inTurn(open: () => Promise<ChatPanel>): Promise<ChatPanel> {
    const opened = this.#opening.then(open);
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  /** A row was selected: the view follows, and nothing else moves. */
  follow(sessionId: string): void {
    const serviceId = this.#options.serviceId();
    if (serviceId === undefined || this.#options.location() !== 'view') return;
    if (this.#panels.has(panelKey(serviceId, sessionId))) return;
    if (this.#view === undefined) this.#wanted = { serviceId, sessionId, title: this.#titleOf(sessionId) };
    else this.#attachView(this.#view, serviceId, sessionId, this.#titleOf(sessionId));
  }

  restorePanel(panel: vscode.WebviewPanel, state: unknown): void {
    const kept = readPageState(state);
    if (kept === undefined) panel.dispose();
    else this.#attachPanel(panelPlace(panel), kept.serviceId, kept.sessionId, kept.title);
    this.#restored.fire();
  }

  /** The view is shown for the first time, or again after it was moved. */
  resolveView(view: vscode.WebviewView, state: unknown): void {
    this.#inView?.leave();
    this.#view = view;
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    const kept = readPageState(this.#options.memory.get<unknown>(VIEW_MEMORY)) ?? readPageState(state);
    const next = this.#wanted ?? kept;
    if (next === undefined) this.#showNotice(view);
    else this.#attachView(view, next.serviceId, next.sessionId, next.title);
    this.#resolved.fire();
  }

  override dispose(): void {
    for (const panel of [...this.#panels.values(), this.#inView]) panel?.release();
    this.#panels.clear();
    super.dispose();
  }

  async #openPanel(serviceId: string, sessionId: string): Promise<ChatPanel> {
    const key = panelKey(serviceId, sessionId);
    const title = this.#titleOf(sessionId);
    const open = this.#panels.get(key) ?? (await this.#fromTab(key, title));
    if (open !== undefined) {
      open.reveal();
      return open;
    }
    const made = panelPlace(createPanel(title, this.#options.extensionUri));
    const panel = this.#attachPanel(made, serviceId, sessionId, title);
    // It is shown already.
    panel.takeCursor();
    return panel;
  }

  /**
   * After a reload, a tab in the background is not known until it is shown. Where this session had one, the tabs that may be it
   * are shown until it is found, so that a session never has two.
   */
  async #fromTab(key: string, title: string): Promise<ChatPanel | undefined> {
    if (!this.#remembered.includes(key)) return undefined;
    const known = [...this.#panels.values()].map(panel => panel.title);
    const tabs = vscode.window.tabGroups.all
      .flatMap(group => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(panels.chat))
      .filter(({ label }) => {
        const at = known.indexOf(label);
        if (at >= 0) known.splice(at, 1);
        return at < 0;
      });
    tabs.sort((a, b) => Number(b.label === title) - Number(a.label === title));
    for (const tab of tabs) {
      await this.#bringForward(tab);
      const found = this.#panels.get(key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Resolves when the tab has become a panel of ours, or did not in time. */
  async #bringForward({ group, ...tab }: vscode.Tab): Promise<void> {
    const index = group.tabs.findIndex(other => other.label === tab.label && other.input === tab.input);
    const name = GROUPS[group.viewColumn - 1];
    if (index < 0 || name === undefined) return;
    await new Promise<void>(resolve => {
      const done = (): void => {
        clearTimeout(timer);
        subscription.dispose();
        resolve();
      };
      const subscription = this.#restored.event(done);
      const timer = setTimeout(done, RESTORED_WITHIN);
      void vscode.commands
        .executeCommand(`workbench.action.focus${name}EditorGroup`)
        .then(() => vscode.commands.executeCommand('workbench.action.openEditorAtIndex', index))
        .then(undefined, done);
    });
  }

  async #showInView(serviceId: string, sessionId: string): Promise<ChatPanel> {
    const title = this.#titleOf(sessionId);
    this.#wanted = { serviceId, sessionId, title };
    if (this.#view === undefined) await this.#focusView();
    if (this.#view === undefined) return this.#openPanel(serviceId, sessionId);
    const shown = this.#attachView(this.#view, serviceId, sessionId, title);
    shown.reveal();
    return shown;
  }

  /** Resolves when the view is there, which is later than VS Code says that it is shown; or when it does not come. */
  async #focusView(): Promise<void> {
    await new Promise<void>(resolve => {
      const done = (): void => {
        clearTimeout(timer);
        subscription.dispose();
        resolve();
      };
      const subscription = this.#resolved.event(done);
      const timer = setTimeout(done, SHOWN_WITHIN);
      vscode.commands.executeCommand(`${views.chat}.focus`).then(undefined, done);
    });
  }

  #attachView(view: vscode.WebviewView, serviceId: string, sessionId: string, title: string): ChatPanel {
    this.#wanted = undefined;
    const shown = this.#inView;
    if (shown?.conversation.sessionId === sessionId && shown.conversation.serviceId === serviceId)
      return shown;
    shown?.leave();
    const place = viewPlace(view, () => {
      if (this.#view === view) this.#showNotice(view);
    });
    const panel = this.#make(place, serviceId, sessionId, title, () => {
      if (this.#inView === panel) this.#inView = undefined;
    });
    this.#inView = panel;
    void this.#options.memory.update(VIEW_MEMORY, { serviceId, sessionId, title: title.slice(0, 200) });
    return panel;
  }

  #attachPanel(place: ChatPlace, serviceId: string, sessionId: string, title: string): ChatPanel {
    const key = panelKey(serviceId, sessionId);
    this.#panels.get(key)?.dispose();
    const panel = this.#make(place, serviceId, sessionId, title, () => {
      if (this.#panels.get(key) !== panel) return;
      this.#panels.delete(key);
      this.#remember(this.#remembered.filter(other => other !== key));
    });
    this.#panels.set(key, panel);
    this.#remember([...new Set([...this.#remembered, key])]);
    return panel;
  }

  #make(
    place: ChatPlace,
    serviceId: string,
    sessionId: string,
    title: string,
    onGone: () => void,
  ): ChatPanel {
    const startAnew = (): void => {
      panel.dispose();
      void this.#inTurn(() => this.#openPanel(serviceId, sessionId));
    };
    const panel = this.#options.makePanel(place, {
      serviceId,
      sessionId,
      title,
      ...(place.kind === 'panel' ? { startAnew } : {}),
    });
    panel.onDidDispose(onGone);
    return panel;
  }

  #showNotice(view: vscode.WebviewView): void {
    const style = vscode.Uri.joinPath(this.#options.extensionUri, 'dist', 'pages', 'chat.css');
    view.description = '';
    view.webview.html = noticeHtml({
      cspSource: view.webview.cspSource,
      styleUri: view.webview.asWebviewUri(style).toString(),
      language: vscode.env.language,
      text: vscode.l10n.t('Select a session to show its chat here.'),
    });
  }

  #titleOf(sessionId: string): string {
    return this.#options.sessions.get(sessionId)?.title ?? vscode.l10n.t('Session');
  }

  get #remembered(): readonly string[] {
    const kept = this.#options.memory.get<unknown>(MEMORY);
    return Array.isArray(kept) ? kept.filter(key => typeof key === 'string') : [];
  }

  #remember(keys: readonly string[]): void {
    void this.#options.memory.update(MEMORY, keys);
  }

  #needService(): string {
    const serviceId = this.#options.serviceId();
    if (serviceId === undefined) throw new Error(vscode.l10n.t('Sign in first.'));
    return serviceId;
  }
}

function panelKey(serviceId: string, sessionId: string): string {
  return `${serviceId}\n${sessionId}`;
}
