import * as vscode from 'vscode';
import type { Connection } from '../connection';
import type { CommandHandlers } from '../contributions';
import { wordsOf, type CollectionOptions, type SearchHit, type Storage } from '../storage';
import { errorSentence } from '../util/errorSentence';
import type { Formatter } from '../util/format';
import { once } from '../util/promises';
import { forQuickPick } from '../util/text';
import { parseQuery } from './query';

/** Records of one kind that can be found. */
export interface Searched {
  /** `*` in their path stands for the rest of it. */
  readonly records: Pick<CollectionOptions<unknown>, 'path'>;
  readonly found: (hit: SearchHit) => Found;
}

/** What a hit is to a person. */
export interface Found {
  /** Of hits with the same key only the latest is listed, or the oldest. */
  readonly key?: string | undefined;
  readonly isOlderBetter?: boolean | undefined;
  readonly label: string;
  /** What it is, such as a title or a person. */
  readonly kind?: string | undefined;
  /** Whether the words around the hit say more than the label. */
  readonly hasDetail: boolean;
  /** Whether the time of the record says something to a person. */
  readonly hasTime: boolean;
  readonly open: () => Promise<unknown>;
}

export interface SearchDeps {
  readonly connection: Pick<Connection, 'ready'>;
  readonly storage: Pick<Storage, 'search'>;
  readonly format: Formatter;
  /** Titles of the sessions in the list by their ids. */
  readonly titles: () => Promise<ReadonlyMap<string, string>>;
  /** Sessions that a person took out of the list: their messages are not found. */
  readonly removed: () => Promise<readonly string[]>;
  /** The records of a service that are searched; the id of a session is where it stands in their paths, or their own. */
  readonly records: (serviceId: string) => {
    readonly sessions: Searched['records'];
    readonly messages: (sessionId: string) => Searched['records'];
    /** People, computers and the like. */
    readonly things: readonly Searched[];
  };
  /** Opens a session, at a message where one was found, with its words marked. */
  readonly open: (place: Place) => Promise<unknown>;
}

export interface Place {
  readonly sessionId: string;
  readonly messageId?: string | undefined;
  readonly words: string;
}

/** What is searched of a service. */
interface Scope {
  readonly sessions: Searched;
  readonly messages: Searched;
  readonly things: readonly Searched[];
  readonly pathOf: (sessionId: string) => string;
  readonly removed: readonly string[];
}

interface Item extends vscode.QuickPickItem {
  readonly open?: Found['open'];
}

export interface SearchFeature {
  readonly commands: CommandHandlers<'search'>;
}

/** Finds words in everything that is stored of the current service. */
export function registerSearch(deps: SearchDeps): SearchFeature {
  return new Search(deps);
}

const MOST = 50;
/** Hits among which the latest of each thing is looked for. */
const MOST_THINGS = 500;
/** Sessions whose titles have the words of `in:`, the latest. */
const MOST_SESSIONS = 500;

class Search implements SearchFeature {
  readonly #deps: SearchDeps;
  readonly commands: CommandHandlers<'search'> = { open: () => this.#open() };

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  async #open(): Promise<void> {
    const state = await this.#deps.connection.ready();
    if (state.kind === 'signedOut') throw new Error(vscode.l10n.t('Sign in first.'));
    const { id } = state.service;
    const box = vscode.window.createQuickPick<Item>();
    box.title = vscode.l10n.t('Search');
    box.placeholder = vscode.l10n.t('Words, "a phrase", from:me, from:agent, in:title, after:2026-11-01');
    const known = once(() => this.#scope(id));
    const latest = new Latest(async (text: string) => {
      try {
        const { items, count, isMore } = await this.#search(await known(), text);
        box.items = items;
        box.title =
          text.trim() === ''
            ? vscode.l10n.t('Search')
            : parseQuery(text).terms.length === 0
              ? vscode.l10n.t('Type a word to search for')
              : countText(count, isMore);
      } catch (error) {
        box.items = [];
        box.title = forQuickPick(errorSentence(error));
      }
    });
    const open = await new Promise<Found['open'] | undefined>(resolve => {
      box.onDidChangeValue(async text => {
        box.busy = true;
        await latest.run(text);
        box.busy = latest.isBusy;
      });
      box.onDidAccept(async () => {
        // What is listed may be of fewer words than are typed.
        const isListed = !latest.isBusy;
        await latest.idle();
        resolve((isListed ? box.selectedItems : box.activeItems)[0]?.open);
      });
      box.onDidHide(() => resolve(undefined));
      box.show();
    });
    latest.stop();
    box.dispose();
    await open?.();
  }

  async #scope(serviceId: string): Promise<Scope> {
    const { records, titles, removed, open } = this.#deps;
    const { sessions, messages, things } = records(serviceId);
    const known = await titles();
    const titleOf = (id: string): string =>
      known.get(id) ?? vscode.l10n.t('A session that is not in your list');
    return {
      sessions: {
        records: sessions,
        found: ({ id: sessionId, match: words }) => ({
          label: titleOf(sessionId),
          kind: vscode.l10n.t('title'),
          hasDetail: false,
          hasTime: true,
          open: () => open({ sessionId, words }),
        }),
      },
      messages: {
        records: messages('*'),
        found: ({ collection, id: messageId, match: words }) => {
          const sessionId = collection.slice(collection.lastIndexOf('/') + 1);
          const label = titleOf(sessionId);
          return { label, hasDetail: true, hasTime: true, open: () => open({ sessionId, messageId, words }) };
        },
      },
      things,
      pathOf: id => messages(id).path,
      removed: await removed(),
    };
  }

