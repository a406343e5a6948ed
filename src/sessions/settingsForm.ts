import * as vscode from 'vscode';
import { settings as stored, storePresets } from '../settings';
import { forNotification, forQuickPick } from '../util/text';
import { FIELDS, readPresets, valueText, withValue, type Field, type SendableSettings } from './fields';
import { settingLabel } from './settingLabels';
import { inputStep, pickStep, type Left, type Option } from './steps';

export interface FormDeps {
  readonly title: string;
  /** The settings of the last new session. */
  readonly last: SendableSettings;
  /** Values of a field that known sessions have. */
  readonly seen: (field: Field) => readonly string[];
}

type Act =
  | { readonly kind: 'go' | 'save' }
  | { readonly kind: 'take'; readonly settings: SendableSettings }
  | { readonly kind: 'edit'; readonly field: Field };

/** Chooses the settings of a new session: a preset, those of last time, or field by field. */
export async function chooseSettings(
  start: SendableSettings,
  deps: FormDeps,
): Promise<{ readonly value: SendableSettings } | Left> {
  let current = start;
  for (;;) {
    const act = await pickStep<Act>({
      title: deps.title,
      placeholder: vscode.l10n.t('Choose a preset or change single settings, then go on'),
      options: optionsOf(current, deps.last),
      canGoBack: true,
    });
    if (typeof act === 'string') return act;
    switch (act.value.kind) {
      case 'go':
        return { value: current };
      case 'take':
        current = act.value.settings;
        break;
      case 'save':
        await savePreset(current);
        break;
      case 'edit': {
        const next = await editField(current, act.value.field, deps);
        if (next === 'cancelled') return next;
        if (next !== 'back') current = next.value;
      }
    }
  }
}

function optionsOf(current: SendableSettings, last: SendableSettings): Option<Act>[] {
  const heading = (label: string): Option<Act> => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const presets = readPresets(stored.sessionsPresets());
  const taken = (label: string, settings: SendableSettings, wrong: readonly string[] = []): Option<Act> => ({
    label,
    description: forQuickPick(summaryOf(settings)),
    ...(wrong.length === 0
      ? {}
      : {
          detail: forQuickPick(vscode.l10n.t('Left out, since they are no settings: {0}', wrong.join(', '))),
        }),
    value: { kind: 'take', settings },
  });
  return [
    {
      label: `$(arrow-right) ${vscode.l10n.t('Go on')}`,
      description: forQuickPick(summaryOf(current)),
      value: { kind: 'go' },
      alwaysShow: true,
    },
    heading(vscode.l10n.t('Presets')),
    ...presets.map(({ name, settings, wrong }) => taken(forQuickPick(name, 80), settings, wrong)),
    ...(Object.keys(last).length === 0 ? [] : [taken(`$(history) ${vscode.l10n.t('As last time')}`, last)]),
    ...(Object.keys(current).length === 0
      ? []
      : [taken(`$(discard) ${vscode.l10n.t('As the service decides')}`, {})]),
    heading(vscode.l10n.t('Settings')),
    ...FIELDS.map((field): Option<Act> => ({
      label: settingLabel(field.name),
      description: forQuickPick(valueText(current, field)) || vscode.l10n.t('as the service decides'),
      value: { kind: 'edit', field },
    })),
    ...(Object.keys(current).length === 0
      ? []
      : [
          heading(''),
          {
            label: `$(save) ${vscode.l10n.t('Save as a preset…')}`,
            value: { kind: 'save' },
          } satisfies Option<Act>,
        ]),
  ];
}

/** The settings on one line. */
export function summaryOf(settings: SendableSettings): string {
  const given = FIELDS.map(field => valueText(settings, field)).filter(text => text !== '');
  return given.length === 0 ? vscode.l10n.t('as the service decides') : given.join(' · ');
}

async function editField(
  current: SendableSettings,
  field: Field,
  deps: FormDeps,
): Promise<{ readonly value: SendableSettings } | Left> {
  const title = `${deps.title}: ${settingLabel(field.name)}`;
  const now = valueText(current, field);
  if (field.kind === 'text') {
    const known = [...new Set([...deps.seen(field), ...field.suggestions])];
    const chosen = await pickStep<string>({
      title,
      placeholder: vscode.l10n.t('Choose a value or type any other; the service knows which ones it takes'),
      options: [
        { label: vscode.l10n.t('As the service decides'), value: '' },
        ...known.map(value => ({
          label: forQuickPick(value, 100),
          value,
          ...(value === now ? { description: vscode.l10n.t('now') } : {}),
        })),
      ],
      canGoBack: true,
      typed: text =>
        known.includes(text)
          ? undefined
          : {
              label: forQuickPick(text, 100),
              description: vscode.l10n.t('as typed'),
              value: text,
              alwaysShow: true,
            },
    });
    return typeof chosen === 'string' ? chosen : { value: withValue(current, field, chosen.value) };
  }
  const typed = await inputStep({
    title,
    prompt: promptOf(field),
    value: now,
    problem: text => (read(current, field, text) === undefined ? promptOf(field) : undefined),
  });
  if (typeof typed === 'string') return typed;
  return { value: typed.text === now ? current : (read(current, field, typed.text) ?? current) };
}

function read(current: SendableSettings, field: Field, text: string): SendableSettings | undefined {
  try {
    return withValue(current, field, text);
  } catch {
    return undefined;
  }
}

function promptOf({ kind }: Field): string {
  switch (kind) {
    case 'number':
      return vscode.l10n.t('A whole number of milliseconds; empty: as the service decides');
    case 'tags':
      return vscode.l10n.t(
        'Names separated by commas; a name may be followed by its metadata as a JSON object',
      );
    default:
      return vscode.l10n.t('Ids separated by commas; empty: as the service decides');
  }
}

async function savePreset(settings: SendableSettings): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Save as a preset'),
    prompt: vscode.l10n.t('Kept in your settings. A preset of the same name is replaced.'),
    ignoreFocusOut: true,
    validateInput: text => (text.trim() === '' ? vscode.l10n.t('A preset needs a name.') : undefined),
  });
  if (name === undefined) return;
  const known = stored.sessionsPresets();
  const others = typeof known === 'object' && known !== null && !Array.isArray(known) ? known : {};
  await storePresets({ ...others, [name.trim()]: settings });
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Saved the preset “{0}”.', forNotification(name.trim(), 80)),
  );
}
