import * as jsonc from 'jsonc-parser';

/** Why a settings file is left alone. */
export type TextProblem =
  | { readonly kind: 'unparsable'; readonly line: number }
  | { readonly kind: 'duplicateKey'; readonly line: number; readonly key: string }
  | {
      readonly kind: 'shape';
      readonly line: number;
      readonly expected: 'object' | 'array';
      readonly path: string;
    }
  | { readonly kind: 'tooDeep' }
  /** The change would not have been what was meant. */
  | { readonly kind: 'unsafe' };

export class SettingsTextError extends Error {
  readonly problem: TextProblem;

  constructor(problem: TextProblem, options?: ErrorOptions) {
    super(`The settings cannot be changed: ${problem.kind}`, options);
    this.problem = problem;
  }
}

const BOM = '\ufeff';

/** Kinds of tokens; the package declares them in a form that isolated modules cannot use. */
export const token = {
  comma: 5,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  space: 15,
  end: 17,
} as const;

/** A settings file that can be changed: JSON with comments, one object, no key twice. Throws a `SettingsTextError` otherwise. */
export interface SettingsText {
  readonly bom: string;
  /** Without the BOM. */
  readonly text: string;
  /** `undefined` for a file of nothing but white space and comments. */
  readonly root: jsonc.Node | undefined;
}

export function readSettings(source: string): SettingsText {
  const bom = source.startsWith(BOM) ? BOM : '';
  const text = source.slice(bom.length);
  const errors: jsonc.ParseError[] = [];
  return refusing(() => {
    const root = jsonc.parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const [error] = errors;
    if (error !== undefined)
      throw new SettingsTextError({ kind: 'unparsable', line: lineOf(text, error.offset) });
    if (root !== undefined) refuseDuplicates(text, root);
    return { bom, text, root };
  });
}

/** What is not foreseen is no reason to touch a file, nor a sentence for a person. */
export function refusing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof SettingsTextError) throw error;
    throw new SettingsTextError(
      { kind: error instanceof RangeError ? 'tooDeep' : 'unsafe' },
      { cause: error },
    );
  }
}

/** The child of an object, checked to be of this type where it exists. */
export function childOf(
  settings: SettingsText,
  parent: jsonc.Node | undefined,
  key: string | undefined,
  type: 'object' | 'array',
): jsonc.Node | undefined {
  const node = key === undefined ? parent : valueNode(parent, key);
  if (node !== undefined && node.type !== type) {
    const line = lineOf(settings.text, node.offset);
    throw new SettingsTextError({ kind: 'shape', line, expected: type, path: key ?? '' });
  }
  return node;
}

/** The value of a key; unlike `findNodeAtLocation`, not confused by numbers and prototypes. */
export function valueNode(parent: jsonc.Node | undefined, key: string): jsonc.Node | undefined {
  if (parent?.type !== 'object') return undefined;
  return parent.children?.find(property => property.children?.[0]?.value === key)?.children?.[1];
}

/** The text of a string value. */
export function stringOf(parent: jsonc.Node | undefined, key: string): string | undefined {
  const value: unknown = valueNode(parent, key)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** A value without its spelling, in which the order of keys counts; two texts with the same outline mean the same. */
export type Outline =
  string | readonly Outline[] | { readonly pairs: readonly (readonly [string, Outline])[] };

export function outlineOf(node: jsonc.Node | undefined): Outline {
  if (node === undefined) return { pairs: [] };
  if (node.type === 'array') return (node.children ?? []).map(outlineOf);
  if (node.type !== 'object') return JSON.stringify(node.value);
  return {
    pairs: (node.children ?? []).map(
      ({ children }) => [String(children?.[0]?.value), outlineOf(children?.[1])] as const,
    ),
  };
}

export interface Token {
  readonly kind: number;
  readonly offset: number;
  readonly length: number;
}

/** Every token from `offset` on, white space and comments included. */
export function* tokensOf(text: string, offset = 0): Generator<Token> {
  const scanner = jsonc.createScanner(text);
  scanner.setPosition(offset);
  for (let kind: number = scanner.scan(); kind !== token.end; kind = scanner.scan())
    yield { kind, offset: scanner.getTokenOffset(), length: scanner.getTokenLength() };
}

/** Where the comma is that follows `offset` after nothing but white space and comments. */
export function commaAfter(text: string, offset: number): number | undefined {
  for (const { kind, offset: at } of tokensOf(text, offset)) {
    if (kind === token.comma) return at;
    if (kind < token.lineComment || kind > token.space) return undefined;
  }
  return undefined;
}

/** Every comment, in order. */
export function commentsOf(text: string): string[] {
  const comments: string[] = [];
  for (const { kind, offset, length } of tokensOf(text)) {
    if (kind === token.lineComment || kind === token.blockComment)
      comments.push(text.slice(offset, offset + length));
  }
  return comments;
}

/** From 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function refuseDuplicates(text: string, node: jsonc.Node): void {
  if (node.type === 'object') {
    const keys = new Set<string>();
    for (const { children, offset } of node.children ?? []) {
      const key = String(children?.[0]?.value);
      if (keys.has(key))
        throw new SettingsTextError({ kind: 'duplicateKey', line: lineOf(text, offset), key });
      keys.add(key);
    }
  }
  for (const child of node.children ?? []) refuseDuplicates(text, child);
}
