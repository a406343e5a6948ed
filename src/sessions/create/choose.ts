import * as vscode from 'vscode';
import { computerName, type Computer } from '../../api';
import { pick } from '../../ui/pick';
import { joined } from '../../ui/text';
import { forQuickPick } from '../../util/text';
import {
  settingLabels,
  settingsSummary,
  settingText,
  type KnownSetting,
  type Preset,
  type SendableSettings,
} from './settings';

/** Asks for a computer while the list is read; the one of last time comes first, then usable ones. */
export function chooseComputer(
  listing: Promise<{ readonly items: readonly Computer[] }>,
  last: string | undefined,
): Promise<Computer | undefined> {
  const choices = listing.then(({ items }) => {
    if (items.length === 0) throw new Error(vscode.l10n.t('The organization has no computers yet.'));
    return inOrder(items, last).map(computer => ({
      label: computerName(computer),
      icon: iconOf(computer),
      description: joined([
        computer.status ?? vscode.l10n.t('no status reported'),
        computer.id === last ? vscode.l10n.t('last used') : undefined,
        computer.hostname,
      ]),
      value: computer,
    }));
  });
  return pick(choices, vscode.l10n.t('Choose the computer the new session runs on'));
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

interface Option extends vscode.QuickPickItem {
  /** Creates the session with these settings. */
  readonly take?: SendableSettings;
  /** Asks for the value of a setting. */
  readonly ask?: KnownSetting;
  /** The value asked for; empty for the default. */
  readonly value?: string;
}

/** Values seen at services; any other text may be given as well. */
const PROPOSED = {
  model: [],
  reasoningEffort: ['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  autonomyLevel: ['off', 'low', 'medium', 'high'],
} as const;
type Asked = keyof typeof PROPOSED;
const ASKED = Object.keys(PROPOSED) as readonly Asked[];

/**
 * Asks on one screen how a session is to run: as the service does it, as a preset says, or with a model, a reasoning effort or a
 * level of autonomy of its own. `seen` tells the values other sessions have.
 */
export async function chooseSettings(
  computer: string,
  presets: readonly Preset[],
  seen: (name: KnownSetting) => readonly string[],
): Promise<SendableSettings | undefined> {
  const picker = vscode.window.createQuickPick<Option>();
  let chosen: SendableSettings = {};
  let asked: Asked | undefined;
  picker.title = forQuickPick(vscode.l10n.t('New session on {0}', computer));
  picker.matchOnDescription = true;
  // Often asked from a page, which would close it by getting the focus back late.
  picker.ignoreFocusOut = true;
  const show = (): void => {
    picker.items =
      asked === undefined ? screen(chosen, presets) : values(asked, chosen, seen(asked), picker.value);
  };
  const turnTo = (name: Asked | undefined): void => {
    asked = name;
    picker.value = '';
    picker.buttons = name === undefined ? [] : [vscode.QuickInputButtons.Back];
    picker.placeholder =
      name === undefined
        ? vscode.l10n.t('Choose how the session runs')
        : vscode.l10n.t('{0}: choose one or type any other', settingLabels()[name]);
    show();
  };
  try {
    return await new Promise(resolve => {
      picker.onDidChangeValue(() => asked !== undefined && show());
      picker.onDidTriggerButton(() => turnTo(undefined));
      picker.onDidHide(() => resolve(undefined));
      picker.onDidAccept(() => {
        const [option] = picker.selectedItems;
        if (option?.take !== undefined) resolve(option.take);
        else if (option?.ask !== undefined) turnTo(ASKED.find(name => name === option.ask));
        else if (option?.value !== undefined && asked !== undefined) {
          chosen = { ...chosen, [asked]: option.value };
          if (option.value === '') Reflect.deleteProperty(chosen, asked);
          turnTo(undefined);
        }
      });
      turnTo(undefined);
      picker.show();
    });
  } finally {
    picker.dispose();
  }
}

function screen(chosen: SendableSettings, presets: readonly Preset[]): readonly Option[] {
  const isDefault = Object.keys(chosen).length === 0;
  const ready = presets.map(({ name, settings, wrong }): Option => {
    const leftOut = vscode.l10n.t('Left out, since they are no settings: {0}', wrong.join(', '));
    return {
      label: forQuickPick(name, 80),
      description: forQuickPick(settingsSummary(settings)),
      ...(wrong.length === 0 ? {} : { detail: forQuickPick(leftOut) }),
      take: settings,
    };
  });
  return [
    {
      label: isDefault ? vscode.l10n.t('Default') : vscode.l10n.t('Create session'),
      description: forQuickPick(settingsSummary(chosen)),
      take: chosen,
    },
    ...(ready.length === 0 ? [] : [heading(vscode.l10n.t('Presets')), ...ready]),
    heading(vscode.l10n.t('Settings')),
    ...ASKED.map(name => ({
      label: settingLabels()[name],
      description: forQuickPick(settingText(chosen, name)),
      ask: name,
    })),
  ];
}

function values(
  name: Asked,
  chosen: SendableSettings,
  seen: readonly string[],
  typed: string,
): readonly Option[] {
  const known = [...new Set([...seen, ...PROPOSED[name]])];
  const own = typed.trim();
  return [
    ...(own === '' || known.includes(own)
      ? []
      : [
          {
            label: forQuickPick(own, 100),
            description: vscode.l10n.t('as typed'),
            value: own,
            alwaysShow: true,
          },
        ]),
    ...known.map(value => ({ label: forQuickPick(value, 100), value })),
    ...(chosen[name] === undefined ? [] : [{ label: vscode.l10n.t('Default'), value: '' }]),
  ];
}

function heading(label: string): Option {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
