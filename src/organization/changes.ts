import * as vscode from 'vscode';
import { compareText } from '../util/compare';
import { forNotification } from '../util/text';
import type { Revision } from './data';

/** Whether a change lets people and agents do more, or less. */
export type Direction = 'loosens' | 'tightens';

export type Settings = Readonly<Record<string, unknown>>;

/** The settings of two revisions as wholes, for rules that hold only while another setting has a value. */
interface Around {
  readonly before: Settings;
  readonly after: Settings;
}

/** Tells the direction of a change where it is certain, and nothing where it is not. */
type DirectionRule = (before: unknown, after: unknown, around: Around) => Direction | undefined;

const permission = flag('loosens');
const allowlist = list('loosens');
/** What is named is forbidden; an empty list forbids nothing. */
const denylist = list('tightens');
const sandboxed = (rule: DirectionRule): DirectionRule => when('sandbox.enabled', [true], rule);

/** Settings of which it is certain which way a change of them goes, by their paths (section 2.12). */
export const directions: ReadonlyMap<string, DirectionRule | undefined> = new Map(
  Object.entries({
    maxAutonomyLevel: autonomy,
    'modelPolicy.allowCustomModels': permission,
    'modelPolicy.allowAllFactoryModels': permission,
    'modelPolicy.isFastModelsAllowed': permission,
    'missionPolicy.restrictedAccess': flag('tightens', false),
    'sandbox.enabled': flag('tightens'),
    'sandbox.network.allowAllUnixSockets': sandboxed(permission),
    'sandbox.network.allowLocalBinding': sandboxed(permission),
    restrictMemberVisibility: flag('tightens'),
    managedComputersEnabled: permission,
    byomComputersEnabled: permission,
  }),
);

/** Lists whose order has no meaning, with the direction of a change of them. */
export const sets: typeof directions = new Map(
  Object.entries({
    strictKnownMarketplaces: undefined,
    commandAllowlist: allowlist,
    commandDenylist: denylist,
    'modelPolicy.allowedModelIds': when('modelPolicy.allowAllFactoryModels', [false, undefined], allowlist),
    'modelPolicy.blockedModelIds': denylist,
    'modelPolicy.allowedBaseUrls': when('modelPolicy.allowCustomModels', [true, undefined], allowlist),
    'mcpPolicy.allowlist': when('mcpPolicy.enabled', [true], allowlist),
    'missionPolicy.allowedUserIds': when('missionPolicy.restrictedAccess', [true], allowlist),
    'networkPolicy.allowedIps': allowlist,
    'sandbox.filesystem.allowWrite': sandboxed(allowlist),
    'sandbox.filesystem.allowRead': sandboxed(allowlist),
    'sandbox.filesystem.denyWrite': sandboxed(denylist),
    'sandbox.filesystem.denyRead': sandboxed(denylist),
    'sandbox.network.allowedDomains': sandboxed(allowlist),
    'sandbox.network.allowUnixSockets': sandboxed(
      when('sandbox.network.allowAllUnixSockets', [false, undefined], allowlist),
    ),
  }),
);

/** Settings whose members have names of somebody's own. */
const maps: ReadonlySet<string> = new Set([
  'mcpAutonomyOverrides',
  'customModels[].extraHeaders',
  'customModels[].extraArgs',
  'userModelPolicies',
  'enabledPlugins',
  'extraKnownMarketplaces',
]);

/** Levels of autonomy, the one that allows least first. */
const AUTONOMY: readonly string[] = ['off', 'low', 'medium', 'high'];

/** The place of a level in that order, also where it is written as the mode `auto-low`; -1 for any other word or value. */
function autonomyRank(level: unknown): number {
  return typeof level === 'string' ? AUTONOMY.indexOf(level.replace(/^auto-/, '')) : -1;
}

function valueAt(settings: Settings, path: string): unknown {
  const inside = (value: unknown, name: string): unknown => (isObject(value) ? own(value, name) : undefined);
  return path.split('.').reduce<unknown>(inside, settings);
}

function opposite(direction: Direction): Direction {
  return direction === 'loosens' ? 'tightens' : 'loosens';
}

function autonomy(before: unknown, after: unknown): Direction | undefined {
  const [from, to] = [autonomyRank(before), autonomyRank(after)];
  if (from < 0 || to < 0 || from === to) return undefined;
  return to > from ? 'loosens' : 'tightens';
}

/** A flag, by what turning it on does. A change from or to "not set" is not certain, unless the interface names the default. */
function flag(turnedOn: Direction, byDefault?: boolean): DirectionRule {
  return (before, after) => {
    const [from, to] = [before ?? byDefault, after ?? byDefault];
    if (typeof from !== 'boolean' || typeof to !== 'boolean' || from === to) return undefined;
    return to ? turnedOn : opposite(turnedOn);
  };
}

