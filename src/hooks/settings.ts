import * as jsonc from 'jsonc-parser';
import * as vscode from 'vscode';
import { oneLine } from '../util/text';

/** Why a settings file is left alone, as a sentence that does not name the file. */
export class Refusal extends Error {}

/** Seconds the client gives the command; it needs milliseconds. */
const TIMEOUT_SECONDS = 5;

/** The events that have the hook. Throws a `Refusal`. */
export function installedEvents(source: string, command: string): readonly string[] {
  return [...new Set(ownCommands(read(withoutBom(source)), command).map(({ event }) => event))];
}

/**
 * The settings with the hook in these events and in no other; all else means what it meant, and every comment stays. No events: the
 * hook is gone. Throws a `Refusal` where the result would not be exactly that (trust.md 35, 36).
 */
export function withHook(source: string, events: readonly string[], command: string): string {
  const before = withoutBom(source);
  let text = before;
  for (;;) {
    const stale = ownCommands(read(text), command).find(
      ({ event }, index, all) =>
        !events.includes(event) || all.findIndex(other => other.event === event) < index,
    );
    if (stale === undefined) break;
    text = jsonc.applyEdits(text, removal(text, emptiedBy(text, stale.node)));
  }
  const there = installedEvents(text, command);
  for (const event of events) if (!there.includes(event)) text = inserted(text, event, command);
  const after = installedEvents(text, command);
  if (
    after.length !== events.length ||
    foreignPart(text, command) !== foreignPart(before, command) ||
    commentsOf(text).join('\n') !== commentsOf(before).join('\n')
  )
    throw new Refusal(
      vscode.l10n.t('It cannot be changed without touching something else. Edit it by hand.'),
    );
  return source.slice(0, source.length - before.length) + text;
}

export function commentsOf(text: string): string[] {
  return tokensOf(text)
    .filter(isComment)
    .map(({ offset, length }) => text.slice(offset, offset + length));
}

function withoutBom(source: string): string {
  return source.replace(/^\ufeff/, '');
}

/** One object with no key twice, whose `hooks` have the expected shape; `undefined` for a file of nothing but comments. */
function read(text: string): jsonc.Node | undefined {
  const errors: jsonc.ParseError[] = [];
  const root = jsonc.parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error !== undefined)
    throw new Refusal(vscode.l10n.t('Line {0} is not valid JSON. Fix it first.', lineOf(text, error.offset)));
  if (root === undefined) return undefined;
  refuseDuplicates(text, root);
  const expect = (node: jsonc.Node | undefined, type: jsonc.NodeType, wanted: string): void => {
    if (node === undefined || node.type === type) return;
    const line = lineOf(text, node.offset);
    throw new Refusal(vscode.l10n.t('Line {0} should be {1}. Fix it first.', line, wanted));
  };
  expect(root, 'object', '{ }');
  const hooks = valueOf(root, 'hooks');
  expect(hooks, 'object', '"hooks": { }');
  for (const { children: [key, list] = [] } of hooks?.children ?? [])
    expect(list, 'array', `"${oneLine(String(key?.value), 60)}": [ ]`);
  return root;
}

