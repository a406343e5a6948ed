import * as vscode from 'vscode';
import { onDidChangeSettings, settings, storeSessionsSetting } from '../settings';
import { Disposable } from '../util/disposable';
import { Emitter, type Event } from '../util/event';
import { supportedLanguage, type Formatter } from '../util/format';
import { oneLine } from '../util/text';
import { parseFilter, type SessionFilter } from './filter';
import { GROUPINGS, groupSessions, SORTINGS, startsOf, type SessionGroup } from './groups';
import type { SessionStatus } from './model';
import type { SessionRecord } from './record';
import { computerName, type ComputerFacts } from './row';
import { currentWorkspace, isHere } from './workspaces';

export interface ListingDeps {
  readonly records: () => ReadonlyMap<string, SessionRecord>;
  readonly statusOf: (record: SessionRecord) => SessionStatus;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly format: Formatter;
  readonly language: string;
  readonly now?: () => number;
}

const KEYS = ['groupBy', 'sortBy', 'scope', 'filter', 'titleLength'] as const;

/** Which sessions the view lists, in what groups and order: the person's settings, applied. */
export class Listing extends Disposable {
  readonly #deps: ListingDeps;
  readonly #changed = this.register(new Emitter<undefined>());
  readonly #firstDay: number;
  #filter: { readonly text: string; readonly passes: SessionFilter | undefined } = {
    text: '',
    passes: undefined,
  };

  constructor(deps: ListingDeps) {
    super();
    this.#deps = deps;
    this.#firstDay = firstDayOfWeek(deps.language);
    const keys = KEYS.map(key => `sessions.${key}` as const);
    const changed = (): void => this.#changed.fire(undefined);
    this.register(onDidChangeSettings(keys, changed));
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(changed));
  }

  readonly onDidChange: Event<undefined> = this.#changed.event;

  groups(): SessionGroup[] {
    const { statusOf, computer, language, now = Date.now } = this.#deps;
    return groupSessions(this.#visible(), {
      grouping: GROUPINGS.find(known => known === settings.sessionsGroupBy()) ?? 'attention',
      sorting: SORTINGS.find(known => known === settings.sessionsSortBy()) ?? 'activity',
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
    const filter = oneLine(settings.sessionsFilter(), 80);
    const reasons = [
      settings.sessionsScope() === 'workspace' ? vscode.l10n.t('only sessions of this workspace') : '',
      filter === '' ? '' : vscode.l10n.t('filter: {0}', filter),
    ];
    const why = reasons.filter(reason => reason !== '').join(', ');
    const hidden = all - shown;
    if (all === 1) return vscode.l10n.t('The only session is not shown ({0}).', why);
    return hidden === 1
      ? vscode.l10n.t('1 of {0} sessions is not shown ({1}).', all, why)
      : vscode.l10n.t('{0} of {1} sessions are not shown ({2}).', hidden, all, why);
  }

  #visible(): SessionRecord[] {
    const { statusOf, computer } = this.#deps;
    const text = settings.sessionsFilter();
    if (text !== this.#filter.text) this.#filter = { text, passes: parseFilter(text) };
    const { passes } = this.#filter;
    const onlyHere = settings.sessionsScope() === 'workspace' && currentWorkspace() !== undefined;
    return [...this.#deps.records().values()].filter(
      record =>
        (!onlyHere || isHere(record.workspace)) &&
        (passes?.(record, { status: statusOf(record), computerName: computerName(record, computer) }) ??
          true),
    );
  }
}

/** Stores a choice about the view; a default is not written out. */
export async function storeChoice(
  key: Exclude<(typeof KEYS)[number], 'titleLength'>,
  value: string,
  defaultValue: string,
): Promise<void> {
  await storeSessionsSetting(key, value === defaultValue ? undefined : value);
}

/** 1 for Monday to 7 for Sunday, as the language has it. */
function firstDayOfWeek(language: string): number {
  interface WeekLocale {
    getWeekInfo?(): { readonly firstDay: number };
  }
  const locale = new Intl.Locale(supportedLanguage(language)) as WeekLocale;
  return locale.getWeekInfo?.().firstDay ?? 1;
}
