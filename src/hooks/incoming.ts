import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Logger } from '../log';
import { Disposable } from '../util/disposable';
import type { Observable } from '../util/event';
import { oneLine } from '../util/text';
import { Handover } from './handover';
import type { HeldSignals } from './heldSignals';
import type { History } from './history';
import { FRESH_MS, isTest, startOf, stateOf, type HookEvent, type WindowPresence } from './model';
import { isTold, tell, type NoticeSettings } from './notices';
import type { Outgoing } from './outgoing';
import type { HookPlace } from './place';
import type { SessionNotes } from './sessionNotes';
import { WindowBoard } from './windowBoard';
import { workspaceFolders } from './workspace';

export interface IncomingDeps {
  readonly place: HookPlace;
  readonly log: Logger;
  readonly focused: Observable<boolean>;
  readonly settings: NoticeSettings;
  readonly notes: SessionNotes;
  readonly history: Pick<History, 'events'>;
  readonly outgoing: Pick<Outgoing, 'run'>;
  readonly signals: Pick<HeldSignals, 'tell'>;
  readonly titleOf: (sessionId: string) => Promise<string | undefined>;
}

/** Listens to the events of the command-line client and does what this window has to do about those it takes. */
export class Incoming extends Disposable {
  readonly #deps: IncomingDeps;
  #shown: Promise<void> | undefined;
  #focusedAt = 0;

  constructor(deps: IncomingDeps) {
    super();
    this.#deps = deps;
    const { log, focused, place } = deps;
    const id = randomUUID();
    const isShown = (): Promise<void> => this.#isShown();
    if (focused.current) this.#focusedAt = Date.now();
    const board = this.register(
      new WindowBoard({
        folder: place.windows,
        id,
        describe: () => this.#describe(),
        isShown,
        onFailure: error => log.error('This window cannot tell the others of itself', error),
      }),
    );
    this.register(
      new Handover({
        place,
        id,
        windows: () => board.windows(),
        isShown,
        take: event => this.#take(event),
        onProblem: sentence => log.warn(oneLine(sentence)),
      }),
    );
    const publish = (): void => void board.publish();
    this.register(
      focused.onDidChange(isFocused => {
        if (isFocused) this.#focusedAt = Date.now();
        publish();
      }),
    );
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(publish));
    publish();
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
      settings,
      isFocused: focused.current,
      isMuted: sessionId !== undefined && this.#deps.notes.get(sessionId)?.muted === true,
      startedAt: startOf(event, this.#deps.history.events),
      now: Date.now(),
    };
    if (!isTold(event, context)) return;
    const mute = (id: string): Promise<void> => this.#deps.notes.setMuted(id, true);
    tell(event, { titleOf: id => this.#deps.titleOf(id), mute }).catch(failed);
  }

  async #signal(event: HookEvent): Promise<void> {
    const kind = stateOf(event);
    const { sessionId, at, message, reason, cwd } = event;
    if (kind === undefined || sessionId === undefined) return;
    await this.#deps.signals.tell({
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
    void this.#deps.outgoing.run({ hook_event_name: name, session_id: sessionId, cwd, message, reason });
  }
}
