import * as path from 'node:path';
import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Collection, Storage } from '../storage';
import { restriction } from '../ui/window';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable, Slot, type IDisposable } from '../util/lifecycle';
import { once } from '../util/promises';
import { forQuickPick, oneLine } from '../util/text';
import type { WindowFocus } from '../util/windowFocus';
import { install, needRealFiles, showCheck, showTest, uninstall } from './dialogs';
import {
  FRESH_MS,
  hookEvent,
  isTest,
  isNotified,
  stateOf,
  tell,
  type HookEvent,
  type NoticeSettings,
  type SessionsForHooks,
} from './events';
import { Inbox } from './inbox';
import { hookPlace, Installation, installedFile, placeScript, workspaceFolders } from './installation';
import { Outgoing, type FinishedHook } from './outgoing';
import { Waiting } from './waiting';

interface HooksDeps {
  readonly storage: Storage;
  /** The folder of this extension's own data, which updates leave alone. */
  readonly dataFolder: string;
  readonly extensionFolder: string;
  readonly log: Logger;
  readonly focused: Required<WindowFocus>;
  readonly details: Pick<DetailsDocuments, 'compare'>;
  /** Loads the sessions; asked for when the first event arrives. */
  readonly sessions: () => Promise<SessionsForHooks>;
  readonly settings: {
    hooksOutgoing(): unknown;
    readonly notifications: NoticeSettings;
  };
  readonly onDidChangeSettings: (listener: () => void) => IDisposable;
  readonly isShown: (sessionId: string) => boolean;
}

export interface HooksContext extends HooksDeps {
  /** The events that some window has taken, the same for all windows. */
  readonly events: Collection<HookEvent>;
  readonly installation: Installation;
  readonly isListening: () => boolean;
}

/**
 * Hooks, both ways (interface.md section 6): events of the command-line client come in through the spool, one window takes each,
 * notes it on the session and tells of it; the person's own commands run on events and at the end of work.
 */
export class Hooks extends Disposable {
  readonly #context: HooksContext;
  readonly #outgoing: Outgoing;
  readonly #inbox = this.register(new Slot<IDisposable>());
  readonly commands: CommandHandlers<'hooks'>;

  constructor(deps: HooksDeps) {
    super();
    const { storage, log, settings } = deps;
    const place = hookPlace(path.join(deps.dataFolder, 'hooks'), deps.extensionFolder);
    const files = storage.collection({ path: 'hook-files', version: 1, schema: installedFile });
    const events = storage.collection({ path: 'hook-events', version: 1, schema: hookEvent });
    const isListening = (): boolean => this.#inbox.value !== undefined;
    const installation = new Installation(place, files);
    const context = (this.#context = { ...deps, events, installation, isListening });
    this.#outgoing = this.register(
      new Outgoing({
        setting: () => settings.hooksOutgoing(),
        ...{ mayRun, folders: workspaceFolders, events },
        finished: tellFailure,
        log,
      }),
    );
    const waiting = this.register(new Waiting(context));
    const begin = async (): Promise<void> => {
      const isInstalled = (await files.load()).size > 0;
      this.#listen(isInstalled);
      if (isInstalled) await placeScript(place);
    };
    const begun = begin().catch((error: unknown) => log.error('Hook events cannot be heard', error));
    this.commands = {
      install: file => install(context, file),
      uninstall: () => uninstall(context),
      test: async () => {
        needRealFiles();
        await begun;
        await showTest(context, workspaceFolders()[0] ?? place.folder);
      },
      doctor: async () => {
        await begun;
        await showCheck(context);
      },
      attention: () => waiting.show(),
    };
    this.register(deps.onDidChangeSettings(() => this.#follow()));
    this.register(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#follow()));
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#follow()));
    this.register(files.onDidChange(() => this.#listen(files.values.size > 0)));
    this.#follow();
  }

  #listen(isInstalled: boolean): void {
    const { installation, isListening } = this.#context;
    if (isInstalled === isListening() || this.isDisposed) return;
    const { spool } = installation.place;
    const take = (event: HookEvent): void => this.#take(event);
    const deps = { ...this.#context, spool, folders: workspaceFolders, mayRun, take };
    this.#inbox.set(isInstalled ? new Inbox(deps) : undefined);
  }

  #follow(): void {
    if (this.#outgoing.isWanted('Stop'))
      this.#followSessions().catch((error: unknown) =>
        this.#context.log.error('Sessions cannot be followed for hooks', error),
      );
  }

  readonly #followSessions = once(async () => {
    const sessions = await this.#context.sessions();
    const onChange = sessions.onDidChangeState(({ sessionId, from, to, at, waiting }) => {
      const wasWorking = from === 'running' || from === 'pending';
      if (!wasWorking || to !== 'idle' || waiting === true) return;
      this.#outgoing
        .runStop(sessionId, sessions.get(sessionId)?.workedAt ?? at)
        .catch((error: unknown) => this.#context.log.error('The hooks for Stop could not run', error));
    });
    this.register(onChange);
  });

  #take(event: HookEvent): void {
    if (isTest(event)) return;
    const failed = (error: unknown): void =>
      this.#context.log.error(`The event ${oneLine(event.name, 40)} could not be handled`, error);
    this.#note(event).catch(failed);
    if (Date.now() - event.at <= FRESH_MS) this.#outgoing.run(event).catch(failed);
  }

  /** On the session first, so that row, badge and bell agree with the notification. */
  async #note(event: HookEvent): Promise<void> {
    const { focused, settings, isShown, log } = this.#context;
    const { sessionId, at, message, reason, cwd } = event;
    const sessions = await this.#context.sessions();
    const kind = stateOf(event);
    if (kind !== undefined && sessionId !== undefined)
      await sessions
        .signal({ sessionId, kind, at, message, reason, cwd })
        .catch((error: unknown) => log.error('What a hook told of a session cannot be noted', error));
    const session = sessionId === undefined ? undefined : sessions.get(sessionId);
    const context = {
      isLookedAt: focused.current && sessionId !== undefined && isShown(sessionId),
      isMuted: session?.isMuted === true,
    };
    if (isNotified(event, settings.notifications, context))
      tell(log, event, session?.title, id => sessions.setMuted(id, true));
  }
}

const mayRun = (): boolean => restriction() === undefined;

function tellFailure({ outcome, exitCode, event }: FinishedHook): void {
  if (exitCode === 0 || outcome === 'stopped') return;
  const sentence =
    exitCode === undefined
      ? vscode.l10n.t('Your hook for {0} failed', event)
      : vscode.l10n.t('Your hook for {0} ended with status {1}', event, exitCode);
  vscode.window.setStatusBarMessage(`$(warning) ${forQuickPick(sentence)}`, 10_000);
}
