import * as vscode from 'vscode';
import { commands } from '../contributions';
import { settings } from '../settings';
import type { Formatter } from '../util/format';
import { forQuickPick } from '../util/text';
import { tagsOf } from './filter';
import { storeChoice } from './listing';
import { activityOf, type SessionStatus } from './model';
import type { SessionRecord } from './record';
import { rowOf, type ComputerFacts } from './row';
import type { SessionsTree, SessionTreeNode } from './tree';

export interface ListCommandsDeps {
  readonly view: Pick<vscode.TreeView<SessionTreeNode>, 'reveal'>;
  readonly tree: SessionsTree;
  readonly records: () => ReadonlyMap<string, SessionRecord>;
  readonly statusOf: (record: SessionRecord) => SessionStatus;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly format: Formatter;
  readonly ready: () => Promise<void>;
}

interface Choice extends vscode.QuickPickItem {
  readonly value: string;
}

/** How the Sessions view is arranged, and the way to one row among many. The choices are settings. */
export class ListCommands {
  readonly #deps: ListCommandsDeps;

  constructor(deps: ListCommandsDeps) {
    this.#deps = deps;
  }

  readonly handlers = {
    find: () => this.#find(),
    groupBy: () => this.#groupBy(),
    sortBy: () => this.#sortBy(),
    filter: () => this.#filter(),
    clearFilter: () => storeChoice('filter', '', ''),
    showAll: () => storeChoice('scope', 'all', 'all'),
    showWorkspace: () => storeChoice('scope', 'workspace', 'all'),
  } as const;

  /** Asks for a session by anything that is known of it, and goes to its row; to its chat where the view does not list it. */
  async #find(): Promise<void> {
    await this.#deps.ready();
    const { statusOf, computer, format } = this.#deps;
    const now = Date.now();
    const { tree } = this.#deps;
    const items = [...this.#deps.records().values()]
      .sort((a, b) => activityOf(b) - activityOf(a))
      .map(record => {
        const row = rowOf(record, { status: statusOf(record), computer, format, now });
        const words = [record.sessionId, ...tagsOf(record).map(tag => `#${tag}`), record.local.notes ?? ''];
        return {
          label: forQuickPick(row.title),
          description: forQuickPick(row.description),
          detail: forQuickPick(words.filter(word => word !== '').join(' · ')),
          value: record.sessionId,
        };
      });
    const chosen = await vscode.window.showQuickPick<Choice>(items, {
      placeHolder: vscode.l10n.t('Find a session by title, id, computer, tag or note'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (chosen === undefined) return;
    const node = tree.node(chosen.value);
    if (tree.getParent(node) === undefined)
      await vscode.commands.executeCommand(commands.chat.open, chosen.value);
    else await this.#deps.view.reveal(node, { select: true, focus: true });
  }

  async #groupBy(): Promise<void> {
    const choices = [
      { label: vscode.l10n.t('What sessions need'), value: 'attention' },
      { label: vscode.l10n.t('Computer'), value: 'computer' },
      { label: vscode.l10n.t('Workspace'), value: 'workspace' },
    ];
    const value = await choose(vscode.l10n.t('Group sessions by'), choices, settings.sessionsGroupBy());
    if (value !== undefined) await storeChoice('groupBy', value, 'attention');
  }

  async #sortBy(): Promise<void> {
    const choices = [
      { label: vscode.l10n.t('Latest activity'), value: 'activity' },
      { label: vscode.l10n.t('Newest session'), value: 'created' },
      { label: vscode.l10n.t('Name'), value: 'name' },
    ];
    const value = await choose(vscode.l10n.t('Sort sessions by'), choices, settings.sessionsSortBy());
    if (value !== undefined) await storeChoice('sortBy', value, 'activity');
  }

  async #filter(): Promise<void> {
    const current = settings.sessionsFilter();
    const ready: readonly (readonly [label: string, value: string])[] = [
      [vscode.l10n.t('All sessions'), ''],
      [vscode.l10n.t('Waiting for input'), 'is:waiting'],
      [vscode.l10n.t('Running'), 'status:running'],
      [vscode.l10n.t('Unread'), 'is:unread'],
      [vscode.l10n.t('Pinned'), 'is:pinned'],
      [vscode.l10n.t('Without archived ones'), '-is:archived'],
    ];
    const picker = vscode.window.createQuickPick<Choice>();
    picker.placeholder = vscode.l10n.t(
      'Choose a filter, or type words and conditions such as tag:x computer:atlas',
    );
    picker.value = current;
    const items = (): Choice[] => {
      const typed = picker.value.trim();
      const own = {
        label: vscode.l10n.t('Filter: {0}', forQuickPick(typed)),
        value: typed,
        alwaysShow: true,
      };
      const known = ready.map(([label, value]) => ({ label, description: value, value, alwaysShow: true }));
      return typed === '' || ready.some(([, value]) => value === typed) ? known : [own, ...known];
    };
    picker.items = items();
    const chosen = await new Promise<string | undefined>(resolve => {
      picker.onDidChangeValue(() => (picker.items = items()));
      picker.onDidAccept(() => resolve(picker.selectedItems[0]?.value));
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
    picker.dispose();
    if (chosen !== undefined) await storeChoice('filter', chosen, '');
  }
}

async function choose(
  placeHolder: string,
  choices: readonly { readonly label: string; readonly value: string }[],
  current: string,
): Promise<string | undefined> {
  const now = vscode.l10n.t('now');
  const items = choices.map(choice => (choice.value === current ? { ...choice, description: now } : choice));
  // A page that gets the focus back from the palette late would close it.
  return (await vscode.window.showQuickPick(items, { placeHolder, ignoreFocusOut: true }))?.value;
}
