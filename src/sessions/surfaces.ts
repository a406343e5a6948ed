import * as vscode from 'vscode';
import type { Row } from '../ui/tree';
import { Disposable, toDisposable, type IDisposable } from '../util/disposable';
import { Emitter, type Event } from '../util/event';
import { contextOf, type SessionsContext } from './context';
import { activityOf, isWaiting } from './store/model';
import type { SessionRecord, SessionSignal } from './store/record';
import { sessionRow } from './view/row';
import { computerName, iconOf, sessionTitle, stateText } from './view/words';

/** The sessions as the chat sees them. */
export class SessionsForChat extends Disposable {
  readonly #context: SessionsContext;
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly pick: (placeHolder: string, first?: 'known' | 'new') => Promise<string | undefined>;
  readonly ensure: (sessionId: string) => Promise<void>;

  constructor(
    context: SessionsContext,
    computersChanged: Event<unknown>,
    { pick, ensure }: Pick<SessionsForChat, 'pick' | 'ensure'>,
  ) {
    super();
    this.#context = context;
    [this.pick, this.ensure] = [pick, ensure];
    const { index } = context;
    const all = (): readonly string[] => [...index.records.keys()];
    this.register(index.onDidChange(ids => this.#changed.fire(ids.length > 0 ? ids : all())));
    this.register(computersChanged(() => this.#changed.fire(all())));
  }

  readonly onDidChange: Event<readonly string[]> = this.#changed.event;

  /** The service whose list has been read. */
  get serviceId(): string | undefined {
    const { index } = this.#context;
    return index.isOpen ? index.serviceId : undefined;
  }

  /** A session as the chat shows it; the state in words and as a codicon as every other place shows it. */
  get(sessionId: string) {
    const record = this.#context.index.get(sessionId);
    if (record === undefined) return undefined;
    const { session, local } = record;
    const { status, computer } = contextOf(record, this.#context);
    const [icon = '', spin] = iconOf(record, { status, computer }).id.split('~');
    return {
      sessionId,
      title: sessionTitle(record),
      computerId: session?.computerId,
      computerName: computerName(record, computer),
      status: status.value,
      shown: { word: stateText(record, status), icon, spin: spin !== undefined },
      statusAt: status.at,
      statusProblem: status.problem?.sentence,
      messageCount: session?.messageCount,
      updatedAt: session?.updatedAt,
      settings: session?.sessionSettings,
      isPinned: local.pinned === true,
      isArchived: local.archivedAt !== undefined,
    };
  }

  async refresh(sessionId: string, signal?: AbortSignal) {
    await this.#context.monitor.check(sessionId, signal);
    const session = this.get(sessionId);
    if (session === undefined)
      throw new Error(vscode.l10n.t('The session was removed from the list meanwhile.'));
    return session;
  }

  /** Whoever watches sees the transcript: what it holds by then counts as read. */
  watch(sessionId: string): IDisposable {
    const { monitor, index } = this.#context;
    const watch = monitor.watch(sessionId, 'inFront');
    const seen = index.onDidChange(() => this.#markRead(sessionId));
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
    const { index, monitor } = this.#context;
    if (index.serviceId !== undefined) await index.noteSend(index.serviceId, sessionId, sent);
    monitor.poke(sessionId);
  }

  #markRead(sessionId: string): void {
    const { index, log } = this.#context;
    const { session, local } = index.get(sessionId) ?? {};
    const count = session?.messageCount;
    if (count === undefined || (local?.readCount ?? -1) >= count) return;
    index
      .keep(sessionId, kept => ({ ...kept, readCount: count }))
      .catch((error: unknown) =>
        log.warn(`What was read of a session could not be stored: ${String(error)}`),
      );
  }
}

/** The sessions as the Computers view sees them. */
export function sessionsForComputers(context: SessionsContext) {
  const { index } = context;
  let known:
    { readonly of: unknown; readonly byComputer: Map<string | undefined, SessionRecord[]> } | undefined;
  return {
    onDidChange: index.onDidChange,
    /** The sessions of a computer that are not archived, the latest activity first. */
    ofComputer: (computerId: string): readonly { readonly sessionId: string; readonly row: () => Row }[] => {
      const { records } = index;
      if (known?.of !== records) {
        const shown = [...records.values()].filter(({ local }) => local.archivedAt === undefined);
        shown.sort((a, b) => activityOf(b) - activityOf(a));
        known = { of: records, byComputer: Map.groupBy(shown, ({ session }) => session?.computerId) };
      }
      return (known.byComputer.get(computerId) ?? []).map(record => ({
        sessionId: record.sessionId,
        row: () => sessionRow(record, contextOf(record, context)),
      }));
    },
  };
}

/** The sessions as the hooks see them. That an agent waits is known from the records alone, for rows, badge and bell. */
export function sessionsForHooks(
  {
    index,
    monitor,
  }: Pick<SessionsContext, 'index'> & { readonly monitor: Pick<SessionsContext['monitor'], 'watch'> },
  signal: (event: SessionSignal) => Promise<void>,
) {
  return {
    titleOf: (sessionId: string): string | undefined => {
      const record = index.get(sessionId);
      return record && sessionTitle(record);
    },
    signal,
    /** The longest waiting first. */
    waiting: (): readonly SessionSignal[] =>
      [...index.records.values()]
        .filter(isWaiting)
        .flatMap(({ sessionId, signal: kept }) => (kept === undefined ? [] : [{ sessionId, ...kept }]))
        .sort((a, b) => a.at - b.at),
    settle: (sessionId: string): Promise<void> => index.settle(sessionId),
    isMuted: (sessionId: string): boolean => index.get(sessionId)?.local.muted === true,
    setMuted: (sessionId: string, muted: boolean): Promise<void> =>
      index.keep(sessionId, local => ({ ...local, muted: muted || undefined, changedAt: Date.now() })),
    onDidChange: index.onDidChange,
    watch: (sessionId: string): IDisposable => monitor.watch(sessionId),
    /** When a session was last known to work, Unix ms. */
    workedAt: (sessionId: string): number | undefined => index.get(sessionId)?.work?.at,
    onDidChangeState: index.onDidChangeState,
  };
}
