import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { computerName, settingNames, type ApiClient, type Computer, type SessionSettings } from '../api';
import { readSession } from '../api/records';
import { commands } from '../contributions';
import { confirmed } from '../ui/window';
import { pick } from '../ui/pick';
import { joined } from '../ui/text';
import { within } from '../util/promises';
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

interface ChosenComputer {
  readonly id: string;
  readonly facts: ComputerFacts | undefined;
}

const ASK_MS = 2_000;

/** A person gets the session opened; another extension that names everything gets its id. */
export async function createSession(
  context: SessionsContext,
  argument: unknown,
): Promise<string | undefined> {
  const { computerId, sessionSettings } = readRequest(argument);
  const isRow = typeof argument === 'object' && argument !== null && 'kind' in argument;
  if (computerId !== undefined && !isRow) {
    const facts = context.computers.known(computerId);
    return make(context, { id: computerId, facts }, sessionSettings, false);
  }
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
  const { api } = await signedIn(context, true);
  const known = [...index.records.values()];
  const [last] = known.filter(({ origin }) => origin === 'created').sort((a, b) => b.addedAt - a.addedAt);
  const computer =
    computerId === undefined
      ? await chooseComputer(api, last?.session?.computerId)
      : { id: computerId, facts: computers.known(computerId) };
  if (computer === undefined) return undefined;
  const seen = (name: Asked): readonly string[] => {
    const values = known.map(({ session }) => settingText(session?.sessionSettings?.[name]));
    return [...Map.groupBy(values, value => value)]
      .filter(([value]) => value !== '')
      .sort(([, a], [, b]) => b.length - a.length)
      .slice(0, 20)
      .map(([value]) => value);
  };
  const where = computer.facts?.name ?? vscode.l10n.t('this computer');
  const given = settings ?? (await chooseSettings(where, readPresets(presets()), seen));
  return given === undefined ? undefined : make(context, computer, given, true);
}

/** Creates the session and stores it (section 4.5). A creation without an answer is never repeated (interface-notes 4). */
async function make(
  context: SessionsContext,
  { id: computerId, facts: known }: ChosenComputer,
  settings: SendableSettings = {},
  byPerson: boolean,
): Promise<string | undefined> {
  const { policy, index } = context;
  const { api, service } = await signedIn(context, byPerson);
  // One that this window has not read is asked for: the organization may forbid its kind. The service decides, so it is no matter.
  const asked = (signal: AbortSignal) => api.one('computer', { ids: { computerId }, signal });
  const facts = known ?? (await within(ASK_MS, asked).then(factsOf, () => undefined));
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

/** Asks for a computer while the list is read; the one of last time comes first, then usable ones. */
function chooseComputer(api: ApiClient, last: string | undefined): Promise<ChosenComputer | undefined> {
  const asking = new AbortController();
  const rank = ({ id, status = 'active' }: Computer): number =>
    (id === last ? 0 : 2) + (status === 'active' ? 0 : 1);
  const choices = api.list('computers', { signal: asking.signal }).then(({ items }) => {
    if (items.length === 0) throw new Error(vscode.l10n.t('The organization has no computers yet.'));
    const sorted = [...items].sort(
      (a, b) => rank(a) - rank(b) || computerName(a).localeCompare(computerName(b)),
    );
    return sorted.map(computer => {
      const { id, status, hostname } = computer;
      const lastUsed = id === last ? vscode.l10n.t('last used') : undefined;
      return {
        label: computerName(computer),
        icon: ICONS.get(status ?? '') ?? 'vm',
        description: joined([status ?? vscode.l10n.t('no status reported'), lastUsed, hostname]),
        value: { id, facts: factsOf(computer) },
      };
    });
  });
  // Whoever thinks better of it waits for no list.
  return pick(choices, vscode.l10n.t('Choose the computer the new session runs on')).finally(() =>
    asking.abort(),
  );
}

const ICONS = new Map([
  ['active', 'vm-active'],
  ['error', 'error'],
  ['provisioning', 'vm-outline'],
]);

function factsOf(computer: Computer): ComputerFacts {
  const { status, providerType } = computer;
  return { name: computerName(computer), status, providerType };
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
  presets: readonly Preset[],
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

function optionsOf(chosen: SendableSettings, presets: readonly Preset[]): readonly Option[] {
  const heading = (label: string): Option => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const ready = presets.map(({ name, settings, wrong }): Option => {
    const leftOut = vscode.l10n.t('Ignored, because they are not settings: {0}', wrong.join(', '));
    return {
      label: forQuickPick(name, 80),
      description: forQuickPick(settingsSummary(settings)),
      ...(wrong.length === 0 ? {} : { detail: forQuickPick(leftOut) }),
      take: settings,
    };
  });
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

interface Preset {
  readonly name: string;
  readonly settings: SendableSettings;
  readonly wrong: readonly string[];
}

export function readPresets(value: unknown): Preset[] {
  return entriesOf(value).map(([name, preset]) => {
    const read = readSession({ sessionId: name, sessionSettings: preset })?.sessionSettings;
    const known = new Map<string, unknown>(entriesOf(read));
    const isGood = ([key, item]: readonly [string, unknown]): boolean =>
      settingNames.includes(key) && item !== '' && isDeepStrictEqual(known.get(key), item);
    const entries = entriesOf(preset);
    const wrong = entries.filter(entry => !isGood(entry)).map(([key]) => key);
    return { name, settings: Object.fromEntries(entries.filter(isGood)), wrong };
  });
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