/** A list, by what adding to it does. Only one that purely grows or purely shrinks has a direction. */
function list(grown: Direction): DirectionRule {
  return (before, after) => {
    if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
    // An empty list of what is allowed may mean nothing or everything.
    if (grown === 'loosens' && (before.length === 0 || after.length === 0)) return undefined;
    const from = new Set(before.map(item => JSON.stringify(item)));
    const to = new Set(after.map(item => JSON.stringify(item)));
    const isAdded = [...to].some(item => !from.has(item));
    const isRemoved = [...from].some(item => !to.has(item));
    if (isAdded === isRemoved) return undefined;
    return isAdded ? grown : opposite(grown);
  };
}

/** A rule that holds only while another setting has one of these values on both sides; elsewhere the change may have no effect. */
function when(path: string, values: readonly unknown[], rule: DirectionRule): DirectionRule {
  return (before, after, around) =>
    [around.before, around.after].every(side => values.includes(valueAt(side, path) ?? undefined))
      ? rule(before, after, around)
      : undefined;
}

/** Bidi and invisible characters that JSON leaves as they are. */
const HIDDEN = /[\u007f-\u009f\u200b-\u200f\u061c\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** One changed setting between two revisions. Values hold no secrets: those were marked before they got here. */
export interface SettingChange {
  /** Where it is, for people: `customModels[house-0].apiKey`. */
  readonly path: string;
  /** Of which setting it is: `customModels[].apiKey`. */
  readonly setting: string;
  /** `reordered`: the same items in another order. */
  readonly kind: 'added' | 'removed' | 'changed' | 'reordered';
  /** `undefined` when it was not set. */
  readonly before?: unknown;
  readonly after?: unknown;
  readonly direction?: Direction | undefined;
}

type List = readonly unknown[];

/**
 * What differs between two revisions, in the order of the paths. Without the one before, nothing is known of which way a setting
 * went: all of them are listed.
 */
export function compareSettings(from: Settings | undefined, to: Settings): SettingChange[] {
  const changes: SettingChange[] = [];
  const around: Around = { before: from ?? {}, after: to };

  const members = (before: Settings, after: Settings, path: string, setting: string): void => {
    for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
      const inner = maps.has(setting) ? `${setting}.*` : join(setting, name);
      // Null says that it is not set.
      compare(own(before, name) ?? undefined, own(after, name) ?? undefined, join(path, name), inner);
    }
  };

  const compare = (before: unknown, after: unknown, path: string, setting: string): void => {
    if (canonical(before) === canonical(after)) return;
    if (sets.has(setting) && isSameSet(before, after)) return;
    const [from, to] = [before ?? [], after ?? []];
    if (setting === 'customModels' && Array.isArray(from) && Array.isArray(to))
      compareModels(from, to, path, setting);
    else if (haveMembers(before, after))
      members(isObject(before) ? before : {}, isObject(after) ? after : {}, path, setting);
    else add(before, after, path, setting);
  };

  /** Models are told apart by their names, so that one that moved or changed is not shown as another. */
  const compareModels = (before: List, after: List, path: string, setting: string): void => {
    const [from, to] = [byName(before), byName(after)];
    for (const name of new Set([...from.keys(), ...to.keys()]))
      compare(from.get(name), to.get(name), `${path}[${name}]`, `${setting}[]`);
    const [was, is] = [[...from.keys()], [...to.keys()]];
    const stayed = (names: readonly string[]): string =>
      canonical(names.filter(name => from.has(name) && to.has(name)));
    if (stayed(was) !== stayed(is))
      changes.push({ path, setting, kind: 'reordered', before: was, after: is });
  };

  const add = (before: unknown, after: unknown, path: string, setting: string): void => {
    const rule = from && (directions.get(setting) ?? sets.get(setting));
    const direction = rule?.(before, after, around);
    const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    changes.push({ path, setting, kind, before, after, direction });
  };

  members(around.before, around.after, '', '');
  return changes;
}

/** `commandAllowlist`, `modelPolicy.allowedModelIds`: what a person looks for when filtering. */
export function settingsOf(changes: readonly SettingChange[]): string[] {
  return [...new Set(changes.map(({ setting }) => setting.replace(/(\[\]|\.\*).*$/, '')))];
}

/** Whether both sides are objects or nothing, and going into them tells all there is to tell. */
function haveMembers(before: unknown, after: unknown): boolean {
  const sides = [before, after].filter(side => side !== undefined);
  return sides.every(isObject) && sides.some(side => Object.keys(side).length > 0);
}

/** Two lists of the same items, in whatever order and number. */
function isSameSet(before: unknown, after: unknown): boolean {
  if (!Array.isArray(before) || !Array.isArray(after)) return false;
  const [from, to] = [before, after].map(list => [...new Set(list.map(canonical))].sort().join());
  return from === to;
}

