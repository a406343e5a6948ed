import * as vscode from 'vscode';
import { computerName, isApiError, type ApiClient, type Computer, type Session } from '../../api';
import { commands } from '../../contributions';
import { withSignal } from '../../util/cancellation';
import { forNotification, oneLine } from '../../util/text';
import type { SessionAccess } from '../access';
import type { ComputerFacts } from '../view/words';
import type { SessionIndex } from '../store/sessionIndex';
import { currentWorkspace } from '../store/workspaces';
import { chooseComputer, chooseSettings } from './choose';
import { readPresets, settingText, type KnownSetting, type SendableSettings } from './settings';

/** A computer that is not known is waited for so long before a session is made on it. */
const ASK_MS = 2_000;

/** What a new session is about to be. */
interface PolicyChoice {
  readonly model?: string;
  readonly autonomyLevel?: string;
  readonly autonomyMode?: string;
  readonly specModeModel?: string;
  readonly computerProvider?: string;
}

/** What the organization has to say against a new session; each warning is a sentence for people. */
export interface SessionPolicy {
  warnings(choice: PolicyChoice): Promise<readonly string[]>;
}

export interface NewSessionsDeps {
  readonly index: SessionIndex;
  readonly access: SessionAccess;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly policy: SessionPolicy | undefined;
  /** As the person wrote them. */
  readonly presets: () => unknown;
}

/** What `agentConsole.sessions.create` takes from other extensions and keybindings. */
interface CreateRequest {
  readonly computerId?: string;
  readonly sessionSettings?: SendableSettings;
}

/** New sessions, as a person describes them or as another program asks for them. */
export class NewSessions {
  readonly #deps: NewSessionsDeps;

  constructor(deps: NewSessionsDeps) {
    this.#deps = deps;
  }

  /** A person gets the session opened; another extension that names everything gets its id. */
  async create(argument: unknown): Promise<string | undefined> {
    const { computerId, sessionSettings } = readRequest(argument);
    const isRow = typeof argument === 'object' && argument !== null && 'kind' in argument;
    if (computerId !== undefined && !isRow) return this.#make(computerId, sessionSettings, false);
    const made = await this.createForPerson(computerId, sessionSettings);
    const byPerson = isRow || argument === undefined || argument === null;
    if (byPerson && made !== undefined) await vscode.commands.executeCommand(commands.chat.open, made);
    return made;
  }

  /** Asks for what is not given; `undefined` when the person would rather not. */
  async createForPerson(computerId?: string, settings?: SendableSettings): Promise<string | undefined> {
    const { api } = await this.#deps.access.signedIn(true);
    const asking = new AbortController();
    const ask = (): ReturnType<typeof chooseComputer> =>
      chooseComputer(api.computers.list({ signal: asking.signal }), this.#lastComputer());
    // Whoever thinks better of it waits for no list.
    const computer = computerId ?? (await ask().finally(() => asking.abort()));
    if (computer === undefined) return undefined;
    const name = typeof computer === 'string' ? this.#deps.computer(computer)?.name : computerName(computer);
    const given =
      settings ??
      (await chooseSettings(
        name ?? vscode.l10n.t('this computer'),
        readPresets(this.#deps.presets()),
        setting => this.#seen(setting),
      ));
    return given === undefined ? undefined : this.#make(computer, given, true);
  }

  /** Creates the session and stores it. A creation without an answer is never repeated (interface-notes 4). */
  async #make(
    computer: string | Computer,
    settings: SendableSettings | undefined,
    byPerson: boolean,
  ): Promise<string | undefined> {
    const { api, service } = await this.#deps.access.signedIn(byPerson);
    const computerId = typeof computer === 'string' ? computer : computer.id;
    const facts = typeof computer === 'string' ? await this.#facts(api, computer) : factsOf(computer);
    if (!(await this.#agrees(settings ?? {}, facts, byPerson))) return undefined;
    const isPlain = settings === undefined || (byPerson && Object.keys(settings).length === 0);
    const request = { computerId, ...(isPlain ? {} : { sessionSettings: settings }) };
    const session = await post(api, request, facts?.name);
    if (session === undefined) return undefined;
    const name = facts?.name;
    const learnt = { session, origin: 'created', at: Date.now(), workspace: currentWorkspace() } as const;
    await this.#deps.index
      .learn(service.id, name === undefined ? learnt : { ...learnt, computerName: name })
      .catch((error: unknown) => {
        // The id is the only way back to the session: it must not go with the error.
        const why = error instanceof Error ? error.message : String(error);
        const { sessionId } = session;
        throw new Error(
          vscode.l10n.t('Session {0} was created, but this machine could not store it: {1}', sessionId, why),
        );
      });
    return session.sessionId;
  }

  /**
   * Tells what speaks against a session before it is made: the organization's rules, whoever asks for it, and to a person also
   * the state of its computer.
   */
  async #agrees(
    settings: SendableSettings,
    computer: ComputerFacts | undefined,
    byPerson: boolean,
  ): Promise<boolean> {
    const { model, autonomyLevel, autonomyMode, specModeModel } = settings;
    const warnings = await this.#deps.policy?.warnings({
      ...(model === undefined ? {} : { model }),
      ...(autonomyLevel === undefined ? {} : { autonomyLevel }),
      ...(autonomyMode === undefined ? {} : { autonomyMode }),
      ...(specModeModel === undefined ? {} : { specModeModel }),
      ...(computer?.providerType === undefined ? {} : { computerProvider: computer.providerType }),
    });
    return goOnInSpiteOf([...(byPerson ? stateWarnings(computer) : []), ...(warnings ?? [])]);
  }

