import { catalogue } from './catalogue';
import type { Around, Direction, Settings } from './directions';
import { canonical, isObject } from './stable';

/** One changed setting between two revisions. Values hold no secrets: those were marked before they got here. */
export interface SettingChange {
  /** Where it is, for people: `customModels[house-0].apiKey`. */
  readonly path: string;
  /** Where it is in the catalogue: `customModels[].apiKey`. */
  readonly setting: string;
  /** `reordered`: the same items in another order; `unreadable`: one of the two sides could not be read. */
  readonly kind: 'added' | 'removed' | 'changed' | 'reordered' | 'unreadable';
  /** `undefined` when it was not set. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** For lists whose order has no meaning: the items that came and went. */
  readonly set?: { readonly added: readonly unknown[]; readonly removed: readonly unknown[] };
  readonly direction?: Direction;
}

/** Among what could not be read of a revision: all of its settings. */
export const WHOLE = 'settings';

/** Settings of one revision with the parts of them that could not be read, as `modelPolicy.allowedModelIds`. */
export interface Side {
  readonly settings: Settings;
  readonly unread?: readonly string[] | undefined;
}

/** What differs between two revisions, in the order of the paths. */
export function compareSettings(before: Side, after: Side): SettingChange[] {
  const comparison = new Comparison(before, after);
  comparison.all(before.settings, after.settings);
  return comparison.changes;
}

class Comparison {
  readonly changes: SettingChange[] = [];
  readonly #around: Around;
  readonly #unread: ReadonlySet<string>;

  readonly #directed: boolean;

  constructor(before: Side, after: Side, directed = true) {
    this.#directed = directed;
    this.#around = { before: before.settings, after: after.settings };
    // What neither side could be read of differs in nothing that is known.
    const [from, to] = [new Set(before.unread), new Set(after.unread)];
    this.#unread = new Set([...from, ...to].filter(path => from.has(path) !== to.has(path)));
  }

  all(before: Settings, after: Settings): void {
    if (this.#unread.has(WHOLE)) this.changes.push({ path: WHOLE, setting: WHOLE, kind: 'unreadable' });
    else this.members(before, after, '', '');
  }

  members(before: Settings, after: Settings, path: string, setting: string): void {
    for (const name of unionOfNames(before, after)) {
      const isMap = catalogue.get(setting)?.kind === 'map';
      const inner = isMap ? `${setting}.*` : join(setting, name);
      const [from, to] = [own(before, name, inner), own(after, name, inner)];
      this.#compare(from, to, join(path, name), inner);
    }
  }

  #compare(before: unknown, after: unknown, path: string, setting: string): void {
    if (this.#unread.has(path)) {
      this.changes.push({ path, setting, kind: 'unreadable', before, after });
      return;
    }
    if (canonical(before) === canonical(after)) return;
    const kind = catalogue.get(setting)?.kind;
    if (kind === 'set' && isListOrNothing(before) && isListOrNothing(after)) {
      this.#compareSets(before, after, path, setting);
    } else if (setting === 'customModels' && isListOrNothing(before) && isListOrNothing(after)) {
      this.#compareModels(before ?? [], after ?? [], path, setting);
    } else if (haveMembers(before, after)) {
      this.members(isObject(before) ? before : {}, isObject(after) ? after : {}, path, setting);
    } else {
      this.#add(before, after, path, setting);
    }
  }

  #compareSets(
    before: readonly unknown[] | undefined,
    after: readonly unknown[] | undefined,
    path: string,
    setting: string,
  ): void {
    const from = new Map((before ?? []).map(item => [canonical(item), item]));
    const to = new Map((after ?? []).map(item => [canonical(item), item]));
    const added = [...to].filter(([key]) => !from.has(key)).map(([, item]) => item);
    const removed = [...from].filter(([key]) => !to.has(key)).map(([, item]) => item);
    if (before !== undefined && after !== undefined && added.length === 0 && removed.length === 0) return;
    this.#add(before, after, path, setting, { added, removed });
  }

  /** Models are told apart by their names, so that one that moved or changed is not shown as another. */
  #compareModels(before: readonly unknown[], after: readonly unknown[], path: string, setting: string): void {
    const from = byName(before);
    const to = byName(after);
    for (const name of new Set([...from.keys(), ...to.keys()])) {
      this.#compare(from.get(name), to.get(name), `${path}[${name}]`, `${setting}[]`);
    }
    const stayed = (names: Iterable<string>): string =>
      canonical([...names].filter(name => from.has(name) && to.has(name)));
    if (stayed(from.keys()) !== stayed(to.keys())) {
      const [was, is] = [[...from.keys()], [...to.keys()]];
      this.changes.push({ path, setting, kind: 'reordered', before: was, after: is });
    }
  }

  #add(before: unknown, after: unknown, path: string, setting: string, set?: SettingChange['set']): void {
    const rule = this.#directed ? catalogue.get(setting)?.direction : undefined;
    const direction = rule?.(before, after, this.#around);
    this.changes.push({
      path,
      setting,
      kind: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
      before,
      after,
      ...(set === undefined ? {} : { set }),
      ...(direction === undefined ? {} : { direction }),
    });
  }
}

/** Every value of settings on a line of its own, as what came when there was nothing before. */
export function allSettings(side: Side): SettingChange[] {
  const comparison = new Comparison({ settings: {} }, side, false);
  comparison.all({}, side.settings);
  return comparison.changes;
}

/** `commandAllowlist`, `modelPolicy.allowedModelIds`: what a person looks for when filtering. */
export function settingsOf(changes: readonly SettingChange[]): string[] {
  return [...new Set(changes.map(({ setting }) => setting.replace(/(\[\]|\.\*).*$/, '')))];
}

/** Whether both sides are objects or nothing, and going into them tells all there is to tell. */
function haveMembers(before: unknown, after: unknown): boolean {
  const [from, to] = [sizeOf(before), sizeOf(after)];
  return from !== undefined && to !== undefined && from + to > 0;
}

/** Members of an object, 0 for nothing; `undefined` for anything else. */
function sizeOf(value: unknown): number | undefined {
  if (value === undefined) return 0;
  return isObject(value) ? Object.keys(value).length : undefined;
}

function isListOrNothing(value: unknown): value is readonly unknown[] | undefined {
  return value === undefined || Array.isArray(value);
}

function byName(models: readonly unknown[]): Map<string, unknown> {
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

function unionOfNames(before: Settings, after: Settings): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
}

/** `null` counts as missing where a setting is known; what it means elsewhere only the service knows. */
function own(object: Settings, name: string, setting: string): unknown {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return value === null && catalogue.has(setting) ? undefined : value;
}

/** Names that hold dots or the like are quoted, so that a path can be told from a name. */
function join(path: string, name: string): string {
  if (!/^[\w@$-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
