import * as vscode from 'vscode';
import type { Row } from '../ui/tree';
import { toDisposable, type IDisposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { contextOf, type SessionsContext } from './context';
import { activityOf, isWaiting, statusOf, type SessionRecord, type SessionSignal } from './store/record';
import { computerName, sessionRow, sessionTitle, wordsOf } from './view/words';

/** The sessions as the chat sees them. */
export function sessionsForChat(
  context: SessionsContext,
  ask: {
    readonly pick: (placeHolder: string, first?: 'known' | 'new') => Promise<string | undefined>;
    readonly ensure: (sessionId: string) => Promise<void>;
  },
) {
  const { index, monitor, computers, log } = context;
  const changed = new Emitter<readonly string[]>();
  const all = (): readonly string[] => [...index.records.keys()];
  const listeners = [
    index.onDidChange(ids => changed.fire(ids.length > 0 ? ids : all())),
    computers.onDidChange(() => changed.fire(all())),
    changed,
  ];

  /** A session as the chat shows it; the state in words and as a codicon as every other place shows it. */
  const get = (sessionId: string) => {
    const record = index.get(sessionId);
    if (record === undefined) return undefined;
    const { session, local } = record;
    const now = contextOf(record, context);
    const { status } = now;
    const { title, state, icon, computer } = wordsOf(record, now);
    const [id = '', spin] = icon.id.split('~');
    return {
      sessionId,
      title,
      computerId: session?.computerId,
      computerName: computer,
      status: status.value,
      shown: { word: state, icon: id, spin: spin !== undefined },
      statusAt: status.at,
      statusProblem: status.problem?.sentence,
      messageCount: session?.messageCount,
      updatedAt: session?.updatedAt,
      settings: session?.sessionSettings,
      isPinned: local.pinned === true,
      isArchived: local.archivedAt !== undefined,
    };
  };

  const markRead = (sessionId: string): void => {
    const { session, local } = index.get(sessionId) ?? {};
    const count = session?.messageCount;
    if (count === undefined || (local?.readCount ?? -1) >= count) return;
    index
      .keep(sessionId, kept => ({ ...kept, readCount: count }))
      .catch((error: unknown) =>
        log.warn(`What was read of a session could not be stored: ${String(error)}`),
      );
  };

  return {
    ...ask,
    get,
    onDidChange: changed.event,
    /** The service whose list has been read. */
    get serviceId(): string | undefined {
      return index.isOpen ? index.serviceId : undefined;
    },
    read: (sessionId: string) => index.read(sessionId),
    refresh: async (sessionId: string, signal?: AbortSignal) => {
      await monitor.check(sessionId, signal);
      const session = get(sessionId);
      if (session === undefined)
        throw new Error(vscode.l10n.t('The session was removed from the list meanwhile.'));
      return session;
    },
    /** Who has it in front sees the transcript: what it holds by then counts as read. */
    watch: (sessionId: string, why?: 'inFront'): IDisposable => {
      if (why === undefined) return monitor.watch(sessionId);
      const held = [monitor.watch(sessionId, why), index.onDidChange(() => markRead(sessionId))];
      markRead(sessionId);
      return toDisposable(() => held.forEach(each => each.dispose()));
    },
    noteSend: async (
      sessionId: string,
      sent: { readonly status: string | undefined; readonly at: number; readonly text: string },
    ): Promise<void> => {
      if (index.serviceId !== undefined) await index.noteSend(index.serviceId, sessionId, sent);
      monitor.poke(sessionId);
    },
    dispose: () => listeners.forEach(each => each.dispose()),
  };
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

/** The sessions as what looks for their agents' work sees them. */
export function sessionsForChanges(
  { index, ready }: Pick<SessionsContext, 'index' | 'ready'>,
  pick: (placeHolder: string) => Promise<string | undefined>,
) {
  const shown = (record: SessionRecord) => {
    const { sessionId, session, signal, local } = record;
    return {
      sessionId,
      title: sessionTitle(record),
      createdAt: session?.createdAt,
      lastAt: activityOf(record),
      messageCount: session?.messageCount,
      isArchived: local.archivedAt !== undefined,
      finished:
        signal?.kind === 'finished' && signal.cwd !== undefined
          ? { at: signal.at, cwd: signal.cwd }
          : undefined,
    };
  };
  return {
    ready,
    pick,
    get serviceId(): string | undefined {
      return index.isOpen ? index.serviceId : undefined;
    },
    onDidChange: index.onDidChange,
    get: (sessionId: string) => {
      const record = index.get(sessionId);
      return record && shown(record);
    },
    all: () => [...index.records.values()].map(shown),
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
    /** Those a person wants to hear nothing of. */
    muted: (): readonly SessionSignal[] =>
      [...index.records.values()]
        .filter(({ local }) => local.muted === true)
        .map(record => ({
          sessionId: record.sessionId,
          kind: 'waiting',
          at: activityOf(record),
          ...record.signal,
        })),
    settle: (sessionId: string): Promise<void> => index.settle(sessionId),
    isMuted: (sessionId: string): boolean => index.get(sessionId)?.local.muted === true,
    setMuted: (sessionId: string, muted: boolean): Promise<void> =>
      index.keep(sessionId, local => ({ ...local, muted: muted || undefined })),
    onDidChange: index.onDidChange,
    watch: (sessionId: string): IDisposable => monitor.watch(sessionId),
    /** When a session was last known to work, Unix ms. */
    workedAt: (sessionId: string): number | undefined => index.get(sessionId)?.work?.at,
    onDidChangeState: index.onDidChangeState,
  };
}

/**
 * A session as other programs are told of it, from its record alone; `undefined` for one that was taken out of the list. `now`, Unix ms,
 * lets an old word about work count as unknown.
 */
export function toldSession(record: SessionRecord, now?: number) {
  const { sessionId, session, local, signal, workspace } = record;
  if (local.removedAt !== undefined) return undefined;
  const { value: status, at: statusAt, last, problem } = statusOf(record, record.check?.problem, now);
  return {
    sessionId,
    title: sessionTitle(record),
    status,
    statusAt,
    lastStatus: status === 'unknown' ? last : undefined,
    statusProblem: problem?.sentence,
    isWaiting: isWaiting(record),
    says: signal?.message,
    computerId: session?.computerId,
    computer: computerName(record, () => undefined),
    workspace: workspace?.name,
    model: session?.sessionSettings?.model,
    messageCount: session?.messageCount,
    lastActivityAt: activityOf(record),
    isPinned: local.pinned === true,
    isArchived: local.archivedAt !== undefined,
  };
}
