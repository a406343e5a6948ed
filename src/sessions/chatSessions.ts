import * as vscode from 'vscode';
import type { SessionSettings } from '../api';
import type { Logger } from '../log';
import { Disposable, toDisposable, type IDisposable } from '../util/disposable';
import { Emitter, type Event } from '../util/event';
import type { SessionMonitor } from './monitor';
import type { SessionIndex } from './sessionIndex';
import { computerName, iconOf, strandedText, type ComputerFacts } from './row';
import { sessionTitle, stateWord } from './text';

/** A session as the chat shows it. Times are Unix ms. */
export interface SessionForChat {
  readonly sessionId: string;
  readonly title: string;
  readonly computerId?: string;
  readonly computerName?: string;
  readonly status: string;
  /** The state as every other place shows it: in words, which tell a hook's word too, and as a codicon. */
  readonly shown: { readonly word: string; readonly icon: string; readonly spin: boolean };
  readonly statusAt?: number;
  readonly statusProblem?: string;
  readonly messageCount?: number;
  readonly updatedAt?: number;
  readonly settings?: SessionSettings;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
}

export interface ChatSessionsDeps {
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly computersChanged: Event<unknown>;
  readonly log: Pick<Logger, 'warn'>;
  readonly pick: (placeHolder: string, first?: 'known' | 'new') => Promise<string | undefined>;
  readonly ensure: (sessionId: string) => Promise<void>;
}

/** The sessions feature as the chat sees it: one small interface, passed through `parts`. */
export class ChatSessionsSource extends Disposable {
  readonly #deps: ChatSessionsDeps;
  readonly #changed = this.register(new Emitter<readonly string[]>());

  constructor(deps: ChatSessionsDeps) {
    super();
    this.#deps = deps;
    this.register(
      deps.index.onDidChange(ids =>
        this.#changed.fire(ids.length > 0 ? ids : [...deps.index.records.keys()]),
      ),
    );
    this.register(deps.computersChanged(() => this.#changed.fire([...deps.index.records.keys()])));
  }

  readonly onDidChange: Event<readonly string[]> = this.#changed.event;

  /** The service whose list has been read. */
  get serviceId(): string | undefined {
    const { index } = this.#deps;
    return index.isOpen ? index.serviceId : undefined;
  }

  get(sessionId: string): SessionForChat | undefined {
    const record = this.#deps.index.get(sessionId);
    if (record === undefined) return undefined;
    const { session, local } = record;
    const status = this.#deps.monitor.statusOf(sessionId);
    const { computer } = this.#deps;
    const name = computerName(record, computer);
    const [icon = '', spin] = iconOf(record, status, strandedText(record, computer) !== undefined).id.split(
      '~',
    );
    return {
      sessionId,
      title: sessionTitle(record),
      status: status.value,
      isPinned: local.pinned === true,
      isArchived: local.archivedAt !== undefined,
      shown: { word: stateWord(record, status), icon, spin: spin !== undefined },
      ...given('computerId', session?.computerId),
      ...given('computerName', name),
      ...given('statusAt', status.at),
      ...given('statusProblem', status.problem?.sentence),
      ...given('messageCount', session?.messageCount),
      ...given('updatedAt', session?.updatedAt),
      ...given('settings', session?.sessionSettings),
    };
  }

  async refresh(sessionId: string, signal?: AbortSignal): Promise<SessionForChat> {
    await this.#deps.monitor.check(sessionId, signal);
    const session = this.get(sessionId);
    if (session === undefined)
      throw new Error(vscode.l10n.t('The session was removed from the list meanwhile.'));
    return session;
  }

  /** Whoever watches sees the transcript: what it holds by then counts as read. */
  watch(sessionId: string): IDisposable {
    const watch = this.#deps.monitor.watch(sessionId, 'inFront');
    const seen = this.#deps.index.onDidChange(() => this.#markRead(sessionId));
    this.#markRead(sessionId);
    return toDisposable(() => {
      watch.dispose();
      seen.dispose();
    });
  }

  async noteSend(
    sessionId: string,
    sent: { status: string | undefined; at: number; text: string },
  ): Promise<void> {
    const { serviceId } = this.#deps.index;
    if (serviceId !== undefined) await this.#deps.index.noteSend(serviceId, sessionId, sent);
    this.#deps.monitor.poke(sessionId);
  }

  #markRead(sessionId: string): void {
    const { index } = this.#deps;
    const { serviceId } = index;
    const record = index.get(sessionId);
    const count = record?.session?.messageCount;
    if (serviceId === undefined || count === undefined || (record?.local.readCount ?? -1) >= count) return;
    index
      .keep(serviceId, sessionId, local => ({ ...local, readCount: count }))
      .catch((error: unknown) => {
        this.#deps.log.warn(`What was read of a session could not be stored: ${String(error)}`);
      });
  }

  pick(placeHolder: string, first?: 'known' | 'new'): Promise<string | undefined> {
    return this.#deps.pick(placeHolder, first);
  }

  ensure(sessionId: string): Promise<void> {
    return this.#deps.ensure(sessionId);
  }
}

/** An object with one property, or none when the value is missing. */
function given<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<K, V>>);
}
