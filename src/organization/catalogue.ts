/** Whether a change lets people and agents do more, or less. */
export type Direction = 'loosens' | 'tightens';

export type Settings = Readonly<Record<string, unknown>>;

/** The settings of two revisions as wholes, for rules that hold only while another setting has a value. */
export interface Around {
  readonly before: Settings;
  readonly after: Settings;
}

/** Tells the direction of a change where it is certain, and nothing where it is not. */
export type DirectionRule = (before: unknown, after: unknown, around: Around) => Direction | undefined;

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
export const maps: ReadonlySet<string> = new Set([
  'mcpAutonomyOverrides',
  'customModels[].extraHeaders',
  'customModels[].extraArgs',
  'userModelPolicies',
  'enabledPlugins',
  'extraKnownMarketplaces',
]);

/** Settings of section 2.12 about which nothing else is said here. */
const others = [
  'cloudSessionSync wikiCloudSync includeCoAuthoredByAgent enableAgentShield ideAutoConnect sessionRetentionDays',
  'sessionDefaultSettings customModels mcpPolicy.enabled sandbox.mode',
  'sandbox.network.httpProxyPort sandbox.network.socksProxyPort',
].flatMap(names => names.split(' '));
const known = new Set(
  [...directions.keys(), ...sets.keys(), ...maps, ...others].flatMap(name =>
    name.split('.').map((_, depth, parts) => parts.slice(0, depth + 1).join('.')),
  ),
);

/** Whether section 2.12 names the setting: null of it says that it is not set (interface-notes 8). */
export function isKnown(setting: string): boolean {
  return known.has(setting) || /^(?:sessionDefaultSettings|customModels\[\])\.[^.*]+$/.test(setting);
}

/** Levels of autonomy, the one that allows least first. */
const AUTONOMY: readonly string[] = ['off', 'low', 'medium', 'high'];

/** The place of a level in that order, also where it is written as the mode `auto-low`; -1 for any other word or value. */
export function autonomyRank(level: unknown): number {
  return typeof level === 'string' ? AUTONOMY.indexOf(level.replace(/^auto-/, '')) : -1;
}

export function valueAt(settings: Settings, path: string): unknown {
  let value: unknown = settings;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Settings)[name];
  }
  return value;
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
