import * as vscode from 'vscode';
import type { Connection } from '../connection';
import type { CollectionOptions, SearchHit, SearchQuery, SearchTerm, Storage } from '../storage';
import { errorSentence } from '../util/errorSentence';
import { once } from '../util/promises';
import { format, joined } from '../ui/text';
import { forQuickPick } from '../util/text';

/** Records of one kind that can be found. */
export interface Searched {
  /** `*` in their path stands for the rest of it. */
  readonly records: Pick<CollectionOptions<unknown>, 'path'>;
  readonly found: (hit: SearchHit) => Found;
}

/** A hit as a row: its label, and as description what it is, such as a title or a person. Their text is escaped here. */
interface Found extends vscode.QuickPickItem {
  /** Of hits with the same key only the latest is listed, or the oldest. */
  readonly key?: string | undefined;
  readonly isOlderBetter?: boolean | undefined;
  /** The time of its record says nothing to a person. */
  readonly isUndated?: boolean;
  readonly open?: () => Promise<unknown>;
}

export interface SearchDeps {
  readonly connection: Pick<Connection, 'ready'>;
  readonly storage: Pick<Storage, 'search'>;
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

type Answer = Pick<vscode.QuickPick<Found>, 'items' | 'title'>;

const MOST = 50;
/** Hits among which the latest of each thing is looked for. */
const MOST_THINGS = 500;
/** Sessions whose titles have the words of `in:`, the latest. */
const MOST_SESSIONS = 500;

/** Finds words in everything that is stored of the current service. */
export async function openSearch(deps: SearchDeps): Promise<void> {
  const state = await deps.connection.ready();
  if (state.kind === 'signedOut') throw new Error(vscode.l10n.t('Sign in first.'));
  const box = vscode.window.createQuickPick<Found>();
  box.title = vscode.l10n.t('Search');
  box.placeholder = vscode.l10n.t('Words, "a phrase", from:me, from:agent, in:title, after:2026-11-01');
  const search = once(() => searchOf(deps, state.service.id));
  // One search at a time, and of what is typed meanwhile only the last.
  let underWay: Promise<void> | undefined;
  const follow = async (): Promise<void> => {
    for (let last: string | undefined; last !== box.value;) {
      const text = (last = box.value);
      const failed = (error: unknown): Answer => ({ items: [], title: forQuickPick(errorSentence(error)) });
      const answer = search().then(find => find(text));
      Object.assign(box, await answer.catch(failed));
    }
    box.busy = false;
    underWay = undefined;
  };
  const open = await new Promise<Found['open']>(resolve => {
    box.onDidChangeValue(() => {
      box.busy = true;
      underWay ??= follow();
    });
    box.onDidAccept(async () => {
      // What is listed may be of fewer words than are typed.
      const isListed = underWay === undefined;
      await underWay;
      resolve((isListed ? box.selectedItems : box.activeItems)[0]?.open);
    });
    box.onDidHide(() => resolve(undefined));
    box.show();
  });
  box.dispose();
  await open?.();
}

/** Answers what is typed from what is stored of one service. */
async function searchOf(
  { storage, records, titles, removed, open }: SearchDeps,
  serviceId: string,
): Promise<(text: string) => Promise<Answer>> {
  const { sessions, messages, things } = records(serviceId);
  const [known, gone] = [await titles(), await removed()];
  const titleOf = (id: string): string =>
    known.get(id) ?? vscode.l10n.t('A session that is not in your list');
  const talk: readonly Searched[] = [
    {
      records: sessions,
      found: ({ id: sessionId, match: words }) => ({
        label: titleOf(sessionId),
        description: vscode.l10n.t('title'),
        open: () => open({ sessionId, words }),
      }),
    },
    {
      records: messages('*'),
      found: ({ collection, id: messageId, match: words }) => {
        const sessionId = collection.slice(collection.lastIndexOf('/') + 1);
        return { label: titleOf(sessionId), open: () => open({ sessionId, messageId, words }) };
      },
    },
  ];
  const pathOf = (sessionId: string): string => messages(sessionId).path;
  /** Where the sessions are whose titles have these words. */
  const titled = async (title: string): Promise<readonly string[]> => {
    const words = title.trim().split(/\s+/);
    const terms = words.map((text, at) => ({ text, isPrefix: at === words.length - 1 }));
    const { hits } = await storage.search({ terms, within: [sessions.path], limit: MOST_SESSIONS });
    return hits.map(({ id }) => pathOf(id));
  };
  return async text => {
    const { inTitle, ...query } = parseQuery(text);
    if (text.trim() === '') return { items: [], title: vscode.l10n.t('Search') };
    if (query.terms.length === 0) return { items: [], title: vscode.l10n.t('Type a word to search for') };
    const within = inTitle === undefined ? talk.map(rootOf) : await titled(inTitle);
    const said = await storage.search({ ...query, within, without: gone.map(pathOf), limit: MOST });
    const items = itemsOf(talk, said.hits);
    if (query.by !== undefined || inTitle !== undefined)
      return { items, title: countText(items.length, said.isMore) };
    const other = await storage.search({ ...query, within: things.map(rootOf), limit: MOST_THINGS });
    const all = itemsOf(things, other.hits);
    const others = all.slice(0, MOST);
    const separator = { label: vscode.l10n.t('Other'), kind: vscode.QuickPickItemKind.Separator };
    const isMore = said.isMore || other.isMore || all.length > MOST;
    return {
      items: others.length === 0 ? items : [...items, separator, ...others],
      title: countText(items.length + others.length, isMore),
    };
  };
}

/** The path without what `*` stands for. */
const rootOf = ({ records }: Searched): string => records.path.replace(/\/\*.*$/, '');

/** What is listed of the hits: of several of one thing the latest, or the oldest. */
function itemsOf(kinds: readonly Searched[], hits: readonly SearchHit[]): readonly Found[] {
  const items = new Map<unknown, Found>();
  for (const hit of hits) {
    const found = kinds.find(kind => `${hit.collection}/`.startsWith(`${rootOf(kind)}/`))?.found(hit);
    if (found === undefined) continue;
    const { key = hit, label, description } = found;
    if (items.has(key) && found.isOlderBetter !== true) continue;
    const { at, by, lead, match, rest, line } = hit;
    const who = by === undefined ? description : by === 'me' ? vscode.l10n.t('you') : vscode.l10n.t('agent');
    items.set(key, {
      ...found,
      label: forQuickPick(label),
      description: forQuickPick(joined([who, found.isUndated === true ? undefined : format.exact(at)])),
      ...(line === label ? {} : { detail: forQuickPick(lead + match + rest) }),
      // What was found is what is shown, whatever the box itself would look for.
      alwaysShow: true,
    });
  }
  return [...items.values()];
}

function countText(count: number, isMore: boolean): string {
  if (isMore) return vscode.l10n.t('More than {0} results, newest first', count);
  if (count === 0) return vscode.l10n.t('No results');
  return count === 1 ? vscode.l10n.t('1 result') : vscode.l10n.t('{0} results, newest first', count);
}

/** What a person has typed; `inTitle` are words of a title. */
export interface TypedQuery extends Pick<SearchQuery, 'terms' | 'by' | 'after' | 'before'> {
  readonly inTitle?: string | undefined;
}

const PART = /(?:from|in|after|before):(?!\S)|(?:(from|in|after|before):)?(?:"([^"]*)("?)|(\S+))/giu;
const DAY = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/;
/** More words than these narrow nothing. */
const MOST_TERMS = 20;

/**
 * Words, `"phrases"`, `beginnings*`, `from:me`, `in:title`, `after:2026-11-01`, `before:2026-11`. The last word counts as a beginning
 * while it is typed; what is none of these is words as well.
 */
export function parseQuery(text: string): TypedQuery {
  const terms: SearchTerm[] = [];
  const narrowed: Record<string, string> = {};
  for (const match of text.matchAll(PART)) {
    const [whole, name, quoted, closing, word] = match;
    const key = name?.toLowerCase();
    const said = quoted ?? word ?? '';
    if (key !== undefined && (key !== 'from' || /^(me|agent)$/i.test(said))) narrowed[key] = said;
    else if (quoted !== undefined) terms.push({ text: said, isPrefix: closing === '' });
    else if (said !== '') {
      const isTyped = match.index + whole.length === text.length;
      terms.push({ text: whole.replace(/\*$/, ''), isPrefix: isTyped || whole.endsWith('*') });
    }
  }
  const { from, in: inTitle, after, before } = narrowed;
  return {
    terms: terms.slice(0, MOST_TERMS),
    by: from === undefined ? undefined : from.toLowerCase() === 'me' ? 'me' : 'agent',
    inTitle: inTitle === '' ? undefined : inTitle,
    after: dayOf(after),
    before: dayOf(before),
  };
}

/** When a day, month or year begins here; nothing for one that is not whole yet. */
function dayOf(text = ''): number | undefined {
  const [, year, month = '1', day = '1'] = DAY.exec(text) ?? [];
  return year === undefined ? undefined : new Date(Number(year), Number(month) - 1, Number(day)).getTime();
}
