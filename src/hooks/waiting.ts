import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { WaitingSession } from '../shared';
import { format, joined } from '../ui/text';
import { Disposable } from '../util/lifecycle';
import { once } from '../util/promises';
import { forQuickPick, plain } from '../util/text';
import type { HooksContext } from '.';
import { isTest, labelOf, stateOf, takenEvents, terminalAt, type SessionsForHooks } from './events';

/** So many waiting sessions, the latest ones, are asked about; the others clear when something else asks. */
const WATCHED = 8;

type WaitingContext = Pick<HooksContext, 'events' | 'sessions' | 'log'>;

interface Row extends vscode.QuickPickItem {
  readonly sessionId: string;
  readonly buttons: readonly RowButton[];
}

interface RowButton extends vscode.QuickInputButton {
  readonly run: () => unknown;
}

/** What waits for the person, as the records of the sessions say: a status bar item while there is something, and a list to open it from. */
export class Waiting extends Disposable {
  readonly #context: WaitingContext;
  #item: vscode.StatusBarItem | undefined;
  /** The sessions are loaded, and from then on they alone know. */
  #isFollowing = false;

  constructor(context: WaitingContext) {
    super();
    this.#context = context;
    const { events, log } = context;
    const begin = (): Promise<void> =>
      this.#begin().catch((error: unknown) => log.error('Whether agents still wait cannot be known', error));
    this.register(events.onDidChange(begin));
    void begin();
  }

  override dispose(): void {
    this.#item?.dispose();
    super.dispose();
  }

  /** Lists what waits, and what is muted so that it can be heard again; Enter opens a session. */
  async show(): Promise<void> {
    const sessions = await this.#load();
    const pick = vscode.window.createQuickPick<Row>();
    pick.title = vscode.l10n.t('Waiting agents');
    pick.matchOnDetail = true;
    let shown: string | undefined;
    const fill = (): void => {
      const listed = sessions.waiting();
      const rows = listed.map(session => this.#row(sessions, session));
      // Rows that are put anew lose the click that is on its way to them; an age alone is no reason.
      const facts = JSON.stringify(rows.map(row => ({ ...row, description: undefined })));
      if (facts === shown) return;
      shown = facts;
      const [active] = pick.activeItems;
      pick.items = rows;
      // VS Code would begin at the first row again.
      pick.activeItems = rows.filter(({ sessionId }) => sessionId === active?.sessionId);
      pick.placeholder = listed.some(({ isMuted }) => !isMuted)
        ? vscode.l10n.t('Choose an agent to answer')
        : vscode.l10n.t('No agent is waiting for you');
    };
    fill();
    const changes = sessions.onDidChange(fill);
    await new Promise<void>((resolve, reject) => {
      pick.onDidAccept(() => {
        const [chosen] = pick.selectedItems;
        pick.hide();
        if (chosen !== undefined)
          vscode.commands.executeCommand(commands.chat.open, chosen.sessionId).then(undefined, reject);
      });
      pick.onDidTriggerItemButton(({ button, item }) => {
        Promise.resolve(item.buttons.find(each => each === button)?.run()).then(fill, reject);
      });
      pick.onDidHide(() => resolve());
      pick.show();
    }).finally(() => {
      changes.dispose();
      pick.dispose();
    });
  }

  /** The sessions are loaded when an event says that something waits. */
  async #begin(): Promise<void> {
    if (this.#isFollowing || this.isDisposed) return;
    const events = await takenEvents(this.#context.events);
    const telling = events.filter(event => stateOf(event) !== undefined && !isTest(event));
    const latest = new Map(telling.map(event => [event.sessionId, stateOf(event)]));
    if ([...latest.values()].includes('waiting')) await this.#load();
  }

  readonly #load = once(async () => {
    const sessions = await this.#context.sessions();
    if (this.isDisposed) return sessions;
    this.#isFollowing = true;
    const watches = this.register(sessions.watches());
    const update = (): void => {
      const waiting = sessions.waiting().filter(({ isMuted }) => !isMuted);
      // No view need be open for a session to be seen moving on.
      watches.set(waiting.slice(-WATCHED).map(({ sessionId }) => sessionId));
      this.#show(waiting);
    };
    this.register(sessions.onDidChange(update));
    update();
    return sessions;
  });

  #show(waiting: readonly WaitingSession[]): void {
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
    const labels = waiting.slice(0, 5).map(session => plain(labelOf(session, session.title), 200));
    this.#item.tooltip = [count, ...labels].join('\n');
    this.#item.accessibilityInformation = { label: count };
    this.#item.show();
  }

  #row(sessions: SessionsForHooks, session: WaitingSession): Row {
    const { sessionId, cwd, at, title, isMuted, message = '' } = session;
    const terminal = terminalAt(cwd);
    const acts: [icon: string, tooltip: string, run: RowButton['run']][] = isMuted
      ? [['bell', vscode.l10n.t('Unmute this session'), () => sessions.setMuted(sessionId, false)]]
      : [
          ['check', vscode.l10n.t('No longer waiting'), () => sessions.settle(sessionId)],
          ['bell-slash', vscode.l10n.t('Mute this session'), () => sessions.setMuted(sessionId, true)],
        ];
    if (terminal !== undefined)
      acts.unshift(['terminal', vscode.l10n.t('Show terminal'), () => terminal.show()]);
    const label = forQuickPick(labelOf(session, title));
    const age = format.span(Date.now() - at);
    return {
      sessionId,
      label: `$(${isMuted ? 'bell-slash' : 'bell-dot'}) ${label}`,
      description: isMuted ? joined([age, vscode.l10n.t('muted')]) : age,
      detail: forQuickPick(message),
      buttons: acts.map(([icon, tooltip, run]) => ({ iconPath: new vscode.ThemeIcon(icon), tooltip, run })),
    };
  }
}

function newItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('agentConsole.attention', vscode.StatusBarAlignment.Left, 5);
  item.name = vscode.l10n.t('Waiting agents');
  item.command = commands.hooks.attention;
  return item;
}
