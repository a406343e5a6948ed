import * as vscode from 'vscode';
import { commands } from '../contributions';
import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { forNotification, forQuickPick, plain } from '../util/text';
import type { History } from './history';
import { isTest, type HookEvent } from './model';
import { terminalAt } from './notices';
import type { SessionNotes } from './sessionNotes';
import { labelOf, stateText } from './sentences';
import type { Waiting } from './waiting';

/** Earlier events shown below what waits. */
const EARLIER = 15;

export interface AttentionDeps {
  readonly history: History;
  readonly waiting: Pick<Waiting, 'events' | 'onDidChange'>;
  readonly notes: SessionNotes;
  readonly titleOf: (sessionId: string) => Promise<string | undefined>;
  readonly format: Formatter;
}

interface Row extends vscode.QuickPickItem {
  readonly event?: HookEvent;
  /** What the row says apart from its age. */
  readonly facts?: string;
}

/** What waits for the person: a status bar item while there is something, and a list to step through and answer from. */
export class Attention extends Disposable {
  readonly #deps: AttentionDeps;
  #item: vscode.StatusBarItem | undefined;

  constructor(deps: AttentionDeps) {
    super();
    this.#deps = deps;
    this.register(deps.waiting.onDidChange(() => this.#showCount()));
    this.#showCount();
  }

  get waiting(): readonly HookEvent[] {
    return this.#deps.waiting.events;
  }

  /** Shows the list until the person closes it. */
  async show(): Promise<void> {
    await this.#deps.history.load();
    for (;;) {
      const event = await this.#choose();
      if (event === undefined) return;
      if (!this.waiting.includes(event) || event.sessionId === undefined) {
        await this.#open(event);
        return;
      }
      if ((await this.#answer(event, event.sessionId)) === 'opened') return;
      if (this.waiting.length === 0) return;
    }
  }

  override dispose(): void {
    this.#item?.dispose();
    super.dispose();
  }

  #showCount(): void {
    const { waiting } = this;
    if (waiting.length === 0) {
      this.#item?.hide();
      return;
    }
    if (this.#item === undefined) {
      this.#item = vscode.window.createStatusBarItem(
        'agentConsole.attention',
        vscode.StatusBarAlignment.Left,
        5,
      );
      this.#item.name = vscode.l10n.t('Waiting agents');
      this.#item.command = commands.hooks.attention;
    }
    const count =
      waiting.length === 1
        ? vscode.l10n.t('One agent waits for your input')
        : vscode.l10n.t('{0} agents wait for your input', waiting.length);
    this.#item.text = `$(bell-dot) ${waiting.length}`;
    this.#item.tooltip = [
      count,
      ...waiting.slice(0, 5).map(event => plain(labelOf(event, undefined), 200)),
    ].join('\n');
    this.#item.accessibilityInformation = { label: count };
    this.#item.show();
  }

  async #rows(): Promise<Row[]> {
    const { waiting } = this;
    const earlier = this.#deps.history.events
      .filter(event => !waiting.includes(event) && !isTest(event))
      .slice(0, EARLIER);
    const rows = (events: readonly HookEvent[], waits: boolean): Promise<Row[]> =>
      Promise.all(events.map(event => this.#row(event, waits)));
    return [
      ...(waiting.length > 0 ? [separator(vscode.l10n.t('waiting'))] : []),
      ...(await rows(waiting, true)),
      ...(earlier.length > 0 ? [separator(vscode.l10n.t('earlier'))] : []),
      ...(await rows(earlier, false)),
    ];
  }

  async #row(event: HookEvent, waits: boolean): Promise<Row> {
    const { titleOf, format, notes } = this.#deps;
    const { sessionId } = event;
    const title = sessionId === undefined ? undefined : await titleOf(sessionId);
    const age = format.span(Date.now() - event.at);
    const isMuted = sessionId !== undefined && notes.get(sessionId)?.muted === true;
    const muted = isMuted ? [vscode.l10n.t('muted')] : [];
    return {
      event,
      label: `$(${waits ? 'bell-dot' : iconOf(event)}) ${forQuickPick(labelOf(event, title), 120)}`,
      description: forQuickPick([stateText(event), age, ...muted].join(' · ')),
      facts: [waits, labelOf(event, title), stateText(event), event.at, event.message, isMuted].join('\n'),
      ...(event.message === undefined ? {} : { detail: forQuickPick(event.message) }),
      buttons: sessionId === undefined ? [] : buttonsOf(event, waits),
    };
  }

  /** Resolves to the event the person chose, or to nothing when the list was closed. */
  async #choose(): Promise<HookEvent | undefined> {
    const pick = vscode.window.createQuickPick<Row>();
    pick.title = vscode.l10n.t('What waits for you');
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    let shown = '';
    const fill = async (): Promise<void> => {
      const rows = await this.#rows();
      // Rows that are put anew lose the click that is on its way to them.
      const facts = JSON.stringify(rows.map(row => row.facts ?? row.label));
      if (facts !== shown) pick.items = rows;
      shown = facts;
      pick.placeholder =
        this.waiting.length > 0
          ? vscode.l10n.t('Choose an agent to answer it')
          : vscode.l10n.t('No agent waits for your input');
    };
    await fill();
    return new Promise(resolve => {
      const { history, waiting } = this.#deps;
      const changes = [history.onDidChange, waiting.onDidChange].map(event => event(() => void fill()));
      let chosen: HookEvent | undefined;
      pick.onDidAccept(() => {
        chosen = pick.selectedItems[0]?.event;
        if (chosen !== undefined) pick.hide();
      });
      pick.onDidTriggerItemButton(({ item, button }) => {
        const { event } = item;
        if (event === undefined) return;
        if (button instanceof RowButton && button.leaves) pick.hide();
        if (button instanceof RowButton) void this.#act(button, event).then(fill);
      });
      pick.onDidHide(() => {
        for (const change of changes) change.dispose();
        pick.dispose();
        resolve(chosen);
      });
      pick.show();
    });
  }

