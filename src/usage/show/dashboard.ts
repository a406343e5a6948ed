import { Disposable } from '../../util/disposable';
import type { PanelHandlers, PanelSide } from '../../webview/ipc';
import type { UsageData } from '../days/usageData';
import { usageProtocol, type Fetch, type Situation, type Start, type UsageProtocol } from './protocol';

/** Where the dashboard gets its reports from. */
export type UsageSource = Pick<UsageData, 'bounds' | 'fetch' | 'onDidChange' | 'report' | 'state'>;

/** What the dashboard needs of the place it runs in. */
export interface DashboardHost extends Pick<Start, 'texts' | 'language'> {
  /** Joins the page with its handlers. */
  connect(options: {
    readonly protocol: UsageProtocol;
    readonly handlers: PanelHandlers<UsageProtocol>;
  }): Pick<PanelSide<UsageProtocol>, 'send'>;
  /** Asks where to save a file; resolves with the name it got, `undefined` when the person thought better. */
  save(name: string, text: string): Promise<string | undefined>;
  copy(text: string): Promise<void>;
  signIn(): void;
}

/** The panel's end of the dashboard: answers the page, which knows what it shows. Knows nothing of VS Code. */
export class Dashboard extends Disposable {
  readonly #source: UsageSource;
  readonly #page: Pick<PanelSide<UsageProtocol>, 'send'>;
  #fetching: AbortController | undefined;
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
          return { texts, language };
        },
        situation: () => this.#situation(),
        report: query => source.report(query),
        fetch: wanted => this.#fetch(wanted),
        cancel: () => this.pageGone(),
        save: async ({ name, text }) => (await host.save(name, text)) ?? null,
        copy: ({ text }) => host.copy(text),
        signIn: () => host.signIn(),
      },
    });
    this.register(source.onDidChange(() => this.#page.send('changed', this.#situation())));
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

  /** Ends the fetch before. Resolves to why days could not be had. */
  async #fetch({ query, again }: Fetch): Promise<string | null> {
    this.pageGone();
    const { signal } = (this.#fetching = new AbortController());
    const onProgress = (fraction: number, label: string): void => {
      if (!signal.aborted) this.#page.send('fetching', { fraction, label });
    };
    try {
      return (await this.#source.fetch(query, { again, signal, onProgress })) ?? null;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }
}
