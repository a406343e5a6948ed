import * as vscode from 'vscode';
import { computerName, isApiError, type Computer } from '../../api';
import { commands } from '../../contributions';
import { withSignal } from '../../util/promises';
import { forNotification, oneLine } from '../../util/text';
import type { SessionAccess } from '../access';
import type { SessionIndex } from '../store/sessionIndex';
import { currentWorkspace } from '../store/workspaces';
import type { ComputerFacts } from '../view/words';
import { chooseComputer, chooseSettings } from './choose';
import { readPresets, settingText, type KnownSetting, type SendableSettings } from './settings';

/** What the organization has to say against a session that is about to be made; each warning is a sentence for people. */
export interface SessionPolicy {
  warnings(
    choice: SendableSettings & { readonly computerProvider?: string | undefined },
  ): Promise<readonly string[]>;
}

/** So long an unknown computer is waited for. */
const ASK_MS = 2_000;

export interface NewSessionsDeps {
  readonly index: SessionIndex;
  readonly access: SessionAccess;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly policy?: SessionPolicy | undefined;
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
    const { access, computer: known, presets } = this.#deps;
    const { api } = await access.signedIn(true);
    const asking = new AbortController();
    const ask = (): ReturnType<typeof chooseComputer> =>
      chooseComputer(api.computers.list({ signal: asking.signal }), this.#lastComputer());
    // Whoever thinks better of it waits for no list.
    const computer = computerId ?? (await ask().finally(() => asking.abort()));
    if (computer === undefined) return undefined;
    const name = typeof computer === 'string' ? known(computer)?.name : computerName(computer);
    const where = name ?? vscode.l10n.t('this computer');
    const given =
      settings ?? (await chooseSettings(where, readPresets(presets()), setting => this.#seen(setting)));
    return given === undefined ? undefined : this.#make(computer, given, true);
  }

  /** Creates the session and stores it (section 4.5). A creation without an answer is never repeated (interface-notes 4). */
  async #make(
    computer: string | Computer,
    settings: SendableSettings = {},
    byPerson: boolean,
  ): Promise<string | undefined> {
    const { access, policy, index } = this.#deps;
    const { api, service } = await access.signedIn(byPerson);
    const computerId = typeof computer === 'string' ? computer : computer.id;
    // One that this window has not read is asked for: the organization may forbid its kind. The service decides, so it is no matter.
    const asked = (id: string): Promise<ComputerFacts | undefined> =>
      api.computers.get(id, { signal: AbortSignal.timeout(ASK_MS) }).then(factsOf, () => undefined);
    const facts =
      typeof computer === 'string'
        ? (this.#deps.computer(computer) ?? (await asked(computer)))
        : factsOf(computer);
    const choice = { ...settings, computerProvider: facts?.providerType };
    // Another program is told by the service how its computer stands.
    const warnings = byPerson ? stateWarnings(facts) : [];
    warnings.push(...((await policy?.warnings(choice)) ?? []));
    if (!(await goOnInSpiteOf(warnings))) return undefined;
    const request = {
      computerId,
      ...(Object.keys(settings).length === 0 ? {} : { sessionSettings: settings }),
    };
    const title =
      facts === undefined
        ? vscode.l10n.t('Creating a session…')
        : vscode.l10n.t('Creating a session on {0}…', oneLine(facts.name, 60));
    const session = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: forNotification(title), cancellable: true },
      (_, token) =>
        withSignal(token, signal => api.sessions.create(request, { signal })).catch((error: unknown) => {
          if (isApiError(error) && error.kind === 'cancelled') return undefined;
          throw error;
        }),
    );
    if (session === undefined) return undefined;
    const { sessionId } = session;
    const [at, workspace] = [Date.now(), currentWorkspace()];
    await index
      .learn(service.id, { session, origin: 'created', at, workspace, computerName: facts?.name })
      .catch((cause: unknown) => {
        // The id is the only way back to the session: it must not go with the error.
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(
          vscode.l10n.t('Session {0} was created, but this machine could not store it: {1}', sessionId, why),
          { cause },
        );
      });
    return sessionId;
  }

  /** The computer of the session that was made last. */
  #lastComputer(): string | undefined {
    const made = [...this.#deps.index.records.values()].filter(({ origin }) => origin === 'created');
    return made.sort((a, b) => b.addedAt - a.addedAt)[0]?.session?.computerId;
  }

  /** What known sessions have for a setting, the most used first. */
  #seen(name: KnownSetting): readonly string[] {
    const values = [...this.#deps.index.records.values()].map(({ session }) =>
      settingText(session?.sessionSettings ?? {}, name),
    );
    return [...Map.groupBy(values, value => value)]
      .filter(([value]) => value !== '')
      .sort(([, a], [, b]) => b.length - a.length)
      .slice(0, 20)
      .map(([value]) => value);
  }
}

/** Reads the command's argument: nothing, a request, or a row of the Computers view. Throws with a clear sentence. */
function readRequest(argument: unknown): CreateRequest {
  if (argument === undefined || argument === null) return {};
  if (typeof argument !== 'object')
    throw new Error(vscode.l10n.t('Creating a session takes { computerId, sessionSettings? }.'));
  const { computerId, sessionSettings } = argument as { computerId?: unknown; sessionSettings?: unknown };
  if (computerId !== undefined && (typeof computerId !== 'string' || computerId === ''))
    throw new Error(vscode.l10n.t('“computerId” must be the id of a computer.'));
  const request = computerId === undefined ? {} : { computerId };
  if (sessionSettings === undefined) return request;
  if (typeof sessionSettings !== 'object' || sessionSettings === null || Array.isArray(sessionSettings))
    throw new Error(vscode.l10n.t('“sessionSettings” must be an object.'));
  return { ...request, sessionSettings };
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
  const options = { modal: true, ...(rest.length === 0 ? {} : { detail: rest.join('\n\n') }) };
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
