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

/** A flag that allows something. A change from or to "not set" is not certain, unless the interface names the default. */
export function permission(byDefault?: boolean): DirectionRule {
  return (before, after) => flag(before ?? byDefault, after ?? byDefault, 'loosens', 'tightens');
}

/** A flag that forbids something. */
export function restriction(byDefault?: boolean): DirectionRule {
  return (before, after) => flag(before ?? byDefault, after ?? byDefault, 'tightens', 'loosens');
}

/** Levels of autonomy, the one that allows least first. */
const AUTONOMY: readonly string[] = ['off', 'low', 'medium', 'high'];

/** The place of a level in that order, also where it is written as the mode `auto-low`; -1 for any other word or value. */
export function autonomyRank(level: unknown): number {
  return typeof level === 'string' ? AUTONOMY.indexOf(level.replace(/^auto-/, '')) : -1;
}

/** Levels of autonomy. Other words have no direction. */
export function autonomy(): DirectionRule {
  return (before, after) => {
    const [from, to] = [autonomyRank(before), autonomyRank(after)];
    if (from < 0 || to < 0 || from === to) return undefined;
    return to > from ? 'loosens' : 'tightens';
  };
}

/** What is named is allowed. An empty list may mean nothing or everything, so a change from or to one has no direction. */
export function allowlist(): DirectionRule {
  return (before, after) =>
    isFilled(before) && isFilled(after) ? list(before, after, 'loosens', 'tightens') : undefined;
}

/** What is named is forbidden; an empty list forbids nothing. */
export function denylist(): DirectionRule {
  return (before, after) => list(before, after, 'tightens', 'loosens');
}

/** A rule that holds only while another setting passes `test` on both sides; elsewhere the change may have no effect. */
export function when(path: string, test: (value: unknown) => boolean, rule: DirectionRule): DirectionRule {
  return (before, after, around) =>
    test(valueAt(around.before, path)) && test(valueAt(around.after, path))
      ? rule(before, after, around)
      : undefined;
}

/** The value at a dotted path; `undefined` when there is none. */
export function valueAt(settings: Settings, path: string): unknown {
  let value: unknown = settings;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Settings)[name];
  }
  return value;
}

function flag(before: unknown, after: unknown, on: Direction, off: Direction): Direction | undefined {
  if (typeof before !== 'boolean' || typeof after !== 'boolean' || before === after) return undefined;
  return after ? on : off;
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Only a list that purely grows or purely shrinks has a direction. */
function list(before: unknown, after: unknown, grows: Direction, shrinks: Direction): Direction | undefined {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  const from = new Set(before.map(item => JSON.stringify(item)));
  const to = new Set(after.map(item => JSON.stringify(item)));
  const added = [...to].some(item => !from.has(item));
  const removed = [...from].some(item => !to.has(item));
  if (added === removed) return undefined;
  return added ? grows : shrinks;
}
