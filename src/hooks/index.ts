import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Collection, Storage } from '../storage';
import { Disposable, Slot, type IDisposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { restriction } from '../ui/saveText';
import { forQuickPick, oneLine } from '../util/text';
import type { WindowFocus } from '../util/windowFocus';
import { showCheck, showTest, type CheckDeps } from './install/check';
import { Dialogs, needRealFiles } from './install/dialogs';
import { Installation, installedFile } from './install/installation';
import { hookPlace, placeScript, workspaceFolders, type HookPlace } from './install/place';
import {
  byTime,
  eventNames,
  FRESH_MS,
  hookEvent,
  isTest,
  stateOf,
  type HookEvent,
  type SessionsForHooks,
} from './model';
import { isTold, tell, type NoticeSettings } from './notices';
import { Inbox } from './receive/inbox';
import { Outgoing, readOutgoing, stopRecord, type FinishedHook } from './run/outgoing';
import { Waiting } from './waiting';

export type { HookSignal, SessionsForHooks } from './model';

export interface HooksDeps {
  readonly storage: Storage;
  /** The folder of this extension's own data, which updates leave alone. */
  readonly dataFolder: string;
  readonly extensionFolder: string;
  readonly log: Logger;
  readonly focused: Required<WindowFocus>;
  readonly format: Formatter;
  /** Loads the sessions; asked for when the first event arrives. */
  readonly sessions: () => Promise<SessionsForHooks>;
  readonly settings: {
    hooksSettingsFile(): string;
    hooksOutgoing(): unknown;
    readonly notifications: NoticeSettings;
  };
  readonly onDidChangeSettings: (listener: () => void) => IDisposable;
  /** Whether the chat of a session is shown in this window. */
  readonly isShown: (sessionId: string) => boolean;
  readonly storeFile: (file: string) => Promise<void>;
}

export interface HooksFeature extends IDisposable {
  readonly commands: CommandHandlers<'hooks'>;
}

/**
 * Hooks, both ways (interface.md section 6): events of the command-line client come in through the spool, one window takes each,
 * notes it on the session and tells of it; the person's own commands run on events and at the end of work.
 */
export class Hooks extends Disposable implements HooksFeature {
  readonly #deps: HooksDeps;
  readonly #place: HookPlace;
  readonly #events: Collection<HookEvent>;
  readonly #outgoing: Outgoing;
  readonly #inbox = this.register(new Slot<IDisposable>());
  #isFollowing = false;
  #unusable = '';
  readonly commands: CommandHandlers<'hooks'>;

  constructor(deps: HooksDeps) {
    super();
    this.#deps = deps;
    const { storage, log, format, settings, sessions } = deps;
    const place = (this.#place = hookPlace(path.join(deps.dataFolder, 'hooks')));
    const shipped = path.join(deps.extensionFolder, 'media', 'hooks');
    const files = storage.collection({ path: 'hook-files', version: 1, schema: installedFile });
    const events = storage.collection({ path: 'hook-events', version: 1, schema: hookEvent });
    this.#events = events;
    this.#outgoing = this.register(
      new Outgoing({
        setting: () => settings.hooksOutgoing(),
        mayRun: () => restriction() === undefined,
        folders: workspaceFolders,
        stops: storage.collection({ path: 'hook-stops', version: 1, schema: stopRecord }),
        log,
      }),
    );
    const waiting = this.register(new Waiting({ events, sessions, format, log }));
    const installing = { log, installation: new Installation(place, files), place, shipped };
    const dialogs = this.register(
      new Dialogs({
        ...installing,
        namedFile: () => settings.hooksSettingsFile(),
        storeFile: deps.storeFile,
      }),
    );
    const check: CheckDeps = {
      ...installing,
      events,
      isListening: () => this.#inbox.value !== undefined,
      format,
      unusable: () => readOutgoing(settings.hooksOutgoing()).problems,
      repair: () => dialogs.repair(),
    };
    const begin = async (): Promise<void> => {
      await this.#outgoing.forgetOldStops();
      const isInstalled = (await files.load()).size > 0;
      if (isInstalled) await placeScript(place, shipped);
      this.#listen(isInstalled);
    };
    const begun = begin().catch((error: unknown) => log.error('Hook events cannot be heard', error));
    this.commands = {
      install: () => dialogs.install(),
      uninstall: () => dialogs.uninstall(),
      test: async () => {
        needRealFiles();
        await begun;
        await showTest(check, workspaceFolders()[0] ?? place.folder);
      },
      doctor: async () => {
        await begun;
        await showCheck(check);
      },
      attention: () => waiting.show(),
    };
    this.register(deps.onDidChangeSettings(() => this.#follow()));
    this.register(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#follow()));
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#follow()));
    this.register(this.#outgoing.onDidFinish(finished => this.#tellFailure(finished)));
    this.register(files.onDidChange(() => this.#listen(files.values.size > 0)));
    this.#follow();
  }

  #listen(isInstalled: boolean): void {
    if (isInstalled === (this.#inbox.value !== undefined) || this.isDisposed) return;
    const { focused, log } = this.#deps;
    if (!isInstalled) this.#inbox.set(undefined);
    else
      this.#inbox.set(
        new Inbox({
          spool: this.#place.spool,
          events: this.#events,
          folders: () =>
            Promise.all(workspaceFolders().map(folder => fs.realpath(folder).catch(() => folder))),
          isFocused: () => focused.current,
          isShown: focused.isShown,
          take: event => this.#take(event),
          onProblem: (sentence, error) =>
            error === undefined ? log.warn(oneLine(sentence)) : log.error(sentence, error),
        }),
      );
  }

  /** Begins what the settings ask for. */
  #follow(): void {
    const { log, sessions, settings } = this.#deps;
    const unusable = oneLine(readOutgoing(settings.hooksOutgoing()).problems.join(', '));
    if (unusable !== '' && unusable !== this.#unusable)
      log.warn(`Entries of agentConsole.hooks.outgoing that cannot be used: ${unusable}`);
    this.#unusable = unusable;
    if (this.#isFollowing || !this.#outgoing.isWanted('Stop')) return;
    this.#isFollowing = true;
    sessions().then(
      followed => {
        if (this.isDisposed) return;
        const onChange = followed.onDidChangeState(({ sessionId, from, to, at, waiting }) => {
          const wasWorking = from === 'running' || from === 'pending';
          if (!wasWorking || to !== 'idle' || waiting === true) return;
          this.#sendStop(sessionId, at, followed.workedAt(sessionId)).catch((error: unknown) =>
            log.error('The hooks for Stop could not run', error),
          );
        });
        this.register(onChange);
      },
      (error: unknown) => {
        this.#isFollowing = false;
        log.error('Sessions cannot be followed for hooks', error);
      },
    );
  }

  /** What this window has to do about an event it took. */
  #take(event: HookEvent): void {
    if (isTest(event)) return;
    const failed = (error: unknown): void =>
      this.#deps.log.error(`The event ${oneLine(event.name, 40)} could not be handled`, error);
    this.#note(event).catch(failed);
    if (Date.now() - event.at <= FRESH_MS) this.#sendOn(event).catch(failed);
  }

  /** On the session first, so that row, badge and bell agree with the notification. */
  async #note(event: HookEvent): Promise<void> {
    const { focused, settings, isShown, log } = this.#deps;
    const { sessionId, at, message, reason, cwd } = event;
    const sessions = await this.#deps.sessions();
    const kind = stateOf(event);
    if (kind !== undefined && sessionId !== undefined)
      await sessions
        .signal({ sessionId, kind, at, message, reason, cwd })
        .catch((error: unknown) => log.error('What a hook told of a session cannot be noted', error));
    const context = {
      isLookedAt: focused.current && sessionId !== undefined && isShown(sessionId),
      isMuted: sessionId !== undefined && sessions.isMuted(sessionId),
    };
    if (!isTold(event, settings.notifications, context)) return;
    const title = sessionId === undefined ? undefined : sessions.titleOf(sessionId);
    tell(log, event, title, id => sessions.setMuted(id, true));
  }

  async #sendOn({ name, sessionId, at, cwd = '', message, reason }: HookEvent): Promise<void> {
    const known = eventNames.find(each => each === name);
    if (sessionId === undefined || known === undefined) return;
    const event = { hook_event_name: known, session_id: sessionId, cwd, message, reason };
    if (known === 'Stop') await this.#outgoing.runStop(event, { by: 'hook', at });
    else await this.#outgoing.run(event);
  }

  /** The service tells no folder; a hook may have. */
  async #sendStop(sessionId: string, at: number, workedAt: number | undefined): Promise<void> {
    const events = [...(await this.#events.load()).values()].sort(byTime);
    const heard = events.findLast(event => event.sessionId === sessionId && event.cwd !== undefined);
    const cwd = heard?.cwd ?? workspaceFolders()[0] ?? '';
    const event = { hook_event_name: 'Stop', session_id: sessionId, cwd } as const;
    await this.#outgoing.runStop(event, { by: 'status', at, workedAt });
  }

  #tellFailure(finished: FinishedHook): void {
    if (finished.exitCode === 0 || finished.outcome === 'stopped') return;
    vscode.window.setStatusBarMessage(`$(warning) ${forQuickPick(outgoingText(finished))}`, 10_000);
  }
}

function outgoingText({ outcome, exitCode, event }: FinishedHook): string {
  if (outcome === 'timedOut') return vscode.l10n.t('Your hook for {0} timed out', event);
  if (outcome === 'notStarted') return vscode.l10n.t('Your hook for {0} could not be started', event);
  if (exitCode === undefined) return vscode.l10n.t('Your hook for {0} was ended', event);
  return vscode.l10n.t('Your hook for {0} ended with status {1}', event, exitCode);
}
