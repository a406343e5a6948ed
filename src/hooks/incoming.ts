import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Logger } from '../log';
import { Disposable } from '../util/disposable';
import { oneLine } from '../util/text';
import type { WindowFocus } from '../util/windowFocus';
import { Handover } from './handover';
import type { HeldSignals } from './heldSignals';
import type { History } from './history';
import { eventNames, FRESH_MS, isTest, startOf, stateOf, type HookEvent, type WindowPresence } from './model';
import { isTold, tell, type NoticeSettings } from './notices';
import type { Outgoing } from './outgoing';
import type { HookPlace } from './place';
import type { SessionNotes } from './sessionNotes';
import type { Stops } from './stops';
import { WindowBoard } from './windowBoard';
import { workspaceFolders } from './workspace';

export interface IncomingDeps {
  readonly place: HookPlace;
  readonly log: Logger;
  readonly focused: Required<WindowFocus>;
  readonly settings: NoticeSettings;
  readonly notes: SessionNotes;
  readonly history: Pick<History, 'events'>;
  readonly outgoing: Pick<Outgoing, 'run'>;
  readonly stops: Pick<Stops, 'tell'>;
  /** When the work of a session that ended at `until` began at the earliest, as far as the sessions tell; Unix ms. */
  readonly workBegan: (sessionId: string, until: number) => Promise<number | undefined>;
  readonly signals: Pick<HeldSignals, 'tell'>;
  readonly titleOf: (sessionId: string) => Promise<string | undefined>;
}

/** Listens to the events of the command-line client and does what this window has to do about those it takes. */
export class Incoming extends Disposable {
  readonly #deps: IncomingDeps;
  #focusedAt = 0;

  constructor(deps: IncomingDeps) {
    super();
    this.#deps = deps;
    const { log, focused, place } = deps;
    const id = randomUUID();
    const { isShown } = focused;
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
    if (isFresh) this.#sendOn(event).catch(failed);
    this.#tell(event).catch(failed);
  }

  async #tell(event: HookEvent): Promise<void> {
    const { focused, settings } = this.#deps;
    const { sessionId } = event;
    const context = {
      settings,
      isFocused: focused.current,
      isMuted: sessionId !== undefined && this.#deps.notes.get(sessionId)?.muted === true,
      startedAt: await this.#startedAt(event),
      now: Date.now(),
    };
    if (!isTold(event, context)) return;
    const mute = (id: string): Promise<void> => this.#deps.notes.setMuted(id, true);
    await tell(event, { titleOf: id => this.#deps.titleOf(id), mute });
  }

  /** When the work that ended with the event began at the earliest; asked only where somebody wants to know. */
  async #startedAt(event: HookEvent): Promise<number | undefined> {
    const { sessionId } = event;
    if (sessionId === undefined || this.#deps.settings.minimumSeconds() === 0) return undefined;
    const began = await this.#deps.workBegan(sessionId, event.at);
    const known = [began, startOf(event, this.#deps.history.events)].filter(at => at !== undefined);
    return known.length > 0 ? Math.max(...known) : undefined;
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

  async #sendOn({ name, sessionId, at, cwd = '', message, reason }: HookEvent): Promise<void> {
    const known = eventNames.find(each => each === name);
    if (sessionId === undefined || known === undefined) return;
    const event = { hook_event_name: known, session_id: sessionId, cwd, message, reason };
    await (known === 'Stop'
      ? this.#deps.stops.tell(event, { by: 'hook', at })
      : this.#deps.outgoing.run(event));
  }
}
