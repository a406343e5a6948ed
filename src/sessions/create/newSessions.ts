import * as vscode from 'vscode';
import { commands } from '../../contributions';
import { confirmed } from '../../ui/notify';
import { within } from '../../util/promises';
import { forNotification, oneLine } from '../../util/text';
import { inProgress, type SessionAccess } from '../access';
import type { SessionsContext } from '../context';
import { currentWorkspace } from '../store/workspaces';
import type { ComputerFacts } from '../view/words';
import { chooseComputer, chooseSettings, factsOf, type ChosenComputer } from './choose';
import { readPresets, settingText, type KnownSetting, type SendableSettings } from './settings';

/** What the organization has to say against a session that is about to be made; each warning is a sentence for people. */
export interface SessionPolicy {
  warnings(
    choice: SendableSettings & { readonly computerProvider?: string | undefined },
  ): Promise<readonly string[]>;
}

/** So long an unknown computer is waited for. */
const ASK_MS = 2_000;

/** New sessions, as a person describes them or as another program asks for them. */
export class NewSessions {
  readonly #context: SessionsContext;
  readonly #access: SessionAccess;

  constructor(context: SessionsContext, access: SessionAccess) {
    this.#context = context;
    this.#access = access;
  }

  /** A person gets the session opened; another extension that names everything gets its id. */
  async create(argument: unknown): Promise<string | undefined> {
    const { computerId, sessionSettings } = readRequest(argument);
    const isRow = typeof argument === 'object' && argument !== null && 'kind' in argument;
    if (computerId !== undefined && !isRow) {
      const facts = this.#context.computers.known(computerId);
      return this.#make({ id: computerId, facts }, sessionSettings, false);
    }
    const made = await this.createForPerson(computerId, sessionSettings);
    const byPerson = isRow || argument === undefined || argument === null;
    if (byPerson && made !== undefined) await vscode.commands.executeCommand(commands.chat.open, made);
    return made;
  }

  /** Asks for what is not given; `undefined` when the person would rather not. */
  async createForPerson(computerId?: string, settings?: SendableSettings): Promise<string | undefined> {
    const { computers, presets } = this.#context;
    const { api } = await this.#access.signedIn(true);
    const asking = new AbortController();
    const ask = (): ReturnType<typeof chooseComputer> =>
      chooseComputer(api.list('computers', { signal: asking.signal }), this.#lastComputer());
    const computer =
      computerId === undefined
        ? // Whoever thinks better of it waits for no list.
          await ask().finally(() => asking.abort())
        : { id: computerId, facts: computers.known(computerId) };
    if (computer === undefined) return undefined;
    const where = computer.facts?.name ?? vscode.l10n.t('this computer');
    const given =
      settings ?? (await chooseSettings(where, readPresets(presets()), setting => this.#seen(setting)));
    return given === undefined ? undefined : this.#make(computer, given, true);
  }

  /** Creates the session and stores it (section 4.5). A creation without an answer is never repeated (interface-notes 4). */
  async #make(
    { id: computerId, facts: known }: ChosenComputer,
    settings: SendableSettings = {},
    byPerson: boolean,
  ): Promise<string | undefined> {
    const { policy, index } = this.#context;
    const { api, service } = await this.#access.signedIn(byPerson);
    // One that this window has not read is asked for: the organization may forbid its kind. The service decides, so it is no matter.
    const asked = (signal: AbortSignal) => api.one('computer', { ids: { computerId }, signal });
    const facts = known ?? (await within(ASK_MS, asked).then(factsOf, () => undefined));
    // Another program is told by the service how its computer stands.
    const warnings = byPerson ? stateWarnings(facts) : [];
    warnings.push(
      ...((await policy?.warnings({ ...settings, computerProvider: facts?.providerType })) ?? []),
    );
    if (!(await goOnInSpiteOf(warnings))) return undefined;
    const request = {
      computerId,
      ...(Object.keys(settings).length === 0 ? {} : { sessionSettings: settings }),
    };
    const title =
      facts === undefined
        ? vscode.l10n.t('Creating a session…')
        : vscode.l10n.t('Creating a session on {0}…', oneLine(facts.name, 60));
    const session = await inProgress(forNotification(title), signal =>
      api.createSession(request, { signal }),
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
    const made = [...this.#context.index.records.values()].filter(({ origin }) => origin === 'created');
    return made.sort((a, b) => b.addedAt - a.addedAt)[0]?.session?.computerId;
  }

  /** What known sessions have for a setting, the most used first. */
  #seen(name: KnownSetting): readonly string[] {
    const values = [...this.#context.index.records.values()].map(({ session }) =>
      settingText(session?.sessionSettings ?? {}, name),
    );
    return [...Map.groupBy(values, value => value)]
      .filter(([value]) => value !== '')
      .sort(([, a], [, b]) => b.length - a.length)
      .slice(0, 20)
      .map(([value]) => value);
  }
}

/** Reads what the command takes: nothing, a request of another extension or a keybinding, or a row of the Computers view. */
function readRequest(argument: unknown) {
  const isObject = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const { computerId, sessionSettings } = (argument ?? {}) as Partial<Record<string, unknown>>;
  const isId = computerId === undefined || (typeof computerId === 'string' && computerId !== '');
  if (!isObject(argument ?? {}) || !isId || !isObject(sessionSettings ?? {}))
    throw new Error(vscode.l10n.t('Creating a session takes { computerId, sessionSettings? }.'));
  return { computerId, sessionSettings: (sessionSettings ?? undefined) as SendableSettings | undefined };
}

/** Asks whether to go on in spite of what speaks against it. True at once when nothing does. */
async function goOnInSpiteOf(warnings: readonly string[]): Promise<boolean> {
  if (warnings.length === 0) return true;
  const [first = '', ...rest] = warnings.map(warning => forNotification(warning, 500));
  return confirmed(first, rest.join('\n\n'), vscode.l10n.t('Create anyway'));
}

/** What a computer's state says against a session there. A computer that reports none may be tried. */
export function stateWarnings(computer: Pick<ComputerFacts, 'name' | 'status'> | undefined): string[] {
  const { name = '', status = 'active' } = computer ?? {};
  if (status === 'active') return [];
  const [shown, state] = [oneLine(name, 60), oneLine(status, 40)];
  return [vscode.l10n.t('{0} is not active (“{1}”). A session there may never start.', shown, state)];
}
