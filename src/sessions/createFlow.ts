import * as vscode from 'vscode';
import { computerName, type ApiClient, type Computer } from '../api';
import type { Service } from '../connection';
import { commands } from '../contributions';
import type { SessionAccess } from './access';
import type { RememberedChoices } from './choices';
import { createSession, readCreateRequest, type CreateRequest } from './create';
import { valueText, type Field, type SendableSettings } from './fields';
import { askFirstMessage, type FirstMessage } from './firstMessage';
import { pickComputer } from './computerPicker';
import { goOnInSpiteOf, stateWarnings, type SessionPolicy } from './policy';
import type { ComputerFacts } from './row';
import { sendFirst, type ChatForNewSessions } from './sendFirst';
import type { SessionIndex } from './sessionIndex';
import { chooseSettings } from './settingsForm';
import { inputStep } from './steps';
import { currentWorkspace } from './workspaces';

/** A computer that is not known is waited for so long before a session is made on it. */
const ASK_MS = 2_000;

export interface CreateFlowDeps {
  readonly index: SessionIndex;
  readonly access: SessionAccess;
  readonly choices: RememberedChoices;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly policy: SessionPolicy | undefined;
  readonly chat: ChatForNewSessions;
}

/** A new session as far as a person has described it. */
interface Draft extends FirstMessage {
  readonly computer: { readonly id: string; readonly facts: ComputerFacts | undefined };
  readonly settings: SendableSettings;
}

/** New sessions: at once on a computer, or with settings and a first message; or as another program asks for them. */
export class CreateFlow {
  readonly #deps: CreateFlowDeps;
  /** What was described for a session that was not made; the next try begins with it. */
  #kept: Partial<Draft> = {};

  constructor(deps: CreateFlowDeps) {
    this.#deps = deps;
  }

  readonly handlers = {
    create: (argument: unknown) => this.#create(argument),
    createWith: (argument: unknown) => this.#createWith(argument),
  } as const;

  /** A new session on a computer that the person picks; `undefined` when cancelled. */
  async createForPerson(): Promise<string | undefined> {
    const { api, service } = await this.#deps.access.signedIn(true);
    return this.#pickAndMake(api, service);
  }

  async #create(argument: unknown): Promise<string | undefined> {
    const request = readCreateRequest(argument);
    // A person gets the session opened; another extension that names everything gets its id.
    const byPerson =
      argument === undefined || argument === null || (typeof argument === 'object' && 'kind' in argument);
    const { api, service } = await this.#deps.access.signedIn(byPerson);
    const { computerId, sessionSettings = {} } = request;
    if (computerId === undefined) {
      const made = await this.#pickAndMake(api, service, sessionSettings);
      if (byPerson && made !== undefined) await openChat(made);
      return made;
    }
    const computer = { id: computerId, facts: await this.#facts(api, computerId) };
    const draft = { computer, settings: sessionSettings, text: '', files: [] };
    const sessionId = await this.#make(api, service, draft, byPerson, request);
    if (byPerson && sessionId !== undefined) await openChat(sessionId);
    return sessionId;
  }

