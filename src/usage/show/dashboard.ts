import * as l10n from '@vscode/l10n';
import { Disposable, unhandled } from '../../util/disposable';
import type { PanelHandlers, PanelSide } from '../../webview/ipc';
import type { UsageData } from '../days/usageData';
import {
  usageProtocol,
  type Situation,
  type Start,
  type TabReport,
  type UsageProtocol,
  type UsageQuery,
} from './protocol';

/** Where the dashboard gets its reports from. */
export type UsageSource = Pick<UsageData, 'bounds' | 'fetch' | 'onDidChange' | 'report' | 'state'>;

/** What the dashboard needs of the place it runs in. */
interface DashboardHost extends Pick<Start, 'texts' | 'language'> {
  /** Joins the page with its handlers. */
  connect(options: {
    readonly protocol: UsageProtocol;
    readonly handlers: PanelHandlers<UsageProtocol>;
  }): Pick<PanelSide<UsageProtocol>, 'send'>;
  readonly acts: Pick<PanelHandlers<UsageProtocol>, 'save' | 'copy' | 'signIn'>;
}

/** The panel's end of the dashboard: answers the page, which knows what it shows. Knows nothing of VS Code. */
export class Dashboard extends Disposable {
  readonly #source: UsageSource;
  readonly #page: Pick<PanelSide<UsageProtocol>, 'send'>;
  #fetching: AbortController | undefined;
  /** Stands for the newest report asked for. */
  #asking = {};
  /** The days shown, which have been fetched without a person's asking where any were missing. */
  #shown: string | undefined;
  #orgId: string | undefined;
  /** The last day that the page has heard of. */
  #end: string;

  constructor(source: UsageSource, host: DashboardHost) {
    super();
    this.#source = source;
    this.#end = source.bounds.end;
    const { texts, language } = host;
    this.#page = host.connect({
      protocol: usageProtocol,
      handlers: {
        ready: () => {
          this.pageGone();
          this.#shown = undefined;
          return { texts, language, ...this.#situation() };
        },
        situation: () => this.#situation(),
        report: query => this.#report(query),
        fetch: ({ query, again }) => this.#fetch(query, again),
        cancel: () => this.pageGone(),
        ...host.acts,
      },
    });
    this.register(
      source.onDidChange(() => {
        // Days that were tried may be there now.
        if (source.state().kind !== 'ready') this.#shown = undefined;
        this.#page.send('changed', this.#situation());
      }),
    );
  }

  /** Somebody may look again: there may be another finished day. */
  lookAgain(): void {
    if (this.#source.bounds.end !== this.#end) this.#page.send('changed', this.#situation());
  }

  /** Nobody waits for days any more. */
  pageGone(): void {
    this.#fetching?.abort();
  }

  override dispose(): void {
    this.pageGone();
    super.dispose();
  }

  #situation(): Situation {
    const { bounds } = this.#source;
    this.#end = bounds.end;
    return { bounds, state: this.#source.state() };
  }

  /** Other days than before end their fetch, and are fetched themselves; another key may have what was refused to the one before. */
  async #report(query: UsageQuery): Promise<TabReport> {
    const mine = (this.#asking = {});
    const made = await this.#source.report(query);
    const { missing, previousRange, isComparable, problem, orgId } = made;
    if (mine !== this.#asking) return made;
    // Whose days a new key sees is found out by their fetch.
    const isSame = this.#shown === keyOf(query) && [undefined, orgId].includes(this.#orgId);
    [this.#shown, this.#orgId] = [keyOf(query), orgId];
    if (isSame) return made;
    this.pageGone();
    const isWhole = missing.length === 0 && (previousRange === undefined || isComparable);
    if (!isWhole && problem === undefined) this.#fetch(query, false).catch(unhandled);
    return made;
  }

  /** Ends the fetch before. Resolves to whether days could be had, or to why not. */
  async #fetch(query: UsageQuery, again: boolean): Promise<boolean | string> {
    this.pageGone();
    this.#shown = keyOf(query);
    const fetching = (this.#fetching = new AbortController());
    const { signal } = fetching;
    const onProgress = (fraction: number, label: string): void => {
      if (!signal.aborted) this.#page.send('fetching', { fraction, label });
    };
    onProgress(0, l10n.t('Fetching'));
    try {
      return (await this.#source.fetch(query, { again, signal, onProgress })) ?? true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    } finally {
      if (this.#fetching === fetching && !this.isDisposed) {
        this.#fetching = undefined;
        this.#page.send('fetching', null);
        this.#page.send('changed', this.#situation());
      }
    }
  }
}

/** Names the days that a query is about. */
function keyOf({ tab, range: { start, end } }: UsageQuery): string {
  return [tab, start, end].join(' ');
}