function byName(models: List): Map<string, unknown> {
  const named = new Map<string, unknown>();
  for (const model of models) {
    const fields: Settings = isObject(model) ? model : {};
    const text = [fields['id'], fields['displayName'], fields['model']].find(
      value => typeof value === 'string' && value !== '',
    );
    const base = typeof text === 'string' ? text : '?';
    let name = base;
    for (let count = 2; named.has(name); count++) name = `${base} ${count}`;
    named.set(name, model);
  }
  return named;
}

function own(object: Settings, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Names that hold dots or the like are quoted, so that a path can be told from a name. */
function join(path: string, name: string): string {
  if (!/^[\w@$-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function isObject(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that is the same for the same JSON value, whatever the order of its names. */
export function canonical(value: unknown): string {
  // Of no setting, so that lists stay in their order.
  return value === undefined ? '' : JSON.stringify(ordered(value, '?'));
}

/**
 * Settings as JSON that compares well: names in order, one item a line, lists whose order has no meaning sorted. Hidden
 * characters are written as `\uXXXX`.
 */
export function stableText(settings: Settings): string {
  const json = JSON.stringify(ordered(settings, ''), undefined, 2);
  return `${json.replace(HIDDEN, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

function ordered(value: unknown, setting: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map(item => ordered(item, `${setting}[]`));
    if (!sets.has(setting)) return items;
    const keyed = items.map(item => ({ key: JSON.stringify(item), item }));
    return keyed.sort((a, b) => compareText(a.key, b.key)).map(({ item }) => item);
  }
  if (!isObject(value)) return value;
  // Names that look like numbers come first in any object; that order is stable too.
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(name => [name, ordered(value[name], setting === '' ? name : `${setting}.${name}`)]),
  );
}

/** What a new session is to have; only what was chosen. */
export interface SessionChoice {
  readonly model?: string | undefined;
  readonly autonomyLevel?: string | undefined;
  readonly autonomyMode?: string | undefined;
  readonly specModeModel?: string | undefined;
  /** `providerType` of the computer. */
  readonly computerProvider?: string | undefined;
}

/**
 * What the newest controls known say against a new session, in sentences for people; the service decides, not this. Only what is
 * certain is told: values nobody has heard of forbid nothing.
 */
export function warningsOf(choice: SessionChoice, newest: Revision | undefined): string[] {
  if (newest === undefined) return [];
  const { settings, revision } = newest;
  const at = (path: string): unknown => valueAt(settings, path);
  const models = (path: string): readonly string[] => {
    const list = at(path);
    return Array.isArray(list) && list.every(item => typeof item === 'string') ? list : [];
  };
  const since = (path: string): string => vscode.l10n.t('{0}, as of revision {1}', path, revision);
  const warnings: string[] = [];

  for (const model of new Set([choice.model, choice.specModeModel])) {
    if (model === undefined || model === '') continue;
    const name = forNotification(model, 80);
    const added = at('customModels') ?? [];
    const areKnown = Array.isArray(added) && added.every(isObject);
    const isAdded = areKnown && added.some(({ id, model: its }) => id === model || its === model);
    const [blocked, custom, allowed] = [
      'modelPolicy.blockedModelIds',
      'modelPolicy.allowCustomModels',
      'modelPolicy.allowedModelIds',
    ] as const;
    // With that flag on, the list does not keep other models of the provider out.
    const isClosed = (at('modelPolicy.allowAllFactoryModels') ?? false) === false;
    const isLeftOut = isClosed && models(allowed).length > 0 && !models(allowed).includes(model);
    if (models(blocked).includes(model))
      warnings.push(vscode.l10n.t('The controls block the model {0} ({1}).', name, since(blocked)));
    else if (isAdded && at(custom) === false)
      warnings.push(
        vscode.l10n.t(
          '{0} is a custom model, and the controls do not allow custom models ({1}).',
          name,
          since(custom),
        ),
      );
    else if (areKnown && !isAdded && isLeftOut)
      warnings.push(vscode.l10n.t('The controls do not allow the model {0} ({1}).', name, since(allowed)));
  }

  const highest = 'maxAutonomyLevel';
  const most = autonomyRank(at(highest));
  for (const level of [choice.autonomyLevel, choice.autonomyMode])
    if (level !== undefined && most >= 0 && autonomyRank(level) > most)
      warnings.push(
        vscode.l10n.t(
          'The controls allow autonomy up to {0}, and {1} is above that ({2}).',
          forNotification(String(at(highest)), 40),
          forNotification(level, 40),
          since(highest),
        ),
      );

  const { computerProvider = '' } = choice;
  const isOwn = computerProvider === 'byom';
  const allows = isOwn ? 'byomComputersEnabled' : 'managedComputersEnabled';
  if (computerProvider !== '' && at(allows) === false)
    warnings.push(
      isOwn
        ? vscode.l10n.t('The controls do not allow your own machines as computers ({0}).', since(allows))
        : vscode.l10n.t('The controls do not allow computers hosted by the service ({0}).', since(allows)),
    );
  return warnings;
}
