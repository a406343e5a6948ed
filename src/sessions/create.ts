import * as vscode from 'vscode';
import { computerName, type SessionSettings } from '../api';
import { commands } from '../contributions';
import { confirmed } from '../ui/window';
import { pick } from '../ui/pick';
import { joined } from '../ui/text';
import { forNotification, forQuickPick, oneLine, readableName } from '../util/text';
import type { SessionsContext } from '.';
import { currentWorkspace, inProgress, signedIn } from './access';
import { settingText, type ComputerFacts } from './words';

/** What a client may send as `sessionSettings`: every field of section 2.8 but `tokenUsage`. */
type SendableSettings = Omit<SessionSettings, 'tokenUsage'>;

/** What the organization has to say against a session that is about to be made; each warning is a sentence for people. */
export interface SessionPolicy {
  warnings(
    choice: SendableSettings & { readonly computerProvider?: string | undefined },
  ): Promise<readonly string[]>;
}

const ASK_MS = 2_000;

/** A person gets the session opened; another extension that names everything gets its id. */
export async function createSession(
  context: SessionsContext,
  argument: unknown,
): Promise<string | undefined> {
  const { computerId, sessionSettings } = readRequest(argument);
  const isRow = typeof argument === 'object' && argument !== null && 'kind' in argument;
  if (computerId !== undefined && !isRow) return make(context, computerId, sessionSettings, false);
  const made = await createForPerson(context, computerId, sessionSettings);
  const byPerson = isRow || argument === undefined || argument === null;
  if (byPerson && made !== undefined) await vscode.commands.executeCommand(commands.chat.open, made);
  return made;
}

export async function createForPerson(
  context: SessionsContext,
  computerId?: string,
  settings?: SendableSettings,
): Promise<string | undefined> {
  const { index, computers, presets } = context;
  await signedIn(context, true);
  const known = [...index.records.values()];
  const [last] = known.filter(({ origin }) => origin === 'created').sort((a, b) => b.addedAt - a.addedAt);
  const question = vscode.l10n.t('Choose a computer for the new session');
  const chosen = computerId ?? (await computers.pick(question, last?.session?.computerId))?.id;
  if (chosen === undefined) return undefined;
  const seen = (name: Asked): readonly string[] => {
    const values = known.map(({ session }) => settingText(session?.sessionSettings?.[name]));
    return values.filter(value => value !== '');
  };
  const where = computers.known(chosen)?.name ?? vscode.l10n.t('this computer');
  const given = settings ?? (await chooseSettings(where, presets(), seen));
  return given === undefined ? undefined : make(context, chosen, given, true);
}

/** Creates the session and stores it (section 4.5). A creation without an answer is never repeated (interface-notes 4). */
async function make(
  context: SessionsContext,
  computerId: string,
  settings: SendableSettings = {},
  byPerson: boolean,
): Promise<string | undefined> {
  const { policy, index, computers, log } = context;
  const { api, service } = await signedIn(context, byPerson);
  // One that this window has not read is asked for: the organization may forbid its kind. The service decides, so it is no matter.
  const asked = async (): Promise<ComputerFacts | undefined> => {
    try {
      const signal = AbortSignal.timeout(ASK_MS);
      const computer = await api.one('computer', { ids: { computerId }, signal });
      return { ...computer, name: computerName(computer) };
    } catch (error) {
      log.debug(`What kind of computer this is could not be found out: ${String(error)}`);
      return undefined;
    }
  };
  const facts = computers.known(computerId) ?? (await asked());
  const { name = '', status = 'active', providerType } = facts ?? {};
  const [shown, state] = [oneLine(name, 60), oneLine(status, 40)];
  const inactive = vscode.l10n.t('{0} is not active (“{1}”). A session there may never start.', shown, state);
  const [first, ...others] = [
    // Another program is told by the service how its computer stands; one that reports no state may be tried.
    ...(byPerson && status !== 'active' ? [inactive] : []),
    ...((await policy?.warnings({ ...settings, computerProvider: providerType })) ?? []),
  ].map(warning => forNotification(warning, 500));
  const anyway = vscode.l10n.t('Create anyway');
  if (first !== undefined && !(await confirmed(first, others.join('\n\n'), anyway))) return undefined;
  const isDefault = Object.keys(settings).length === 0;
  const request = isDefault ? { computerId } : { computerId, sessionSettings: settings };
  const where = forNotification(facts?.name ?? computerId, 60);
  const session = await inProgress(vscode.l10n.t('Creating a session on {0}…', where), signal =>
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
      const sentence = vscode.l10n.t(
        'Session {0} was created, but this machine could not store it: {1}',
        ...[sessionId, why],
      );
      throw Object.assign(new Error(sentence, { cause }), { recorded: true });
    });
  return sessionId;
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

