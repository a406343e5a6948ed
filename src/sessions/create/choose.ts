import * as vscode from 'vscode';
import { computerName, type Computer } from '../../api';
import { pick } from '../../ui/pick';
import { joined } from '../../ui/text';
import { forQuickPick, readableName } from '../../util/text';
import type { ComputerFacts } from '../view/words';
import { settingsSummary, settingText, type Preset, type SendableSettings } from './settings';

export interface ChosenComputer {
  readonly id: string;
  readonly facts: ComputerFacts | undefined;
}

/** Asks for a computer while the list is read; the one of last time comes first, then usable ones. */
export function chooseComputer(
  listing: Promise<{ readonly items: readonly Computer[] }>,
  last: string | undefined,
): Promise<ChosenComputer | undefined> {
  const choices = listing.then(({ items }) => {
    if (items.length === 0) throw new Error(vscode.l10n.t('The organization has no computers yet.'));
    return inOrder(items, last).map(computer => {
      const { id, status, hostname } = computer;
      const lastUsed = id === last ? vscode.l10n.t('last used') : undefined;
      return {
        label: computerName(computer),
        icon: iconOf(computer),
        description: joined([status ?? vscode.l10n.t('no status reported'), lastUsed, hostname]),
        value: { id, facts: factsOf(computer) },
      };
    });
  });
  return pick(choices, vscode.l10n.t('Choose the computer the new session runs on'));
}

export function factsOf(computer: Computer): ComputerFacts {
  const { status, providerType } = computer;
  return { name: computerName(computer), status, providerType };
}

function inOrder(computers: readonly Computer[], last: string | undefined): Computer[] {
  const rank = ({ id, status }: Computer): number =>
    (id === last ? 0 : 2) + (status === 'active' || status === undefined ? 0 : 1);
  return [...computers].sort((a, b) => rank(a) - rank(b) || computerName(a).localeCompare(computerName(b)));
}

function iconOf({ status }: Computer): string {
  if (status === 'active') return 'vm-active';
  if (status === 'error') return 'error';
  return status === 'provisioning' ? 'vm-outline' : 'vm';
}

/** Values seen at services; any other text may be given as well. */
const PROPOSED = {
  model: [],
  reasoningEffort: ['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  autonomyLevel: ['off', 'low', 'medium', 'high'],
} as const;
type Asked = keyof typeof PROPOSED;

interface Option extends vscode.QuickPickItem {
  /** Creates the session with these settings. */
  readonly take?: SendableSettings;
  /** Asks for the value of a setting. */
  readonly ask?: Asked;
}

/**
 * Asks how a session is to run: as the service does it, as a preset says, or with a model, a reasoning effort or a level of autonomy of
 * its own. `seen` tells the values other sessions have.
 */
export async function chooseSettings(
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
