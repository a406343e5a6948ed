import type * as jsonc from 'jsonc-parser';
import { insertionsAtEnd, wholeFile, type Insertion } from './insertion';
import {
  childOf,
  commaAfter,
  commentsOf,
  outlineOf,
  readSettings,
  refusing,
  SettingsTextError,
  stringOf,
  token,
  tokensOf,
  valueNode,
  type Outline,
  type SettingsText,
} from './settingsText';

/** `removed` at `offset` becomes `content`. */
export interface Edit {
  readonly offset: number;
  readonly removed: string;
  readonly content: string;
}

/** Edits of one text, none overlapping, by offset. */
export type Step = readonly Edit[];

export interface Change {
  readonly text: string;
  /** Steps that lead from `text` back to the text before, byte for byte. */
  readonly undo: readonly Step[];
}

export interface HookToInstall {
  readonly command: string;
  /** Seconds. */
  readonly timeout: number;
  readonly isOurs: (command: string) => boolean;
}

/** The events that have a command of ours, and whether each has just the current one. */
export function installedEvents(
  source: string,
  hook: HookToInstall,
): ReadonlyMap<string, 'current' | 'other'> {
  const settings = readSettings(source);
  const found = new Map<string, 'current' | 'other'>();
  for (const [name, entries] of eventsOf(settings)) {
    const ours = ownCommands(entries, hook);
    if (ours.length > 0) found.set(name, isCurrent(ours, hook) ? 'current' : 'other');
  }
  return found;
}

/**
 * The settings with the hook in these events and in no other, everything else untouched. No events: the hook is gone
 * everywhere. A text that is right already comes back as it is. Throws a `SettingsTextError` where the result would not be
 * exactly what was meant.
 */
export function withHook(source: string, events: readonly string[], hook: HookToInstall): Change {
  return refusing(() => changed(source, events, hook));
}

function changed(source: string, events: readonly string[], hook: HookToInstall): Change {
  const settings = readSettings(source);
  const expected = expectedOutline(settings, events, hook);
  const editor = new Editor(settings.text);
  for (const [name, entries] of eventsOf(settings)) {
    const ours = ownCommands(entries, hook);
    if (ours.length > 0 && !(events.includes(name) && isCurrent(ours, hook))) removeFrom(editor, name, hook);
  }
  for (const name of events) insertInto(editor, name, hook);
  const { text } = editor;
  const after = readSettings(text);
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  if (
    !same(withoutEmpty(outlineOf(after.root)), withoutEmpty(expected)) ||
    !same(commentsOf(text), commentsOf(settings.text))
  )
    throw new SettingsTextError({ kind: 'unsafe' });
  return { text: settings.bom + text, undo: shifted(editor.undo, settings.bom.length) };
}

/** Applies the steps of an undo. */
export function applySteps(text: string, steps: readonly Step[]): string {
  return steps.reduce((current, step) => applyStep(current, step), text);
}

