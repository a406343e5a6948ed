import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { Disposable, Slot, toDisposable, type IDisposable } from '../util/disposable';
import type { Event, Observable } from '../util/event';
import type { Formatter } from '../util/format';
import { forQuickPick, oneLine } from '../util/text';
import { Attention } from './attention';
import { showDoctor, showTest, type DoctorViewDeps } from './doctorView';
import { Flows, needRealFiles } from './flows';
import { Handover } from './handover';
import { History } from './history';
import { decodeInstalledFile, Installation } from './installation';
import { decodeNote, FRESH_MS, isTest, stateOf, type HookEvent, type WindowPresence } from './model';
import { isTold, tell, type NoticeSettings } from './notices';
import { Outgoing, readOutgoing, type OutgoingEvent } from './outgoing';
import { hookPlace, placeScript, type HookPlace } from './place';
import { Preview } from './preview';
import { SessionNotes } from './sessionNotes';
import { WindowBoard } from './windowBoard';

/** What a hook told of a session; the shape the sessions take (interface-notes 5). */
export interface HookSignal {
  readonly sessionId: string;
  readonly kind: 'waiting' | 'finished' | 'ended';
  /** Unix ms. */
  readonly at: number;
  readonly reason?: string;
  readonly message?: string;
  readonly cwd?: string;
}

/** What the hooks need of the sessions. */
export interface SessionsForHooks {
  titleOf(sessionId: string): string | undefined;
  signal?(signal: HookSignal): Promise<void>;
  /** A followed session's status has changed; told in one window only. */
  readonly onDidChangeState?: Event<{
    readonly sessionId: string;
    readonly from: string;
    readonly to: string;
    readonly at: number;
    readonly waiting?: boolean;
  }>;
}

export interface HooksDeps {
  readonly storage: Storage;
  /** The folder of this extension's own data, which updates leave alone. */
  readonly dataFolder: string;
  readonly extensionFolder: string;
  readonly log: Logger;
  readonly focused: Observable<boolean>;
  readonly format: Formatter;
  /** Loads the sessions; asked for when the first event arrives. */
  readonly sessions: () => Promise<SessionsForHooks>;
  readonly settings: {
    hooksListen(): boolean;
    hooksSettingsFile(): string;
    hooksOutgoing(): unknown;
    readonly notifications: NoticeSettings;
  };
  readonly onDidChangeSettings: (listener: () => void) => IDisposable;
  readonly storeListening: (listen: boolean, file?: string) => Promise<void>;
}

export interface HooksFeature extends IDisposable {
  readonly commands: CommandHandlers<'hooks'>;
}

/** Hooks, both ways: events of the command-line client come in, events of followed sessions go out (section 6). */
export function registerHooks(deps: HooksDeps): HooksFeature {
  return new Hooks(deps);
}

/** So long a title may take before a notification goes without it, ms. */
const TITLE_MS = 1_500;

class Hooks extends Disposable implements HooksFeature {
  readonly #deps: HooksDeps;
  readonly #place: HookPlace;
  readonly #notes: SessionNotes;
  readonly #history: History;
  readonly #outgoing: Outgoing;
  readonly #installation: Installation;
  readonly #attention: Attention;
  readonly #listening = this.register(new Slot<IDisposable>());
  readonly #following = this.register(new Slot<IDisposable>());
  #shown: Promise<void> | undefined;
  #focusedAt = 0;
  readonly commands: CommandHandlers<'hooks'>;

