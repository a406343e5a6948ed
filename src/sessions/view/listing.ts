import * as vscode from 'vscode';
import { Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/event';
import { supportedLanguage, type Formatter } from '../../util/format';
import {
  GROUPINGS,
  groupSessions,
  SORTINGS,
  startsOf,
  type Grouping,
  type SessionGroup,
  type Sorting,
} from './groups';
import type { SessionStatus } from '../store/model';
import type { SessionRecord } from '../store/record';
import { computerName, type ComputerFacts } from './words';
import { currentWorkspace, isHere } from '../store/workspaces';

/** How a person wants the sessions listed in this workspace. */
export interface ViewOptions {
  readonly grouping: Grouping;
  readonly sorting: Sorting;
  /** Only sessions of this workspace, where there is one. */
  readonly onlyHere: boolean;
}

const OPTIONS = 'sessions.viewOptions';

export interface ListingDeps {
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  readonly records: () => ReadonlyMap<string, SessionRecord>;
  readonly statusOf: (record: SessionRecord) => SessionStatus;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly format: Formatter;
  readonly language: string;
  readonly now?: () => number;
}

/** Which sessions the view lists, in what groups and order. */
export class Listing extends Disposable {
  readonly #deps: ListingDeps;
  readonly #changed = this.register(new Emitter<undefined>());
  readonly #firstDay: number;

  constructor(deps: ListingDeps) {
    super();
    this.#deps = deps;
    this.#firstDay = firstDayOfWeek(deps.language);
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#changed.fire(undefined)));
  }

  readonly onDidChange: Event<undefined> = this.#changed.event;

  get options(): ViewOptions {
    const kept = (this.#deps.memory.get<unknown>(OPTIONS) ?? {}) as Partial<
      Record<keyof ViewOptions, unknown>
    >;
    return {
      grouping: GROUPINGS.find(known => known === kept.grouping) ?? 'attention',
      sorting: SORTINGS.find(known => known === kept.sorting) ?? 'activity',
      onlyHere: kept.onlyHere === true,
    };
  }

  async choose(change: Partial<ViewOptions>): Promise<void> {
    await this.#deps.memory.update(OPTIONS, { ...this.options, ...change });
    this.#changed.fire(undefined);
  }

  groups(): SessionGroup[] {
    const { grouping, sorting } = this.options;
    const { statusOf, computer, language, now = Date.now } = this.#deps;
    return groupSessions(this.#visible(), {
      grouping,
      sorting,
      ...startsOf(now(), this.#firstDay),
      language: supportedLanguage(language),
      statusOf,
      computerName: record => computerName(record, computer),
    });
  }

  /** How many sessions are listed, of how many; `undefined` for none. */
  countText(): string | undefined {
    const { format } = this.#deps;
    const [shown, all] = [this.#visible().length, this.#deps.records().size];
    if (all === 0) return undefined;
    if (shown === all) return format.number(all);
    return vscode.l10n.t('{0} of {1}', format.number(shown), format.number(all));
  }

  /** Why not all sessions are listed. */
  hiddenText(): string | undefined {
    const [shown, all] = [this.#visible().length, this.#deps.records().size];
    if (shown === all) return undefined;
    const hidden = all - shown;
    if (all === 1) return vscode.l10n.t('The only session is not shown (only sessions of this workspace).');
    return hidden === 1
      ? vscode.l10n.t('1 of {0} sessions is not shown (only sessions of this workspace).', all)
      : vscode.l10n.t('{0} of {1} sessions are not shown (only sessions of this workspace).', hidden, all);
  }

  #visible(): SessionRecord[] {
    const all = [...this.#deps.records().values()];
    return this.options.onlyHere && currentWorkspace() !== undefined
      ? all.filter(record => isHere(record.workspace))
      : all;
  }
}

/** 1 for Monday to 7 for Sunday, as the language has it. */
function firstDayOfWeek(language: string): number {
  interface WeekLocale {
    getWeekInfo?(): { readonly firstDay: number };
  }
  const locale = new Intl.Locale(supportedLanguage(language)) as WeekLocale;
  return locale.getWeekInfo?.().firstDay ?? 1;
}

interface Choice extends vscode.QuickPickItem {
  readonly change?: Partial<ViewOptions>;
}

/** Asks how the Sessions view is arranged: one choice, of any kind, at a time. */
export async function pickViewOptions(listing: Listing): Promise<void> {
  const now = listing.options;
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
  if (chosen?.change !== undefined) await listing.choose(chosen.change);
}
