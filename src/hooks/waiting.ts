import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { Logger } from '../log';
import type { Collection } from '../storage';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { forQuickPick, plain } from '../util/text';
import { byTime, isTest, stateOf, type HookEvent, type HookSignal, type SessionsForHooks } from './model';
import { terminalAt } from './notices';
import { labelOf, stateText } from './text';

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
  readonly event?: HookEvent;
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
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    let shown = '';
    const fill = (): void => {
      const waiting = sessions.waiting();
      const rows = this.#rows(sessions, waiting);
      // Rows that are put anew lose the click that is on its way to them.
      const facts = JSON.stringify(rows.map(({ label, detail, event }) => [label, detail, event?.id]));
      if (facts !== shown) pick.items = rows;
      shown = facts;
      pick.placeholder =
        waiting.length > 0
          ? vscode.l10n.t('Choose an agent to answer')
          : vscode.l10n.t('No agent is waiting for you');
    };
    fill();
    const changes = [sessions.onDidChange(fill), this.#deps.events.onDidChange(fill)];
    const open = (sessionId: string | undefined): Thenable<unknown> | undefined =>
      sessionId === undefined ? undefined : vscode.commands.executeCommand(commands.chat.open, sessionId);
    await new Promise<void>((resolve, reject) => {
      pick.onDidAccept(() => {
        const [row] = pick.selectedItems;
        pick.hide();
        open(row?.event?.sessionId)?.then(undefined, reject);
      });
      pick.onDidTriggerItemButton(({ button, item: { event } }) => {
        if (!(button instanceof RowButton) || event?.sessionId === undefined) return;
        button.run(event, event.sessionId).then(fill, reject);
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
    const events = [...this.#deps.events.values.values()].sort(byTime).reverse();
    const waiting = signals.map(
      signal =>
        events.find(({ sessionId, at }) => sessionId === signal.sessionId && at === signal.at) ?? {
          ...signal,
          id: signal.sessionId,
          name: 'Notification',
        },
    );
    const earlier = events.filter(event => !waiting.includes(event) && !isTest(event)).slice(0, EARLIER);
    const rows = (list: readonly HookEvent[], waits: boolean): Row[] =>
      list.map(event => this.#row(sessions, event, waits));
    return [
      ...(waiting.length > 0 ? [separator(vscode.l10n.t('waiting'))] : []),
      ...rows(waiting, true),
      ...(earlier.length > 0 ? [separator(vscode.l10n.t('earlier'))] : []),
      ...rows(earlier, false),
    ];
  }

  #row(sessions: SessionsForHooks, event: HookEvent, waits: boolean): Row {
    const { sessionId } = event;
    const title = sessionId === undefined ? undefined : sessions.titleOf(sessionId);
    const isMuted = sessionId !== undefined && sessions.isMuted(sessionId);
    const age = this.#deps.format.span(Date.now() - event.at);
    const facts = [stateText(event), age, ...(isMuted ? [vscode.l10n.t('muted')] : [])];
    return {
      event,
      label: `$(${waits ? 'bell-dot' : iconOf(event)}) ${forQuickPick(labelOf(event, title), 120)}`,
      description: forQuickPick(facts.join(' · ')),
      ...(event.message === undefined ? {} : { detail: forQuickPick(event.message) }),
      buttons: sessionId === undefined ? [] : buttonsOf(sessions, event, { waits, isMuted }),
    };
  }
}

class RowButton implements vscode.QuickInputButton {
  readonly iconPath: vscode.ThemeIcon;

  constructor(
    icon: string,
    readonly tooltip: string,
    readonly run: (event: HookEvent, sessionId: string) => Promise<void>,
  ) {
    this.iconPath = new vscode.ThemeIcon(icon);
  }
}

function buttonsOf(
  sessions: SessionsForHooks,
  event: HookEvent,
  { waits, isMuted }: { readonly waits: boolean; readonly isMuted: boolean },
): RowButton[] {
  const terminal = terminalAt(event.cwd);
  const showTerminal = (): Promise<void> => Promise.resolve(terminal?.show());
  return [
    ...(terminal ? [new RowButton('terminal', vscode.l10n.t('Show terminal'), showTerminal)] : []),
    ...(waits
      ? [
          new RowButton('check', vscode.l10n.t('No longer waiting'), (_, sessionId) =>
            sessions.settle(sessionId),
          ),
        ]
      : []),
    isMuted
      ? new RowButton('bell', vscode.l10n.t('Unmute this session'), (_, id) => sessions.setMuted(id, false))
      : new RowButton('bell-slash', vscode.l10n.t('Mute this session'), (_, id) =>
          sessions.setMuted(id, true),
        ),
  ];
}

function newItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('agentConsole.attention', vscode.StatusBarAlignment.Left, 5);
  item.name = vscode.l10n.t('Waiting agents');
  item.command = commands.hooks.attention;
  return item;
}

function iconOf(event: HookEvent): string {
  if (event.name === 'SessionEnd') return event.reason === 'error' ? 'error' : 'circle-slash';
  return event.name === 'Notification' ? 'bell' : 'pass';
}

function separator(label: string): Row {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
