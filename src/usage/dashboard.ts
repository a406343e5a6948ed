import { Disposable } from '../util/disposable';
import { WallTimer } from '../util/wallTimer';
import { panelSide, type PanelHandlers, type PanelSide } from '../webview/ipc';
import { untilNews } from './calendar';
import { copyOf } from './exports';
import {
  clampRange,
  firstState,
  pageState,
  queryOf,
  usageProtocol,
  type DashboardStrings,
  type PageState,
  type Section,
  type Situation,
  type TabReport,
  type UsageProtocol,
  type UsageQuery,
} from './protocol';
import type { UsageSource } from './source';
import { shown, tableOf, type TableView } from './tableView';

/** What the dashboard needs of the place it runs in. */
export interface DashboardHost {
  readonly language: string;
  /** The texts of the page. */
  strings(): DashboardStrings;
  /** The page has loaded. */
  ready(): void;
  /** Hands one message to the page. */
  post(message: unknown): unknown;
  /** Asks where to save a file; resolves with the name it got, `undefined` when the person thought better. */
  save(name: string, text: string): Promise<string | undefined>;
  copy(text: string): Promise<void>;
  signIn(): void;
  /** The sentence the page shows for what failed. */
  describe(error: unknown): string;
  onProblem(problem: string, error?: unknown): void;
}

/** ms. */
const FIRST_WITHIN = 250;

interface SavedSection {
  readonly id: string;
  readonly view: TableView;
}

interface First {
  readonly state: PageState;
  readonly report: Promise<TabReport | undefined>;
}

/** The panel's end of the dashboard: answers the page from a source. Knows nothing of VS Code. */
export class Dashboard extends Disposable {
  readonly #source: UsageSource;
  readonly #host: DashboardHost;
  readonly #page: PanelSide<UsageProtocol>;
  /** Asked for before the page is ready, so that it need not wait. */
  #first: First | undefined;
  #fetching: { readonly id: number; readonly abort: AbortController } | undefined;
  #listens = false;
  readonly #nextDay = this.register(new WallTimer());

