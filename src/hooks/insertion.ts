import type * as jsonc from 'jsonc-parser';
import { commaAfter, token, tokensOf } from './settingsText';

export interface Insertion {
  readonly offset: number;
  readonly content: string;
}

/** An item of an array, or with `key` one of an object. */
export interface Item {
  readonly key?: string | undefined;
  readonly value: unknown;
}

/** Widest step of indentation that is taken over, in spaces. */
const WIDEST = 8;

/** A file of its own. */
export function wholeFile(value: unknown, before: string): string {
  const eol = eolOf(before);
  const isOpen = !/(?:^|[\r\n])[ \t]*$/.test(before);
  return (isOpen ? eol : '') + JSON.stringify(value, undefined, 2).replaceAll('\n', eol) + eol;
}

/**
 * What puts an item at the end of an array or object, in lines of its own where the others have that, and in the line of the others
 * where they share one. Nothing that is there already is moved or spelt anew, and a comment stays with what it stands behind.
 */
export function insertionsAtEnd(
  text: string,
  root: jsonc.Node,
  container: jsonc.Node,
  item: Item,
): Insertion[] {
  const last = container.children?.at(-1);
  const layout = layoutOf(text, root, container, last);
  const written = writtenAs(item, layout);
  if (last === undefined) {
    const offset = endOfTrivia(text, container.offset + 1);
    const isClosed = layout.indent === undefined || /[\r\n]/.test(text.slice(offset, endOf(container)));
    const close = isClosed ? '' : layout.eol + indentAt(text, container.offset);
    return [{ offset, content: (layout.indent === undefined ? '' : leading(layout)) + written + close }];
  }
  const comma = commaAfter(text, endOf(last));
  const after = comma === undefined ? endOf(last) : comma + 1;
  const offset = layout.indent === undefined ? after : endOfLineComments(text, after);
  if (comma !== undefined) return [{ offset, content: `${leading(layout)}${written},` }];
  if (offset === after) return [{ offset, content: `,${leading(layout)}${written}` }];
  return [
    { offset: after, content: ',' },
    { offset, content: leading(layout) + written },
  ];
}

interface Layout {
  readonly eol: string;
  /** Of the line the item gets; `undefined` where it shares one. */
  readonly indent: string | undefined;
  readonly step: string;
  /** Whether white space stands after colons and commas in the shared line. */
  readonly isSpaced: boolean;
}

function layoutOf(
  text: string,
  root: jsonc.Node,
  container: jsonc.Node,
  last: jsonc.Node | undefined,
): Layout {
  const step = stepOf(text, root);
  const common = { eol: eolOf(text), step, isSpaced: /[:,][ \t]/.test(text.slice(root.offset, endOf(root))) };
  if (last !== undefined)
    return { ...common, indent: startsLine(text, last.offset) ? indentAt(text, last.offset) : undefined };
  const holder = container.parent ?? container;
  const isOwn =
    startsLine(text, holder.offset) || /[\r\n]/.test(text.slice(container.offset, endOf(container)));
  return { ...common, indent: isOwn ? indentAt(text, container.offset) + step : undefined };
}

function leading({ indent, eol, isSpaced }: Layout): string {
  if (indent !== undefined) return eol + indent;
  return isSpaced ? ' ' : '';
}

function writtenAs({ key, value }: Item, { indent, eol, step, isSpaced }: Layout): string {
  const name =
    key === undefined ? '' : `${JSON.stringify(key)}:${indent !== undefined || isSpaced ? ' ' : ''}`;
  if (indent !== undefined)
    return name + JSON.stringify(value, undefined, step).replaceAll('\n', eol + indent);
  // A line break within a string is never written as one.
  return (
    name + (isSpaced ? JSON.stringify(value, undefined, 1).replace(/\n */g, ' ') : JSON.stringify(value))
  );
}

/** How much deeper each level begins, as the first property that begins a line shows. */
function stepOf(text: string, root: jsonc.Node): string {
  const first = root.children?.find(({ offset }) => startsLine(text, offset));
  const indent = first === undefined ? '' : indentAt(text, first.offset);
  if (indent.includes('\t')) return '\t';
  return indent === '' ? '  ' : indent.slice(0, WIDEST);
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function endOf({ offset, length }: jsonc.Node): number {
  return offset + length;
}

function lineAt(text: string, offset: number): string {
  return /[^\r\n]*$/.exec(text.slice(0, offset))?.[0] ?? '';
}

function startsLine(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(lineAt(text, offset));
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(lineAt(text, offset))?.[0] ?? '';
}

/** Where the last of the comments ends that follow `offset`, up to anything but white space. */
function endOfTrivia(text: string, offset: number): number {
  let end = offset;
  for (const { kind, offset: at, length } of tokensOf(text, offset)) {
    if (kind === token.lineComment || kind === token.blockComment) end = at + length;
    else if (kind !== token.space && kind !== token.lineBreak) break;
  }
  return end;
}

/** Where the comments end that stand behind `offset` in its line, if nothing else does. */
function endOfLineComments(text: string, offset: number): number {
  let end = offset;
  for (const { kind, offset: at, length } of tokensOf(text, offset)) {
    if (kind === token.lineBreak) return end;
    if (kind === token.lineComment || kind === token.blockComment) end = at + length;
    else if (kind !== token.space) return offset;
  }
  return offset;
}
