import { Disposable } from '../../util/disposable';
import { panelSide, type PanelSide } from '../../webview/ipc';
import type { UsageData } from '../days/usageData';
import { usageProtocol, type Fetch, type Situation, type Start, type UsageProtocol } from './protocol';

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

/** The panel's end of the dashboard: answers the page, which knows what it shows. Knows nothing of VS Code. */
export class Dashboard extends Disposable {
  readonly #source: UsageSource;
  readonly #page: PanelSide<UsageProtocol>;
  #fetching: AbortController | undefined;
  /** The last day that the page has heard of. */
  #end: string;

  constructor(source: UsageSource, host: DashboardHost) {
    super();
    this.#source = source;
    this.#end = source.bounds.end;
    const { texts, language } = host;
    this.#page = panelSide({
      protocol: usageProtocol,
      handlers: {
        ready: () => {
          this.pageGone();
          host.ready();
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
      post: message => host.post(message),
      describe: error => host.describe(error),
      onProblem: (problem, error) => host.onProblem(problem, error),
    });
    this.register(source.onDidChange(() => this.#page.send('changed', this.#situation())));
  }

  /** Takes one message of the page; never throws, whatever it is. */
  receive(message: unknown): void {
    this.#page.receive(message);
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
