import * as vscode from 'vscode';
import { commands } from '../contributions';
import { joined } from '../ui/text';
import { Disposable, type IDisposable } from '../util/disposable';
import { once } from '../util/promises';
import { forQuickPick, plain } from '../util/text';
import type { HooksContext } from './context';
import { byTime, isTest, stateOf, type HookEvent, type SessionsForHooks } from './model';
import { labelOf, noticeOf, terminalAt } from './notices';

/** Earlier events shown below what waits. */
const EARLIER = 15;
/** So many waiting sessions, the latest ones, are asked about; the others clear when something else asks. */
const WATCHED = 8;

type WaitingContext = Pick<HooksContext, 'events' | 'sessions' | 'format' | 'log'>;

interface Row extends vscode.QuickPickItem {
  readonly sessionId?: string | undefined;
  readonly buttons?: readonly RowButton[];
}

interface RowButton extends vscode.QuickInputButton {
  readonly run: () => unknown;
}

/** What waits for the person: a status bar item while there is something, and a list to open it from. */
export class Waiting extends Disposable {
  readonly #context: WaitingContext;
  readonly #watched = new Map<string, IDisposable>();
  #sessions: SessionsForHooks | undefined;
  #item: vscode.StatusBarItem | undefined;

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
    this.#watch([]);
    super.dispose();
  }

  /** Shows what waits and what came before; Enter opens a session. */
  async show(): Promise<void> {
    await this.#context.events.load();
    const sessions = await this.#load();
    const pick = vscode.window.createQuickPick<Row>();
    pick.title = vscode.l10n.t('Waiting agents');
    pick.matchOnDetail = true;
    let shown = '';
    const fill = (): void => {
      const rows = this.#rows(sessions);
      // Rows that are put anew lose the click that is on its way to them; an age alone is no reason.
      const facts = JSON.stringify(rows.map(row => ({ ...row, description: undefined })));
      if (facts !== shown) {
        const [active] = pick.activeItems;
        pick.items = rows;
        // VS Code would begin at the first row again.
        const same = rows.find(({ sessionId }) => sessionId !== undefined && sessionId === active?.sessionId);
        if (same !== undefined) pick.activeItems = [same];
      }
      shown = facts;
      pick.placeholder =
        sessions.waiting().length > 0
          ? vscode.l10n.t('Choose an agent to answer')
          : vscode.l10n.t('No agent is waiting for you');
    };
    fill();
    const changes = [sessions.onDidChange(fill), this.#context.events.onDidChange(fill)];
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
    }).finally(() => [pick, ...changes].forEach(each => each.dispose()));
  }

  /** The sessions are loaded when an event says that something waits; from then on they alone know. */
  async #begin(): Promise<void> {
    if (this.#sessions !== undefined || this.isDisposed) return;
    const events = [...(await this.#context.events.load()).values()].sort(byTime);
    const latest = new Map(events.map(event => [event.sessionId, event]));
    if ([...latest.values()].some(event => stateOf(event) === 'waiting' && !isTest(event)))
      await this.#load();
  }

  readonly #load = once(async () => {
    const sessions = await this.#context.sessions();
    if (this.isDisposed) return sessions;
    this.#sessions = sessions;
    this.register(sessions.onDidChange(() => this.#update(sessions)));
    this.#update(sessions);
    return sessions;
  });

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

  #rows(sessions: SessionsForHooks): Row[] {
    const waiting = sessions
      .waiting()
      .map(signal => ({ ...signal, id: signal.sessionId, name: 'Notification' }));
    const isListed = ({ sessionId, at }: HookEvent): boolean =>
      waiting.some(each => each.sessionId === sessionId && each.at === at);
    const earlier = [...this.#context.events.values.values()]
      .filter(event => !isTest(event) && !isListed(event))
      .sort(byTime)
      .reverse()
      .slice(0, EARLIER);
    const section = (label: string, rows: readonly Row[]): readonly Row[] =>
      rows.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows];
    return [
      ...section(
        vscode.l10n.t('waiting'),
        waiting.map(event => this.#row(sessions, event, true)),
      ),
      ...section(
        vscode.l10n.t('earlier'),
        earlier.map(event => this.#row(sessions, event, false)),
      ),
    ];
  }

  #row(sessions: SessionsForHooks, event: HookEvent, waits: boolean): Row {
    const { sessionId = '', cwd, at, name, message } = event;
    const title = sessions.titleOf(sessionId);
    const isMuted = sessions.isMuted(sessionId);
    const terminal = terminalAt(cwd);
    const button = (icon: string, tooltip: string, run: RowButton['run']): RowButton => ({
      iconPath: new vscode.ThemeIcon(icon),
      tooltip,
      run,
    });
    const mute = isMuted ? vscode.l10n.t('Unmute this session') : vscode.l10n.t('Mute this session');
    const sentence = noticeOf({ ...event, message: undefined }, title);
    const label = forQuickPick(sentence ?? `${labelOf(event, title)} · ${name}`);
    return {
      sessionId: event.sessionId,
      label: `$(${waits ? 'bell-dot' : 'history'}) ${label}`,
      description: joined([
        this.#context.format.span(Date.now() - at),
        isMuted ? vscode.l10n.t('muted') : undefined,
      ]),
      ...(message === undefined ? {} : { detail: forQuickPick(message) }),
      buttons: [
        ...(terminal === undefined
          ? []
          : [button('terminal', vscode.l10n.t('Show terminal'), () => terminal.show())]),
        ...(waits
          ? [button('check', vscode.l10n.t('No longer waiting'), () => sessions.settle(sessionId))]
          : []),
        ...(sessionId === ''
          ? []
          : [button(isMuted ? 'bell' : 'bell-slash', mute, () => sessions.setMuted(sessionId, !isMuted))]),
      ],
    };
  }
}

function newItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('agentConsole.attention', vscode.StatusBarAlignment.Left, 5);
  item.name = vscode.l10n.t('Waiting agents');
  item.command = commands.hooks.attention;
  return item;
}