class Editor {
  #text: string;
  readonly undo: Step[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  apply(
    edits: readonly { readonly offset: number; readonly length: number; readonly content: string }[],
  ): void {
    const step = [...edits]
      .sort((a, b) => a.offset - b.offset)
      .map(({ offset, length, content }) => ({
        offset,
        removed: this.#text.slice(offset, offset + length),
        content,
      }));
    let shift = 0;
    const back = step.map(({ offset, removed, content }) => {
      const edit = { offset: offset + shift, removed: content, content: removed };
      shift += content.length - removed.length;
      return edit;
    });
    this.#text = applyStep(this.#text, step);
    this.undo.unshift(back);
  }

  insert(insertions: readonly Insertion[]): void {
    this.apply(insertions.map(insertion => ({ ...insertion, length: 0 })));
  }
}

function applyStep(text: string, step: Step): string {
  let result = '';
  let at = 0;
  for (const { offset, removed, content } of step) {
    result += text.slice(at, offset) + content;
    at = offset + removed.length;
  }
  return result + text.slice(at);
}

function shifted(steps: readonly Step[], by: number): Step[] {
  return steps.map(step => step.map(edit => ({ ...edit, offset: edit.offset + by })));
}

/** The arrays of entries of each event. */
function eventsOf(settings: SettingsText): [string, jsonc.Node][] {
  const root = childOf(settings, settings.root, undefined, 'object');
  const hooks = childOf(settings, root, 'hooks', 'object');
  return (hooks?.children ?? []).flatMap(({ children }) => {
    const name = String(children?.[0]?.value);
    const entries = childOf(settings, hooks, name, 'array');
    return entries === undefined ? [] : [[name, entries] as [string, jsonc.Node]];
  });
}

function commandsOf(entry: jsonc.Node): readonly jsonc.Node[] {
  const list =
    entry.type === 'object' ? entry.children?.find(p => p.children?.[0]?.value === 'hooks') : undefined;
  const commands = list?.children?.[1];
  return commands?.type === 'array' ? (commands.children ?? []) : [];
}

function ownCommands(entries: jsonc.Node, hook: HookToInstall): jsonc.Node[] {
  return (entries.children ?? [])
    .flatMap(entry => commandsOf(entry))
    .filter(command => hook.isOurs(stringOf(command, 'command') ?? ''));
}

function isCurrent(ours: readonly jsonc.Node[], hook: HookToInstall): boolean {
  const [only] = ours;
  return (
    ours.length === 1 &&
    stringOf(only, 'command') === hook.command &&
    stringOf(only, 'type') === 'command' &&
    valueNode(only, 'timeout')?.value === hook.timeout
  );
}

/** Takes our commands out of an event, and what is empty without them. */
function removeFrom(editor: Editor, name: string, hook: HookToInstall): void {
  for (;;) {
    const settings = readSettings(editor.text);
    const entries = new Map(eventsOf(settings)).get(name);
    const [command] = entries === undefined ? [] : ownCommands(entries, hook);
    if (command === undefined) return;
    editor.apply(removal(editor.text, emptiedBy(editor.text, command)));
  }
}

/** The outermost of what holds nothing but this command, comments included: the command, its entry, the event, or all hooks. */
function emptiedBy(text: string, command: jsonc.Node): jsonc.Node {
  let node = command;
  const outer = (): jsonc.Node | undefined => {
    if (node.parent?.children?.length !== 1) return undefined;
    if (node === command) {
      const entry = command.parent?.parent?.parent;
      return entry !== undefined && isEntryOfOurs(entry) ? entry : undefined;
    }
    return node.parent.parent?.type === 'property' ? node.parent.parent : undefined;
  };
  for (let next = outer(); next !== undefined; next = outer()) {
    const around =
      text.slice(next.offset, node.offset) + text.slice(node.offset + node.length, next.offset + next.length);
    if (commentsOf(around).length > 0) return node;
    node = next;
  }
  return node;
}

/** Nobody has added to the entry, such as a matcher. */
function isEntryOfOurs(entry: jsonc.Node): boolean {
  return entry.children?.length === 1;
}

interface Removal {
  readonly offset: number;
  readonly length: number;
  readonly content: '';
}

/** Takes an item of an array or object away with its comma; comments stay. */
function removal(text: string, node: jsonc.Node): Removal[] {
  let start = node.offset;
  let end = node.offset + node.length;
  const following = commaAfter(text, end);
  const siblings = node.parent?.children ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const edits: Removal[] = [];
  if (following !== undefined) {
    if (/^[ \t\r\n]*$/.test(text.slice(end, following))) end = following + 1;
    else edits.push({ offset: following, length: 1, content: '' });
  } else if (before !== undefined) {
    const comma = commaAfter(text, before.offset + before.length);
    if (comma !== undefined) edits.push({ offset: comma, length: 1, content: '' });
  }
  const isBehindComment = followsLineComment(text, start);
  const restOfLine = /^[ \t]*(?=[\r\n])/.exec(text.slice(end))?.[0];
  if (!isBehindComment || restOfLine !== undefined)
    start -= /[ \t\r\n]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  // White space that would come to stand in the line of the comment would belong to it.
  if (isBehindComment) end += restOfLine?.length ?? 0;
  return [...edits, { offset: start, length: end - start, content: '' }];
}

/** The line break before `offset` ends a comment. */
function followsLineComment(text: string, offset: number): boolean {
  let last: number | undefined;
  for (const { kind, offset: at } of tokensOf(text)) {
    if (at >= offset) break;
    if (kind !== token.space && kind !== token.lineBreak) last = kind;
  }
  return last === token.lineComment;
}

function insertInto(editor: Editor, name: string, hook: HookToInstall): void {
  const { text } = editor;
  const settings = readSettings(text);
  const entries = new Map(eventsOf(settings)).get(name);
  if (entries !== undefined && ownCommands(entries, hook).length > 0) return;
  const entry = { hooks: [{ type: 'command', command: hook.command, timeout: hook.timeout }] };
  const { root } = settings;
  const hooks = valueNode(root, 'hooks');
  if (root === undefined)
    editor.insert([{ offset: text.length, content: wholeFile({ hooks: { [name]: [entry] } }, text) }]);
  else if (hooks === undefined)
    editor.insert(insertionsAtEnd(text, root, root, { key: 'hooks', value: { [name]: [entry] } }));
  else if (entries === undefined)
    editor.insert(insertionsAtEnd(text, root, hooks, { key: name, value: [entry] }));
  else editor.insert(insertionsAtEnd(text, root, entries, { value: entry }));
}

/** Entries and events that are empty say nothing, and stay where a comment is in them. */
function withoutEmpty(root: Outline): Outline {
  return {
    pairs: pairsOf(root).flatMap(([key, hooks]) => {
      if (key !== 'hooks') return [[key, hooks] as const];
      const events = pairsOf(hooks)
        .map(
          ([name, entries]) =>
            [
              name,
              Array.isArray(entries)
                ? (entries as readonly Outline[]).filter(entry => !isEmpty(entry))
                : entries,
            ] as const,
        )
        .filter(([, entries]) => !Array.isArray(entries) || entries.length > 0);
      return events.length > 0 ? [[key, { pairs: events }] as const] : [];
    }),
  };
}

function isEmpty(entry: Outline): boolean {
  const [first, second] = pairsOf(entry);
  return second === undefined && first?.[0] === 'hooks' && Array.isArray(first[1]) && first[1].length === 0;
}

type Pairs = readonly (readonly [string, Outline])[];

/** What the settings must mean afterwards, found without looking at their spelling. */
function expectedOutline(settings: SettingsText, events: readonly string[], hook: HookToInstall): Outline {
  const current = installedEvents(settings.bom + settings.text, hook);
  const keeps = (name: string): boolean => events.includes(name) && current.get(name) === 'current';
  const added: Outline = {
    pairs: [['hooks', [outlineOfValue({ type: 'command', command: hook.command, timeout: hook.timeout })]]],
  };
  const root = pairsOf(outlineOf(settings.root));
  let hooks = pairsOf(root.find(([key]) => key === 'hooks')?.[1] ?? { pairs: [] }).flatMap(
    ([name, entries]) => {
      if (keeps(name) || !current.has(name) || !Array.isArray(entries)) return [[name, entries] as const];
      const rest = (entries as readonly Outline[]).flatMap(entry => withoutOurs(entry, hook));
      return rest.length > 0 ? [[name, rest] as const] : [];
    },
  );
  const emptied = hooks.length === 0 && current.size > 0;
  for (const name of events) {
    if (keeps(name)) continue;
    const there = hooks.find(([key]) => key === name)?.[1];
    if (there === undefined) hooks = [...hooks, [name, [added]]];
    else
      hooks = hooks.map(pair =>
        pair[0] === name ? [name, [...(there as readonly Outline[]), added]] : pair,
      );
  }
  const had = root.some(([key]) => key === 'hooks');
  if (hooks.length === 0) return { pairs: emptied ? root.filter(([key]) => key !== 'hooks') : root };
  // Emptied and filled again, `hooks` comes last.
  if (!had || emptied)
    return { pairs: [...root.filter(([key]) => key !== 'hooks'), ['hooks', { pairs: hooks }]] };
  return { pairs: root.map(pair => (pair[0] === 'hooks' ? ['hooks', { pairs: hooks }] : pair)) };
}

function withoutOurs(entry: Outline, hook: HookToInstall): Outline[] {
  const pairs = pairsOf(entry);
  const list = pairs.find(([key]) => key === 'hooks')?.[1];
  if (!Array.isArray(list)) return [entry];
  const isOurs = (command: Outline): boolean => {
    const text = pairsOf(command).find(([key]) => key === 'command')?.[1];
    return typeof text === 'string' && text.startsWith('"') && hook.isOurs(String(JSON.parse(text)));
  };
  const commands = list as readonly Outline[];
  const rest = commands.filter(command => !isOurs(command));
  if (rest.length === commands.length) return [entry];
  if (rest.length === 0 && pairs.length === 1) return [];
  return [{ pairs: pairs.map(pair => (pair[0] === 'hooks' ? (['hooks', rest] as const) : pair)) }];
}

function pairsOf(outline: Outline): Pairs {
  return typeof outline === 'object' && 'pairs' in outline ? outline.pairs : [];
}

function outlineOfValue(value: Record<string, string | number>): Outline {
  return { pairs: Object.entries(value).map(([key, item]) => [key, JSON.stringify(item)] as const) };
}