/** Values seen at services; any other text may be given as well. */
const PROPOSED = {
  model: [],
  reasoningEffort: ['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  autonomyLevel: ['off', 'low', 'medium', 'high'],
} as const;
type Asked = keyof typeof PROPOSED;

interface Option extends vscode.QuickPickItem {
  readonly take?: SendableSettings;
  readonly ask?: Asked;
}

/**
 * Asks how a session is to run: as the service does it, as a preset says, or with a model, a reasoning effort or a level of autonomy of
 * its own. `seen` tells the values other sessions have.
 */
async function chooseSettings(
  computer: string,
  presets: unknown,
  seen: (name: Asked) => readonly string[],
): Promise<SendableSettings | undefined> {
  let chosen: SendableSettings = {};
  for (;;) {
    const option = await vscode.window.showQuickPick(optionsOf(chosen, presets), {
      title: forQuickPick(vscode.l10n.t('New session on {0}', computer)),
      placeHolder: vscode.l10n.t('Choose how the session runs'),
      matchOnDescription: true,
      // Often asked from a page, which would close it by getting the focus back late.
      ignoreFocusOut: true,
    });
    if (option?.ask === undefined) return option?.take;
    const value = await chooseValue(option.ask, [...seen(option.ask), ...PROPOSED[option.ask]]);
    const { [option.ask]: before, ...others } = chosen;
    const next = value ?? before;
    chosen = next === undefined || next === '' ? others : { ...others, [option.ask]: next };
  }
}

function optionsOf(chosen: SendableSettings, presets: unknown): readonly Option[] {
  const heading = (label: string): Option => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const ready = entriesOf(presets).map(([name, preset]): Option => ({
    label: forQuickPick(name, 80),
    description: forQuickPick(settingsSummary(Object.fromEntries(entriesOf(preset)))),
    take: Object.fromEntries(entriesOf(preset)),
  }));
  const isDefault = Object.keys(chosen).length === 0;
  return [
    {
      label: isDefault ? vscode.l10n.t('Default') : vscode.l10n.t('Create session'),
      description: forQuickPick(settingsSummary(chosen)),
      take: chosen,
    },
    ...(ready.length === 0 ? [] : [heading(vscode.l10n.t('Presets')), ...ready]),
    heading(vscode.l10n.t('Settings')),
    ...(Object.keys(PROPOSED) as readonly Asked[]).map(ask => ({
      label: readableName(ask),
      description: forQuickPick(settingText(chosen[ask])),
      ask,
    })),
  ];
}

/** Asks for the value of a setting; empty for the default, `undefined` to leave it as it is. */
async function chooseValue(name: Asked, known: readonly string[]): Promise<string | undefined> {
  const label = readableName(name);
  const other = Symbol('other');
  const value = await pick<string | symbol>(
    [
      ...[...new Set(known)].map(each => ({ label: each, value: each })),
      { label: vscode.l10n.t('Other…'), value: other },
      { label: vscode.l10n.t('Default'), value: '' },
    ],
    label,
  );
  if (typeof value !== 'symbol') return value;
  return (await vscode.window.showInputBox({ title: label, ignoreFocusOut: true }))?.trim();
}

/** The settings on one line, such as `atlas-large · reasoning high`; empty without any. */
export function settingsSummary(settings: SendableSettings): string {
  const parts = Object.entries(settings).map(([name, given]) => {
    const value = settingText(given);
    if (value === '' || name === 'model') return value;
    if (name === 'reasoningEffort') return vscode.l10n.t('reasoning {0}', value);
    if (name === 'autonomyLevel') return vscode.l10n.t('autonomy {0}', value);
    return vscode.l10n.t('{0}: {1}', readableName(name), value);
  });
  return joined(parts);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
