import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { Logger } from '../log';
import type { Collection } from '../storage';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { forQuickPick, plain } from '../util/text';
import { byTime, isTest, stateOf, type HookEvent, type HookSignal, type SessionsForHooks } from './model';
import { labelOf, noticeOf, terminalAt } from './notices';

/** Earlier events shown below what waits. */
const EARLIER = 15;
/** So many waiting sessions, the latest ones, are asked about; the others clear when something else asks. */
const WATCHED = 8;

export interface WaitingDeps {
  readonly events: Collection<HookEvent>;
  /** Loads the sessions; asked for once something may wait. */
  readonly sessions: () => Promise<SessionsForHooks>;
  readonly format: Formatter;
  readonly log: Logger;
}

interface Row extends vscode.QuickPickItem {
  readonly sessionId?: string | undefined;
  readonly buttons?: readonly RowButton[];
}

interface RowButton extends vscode.QuickInputButton {
  readonly run: () => unknown;
}

/** What waits for the person: a status bar item while there is something, and a list to open it from. */
export class Waiting extends Disposable {
  readonly #deps: WaitingDeps;
  readonly #watched = new Map<string, IDisposable>();
  #sessions: SessionsForHooks | undefined;
  #item: vscode.StatusBarItem | undefined;

  constructor(deps: WaitingDeps) {
    super();
    this.#deps = deps;
    const { events, log } = deps;
    this.register(events.onDidChange(() => this.#begin()));
    events.load().then(
      () => this.#begin(),
      (error: unknown) => log.error('The events of hooks cannot be read', error),
    );
  }

  override dispose(): void {
    this.#item?.dispose();
    this.#watch([]);
    super.dispose();
  }

  /** Shows what waits and what came before; Enter opens a session. */
  async show(): Promise<void> {
    await this.#deps.events.load();
    const sessions = await this.#load();
    const pick = vscode.window.createQuickPick<Row>();
    pick.title = vscode.l10n.t('Waiting agents');
    pick.matchOnDetail = true;
    let shown = '';
    const fill = (): void => {
      const waiting = sessions.waiting();
      const rows = this.#rows(sessions, waiting);
      // Rows that are put anew lose the click that is on its way to them; an age alone is no reason.
      const facts = JSON.stringify(rows.map(row => ({ ...row, description: undefined })));
      if (facts !== shown) pick.items = rows;
      shown = facts;
      pick.placeholder =
        waiting.length > 0
          ? vscode.l10n.t('Choose an agent to answer')
          : vscode.l10n.t('No agent is waiting for you');
    };
    fill();
    const changes = [sessions.onDidChange(fill), this.#deps.events.onDidChange(fill)];
    await new Promise<void>((resolve, reject) => {
      pick.onDidAccept(() => {
        const [chosen] = pick.selectedItems;
        pick.hide();
        if (chosen?.sessionId !== undefined)
          vscode.commands.executeCommand(commands.chat.open, chosen.sessionId).then(undefined, reject);
      });
      pick.onDidTriggerItemButton(({ button, item }) => {
        Promise.resolve(item.buttons?.find(each => each === button)?.run()).then(fill, reject);
      });
      pick.onDidHide(() => resolve());
      pick.show();
    }).finally(() => {
      for (const change of changes) change.dispose();
      pick.dispose();
    });
  }

  /** The sessions are loaded when an event says that something waits; from then on they alone know. */
  #begin(): void {
    if (this.#sessions !== undefined || this.isDisposed) return;
    const latest = new Map(
      [...this.#deps.events.values.values()].sort(byTime).map(event => [event.sessionId, event]),
    );
    if (![...latest.values()].some(event => stateOf(event) === 'waiting' && !isTest(event))) return;
    this.#load().catch((error: unknown) =>
      this.#deps.log.error('Whether agents still wait cannot be known', error),
    );
  }

  async #load(): Promise<SessionsForHooks> {
    const sessions = await this.#deps.sessions();
    if (this.#sessions !== undefined || this.isDisposed) return sessions;
    this.#sessions = sessions;
    this.register(sessions.onDidChange(() => this.#update(sessions)));
    this.#update(sessions);
    return sessions;
  }

  #update(sessions: SessionsForHooks): void {
    if (this.isDisposed) return;
    const waiting = sessions.waiting();
    // No view need be open for a session to be seen moving on.
    this.#watch(waiting.slice(-WATCHED).map(({ sessionId }) => sessionId));
    if (waiting.length === 0) {
      this.#item?.hide();
      return;
    }
    this.#item ??= newItem();
    const count =
      waiting.length === 1
        ? vscode.l10n.t('1 agent is waiting for you')
        : vscode.l10n.t('{0} agents are waiting for you', waiting.length);
    this.#item.text = `$(bell-dot) ${waiting.length}`;
    const labels = waiting
      .slice(0, 5)
      .map(signal => plain(labelOf(signal, sessions.titleOf(signal.sessionId)), 200));
    this.#item.tooltip = [count, ...labels].join('\n');
    this.#item.accessibilityInformation = { label: count };
    this.#item.show();
  }

  #watch(ids: readonly string[]): void {
    for (const [id, held] of this.#watched) {
      if (ids.includes(id)) continue;
      held.dispose();
      this.#watched.delete(id);
    }
    for (const id of ids) {
      const held = this.#watched.has(id) ? undefined : this.#sessions?.watch(id);
      if (held !== undefined) this.#watched.set(id, held);
    }
  }

  #rows(sessions: SessionsForHooks, signals: readonly HookSignal[]): Row[] {
    const waiting = signals.map(signal => ({ ...signal, id: signal.sessionId, name: 'Notification' }));
    const isListed = ({ sessionId, at }: HookEvent): boolean =>
      waiting.some(each => each.sessionId === sessionId && each.at === at);
    const earlier = [...this.#deps.events.values.values()]
      .filter(event => !isTest(event) && !isListed(event))
      .sort(byTime)
      .reverse()
      .slice(0, EARLIER);
    const separator = (label: string): Row => ({ label, kind: vscode.QuickPickItemKind.Separator });
    return [
      ...(waiting.length > 0 ? [separator(vscode.l10n.t('waiting'))] : []),
      ...waiting.map(event => this.#row(sessions, event, true)),
      ...(earlier.length > 0 ? [separator(vscode.l10n.t('earlier'))] : []),
      ...earlier.map(event => this.#row(sessions, event, false)),
    ];
  }

  #row(sessions: SessionsForHooks, event: HookEvent, waits: boolean): Row {
    const { sessionId, cwd, at, name, message } = event;
    const title = sessionId === undefined ? undefined : sessions.titleOf(sessionId);
    const isMuted = sessionId !== undefined && sessions.isMuted(sessionId);
    const age = this.#deps.format.span(Date.now() - at);
    const sentence = noticeOf({ ...event, message: undefined }, title);
    const label = forQuickPick(sentence ?? `${labelOf(event, title)} · ${name}`);
    return {
      sessionId,
      label: `$(${waits ? 'bell-dot' : 'history'}) ${label}`,
      description: isMuted ? `${age} · ${vscode.l10n.t('muted')}` : age,
      ...(message === undefined ? {} : { detail: forQuickPick(message) }),
      buttons: sessionId === undefined ? [] : buttonsOf(sessions, { sessionId, cwd, waits, isMuted }),
    };
  }
}

function buttonsOf(
  sessions: SessionsForHooks,
  row: {
    readonly sessionId: string;
    readonly cwd: string | undefined;
    readonly waits: boolean;
    readonly isMuted: boolean;
  },
): RowButton[] {
  const { sessionId, cwd, waits, isMuted } = row;
  const button = (icon: string, tooltip: string, run: RowButton['run']): RowButton => ({
    iconPath: new vscode.ThemeIcon(icon),
    tooltip,
    run,
  });
  const buttons: RowButton[] = [];
  const terminal = terminalAt(cwd);
  if (terminal !== undefined)
    buttons.push(button('terminal', vscode.l10n.t('Show terminal'), () => terminal.show()));
  if (waits)
    buttons.push(button('check', vscode.l10n.t('No longer waiting'), () => sessions.settle(sessionId)));
  const tooltip = isMuted ? vscode.l10n.t('Unmute this session') : vscode.l10n.t('Mute this session');
  const mute = (): Promise<void> => sessions.setMuted(sessionId, !isMuted);
  return [...buttons, button(isMuted ? 'bell' : 'bell-slash', tooltip, mute)];
}

function newItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('agentConsole.attention', vscode.StatusBarAlignment.Left, 5);
  item.name = vscode.l10n.t('Waiting agents');
  item.command = commands.hooks.attention;
  return item;
}