  /** What is known of a computer; one that this window has not seen yet is asked for, since the organization may forbid its kind. */
  async #facts(api: ApiClient, computerId: string): Promise<ComputerFacts | undefined> {
    const known = this.#deps.computer(computerId);
    if (known !== undefined || this.#deps.policy === undefined) return known;
    try {
      return factsOf(await api.computers.get(computerId, { signal: AbortSignal.timeout(ASK_MS) }));
    } catch {
      // It only warns: the service decides, and says what is wrong with the computer.
      return undefined;
    }
  }

  /** The computer of the session that was made last. */
  #lastComputer(): string | undefined {
    const made = [...this.#deps.index.records.values()].filter(({ origin }) => origin === 'created');
    return made.sort((a, b) => b.addedAt - a.addedAt)[0]?.session?.computerId;
  }

  /** What known sessions have for a setting, the most used first. */
  #seen(name: KnownSetting): readonly string[] {
    const counts = new Map<string, number>();
    for (const { session } of this.#deps.index.records.values()) {
      const value = settingText(session?.sessionSettings ?? {}, name);
      if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 20)
      .map(([value]) => value);
  }
}

/** Reads the command's argument: nothing, a request, or a row of the Computers view. Throws with a clear sentence. */
function readRequest(argument: unknown): CreateRequest {
  if (argument === undefined || argument === null) return {};
  if (typeof argument !== 'object') {
    throw new Error(vscode.l10n.t('Creating a session takes { computerId, sessionSettings? }.'));
  }
  const { computerId, sessionSettings } = argument as { computerId?: unknown; sessionSettings?: unknown };
  if (computerId !== undefined && (typeof computerId !== 'string' || computerId === '')) {
    throw new Error(vscode.l10n.t('“computerId” must be the id of a computer.'));
  }
  const request = computerId === undefined ? {} : { computerId };
  if (sessionSettings === undefined) return request;
  if (typeof sessionSettings !== 'object' || sessionSettings === null || Array.isArray(sessionSettings)) {
    throw new Error(vscode.l10n.t('“sessionSettings” must be an object.'));
  }
  return { ...request, sessionSettings };
}

/** Section 4.5. Resolves to `undefined` when cancelled. */
async function post(
  api: ApiClient,
  request: Parameters<ApiClient['sessions']['create']>[0],
  computer: string | undefined,
): Promise<Session | undefined> {
  const title =
    computer === undefined
      ? vscode.l10n.t('Creating a session…')
      : vscode.l10n.t('Creating a session on {0}…', oneLine(computer, 60));
  try {
    return await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: forNotification(title), cancellable: true },
      (_, token) => withSignal(token, signal => api.sessions.create(request, { signal })),
    );
  } catch (error) {
    if (isApiError(error) && error.kind === 'cancelled') return undefined;
    throw error;
  }
}

function factsOf(computer: Computer): ComputerFacts {
  const { status, providerType } = computer;
  return { name: computerName(computer), status, providerType };
}

/** Asks whether to go on in spite of what speaks against it. True at once when nothing does. */
async function goOnInSpiteOf(warnings: readonly string[]): Promise<boolean> {
  if (warnings.length === 0) return true;
  const [first = '', ...rest] = warnings.map(warning => forNotification(warning, 500));
  const create = vscode.l10n.t('Create anyway');
  const detail = rest.join('\n\n');
  const options = detail === '' ? { modal: true } : { modal: true, detail };
  return (await vscode.window.showWarningMessage(first, options, create)) === create;
}

/** What a computer's state says against a session there. A computer that reports none may be tried. */
export function stateWarnings(computer: Pick<ComputerFacts, 'name' | 'status'> | undefined): string[] {
  if (computer?.status === undefined || computer.status === 'active') return [];
  const name = oneLine(computer.name, 60);
  switch (computer.status) {
    case 'provisioning':
      return [
        vscode.l10n.t('{0} is still being set up. A session may not start there before it is active.', name),
      ];
    case 'error':
      return [vscode.l10n.t('{0} is in error. A session there may never start.', name)];
    default:
      return [
        vscode.l10n.t('{0} is “{1}”. A session there may not start.', name, oneLine(computer.status, 40)),
      ];
  }
}