  async #search(scope: Scope, text: string): Promise<Answer> {
    const { inTitle, ...query } = parseQuery(text);
    if (query.terms.length === 0) return { items: [], count: 0, isMore: false };
    const { sessions, messages, things, removed, pathOf } = scope;
    const talk = [sessions, messages];
    const said = await this.#deps.storage.search({
      ...query,
      within:
        inTitle === undefined
          ? talk.map(({ records }) => rootOf(records.path))
          : await this.#in(scope, inTitle),
      without: removed.map(pathOf),
      limit: MOST,
    });
    const items = said.hits.flatMap(hit => {
      const found = foundIn(talk, hit);
      return found === undefined ? [] : [this.#item(hit, found)];
    });
    if (things.length === 0 || query.by !== undefined || inTitle !== undefined)
      return { items, count: items.length, isMore: said.isMore };
    const within = things.map(({ records }) => rootOf(records.path));
    const other = await this.#deps.storage.search({ ...query, within, limit: MOST_THINGS });
    const latest = new Map<unknown, Item>();
    for (const hit of other.hits) {
      const found = foundIn(things, hit);
      const key = found?.key ?? hit;
      if (found !== undefined && (!latest.has(key) || found.isOlderBetter === true))
        latest.set(key, this.#item(hit, found));
    }
    const others = [...latest.values()].slice(0, MOST);
    const separator = { label: vscode.l10n.t('Other'), kind: vscode.QuickPickItemKind.Separator };
    return {
      items: others.length === 0 ? items : [...items, separator, ...others],
      count: items.length + others.length,
      isMore: said.isMore || other.isMore || latest.size > MOST,
    };
  }

  /** Where the sessions are whose titles have these words. */
  async #in({ sessions, pathOf }: Scope, title: string): Promise<readonly string[]> {
    const words = wordsOf(title);
    const terms = words.map((text, at) => ({ text, isPrefix: at === words.length - 1 }));
    const within = [sessions.records.path];
    const named = await this.#deps.storage.search({ terms, within, limit: MOST_SESSIONS });
    return named.hits.map(({ id }) => pathOf(id));
  }

  #item({ at, by, lead, match, rest }: SearchHit, { label, kind, hasDetail, hasTime, open }: Found): Item {
    const who = by === undefined ? kind : by === 'me' ? vscode.l10n.t('you') : vscode.l10n.t('agent');
    const when = hasTime ? this.#deps.format.exact(at) : undefined;
    return {
      label: forQuickPick(label),
      description: [who, when].filter(text => text !== undefined).join(' · '),
      ...(hasDetail ? { detail: forQuickPick(lead + match + rest) } : {}),
      // What was found is what is shown, whatever the box itself would look for.
      alwaysShow: true,
      open,
    };
  }
}

interface Answer {
  readonly items: readonly Item[];
  readonly count: number;
  readonly isMore: boolean;
}

/** The path without what `*` stands for. */
function rootOf(path: string): string {
  return path.replace(/\/\*.*$/, '');
}

/** What a hit is; nothing where it is of no searched kind. */
function foundIn(kinds: readonly Searched[], hit: SearchHit): Found | undefined {
  const isOf = (path: string): boolean => hit.collection === path || hit.collection.startsWith(`${path}/`);
  return kinds.find(({ records }) => isOf(rootOf(records.path)))?.found(hit);
}

/** Does one thing at a time, and of what is asked meanwhile only the last. */
class Latest<T> {
  readonly #work: (value: T) => Promise<void>;
  #next: { readonly value: T } | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(work: (value: T) => Promise<void>) {
    this.#work = work;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when all that was asked for is done. */
  run(value: T): Promise<void> {
    this.#next = { value };
    return (this.#running ??= this.#go());
  }

  /** Resolves when all that was asked for is done. */
  async idle(): Promise<void> {
    await this.#running;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #go(): Promise<void> {
    for (; this.#next !== undefined && !this.#isStopped;) {
      const { value } = this.#next;
      this.#next = undefined;
      await this.#work(value);
    }
    this.#running = undefined;
  }
}

function countText(count: number, isMore: boolean): string {
  if (isMore) return vscode.l10n.t('More than {0} results, newest first', count);
  if (count === 0) return vscode.l10n.t('No results');
  return count === 1 ? vscode.l10n.t('1 result') : vscode.l10n.t('{0} results, newest first', count);
}
