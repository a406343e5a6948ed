import * as vscode from 'vscode';
import { supportedLanguage } from '../../util/format';
import type { SessionsContext } from '../context';
import type { SessionRecord } from '../store/record';
import { currentWorkspace, isHere } from '../store/workspaces';
import { GROUPINGS, groupSessions, SORTINGS, type Arrangement, type SessionGroup } from './groups';
import { computerName } from './words';

/** How a person wants the sessions listed in this workspace. */
interface ViewOptions extends Pick<Arrangement, 'grouping' | 'sorting'> {
  /** Only sessions of this workspace, where there is one. */
  readonly onlyHere: boolean;
}

const OPTIONS = 'sessions.viewOptions';

interface Choice extends vscode.QuickPickItem {
  readonly change?: Partial<ViewOptions>;
}

/** Which sessions the view lists, in what groups and order. */
export class Listing {
  readonly #context: SessionsContext;
  readonly #memory: Pick<vscode.Memento, 'get' | 'update'>;

  constructor(context: SessionsContext, memory: Pick<vscode.Memento, 'get' | 'update'>) {
    this.#context = context;
    this.#memory = memory;
  }

  get options(): ViewOptions {
    const { grouping, sorting, onlyHere } = (this.#memory.get<unknown>(OPTIONS) ?? {}) as Partial<
      Record<keyof ViewOptions, unknown>
    >;
    return {
      grouping: GROUPINGS.find(known => known === grouping) ?? 'attention',
      sorting: SORTINGS.find(known => known === sorting) ?? 'activity',
      onlyHere: onlyHere === true,
    };
  }

  groups(): SessionGroup[] {
    const { monitor, computer } = this.#context;
    return groupSessions(this.#visible(), {
      ...this.options,
      now: Date.now(),
      language: supportedLanguage(vscode.env.language),
      statusOf: record => monitor.statusOf(record.sessionId),
      computerName: record => computerName(record, computer),
    });
  }

  /** How many sessions are listed, of how many; `undefined` for none. */
  countText(): string | undefined {
    const { format, index } = this.#context;
    const [shown, all] = [this.#visible().length, index.records.size];
    if (all === 0) return undefined;
    if (shown === all) return format.number(all);
    return vscode.l10n.t('{0} of {1}', format.number(shown), format.number(all));
  }

  /** Why not all sessions are listed. */
  hiddenText(): string | undefined {
    const [shown, all] = [this.#visible().length, this.#context.index.records.size];
    if (shown === all) return undefined;
    return vscode.l10n.t('Only sessions of this workspace are shown: {0} of {1}.', shown, all);
  }

  #visible(): readonly SessionRecord[] {
    const all = [...this.#context.index.records.values()];
    return this.options.onlyHere && currentWorkspace() !== undefined
      ? all.filter(({ workspace }) => isHere(workspace))
      : all;
  }

  /** Asks how the view is arranged: one choice, of any kind, at a time. Resolves to whether there was one. */
  async pickOptions(): Promise<boolean> {
    const now = this.options;
    const heading = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
    const choice = (label: string, change: Partial<ViewOptions>): Choice => {
      const isSo = Object.entries(change).every(([key, value]) => now[key as keyof ViewOptions] === value);
      return isSo ? { label, description: vscode.l10n.t('now'), change } : { label, change };
    };
    const items = [
      heading(vscode.l10n.t('Group by')),
      choice(vscode.l10n.t('What sessions need'), { grouping: 'attention' }),
      choice(vscode.l10n.t('Computer'), { grouping: 'computer' }),
      choice(vscode.l10n.t('Workspace'), { grouping: 'workspace' }),
      heading(vscode.l10n.t('Sort by')),
      choice(vscode.l10n.t('Latest activity'), { sorting: 'activity' }),
      choice(vscode.l10n.t('Newest session'), { sorting: 'created' }),
      choice(vscode.l10n.t('Name'), { sorting: 'name' }),
    ];
    if (currentWorkspace() !== undefined)
      items.push(
        heading(vscode.l10n.t('Show')),
        choice(vscode.l10n.t('All sessions'), { onlyHere: false }),
        choice(vscode.l10n.t('Only sessions of this workspace'), { onlyHere: true }),
      );
    // A page that gets the focus back from the palette late would close it.
    const options = { placeHolder: vscode.l10n.t('How are sessions listed?'), ignoreFocusOut: true };
    const chosen = await vscode.window.showQuickPick<Choice>(items, options);
    if (chosen?.change === undefined) return false;
    await this.#memory.update(OPTIONS, { ...now, ...chosen.change });
    return true;
  }
}
