import * as path from 'node:path';
import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Collection, Storage } from '../storage';
import { Disposable, Slot, type IDisposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { restriction } from '../util/restriction';
import { forQuickPick, oneLine } from '../util/text';
import type { WindowFocus } from '../util/windowFocus';
import { Attention } from './attention';
import { showDoctor, showTest, type DoctorViewDeps } from './doctorView';
import { Flows, needRealFiles } from './flows';
import { Following } from './following';
import { decodeHeldSignal, HeldSignals } from './heldSignals';
import { History } from './history';
import { Incoming, type IncomingDeps } from './incoming';
import { decodeInstalledFile, Installation, type InstalledFile } from './installation';
import { decodeNote, folderOf } from './model';
import type { NoticeSettings } from './notices';
import { Outgoing, readOutgoing } from './outgoing';
import { hookPlace, placeScript, type HookPlace } from './place';
import { Preview } from './preview';
import { SessionNotes } from './sessionNotes';
import type { SessionsForHooks } from './sessions';
import { decodeStop, Stops } from './stops';
import { Waiting } from './waiting';
import { workspaceFolders } from './workspace';

export type { HookSignal, SessionsForHooks } from './sessions';

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
    hooksListen(): 'auto' | 'on' | 'off';
    hooksSettingsFile(): string;
    hooksOutgoing(): unknown;
    readonly notifications: NoticeSettings;
  };
  readonly onDidChangeSettings: (listener: () => void) => IDisposable;
  readonly listenAgain: (file?: string) => Promise<void>;
}

export interface HooksFeature extends IDisposable {
  readonly commands: CommandHandlers<'hooks'>;
}

/** Hooks, both ways: events of the command-line client come in, events of followed sessions go out (section 6). */
export function registerHooks(deps: HooksDeps): HooksFeature {
  return new Hooks(deps);
}

/** So long the sessions may take before a notification goes without what they know, ms. */
const PATIENCE_MS = 1_500;

class Hooks extends Disposable implements HooksFeature {
  readonly #deps: HooksDeps;
  readonly #place: HookPlace;
  readonly #notes: SessionNotes;
  readonly #history: History;
  readonly #outgoing: Outgoing;
  readonly #stops: Stops;
  readonly #installation: Installation;
  readonly #files: Collection<InstalledFile>;
  readonly #attention: Attention;
  readonly #signals: HeldSignals;
  readonly #listening = this.register(new Slot<IDisposable>());
  readonly #following = this.register(new Slot<IDisposable>());
  #problems = '';
  readonly commands: CommandHandlers<'hooks'>;