  async #act(button: RowButton, event: HookEvent): Promise<void> {
    const { sessionId = '' } = event;
    switch (button.act) {
      case 'open':
        return this.#open(event);
      case 'terminal':
        terminalAt(event.cwd)?.show();
        return;
      case 'clear':
        return this.#deps.notes.clear(sessionId, event.at);
      case 'mute':
        return this.#deps.notes.setMuted(sessionId, true);
    }
  }

  async #open({ sessionId }: HookEvent): Promise<void> {
    if (sessionId !== undefined) await vscode.commands.executeCommand(commands.chat.open, sessionId);
  }

  /** Asks for an answer and sends it; what could not be sent is asked for again with its text. */
  async #answer(event: HookEvent, sessionId: string): Promise<'sent' | 'opened' | 'back'> {
    const title = await this.#deps.titleOf(sessionId);
    let draft = '';
    for (;;) {
      const written = await askAnswer(event, title, draft);
      if (written === undefined) return 'back';
      if (written === 'open') {
        await this.#open(event);
        return 'opened';
      }
      draft = written.text;
      try {
        await vscode.commands.executeCommand(commands.chat.send, { sessionId, text: draft });
        await this.#deps.notes.clear(sessionId, event.at);
        return 'sent';
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        void vscode.window.showErrorMessage(forNotification(reason, 500));
      }
    }
  }
}

class RowButton implements vscode.QuickInputButton {
  constructor(
    readonly act: 'open' | 'terminal' | 'clear' | 'mute',
    readonly iconPath: vscode.ThemeIcon,
    readonly tooltip: string,
    /** The list closes for it. */
    readonly leaves: boolean,
  ) {}
}

function buttonsOf(event: HookEvent, waits: boolean): RowButton[] {
  const icon = (id: string): vscode.ThemeIcon => new vscode.ThemeIcon(id);
  return [
    new RowButton('open', icon('comment-discussion'), vscode.l10n.t('Open session'), true),
    ...(terminalAt(event.cwd)
      ? [new RowButton('terminal', icon('terminal'), vscode.l10n.t('Show terminal'), true)]
      : []),
    ...(waits ? [new RowButton('clear', icon('check'), vscode.l10n.t('Does not wait any more'), false)] : []),
    new RowButton('mute', icon('bell-slash'), vscode.l10n.t('Mute this session'), false),
  ];
}

/** The text to send, a wish to open the session instead, or nothing. */
async function askAnswer(
  event: HookEvent,
  title: string | undefined,
  draft: string,
): Promise<{ readonly text: string } | 'open' | undefined> {
  const input = vscode.window.createInputBox();
  const open: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('comment-discussion'),
    tooltip: vscode.l10n.t('Open session'),
  };
  input.title = forNotification(labelOf(event, title));
  input.prompt =
    event.message === undefined
      ? vscode.l10n.t('The agent waits for your input.')
      : // What is asked shows links and icons.
        forQuickPick(forNotification(event.message), 300);
  input.placeholder = vscode.l10n.t('Your answer');
  input.value = draft;
  input.buttons = [vscode.QuickInputButtons.Back, open];
  input.ignoreFocusOut = true;
  return new Promise(resolve => {
    let answer: { readonly text: string } | 'open' | undefined;
    input.onDidAccept(() => {
      if (input.value.trim() === '') return;
      answer = { text: input.value };
      input.hide();
    });
    input.onDidTriggerButton(button => {
      if (button === open) answer = 'open';
      input.hide();
    });
    input.onDidHide(() => {
      input.dispose();
      resolve(answer);
    });
    input.show();
  });
}

function iconOf(event: HookEvent): string {
  if (event.name === 'SessionEnd') return event.reason === 'error' ? 'error' : 'circle-slash';
  return event.name === 'Notification' ? 'bell' : 'pass';
}

function separator(label: string): Row {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
