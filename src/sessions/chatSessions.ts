import * as vscode from 'vscode';
import type { SessionSettings } from '../api';
import { Disposable, type IDisposable } from '../util/disposable';
import { Emitter, type Event } from '../util/event';
import type { SessionMonitor } from './monitor';
import type { SessionIndex } from './sessionIndex';
import { computerName, type ComputerFacts } from './row';
import { sessionTitle } from './text';

/** A session as the chat shows it. Times are Unix ms. */
export interface SessionForChat {
  readonly sessionId: string;
  readonly title: string;
  readonly computerId?: string;
  readonly computerName?: string;
  readonly status: string;
  readonly statusAt?: number;
  readonly statusProblem?: string;
  readonly messageCount?: number;
  readonly updatedAt?: number;
  readonly settings?: SessionSettings;
}

export interface ChatSessionsDeps {
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly computersChanged: Event<unknown>;
  readonly pick: (placeHolder: string) => Promise<string | undefined>;
  readonly ensure: (sessionId: string) => Promise<void>;
}

/** The sessions feature as the chat sees it: one small interface, passed through extension.ts. */
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
    this.register(deps.monitor.onDidChange(ids => this.#changed.fire(ids)));
    this.register(deps.computersChanged(() => this.#changed.fire([...deps.index.records.keys()])));
  }

  readonly onDidChange: Event<readonly string[]> = this.#changed.event;

  get(sessionId: string): SessionForChat | undefined {
    const record = this.#deps.index.get(sessionId);
    if (record === undefined) return undefined;
    const { session } = record;
    const status = this.#deps.monitor.statusOf(sessionId);
    const name = computerName(record, this.#deps.computer);
    return {
      sessionId,
      title: sessionTitle(record),
      status: status.value,
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

  watch(sessionId: string): IDisposable {
    return this.#deps.monitor.watch(sessionId);
  }

  async noteSend(sessionId: string, sent: { status: string; at: number; text: string }): Promise<void> {
    const { serviceId } = this.#deps.index;
    if (serviceId !== undefined) await this.#deps.index.noteSend(serviceId, sessionId, sent);
    this.#deps.monitor.poke(sessionId);
  }

  pick(placeHolder: string): Promise<string | undefined> {
    return this.#deps.pick(placeHolder);
  }

  ensure(sessionId: string): Promise<void> {
    return this.#deps.ensure(sessionId);
  }
}

/** An object with one property, or none when the value is missing. */
function given<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<K, V>>);
}