  constructor(deps: HooksDeps) {
    super();
    this.#deps = deps;
    const { storage, log, format, settings } = deps;
    const place = (this.#place = hookPlace(path.join(deps.dataFolder, 'hooks')));
    const files = (this.#files = storage.collection({
      path: 'hook-files',
      version: 1,
      decode: decodeInstalledFile,
    }));
    this.#notes = new SessionNotes(
      storage.collection({ path: 'hook-sessions', version: 1, decode: decodeNote }),
    );
    this.#history = this.register(new History(place.history));
    this.#installation = new Installation({ place, files, folders: () => workspaceFolders() });
    this.#outgoing = this.register(
      new Outgoing({
        setting: () => settings.hooksOutgoing(),
        mayRun: () => restriction() === undefined,
        folders: () => workspaceFolders(),
        log,
      }),
    );
    this.#stops = new Stops(
      storage.collection({ path: 'hook-stops', version: 1, decode: decodeStop }),
      this.#outgoing,
    );
    this.#stops.forgetOld().catch((error: unknown) => log.error('The ends of work cannot be read', error));
    const titleOf = (sessionId: string): Promise<string | undefined> => this.#titleOf(sessionId);
    const history = this.#history;
    const notes = this.#notes;
    const waiting = this.register(
      new Waiting({
        history,
        notes,
        sessions: deps.sessions,
        onFailure: error => log.error('Whether agents still wait cannot be known', error),
      }),
    );
    this.#signals = this.register(
      new HeldSignals({
        held: storage.collection({ path: 'hook-signals', version: 1, decode: decodeHeldSignal }),
        sessions: deps.sessions,
        onFailure: error => log.error('What hooks told of sessions cannot be noted', error),
      }),
    );
    this.#attention = this.register(new Attention({ history, waiting, notes, titleOf, format }));
    const shipped = path.join(deps.extensionFolder, 'media', 'hooks');
    const doctor: DoctorViewDeps = {
      installation: this.#installation,
      place,
      history,
      isListening: () => this.#listening.value !== undefined,
      format,
      titleOf,
      shipped,
      unusable: () => readOutgoing(settings.hooksOutgoing()).problems,
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
      listenAgain: async file => {
        await deps.listenAgain(file);
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
    this.register(deps.onDidChangeSettings(() => this.#follow()));
    this.register(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#follow()));
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#follow()));
    this.register(
      this.#outgoing.onDidFinish(({ outcome, exitCode, hook }) => this.#tellFailure(outcome, exitCode, hook)),
    );
    const noted = this.#notes.load().then(() => waiting.update());
    noted.catch((error: unknown) => log.error('Muted sessions cannot be read', error));
    this.#signals.load().catch((error: unknown) => log.error('What hooks told cannot be read', error));
    this.register(files.onDidChange(() => this.#follow()));
    const prepared = files.load().then(async () => {
      this.#follow();
      if (this.#listening.value !== undefined) await placeScript(place, shipped);
    });
    prepared.catch((error: unknown) => log.error('The hook command cannot be put in its place', error));
    this.#follow();
  }

  /** Begins or ends what the settings ask for. */
  #follow(): void {
    const { settings } = this.#deps;
    const wanted = settings.hooksListen();
    const listens = wanted === 'on' || (wanted === 'auto' && this.#files.values.size > 0);
    if (!listens) this.#listening.set(undefined);
    else if (this.#listening.value === undefined) this.#listening.set(new Incoming(this.#incoming()));
    const problems = readOutgoing(settings.hooksOutgoing()).problems.join(', ');
    if (problems !== '' && problems !== this.#problems)
      this.#deps.log.warn(`Hooks of Agent Console that cannot be used: ${oneLine(problems)}`);
    this.#problems = problems;
    if (!this.#outgoing.isWanted('Stop')) this.#following.set(undefined);
    else if (this.#following.value === undefined) this.#following.set(this.#followSessions());
  }

  #incoming(): IncomingDeps {
    const { log, focused, settings } = this.#deps;
    return {
      place: this.#place,
      log,
      focused,
      settings: settings.notifications,
      notes: this.#notes,
      history: this.#history,
      outgoing: this.#outgoing,
      stops: this.#stops,
      workBegan: (id, until) => this.#ask(sessions => sessions.workOf?.(id, until)?.began),
      signals: this.#signals,
      titleOf: sessionId => this.#titleOf(sessionId),
    };
  }

  #followSessions(): IDisposable {
    const { log, sessions } = this.#deps;
    const onFailure = (error: unknown): void => log.error('Sessions cannot be followed for hooks', error);
    return new Following({
      sessions,
      onStop: (...stop) => void this.#sendStop(...stop).catch(onFailure),
      onFailure,
    });
  }

  /** The service tells no folder; a hook may have. */
  async #sendStop(sessionId: string, at: number, workedAt: number | undefined): Promise<void> {
    await this.#history.load();
    const cwd = folderOf(sessionId, this.#history.events) ?? workspaceFolders()[0] ?? '';
    const event = { hook_event_name: 'Stop', session_id: sessionId, cwd } as const;
    await this.#stops.tell(event, { by: 'status', at, workedAt });
  }

  #titleOf(sessionId: string): Promise<string | undefined> {
    return this.#ask(sessions => sessions.titleOf(sessionId));
  }

  /** What the sessions know, unless they take too long. */
  async #ask<T>(question: (sessions: SessionsForHooks) => T): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<undefined>(resolve => {
      timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    });
    const answer = this.#deps.sessions().then(question, () => undefined);
    return Promise.race([answer, patience]).finally(() => clearTimeout(timer));
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
    if (outcome === 'timedOut') return vscode.l10n.t('Your hook for {0} was ended at its timeout', event);
    if (outcome === 'notStarted') return vscode.l10n.t('Your hook for {0} could not be started', event);
    if (exitCode === undefined) return vscode.l10n.t('Your hook for {0} was ended', event);
    return vscode.l10n.t('Your hook for {0} ended with status {1}', event, exitCode);
  }

  async #unmute(): Promise<void> {
    await this.#notes.load();
    const rows = await Promise.all(
      this.#notes.muted.map(async ({ sessionId }) => ({
        label: forQuickPick((await this.#titleOf(sessionId)) ?? sessionId),
        description: forQuickPick(sessionId),
        sessionId,
      })),
    );
    if (rows.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No session is muted.'));
      return;
    }
    const picked = await vscode.window.showQuickPick(rows, {
      title: vscode.l10n.t('Unmute sessions'),
      canPickMany: true,
    });
    for (const { sessionId } of picked ?? []) await this.#notes.setMuted(sessionId, false);
  }
}