  /** `kept` is what a page left before a reload, old or hostile. */
  constructor(source: UsageSource, host: DashboardHost, kept?: unknown) {
    super();
    this.#source = source;
    this.#host = host;
    this.#page = panelSide({
      protocol: usageProtocol,
      handlers: this.#handlers(),
      post: message => host.post(message),
      describe: error => host.describe(error),
      onProblem: (problem, error) => host.onProblem(problem, error),
    });
    this.#first = this.#begin(pageState(kept) ? kept : firstState);
    this.register(
      source.onDidChange(() => {
        if (this.#listens) this.#page.send('changed', this.#situation());
      }),
    );
  }

  /** Takes one message of the page; never throws, whatever it is. */
  receive(message: unknown): void {
    this.#page.receive(message);
  }

  /** The page is gone; another one will say that it is ready. */
  pageGone(): void {
    this.#listens = false;
    this.#nextDay.stop();
    this.#end();
  }

  override dispose(): void {
    this.pageGone();
    super.dispose();
  }

  #handlers(): PanelHandlers<UsageProtocol> {
    return {
      requests: {
        cached: query => this.#source.cached(this.#legal(query)),
        fetch: ({ id, query, again }) => this.#fetch(id, this.#legal(query), again),
        save: async ({ query, format, pseudonyms, section }) => {
          const asked = this.#legal(query);
          const report = await this.#exported(asked, pseudonyms, section);
          const text = format === 'json' ? this.#source.json(report) : this.#source.csv(report, section?.id);
          return (await this.#host.save(fileName(asked, format, section?.id), text)) ?? null;
        },
        copy: async ({ query, pseudonyms, section }) => {
          const report = await this.#exported(this.#legal(query), pseudonyms, section);
          const copied = sectionOf(report, section.id);
          await this.#host.copy(copyOf(report, copied));
          return copied.table.rows.length;
        },
      },
      notifications: {
        ready: ({ state }) => this.#ready(state),
        cancel: ({ id }) => {
          if (this.#isFetching(id)) this.#end();
        },
        signIn: () => this.#host.signIn(),
      },
    };
  }

  async #ready(kept: PageState | undefined): Promise<void> {
    const first = kept === undefined ? (this.#first ?? this.#begin(firstState)) : this.#begin(kept);
    this.#first = undefined;
    const report = await soon(first.report);
    this.#listens = true;
    this.#host.ready();
    this.#awaitNextDay();
    this.#page.send('start', {
      strings: this.#host.strings(),
      language: this.#host.language,
      situation: this.#situation(),
      state: first.state,
      ...(report === undefined ? {} : { report }),
    });
  }

  /** Tells the page of a new finished day, whether or not the status bar shows usage. */
  #awaitNextDay(): void {
    this.#nextDay.start(untilNews(Date.now(), Math.random()), () => {
      this.#page.send('changed', this.#situation());
      this.#awaitNextDay();
    });
  }

  #begin(state: PageState): First {
    if (this.#first !== undefined && same(this.#first.state, state)) return this.#first;
    const ready = this.#source.state().kind === 'ready';
    const report = ready
      ? this.#source.cached(queryOf(state, this.#source.bounds)).catch((error: unknown) => {
          this.#host.onProblem('The first usage report could not be made', error);
          return undefined;
        })
      : Promise.resolve(undefined);
    return { state, report };
  }

  async #fetch(id: number, query: UsageQuery, again: boolean): Promise<TabReport | null> {
    this.#end();
    const abort = new AbortController();
    this.#fetching = { id, abort };
    try {
      return await this.#source.fetch(query, {
        again,
        signal: abort.signal,
        onProgress: (fraction, label) => {
          if (!abort.signal.aborted) this.#page.send('progress', { id, fraction, label });
        },
      });
    } catch (error) {
      if (abort.signal.aborted) return null;
      throw error;
    } finally {
      if (this.#isFetching(id)) this.#fetching = undefined;
    }
  }

  #isFetching(id: number): boolean {
    return this.#fetching?.id === id;
  }

  #end(): void {
    this.#fetching?.abort.abort();
    this.#fetching = undefined;
  }

  /** The report as it leaves the house; of a named section exactly the rows and columns the person sees. */
  async #exported(query: UsageQuery, pseudonyms: boolean, section?: SavedSection): Promise<TabReport> {
    const report = await this.#source.cached({ ...query, pseudonyms });
    if (section === undefined) return report;
    const seen = pseudonyms === query.pseudonyms ? report : await this.#source.cached(query);
    const { id, view } = section;
    const narrowed = narrow(sectionOf(report, id), sectionOf(seen, id), view, this.#host.language);
    return { ...report, sections: report.sections.map(each => (each.id === id ? narrowed : each)) };
  }

  #legal(query: UsageQuery): UsageQuery {
    return { ...query, range: clampRange(query.range, this.#source.bounds) };
  }

  #situation(): Situation {
    return { bounds: this.#source.bounds, state: this.#source.state() };
  }
}

/** What comes within `FIRST_WITHIN`; a page that waits longer says that it is loading. */
async function soon<T>(promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), FIRST_WITHIN);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A search on real names finds rows; what leaves are the same rows, in the order of what leaves. */
function narrow(leaving: Section, seen: Section, { search, ...view }: TableView, language: string): Section {
  const found = new Set(shown(seen.table, { search }).rows.map(({ id }) => id));
  return { ...leaving, table: tableOf(shown(leaving.table, view, language, found)) };
}

function sectionOf(report: TabReport, id: string): Section {
  const section = report.sections.find(each => each.id === id);
  if (section === undefined) throw new Error(`The report has no section "${id}".`);
  return section;
}

function fileName({ tab, range, person }: UsageQuery, format: string, section?: string): string {
  const parts = ['usage', tab, person === undefined ? undefined : 'person', section, range.start, range.end];
  const name = parts.filter(part => part !== undefined).join('-');
  return `${name.replace(/[^a-zA-Z0-9-]+/g, '-').slice(0, 120)}.${format}`;
}

function same(first: PageState, second: PageState): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}
