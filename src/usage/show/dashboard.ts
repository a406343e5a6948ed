import * as l10n from '@vscode/l10n';
import { Disposable } from '../../util/disposable';
import { panelSide, type PanelHandlers, type PanelSide } from '../../webview/ipc';
import type { UsageData } from '../days/usageData';
import { clampRange } from '../report/calendar';
import { copyOf, csvOf, jsonOf } from './exports';
import {
  firstState,
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
export type UsageSource = Pick<UsageData, 'bounds' | 'fetch' | 'onDidChange' | 'report' | 'state'>;

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

/** A fetch nobody asked for that takes longer is said to be under way, ms. */
const SLOW_MS = 300;
/** Changes that come together are looked at together, ms. */
const GATHER_MS = 50;

/** The panel's end of the dashboard: sends the page reports of what it shows, and fetches what is missing. Knows nothing of VS Code. */
export class Dashboard extends Disposable {
  readonly #source: UsageSource;
  readonly #host: DashboardHost;
  readonly #page: PanelSide<UsageProtocol>;
  /** What the page shows; `undefined` while none listens. */
  #query: UsageQuery | undefined;
  #situation: Situation;
  #turn = 0;
  #fetching: AbortController | undefined;
  /** Why the days shown could not be fetched. */
  #problem: string | undefined;
  /** What was fetched without a person's asking, so that a day that stays away is not asked for again and again. */
  readonly #tried = new Set<string>();
  #gathering: NodeJS.Timeout | undefined;

  constructor(source: UsageSource, host: DashboardHost) {
    super();
    this.#source = source;
    this.#host = host;
    this.#situation = { bounds: source.bounds, state: source.state() };
    this.#page = panelSide({
      protocol: usageProtocol,
      handlers: this.#handlers(),
      post: message => host.post(message),
      describe: error => host.describe(error),
      onProblem: (problem, error) => host.onProblem(problem, error),
    });
    this.register(source.onDidChange(() => this.#onNews()));
  }

  /** Takes one message of the page; never throws, whatever it is. */
  receive(message: unknown): void {
    this.#page.receive(message);
  }

  /** The page is gone; another one will say that it is ready. */
  pageGone(): void {
    this.#query = undefined;
    clearTimeout(this.#gathering);
    this.#endFetch();
  }

  override dispose(): void {
    this.pageGone();
    super.dispose();
  }

  #handlers(): PanelHandlers<UsageProtocol> {
    return {
      save: async ({ format, section }) => {
        const report = await this.#exported(section);
        const text = format === 'json' ? jsonOf(report) : csvOf(report, section?.id);
        return (await this.#host.save(fileName(report.query, format, section?.id), text)) ?? null;
      },
      copy: async section => {
        const report = await this.#exported(section);
        await this.#host.copy(copyOf(report, section.id));
        return sectionOf(report, section.id).table.rows.length;
      },
      ready: ({ state = firstState }) => this.#onReady(state),
      show: query => this.#show(query),
      fetch: ({ again }) => {
        // There may be another finished day since the page was built.
        this.#page.send('situation', this.#look());
        return this.#fetch(again);
      },
      cancel: () => {
        this.#endFetch();
        return this.#load();
      },
      signIn: () => this.#host.signIn(),
    };
  }

  #onReady(state: PageState): Promise<void> {
    this.pageGone();
    const { texts, language } = this.#host;
    const situation = this.#look();
    this.#page.send('start', { texts, language, situation, state });
    this.#host.ready();
    return this.#show(queryOf(state, situation.bounds));
  }

  #show(asked: UsageQuery): Promise<void> {
    const before = this.#query;
    this.#query = { ...asked, range: clampRange(asked.range, this.#source.bounds) };
    if (before !== undefined && daysKey(this.#query) !== daysKey(before)) {
      // Days that were not waited for are fetched when they are shown again.
      if (this.#fetching !== undefined) this.#tried.delete(daysKey(before));
      this.#endFetch();
      this.#problem = undefined;
    }
    return this.#load();
  }

  /** Sends what is known, and fetches what is not, once for each range. */
  async #load(fetched?: 'missing' | 'again'): Promise<void> {
    const query = this.#query;
    const turn = ++this.#turn;
    if (query === undefined || this.#source.state().kind !== 'ready') return;
    let report: TabReport;
    try {
      report = await this.#source.report(query, this.#problem);
    } catch (error) {
      if (turn === this.#turn) this.#refuse(error);
      return;
    }
    if (turn !== this.#turn || this.#query === undefined) return;
    this.#page.send('report', { report, fetched });
    const { missing, previousRange, isComparable } = report;
    const isWhole = missing === undefined && (previousRange === undefined || isComparable);
    if (isWhole || missing?.problem !== undefined || this.#fetching !== undefined) return;
    if (this.#tried.has(daysKey(query))) return;
    this.#tried.add(daysKey(query));
    await this.#fetch(false);
  }

  async #fetch(again: boolean): Promise<void> {
    const query = this.#query;
    if (query === undefined) return;
    this.#fetching?.abort();
    const fetching = (this.#fetching = new AbortController());
    const { signal } = fetching;
    const tell = (fraction: number, label?: string): void => {
      clearTimeout(slow);
      if (!signal.aborted) this.#page.send('fetching', { fraction, label });
    };
    const slow = setTimeout(() => tell(0, l10n.t('Fetching')), SLOW_MS);
    this.#page.send('fetching', { fraction: 0, label: again ? l10n.t('Fetching') : undefined });
    const options = { again, signal, onProgress: tell };
    const problem = await this.#source
      .fetch(query, options)
      .catch((error: unknown) => this.#host.describe(error));
    clearTimeout(slow);
    if (signal.aborted) return;
    this.#fetching = undefined;
    this.#problem = problem;
    await this.#load(again ? 'again' : 'missing');
    this.#tellWhereNone();
  }

  /** Ends the fetch under way with nothing. */
  #endFetch(): void {
    this.#fetching?.abort();
    this.#fetching = undefined;
    this.#tellWhereNone();
  }

  /** The page hears that no fetch is under way, whatever else it was told. */
  #tellWhereNone(): void {
    if (this.#fetching === undefined && this.#query !== undefined) this.#page.send('fetching', null);
  }

  #refuse(error: unknown): void {
    this.#host.onProblem('A usage report could not be made', error);
    this.#page.send('refused', this.#host.describe(error));
  }

  /** Something known changed: what may be asked for, or what the answer would be. */
  #onNews(): void {
    if (this.#query === undefined) return;
    this.#problem = undefined;
    this.#page.send('situation', this.#look());
    clearTimeout(this.#gathering);
    this.#gathering = setTimeout(() => {
      // What is being fetched comes with its answer, and is looked at where there is none.
      if (this.#fetching === undefined) void this.#load();
    }, GATHER_MS);
  }

  /** What may be asked for; where that is something else than before, days that were tried may be there now. */
  #look(): Situation {
    const { bounds, state } = this.#situation;
    this.#situation = { bounds: this.#source.bounds, state: this.#source.state() };
    if (this.#situation.bounds.end !== bounds.end || this.#situation.state.kind !== state.kind)
      this.#tried.clear();
    return this.#situation;
  }

  /** The report as it is shown; of a named section exactly the rows the person sees. */
  async #exported(section?: { readonly id: string; readonly view: TableView }): Promise<TabReport> {
    if (this.#query === undefined) throw new Error('No page shows a report.');
    const report = await this.#source.report(this.#query, this.#problem);
    if (section === undefined) return report;
    const seen = sectionOf(report, section.id);
    const narrowed = { ...seen, table: shown(seen.table, section.view, this.#host.language) };
    return { ...report, sections: report.sections.map(each => (each === seen ? narrowed : each)) };
  }
}

/** Names the days a query is about. */
function daysKey({ tab, range }: UsageQuery): string {
  return [tab, range.start, range.end].join(' ');
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