  async #pickAndMake(
    api: ApiClient,
    service: Service,
    settings: SendableSettings = {},
  ): Promise<string | undefined> {
    const { computerId } = await this.#deps.choices.read(service.id);
    const picked = await pickComputer(api, { last: computerId, host: service.host });
    if (typeof picked === 'string') return undefined;
    const { computer, withSettings } = picked.value;
    if (withSettings) {
      await this.#describe(api, service, computer);
      return undefined;
    }
    const draft = { computer: { id: computer.id, facts: factsOf(computer) }, settings, text: '', files: [] };
    return this.#make(api, service, draft, true);
  }

  /** Settings and a first message, in three steps; from the row of a computer, in two. */
  async #createWith(argument: unknown): Promise<void> {
    const { computerId } = readCreateRequest(argument);
    const { api, service } = await this.#deps.access.signedIn(true);
    if (computerId !== undefined) return this.#describe(api, service, undefined, computerId);
    const last = (await this.#deps.choices.read(service.id)).computerId;
    const title = titleOf(1);
    const picked = await pickComputer(api, { last, host: service.host, title });
    if (typeof picked !== 'string') await this.#describe(api, service, picked.value.computer);
  }

  async #describe(api: ApiClient, service: Service, computer?: Computer, computerId?: string): Promise<void> {
    const id = computer?.id ?? computerId ?? '';
    const facts = computer === undefined ? await this.#facts(api, id) : factsOf(computer);
    const last = await this.#deps.choices.read(service.id);
    let { settings = {}, text = '', files = [] } = this.#kept;
    for (;;) {
      const chosen = await chooseSettings(settings, {
        title: titleOf(2),
        last: last.settings,
        seen: field => this.#seen(field),
      });
      if (chosen === 'cancelled') return;
      if (chosen === 'back') return this.#createWith(undefined);
      settings = chosen.value;
      const keep = (message: FirstMessage): void => {
        ({ text, files } = message);
        this.#kept = { settings, text, files };
      };
      keep({ text, files });
      const message = await askFirstMessage(
        { text, files },
        { title: titleOf(3), input: inputStep, chooseFiles, keep },
      );
      if (message === 'cancelled') return;
      if (message !== 'back') break;
    }
    const draft: Draft = { computer: { id, facts }, settings, text, files };
    this.#kept = draft;
    const sessionId = await this.#make(api, service, draft, true);
    if (sessionId === undefined) return;
    await openChat(sessionId);
    const { isSafe, error } = await sendFirst(this.#deps.chat, { sessionId, text, files });
    if (isSafe) this.#kept = {};
    if (error !== undefined) throw error;
  }

  /** Creates the session and stores it. `undefined` when the person would rather not. */
  async #make(
    api: ApiClient,
    service: Service,
    { computer, settings }: Draft,
    byPerson: boolean,
    request?: Partial<CreateRequest>,
  ): Promise<string | undefined> {
    if (!(await this.#agrees(settings, computer.facts, byPerson))) return undefined;
    const hasSettings = request?.sessionSettings !== undefined || Object.keys(settings).length > 0;
    const session = await createSession(
      api,
      { computerId: computer.id, ...(hasSettings ? { sessionSettings: settings } : {}) },
      computer.facts?.name,
    );
    if (session === undefined) return undefined;
    const name = computer.facts?.name;
    const learnt = { session, origin: 'created', at: Date.now(), workspace: currentWorkspace() } as const;
    await this.#deps.index
      .learn(service.id, name === undefined ? learnt : { ...learnt, computerName: name })
      .catch((error: unknown) => {
        // The id is the only way back to the session: it must not go with the error.
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(
          vscode.l10n.t(
            'Session {0} was created, but this machine could not store it: {1}',
            session.sessionId,
            why,
          ),
        );
      });
    if (byPerson) await this.#deps.choices.remember(service.id, { computerId: computer.id, settings });
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

  /** What known sessions have for a field, the most used first. */
  #seen(field: Field): readonly string[] {
    const counts = new Map<string, number>();
    for (const { session } of this.#deps.index.records.values()) {
      const value = valueText(session?.sessionSettings ?? {}, field);
      if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 20)
      .map(([value]) => value);
  }
}

function chooseFiles(): Thenable<readonly vscode.Uri[] | undefined> {
  return vscode.window.showOpenDialog({ canSelectMany: true, openLabel: vscode.l10n.t('Attach') });
}

function factsOf(computer: Computer): ComputerFacts {
  const { status, providerType } = computer;
  return { name: computerName(computer), status, providerType };
}

function titleOf(step: number): string {
  return vscode.l10n.t('New session ({0}/3)', step);
}

async function openChat(sessionId: string): Promise<void> {
  await vscode.commands.executeCommand(commands.chat.open, sessionId);
}