function refuseDuplicates(text: string, node: jsonc.Node): void {
  const keys = new Set<unknown>();
  for (const child of node.children ?? []) {
    const key: unknown = child.children?.[0]?.value;
    if (node.type === 'object' && keys.has(key))
      throw new Refusal(
        vscode.l10n.t(
          'It has the key "{0}" twice (line {1}). Remove one of them first.',
          oneLine(String(key), 60),
          lineOf(text, child.offset),
        ),
      );
    keys.add(key);
    refuseDuplicates(text, child);
  }
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function valueOf(parent: jsonc.Node | undefined, key: string): jsonc.Node | undefined {
  if (parent?.type !== 'object') return undefined;
  return parent.children?.find(property => property.children?.[0]?.value === key)?.children?.[1];
}

function ownCommands(root: jsonc.Node | undefined, command: string) {
  return (valueOf(root, 'hooks')?.children ?? []).flatMap(({ children: [key, entries] = [] }) =>
    (entries?.children ?? [])
      .flatMap(entry => valueOf(entry, 'hooks'))
      .flatMap(list => (list?.type === 'array' ? (list.children ?? []) : []))
      .filter(node => valueOf(node, 'command')?.value === command)
      .map(node => ({ event: String(key?.value), node })),
  );
}

/** What the settings mean apart from our commands; lists and objects that are empty say nothing. */
function foreignPart(text: string, command: string): string {
  const whole: unknown = jsonc.parse(text, [], { allowEmptyContent: true });
  const rest: unknown = JSON.parse(JSON.stringify({ whole }), (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('command' in value && value.command === command) return undefined;
    // What is left out of a list leaves a hole in it.
    const left: object = Array.isArray(value) ? value.flat(0) : value;
    return Object.keys(left).length === 0 ? undefined : left;
  });
  return JSON.stringify({ rest });
}

/** The outermost item or property that holds nothing but this command. Comments keep it, and what somebody has added, such as a matcher. */
function emptiedBy(text: string, command: jsonc.Node): jsonc.Node {
  let found = command;
  for (let node = command; node.parent?.parent !== undefined; node = node.parent) {
    const { parent: holder } = node;
    const around = text.slice(holder.offset, node.offset) + text.slice(endOf(node), endOf(holder));
    const isMore = (holder.children?.length ?? 0) > (holder.type === 'property' ? 2 : 1);
    if (isMore || commentsOf(around).length > 0) break;
    const isEntry = holder.parent?.type === 'array';
    const isSetting = holder.type === 'property' && holder.parent?.parent?.type !== 'array';
    if (isEntry || isSetting) found = holder;
  }
  return found;
}

function endOf({ offset, length }: { readonly offset: number; readonly length: number }): number {
  return offset + length;
}

/** Takes an item of an array or object away with one comma and the white space before it; comments stay. */
function removal(text: string, node: jsonc.Node): jsonc.Edit[] {
  const tokens = tokensOf(text).filter(({ kind }) => kind !== token.space && kind !== token.lineBreak);
  const before = tokens.filter(each => each.offset < node.offset);
  const next = tokens.find(each => each.offset >= endOf(node) && !isComment(each));
  const comma = [next, before.findLast(each => !isComment(each))].find(each => each?.kind === token.comma);
  // The line break before it may end the comment of a line, and would take what follows into it.
  const last = before.at(-1);
  const start = last === undefined || last.kind === token.lineComment ? node.offset : endOf(last);
  const edits = [{ offset: start, length: endOf(node) - start, content: '' }];
  return comma === undefined ? edits : [...edits, { offset: comma.offset, length: 1, content: '' }];
}

/** Puts the hook at the end of an event's list, in lines of its own where the file has lines. */
function inserted(text: string, event: string, command: string): string {
  const entry = { hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS }] };
  const root = read(text);
  const hooks = valueOf(root, 'hooks');
  const container = valueOf(hooks, event) ?? hooks ?? root;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  if (root === undefined || container === undefined) {
    const gap = text === '' || /[\r\n][ \t]*$/.test(text) ? '' : eol;
    const whole = JSON.stringify({ hooks: { [event]: [entry] } }, undefined, 2);
    return text + gap + whole.replaceAll('\n', eol) + eol;
  }
  const [edit] = jsonc.modify(text, ['hooks', event, -1], entry, { isArrayInsertion: true });
  if (edit === undefined) return text;
  const raw = jsonc.applyEdits(text, [edit]);
  const isEmpty = container.children?.length === 0;
  const hasLines = isEmpty
    ? root.children?.length === 0 || /[\r\n]/.test(text.slice(root.offset, root.offset + root.length))
    : /[\r\n]/.test(text.slice(container.offset, container.children?.at(-1)?.offset));
  if (!hasLines) return raw;
  const step = /[\r\n]([ \t]+)"/.exec(text)?.[1] ?? '  ';
  // From bracket to bracket where nothing else is between them.
  const around = isEmpty ? 1 : 0;
  const range = { offset: edit.offset - around, length: edit.content.length + 2 * around };
  const insertSpaces = !step.startsWith('\t');
  const tabSize = insertSpaces ? Math.min(step.length, 8) : 1;
  return jsonc.applyEdits(raw, jsonc.format(raw, range, { insertSpaces, tabSize, eol }));
}

/** Kinds of tokens; the package declares them in a form that isolated modules cannot use. */
const token = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, space: 15, end: 17 } as const;

interface Token {
  readonly kind: number;
  readonly offset: number;
  readonly length: number;
}

function isComment({ kind }: Token): boolean {
  return kind === token.lineComment || kind === token.blockComment;
}

function tokensOf(text: string): Token[] {
  const scanner = jsonc.createScanner(text);
  const tokens: Token[] = [];
  for (let kind: number = scanner.scan(); kind !== token.end; kind = scanner.scan())
    tokens.push({ kind, offset: scanner.getTokenOffset(), length: scanner.getTokenLength() });
  return tokens;
}
