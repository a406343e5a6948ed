import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { Logger } from '../log';
import { saveText } from '../ui/window';
import { PagePanel } from '../ui/pagePanel';
import { Disposable } from '../util/lifecycle';
import { oneLine } from '../util/text';
import type { PanelSide, PanelSideOptions } from '../webview/ipc';
import type { UsageData } from './data';
import { usageProtocol, type Situation, type UsageProtocol, type UsageQuery } from './protocol';

/** Where the dashboard gets its reports from. */
export type UsageSource = Pick<UsageData, 'bounds' | 'fetch' | 'onDidChange' | 'report' | 'state'>;

/** A page that can be joined with its handlers. */
interface Connectable {
  connect(
    options: Pick<PanelSideOptions<UsageProtocol>, 'protocol' | 'handlers'>,
  ): Pick<PanelSide<UsageProtocol>, 'send'>;
}

/** The panel's end of the dashboard: answers the page, which knows what it shows. */
export class Dashboard extends Disposable {
  readonly #source: UsageSource;
  readonly #page: Pick<PanelSide<UsageProtocol>, 'send'>;
  #fetching: AbortController | undefined;
  /** The last day that the page has heard of. */
  #end: string;

  constructor(source: UsageSource, page: Connectable) {
    super();
    this.#source = source;
    this.#end = source.bounds.end;
    this.#page = page.connect({
      protocol: usageProtocol,
      handlers: {
        ready: () => {
          this.pageGone();
          return { texts: vscode.l10n.bundle, ...this.#situation() };
        },
        report: query => source.report(query),
        fetch: ({ query, again }) => this.#fetch(query, again),
        cancel: () => this.pageGone(),
        save: file => saved(file),
        copy: ({ text }) => vscode.env.clipboard.writeText(text),
        signIn: () => void vscode.commands.executeCommand(commands.connection.signIn),
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

  /** Ends the fetch before. Resolves to whether days could be had, or to why not. */
  async #fetch(query: UsageQuery, again: boolean): Promise<boolean | string> {
    this.pageGone();
    this.lookAgain();
    const fetching = (this.#fetching = new AbortController());
    const { signal } = fetching;
    const onPage = (pages: number): void => {
      if (!signal.aborted) this.#page.send('fetching', vscode.l10n.t('Fetching, page {0}', pages));
    };
    onPage(1);
    try {
      return (await this.#source.fetch(query, { again, signal, onPage: pages => onPage(pages + 1) })) ?? true;
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

interface PanelDeps {
  readonly source: UsageSource;
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
}

/** The dashboard in an editor panel. */
export class DashboardPanel extends PagePanel {
  readonly #dashboard: Dashboard;

  constructor(panel: vscode.WebviewPanel, { source, extensionUri, log }: PanelDeps) {
    super(panel, { name: 'usage', extensionUri, log });
    this.#dashboard = this.register(new Dashboard(source, this));
    const look = (): void => this.#dashboard.lookAgain();
    this.register(panel.onDidChangeViewState(look));
    this.register(vscode.window.onDidChangeWindowState(look));
    this.load();
  }

  protected override onGone(): void {
    this.#dashboard.pageGone();
  }
}

/** The name that a person gave to the file, or `null` where nothing was written. */
async function saved({ name, text: content }: { name: string; text: string }): Promise<string | null> {
  const uri = await saveText({ name, content, saveLabel: vscode.l10n.t('Export') });
  return uri === undefined ? null : oneLine(uri.path.slice(uri.path.lastIndexOf('/') + 1));
}
