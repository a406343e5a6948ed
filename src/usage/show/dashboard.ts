import { Disposable } from '../../util/disposable';
import { WallTimer } from '../../util/wallTimer';
import { panelSide, type PanelHandlers, type PanelSide } from '../../webview/ipc';
import type { UsageData } from '../days/usageData';
import { clampRange, untilNews } from '../report/calendar';
import { tableOf } from '../report/tableView';
import { copyOf, csvOf, jsonOf } from './exports';
import {
  firstState,
  pageState,
  queryOf,
  shown,
  usageProtocol,
  type PageState,
  type Section,
  type Situation,
  type Start,
  type TableView,
  type TabReport,
  type UsageProtocol,
  type UsageQuery,
} from './protocol';

/** Where the dashboard gets its reports from. */
export type UsageSource = Pick<UsageData, 'bounds' | 'cached' | 'fetch' | 'onDidChange' | 'state'>;

/** What the dashboard needs of the place it runs in. */
export interface DashboardHost extends Pick<Start, 'texts' | 'language'> {
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

/** A page that waits longer for its first report says that it is loading, ms. */
const FIRST_WITHIN = 250;

/** The panel's end of the dashboard: answers the page from a source. Knows nothing of VS Code. */
export class Dashboard extends Disposable {
  readonly #source: UsageSource;
  readonly #host: DashboardHost;
  readonly #page: PanelSide<UsageProtocol>;
  readonly #kept: PageState;
  #fetching: { readonly id: number; readonly abort: AbortController } | undefined;
  #listens = false;
  readonly #nextDay = this.register(new WallTimer());

  /** `kept` is what a page left before a reload, old or hostile. */
  constructor(source: UsageSource, host: DashboardHost, kept?: unknown) {
    super();
    this.#source = source;
    this.#host = host;
    this.#kept = pageState(kept) ? kept : firstState;
    this.#page = panelSide({
      protocol: usageProtocol,
      handlers: this.#handlers(),
      post: message => host.post(message),
      describe: error => host.describe(error),
      onProblem: (problem, error) => host.onProblem(problem, error),
    });
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
        save: async ({ query, format, section }) => {
          const report = await this.#exported(query, section);
          const text = format === 'json' ? jsonOf(report) : csvOf(report, section?.id);
          return (await this.#host.save(fileName(report.query, format, section?.id), text)) ?? null;
        },
        copy: async ({ query, section }) => {
          const report = await this.#exported(query, section);
          const copied = sectionOf(report, section.id);
          await this.#host.copy(copyOf(report, copied));
          return copied.table.rows.length;
        },
      },
      notifications: {
        ready: ({ state = this.#kept }) => this.#ready(state),
        cancel: ({ id }) => {
          if (this.#isFetching(id)) this.#end();
        },
        signIn: () => this.#host.signIn(),
      },
    };
  }

  async #ready(state: PageState): Promise<void> {
    const { texts, language } = this.#host;
    const report = this.#source.state().kind === 'ready' ? await this.#first(state) : undefined;
    this.#listens = true;
    this.#host.ready();
    this.#awaitNextDay();
    const situation = this.#situation();
    this.#page.send('start', {
      texts,
      language,
      situation,
      state,
      ...(report === undefined ? {} : { report }),
    });
  }

  /** The first report, where it comes soon. */
  async #first(state: PageState): Promise<TabReport | undefined> {
    const late = new AbortController();
    const report = this.#source.cached(queryOf(state, this.#source.bounds)).catch((error: unknown) => {
      this.#host.onProblem('The first usage report could not be made', error);
      return undefined;
    });
    const waited = new Promise<undefined>(resolve => {
      const timer = setTimeout(() => resolve(undefined), FIRST_WITHIN);
      late.signal.addEventListener('abort', () => clearTimeout(timer));
    });
    return Promise.race([report, waited]).finally(() => late.abort());
  }

  /** Tells the page of a new finished day, whether or not the status bar shows usage. */
  #awaitNextDay(): void {
    this.#nextDay.start(untilNews(Date.now(), Math.random()), () => {
      this.#page.send('changed', this.#situation());
      this.#awaitNextDay();
    });
  }

  async #fetch(id: number, query: UsageQuery, again: boolean): Promise<TabReport | null> {
    this.#end();
    const abort = new AbortController();
    this.#fetching = { id, abort };
    const { signal } = abort;
    try {
      return await this.#source.fetch(query, {
        again,
        signal,
        onProgress: (fraction, label) => {
          if (!signal.aborted) this.#page.send('progress', { id, fraction, label });
        },
      });
    } catch (error) {
      if (signal.aborted) return null;
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

  /** The report as it is shown; of a named section exactly the rows and columns the person sees. */
  async #exported(
    query: UsageQuery,
    section?: { readonly id: string; readonly view: TableView },
  ): Promise<TabReport> {
    const report = await this.#source.cached(this.#legal(query));
    if (section === undefined) return report;
    const seen = sectionOf(report, section.id);
    const narrowed = { ...seen, table: tableOf(shown(seen.table, section.view, this.#host.language)) };
    return { ...report, sections: report.sections.map(each => (each === seen ? narrowed : each)) };
  }

  #legal(query: UsageQuery): UsageQuery {
    return { ...query, range: clampRange(query.range, this.#source.bounds) };
  }

  #situation(): Situation {
    return { bounds: this.#source.bounds, state: this.#source.state() };
  }
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