  constructor(deps: HooksDeps) {
    super();
    this.#deps = deps;
    const { storage, log, focused, format, settings } = deps;
    const place = (this.#place = hookPlace(path.join(deps.dataFolder, 'hooks')));
    const files = storage.collection({ path: 'hook-files', version: 1, decode: decodeInstalledFile });
    this.#notes = new SessionNotes(
      storage.collection({ path: 'hook-sessions', version: 1, decode: decodeNote }),
    );
    this.#history = this.register(new History(place.history));
    this.#installation = new Installation({ place, files, folders: () => workspaceFolders() });
    this.#outgoing = this.register(
      new Outgoing({
        setting: () => settings.hooksOutgoing(),
        trusted: () => vscode.workspace.isTrusted,
        log,
      }),
    );
    const titleOf = (sessionId: string): Promise<string | undefined> => this.#titleOf(sessionId);
    const history = this.#history;
    this.#attention = this.register(new Attention({ history, notes: this.#notes, titleOf, format }));
    const shipped = path.join(deps.extensionFolder, 'media', 'hooks');
    const doctor: DoctorViewDeps = {
      installation: this.#installation,
      place,
      history,
      isListening: () => this.#listening.value !== undefined,
      format,
      titleOf,
      lastOutgoing: () => this.#lastOutgoing(),
    };
    const test = async (): Promise<void> => {
      needRealFiles();
      await showTest(doctor, workspaceFolders()[0] ?? place.folder, format);
    };
    const preview = this.register(new Preview());
    const flows = new Flows({
      installation: this.#installation,
      preview,
      place,
      shipped,
      namedFile: () => settings.hooksSettingsFile(),
      setListening: async (listen, file) => {
        await deps.storeListening(listen, file);
        this.#follow();
      },
      test,
    });
    this.commands = {
      install: argument => flows.install(argument),
      uninstall: argument => flows.uninstall(argument),
      repair: () => flows.repair(),
      test,
      doctor: () => showDoctor(doctor),
      attention: () => this.#attention.show(),
      unmute: () => this.#unmute(),
    };
    this.register(
      focused.onDidChange(isFocused => {
        if (isFocused) this.#focusedAt = Date.now();
      }),
    );
    if (focused.current) this.#focusedAt = Date.now();
    this.register(deps.onDidChangeSettings(() => this.#follow()));
    this.register(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#follow()));
    this.register(
      this.#outgoing.onDidFinish(({ outcome, exitCode, hook }) => this.#tellFailure(outcome, exitCode, hook)),
    );
    this.#notes.load().catch((error: unknown) => log.error('Muted sessions cannot be read', error));
    if (settings.hooksListen())
      placeScript(place, shipped).catch((error: unknown) =>
        log.error('The hook command cannot be put in its place', error),
      );
    this.#follow();
  }

  /** Begins or ends what the settings ask for. */
  #follow(): void {
    const { settings } = this.#deps;
    if (!settings.hooksListen()) this.#listening.set(undefined);
    else if (this.#listening.value === undefined) this.#listening.set(this.#listen());
    const hasOutgoing = readOutgoing(settings.hooksOutgoing()).hooks.length > 0 && vscode.workspace.isTrusted;
    if (!hasOutgoing) this.#following.set(undefined);
    else if (this.#following.value === undefined) this.#following.set(this.#followSessions());
  }

  #listen(): IDisposable {
    const { log, focused } = this.#deps;
    const id = randomUUID();
    const isShown = (): Promise<void> => this.#isShown();
    const board = new WindowBoard({
      folder: this.#place.windows,
      id,
      describe: () => this.#describe(),
      isShown,
      onFailure: error => log.error('This window cannot tell the others of itself', error),
    });
    const handover = new Handover({
      place: this.#place,
      id,
      windows: () => board.windows(),
      isShown,
      take: event => this.#take(event),
      onProblem: sentence => log.warn(oneLine(sentence)),
    });
    const publish = (): void => void board.publish();
    publish();
    const subscriptions = [
      focused.onDidChange(publish),
      vscode.workspace.onDidChangeWorkspaceFolders(publish),
      handover,
      board,
    ];
    return toDisposable(() => {
      for (const subscription of subscriptions) subscription.dispose();
    });
  }

  /** The window's own side answers only while there is one: a closed browser tab leaves its extension host behind. */
  #isShown(): Promise<void> {
    this.#shown ??= Promise.resolve(vscode.languages.getLanguages()).then(() => {
      this.#shown = undefined;
    });
    return this.#shown;
  }

  async #describe(): Promise<Omit<WindowPresence, 'id'>> {
    const folders = await Promise.all(
      workspaceFolders().map(folder => fs.realpath(folder).catch(() => folder)),
    );
    return { folders, focused: this.#deps.focused.current, focusedAt: this.#focusedAt };
  }

  #take(event: HookEvent): void {
    if (isTest(event)) return;
    const { log } = this.#deps;
    const failed = (error: unknown): void =>
      log.error(`The event ${oneLine(event.name, 40)} could not be handled`, error);
    this.#signal(event).catch(failed);
    const isFresh = Date.now() - event.at <= FRESH_MS;
    if (isFresh) this.#sendOn(event);
    const { focused, settings } = this.#deps;
    const { sessionId } = event;
    const context = {
      settings: settings.notifications,
      isFocused: focused.current,
      isMuted: sessionId !== undefined && this.#notes.get(sessionId)?.muted === true,
      startedAt: this.#previous(event),
      now: Date.now(),
    };
    if (!isTold(event, context)) return;
    const mute = (id: string): Promise<void> => this.#notes.setMuted(id, true);
    tell(event, { titleOf: id => this.#titleOf(id), mute }).catch(failed);
  }

  async #signal(event: HookEvent): Promise<void> {
    const kind = stateOf(event);
    const { sessionId, at, message, reason, cwd } = event;
    if (kind === undefined || sessionId === undefined) return;
    const sessions = await this.#deps.sessions();
    await sessions.signal?.({
      sessionId,
      kind,
      at,
      ...(message === undefined ? {} : { message }),
      ...(reason === undefined ? {} : { reason }),
      ...(cwd === undefined ? {} : { cwd }),
    });
  }

  /** Waiting and ending are known from hooks alone; that work has ended is told by the status of followed sessions. */
  #sendOn(event: HookEvent): void {
    const { name, sessionId, cwd = '', message, reason } = event;
    if (
      sessionId === undefined ||
      (name !== 'Notification' && name !== 'SessionEnd' && name !== 'SubagentStop')
    )
      return;
    void this.#outgoing.run({ hook_event_name: name, session_id: sessionId, cwd, message, reason });
  }

  #followSessions(): IDisposable {
    const subscription = new Slot<IDisposable>();
    const { log, sessions } = this.#deps;
    sessions().then(
      ({ onDidChangeState }) => {
        subscription.set(
          onDidChangeState?.(({ sessionId, from, to, waiting }) => {
            const wasWorking = from === 'running' || from === 'pending';
            if (!wasWorking || to !== 'idle' || waiting === true) return;
            const stop: OutgoingEvent = {
              hook_event_name: 'Stop',
              session_id: sessionId,
              cwd: workspaceFolders()[0] ?? '',
            };
            void this.#outgoing.run(stop);
          }),
        );
      },
      (error: unknown) => log.error('Sessions cannot be followed for hooks', error),
    );
    return subscription;
  }

  /** When the session was last heard of before this event: its work cannot have begun earlier. */
  #previous(event: HookEvent): number | undefined {
    return this.#history.events.find(
      other => other.sessionId === event.sessionId && other.id !== event.id && other.at <= event.at,
    )?.at;
  }

  async #titleOf(sessionId: string): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<undefined>(resolve => {
      timer = setTimeout(() => resolve(undefined), TITLE_MS);
    });
    const title = this.#deps.sessions().then(
      sessions => sessions.titleOf(sessionId),
      () => undefined,
    );
    return Promise.race([title, patience]).finally(() => clearTimeout(timer));
  }

  #tellFailure(outcome: string, exitCode: number | undefined, hook: { readonly event: string }): void {
    if (exitCode === 0 || outcome === 'stopped') return;
    vscode.window.setStatusBarMessage(
      `$(warning) ${forQuickPick(this.#outgoingText(outcome, exitCode, hook.event))}`,
      10_000,
    );
  }

  #lastOutgoing(): string | undefined {
    const { last } = this.#outgoing;
    if (last === undefined) return undefined;
    const age = this.#deps.format.span(Date.now() - last.at);
    const text = this.#outgoingText(last.outcome, last.exitCode, last.hook.event);
    return vscode.l10n.t('{0}, {1} ago', text, age);
  }

  #outgoingText(outcome: string, exitCode: number | undefined, event: string): string {
    const { t } = vscode.l10n;
    if (outcome === 'timedOut') return t('Your hook for {0} was ended at its timeout', event);
    if (outcome === 'notStarted') return t('Your hook for {0} could not be started', event);
    if (exitCode === undefined) return t('Your hook for {0} was ended', event);
    return t('Your hook for {0} ended with status {1}', event, exitCode);
  }

  async #unmute(): Promise<void> {
    await this.#notes.load();
    const { t } = vscode.l10n;
    const rows = await Promise.all(
      this.#notes.muted.map(async ({ sessionId }) => ({
        label: forQuickPick((await this.#titleOf(sessionId)) ?? sessionId),
        description: forQuickPick(sessionId),
        sessionId,
      })),
    );
    if (rows.length === 0) {
      void vscode.window.showInformationMessage(t('No session is muted.'));
      return;
    }
    const picked = await vscode.window.showQuickPick(rows, {
      title: t('Unmute sessions'),
      canPickMany: true,
    });
    for (const { sessionId } of picked ?? []) await this.#notes.setMuted(sessionId, false);
  }
}

function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
}
