import type * as vscode from 'vscode';
import { Emitter as EventEmitter } from '../../src/util/lifecycle';

/** What unit tests see as `vscode`. What acts on the editor does nothing and is noted here, for tests that expect none of it. */
export const acts: string[] = [];
/** What was said in notices and questions. */
export const told: string[] = [];
/** What acts with this name answer, instead of nothing at once. */
export const answers = new Map<string, Promise<undefined>>();
/** The texts of the documents that were opened. */
export const opened: string[] = [];
/** Commands that were run, with what they were given: in words, and as it is. */
export const executed: string[] = [];
export const calls: (readonly unknown[])[] = [];
/** What was written to output channels. */
export const output: string[] = [];
/** What was created, registered or listened to and is not disposed of, by the name of the call, with what it was given. */
export const alive = new Map<object, { readonly name: string; readonly given: readonly unknown[] }>();

type Acts = Readonly<Record<string, (...words: readonly unknown[]) => Promise<undefined>>>;

/** A part of the editor: its `own` members, and others that do nothing. */
function part<T extends object>(name: string, own: T): T & Acts {
  const get = (_: T, member: string | symbol): unknown =>
    member in own || typeof member === 'symbol' || member === 'then'
      ? own[member as keyof T]
      : anything(`${name}.${member}`);
  return new Proxy(own, { get }) as T & Acts;
}

/** What may be called, has members, and takes what is written to them. */
function anything(name: string): object {
  const members = part(name, {});
  const apply = (_: unknown, __: unknown, words: readonly unknown[]): unknown => {
    const act = name.slice(name.lastIndexOf('.') + 1);
    if (!/^(on|register)[A-Z]/.test(act)) acts.push(name);
    if (/^(on|register|create)[A-Z]/.test(act)) return made(name, words);
    if (act === 'executeCommand') {
      executed.push(words.join(' '));
      calls.push(words);
    }
    if (/^show\w+Message$/.test(act)) told.push(String(words[0]));
    return answers.get(act) ?? Promise.resolve(undefined);
  };
  const get = (_: unknown, member: string): unknown => members[member];
  const set = (_: unknown, member: string, value: unknown) => Reflect.set(members, member, value);
  return new Proxy(() => undefined, { apply, get, set });
}

/** What listens to a thing goes with it. Panels are the editor's own. */
function made(name: string, given: readonly unknown[]): object {
  const dispose = (): void => {
    for (const [other, of] of alive)
      if (other === thing || of.name.startsWith(`${name}.`)) alive.delete(other);
  };
  if (name === 'window.createWebviewPanel')
    return part(name, { visible: true, title: 'A page', webview: part('webview', { cspSource: 'self' }) });
  const thing = part(name, { visible: true, dispose });
  alive.set(thing, { name, given });
  return thing;
}

const write = (line: string): unknown => output.push(line);
const channel = { debug: write, info: write, warn: write, error: write, dispose: () => undefined };

/** A box as a person sees it: they type, and choose what is listed. */
class QuickPick {
  title = '';
  placeholder = '';
  busy = false;
  #items: readonly { readonly label: string; readonly description?: string; readonly detail?: string }[] = [];
  selectedItems: typeof this.items = [];
  activeItems: typeof this.items = [];
  isShown = false;
  value = '';
  readonly #typed = new EventEmitter<string>();
  readonly #accepted = new EventEmitter<void>();
  readonly #hidden = new EventEmitter<void>();
  readonly onDidChangeValue = this.#typed.event;
  readonly onDidAccept = this.#accepted.event;
  readonly onDidHide = this.#hidden.event;
  readonly onDidTriggerItemButton = new EventEmitter<unknown>().event;

  get items() {
    return this.#items;
  }
  /** The first row becomes the active one. */
  set items(items) {
    this.#items = items;
    this.activeItems = items.filter(({ label }) => label.startsWith('$(')).slice(0, 1);
  }
  show(): void {
    this.isShown = true;
  }
  type(text: string): void {
    this.value = text;
    this.#typed.fire(text);
  }
  choose(index: number): void {
    this.selectedItems = this.items.slice(index, index + 1);
    this.#accepted.fire();
  }
  dispose(): void {
    this.isShown = false;
    this.#hidden.fire();
  }
}

/** The boxes that were made, the latest last. */
export const quickPicks: QuickPick[] = [];

/** What is chosen in the next lists that are shown, by a part of the label or else of the description; one for which there is nothing is left. */
export const choices: string[] = [];
/** The details of what was listed to choose from. */
export const shown: string[] = [];
async function showQuickPick(items: QuickPick['items'] | Promise<QuickPick['items']>): Promise<unknown> {
  acts.push('window.showQuickPick');
  const all = await items;
  shown.push(...all.map(({ detail = '' }) => detail));
  const chosen = choices.shift();
  return chosen === undefined
    ? answers.get('showQuickPick')
    : (all.find(({ label }) => label.includes(chosen)) ??
        all.find(({ description = '' }) => description.includes(chosen)));
}

const nothing = { dispose: () => undefined };
const unstoppable = { isCancellationRequested: false, onCancellationRequested: () => nothing };
export const window = part('window', {
  state: {},
  activeTextEditor: undefined,
  visibleTextEditors: [],
  terminals: [],
  createOutputChannel: () => channel,
  tabGroups: part('window.tabGroups', { all: [], activeTabGroup: {} }),
  createQuickPick: () => {
    const made = new QuickPick();
    quickPicks.push(made);
    return made;
  },
  showQuickPick,
  withProgress: <T>(_options: object, work: (progress: object, token: object) => Promise<T>): Promise<T> =>
    work({}, unstoppable),
});
export const commands = part('commands', {});
export const languages = part('languages', {});
export const CodeActionKind = { QuickFix: 'quickfix' } as const;
export class CodeAction {}
export const env = part('env', {
  language: 'en',
  remoteName: undefined,
  clipboard: {
    writeText: (text: string): Promise<void> => {
      acts.push(`clipboard.writeText=${text}`);
      return Promise.resolve();
    },
  },
});
export const workspace = part('workspace', {
  isTrusted: true,
  workspaceFolders: [],
  name: undefined,
  workspaceFile: undefined,
  getWorkspaceFolder: () => undefined,
  getConfiguration: () => ({ get: (_: string, otherwise: unknown) => otherwise, inspect: () => undefined }),
  openTextDocument: (document: { readonly content?: string }): Promise<object> => {
    opened.push(document.content ?? '');
    return Promise.resolve(document);
  },
  findFiles: () => Promise.resolve([]),
});

export const Uri = {
  joinPath: (base: { readonly path: string }, ...parts: string[]) =>
    Uri.file([base.path, ...parts].join('/')),
  file: (path: string) => ({
    ...{ scheme: 'file', path, query: '', fsPath: path },
    toString: () => `file://${path}`,
  }),
  from: ({ scheme, path, query = '' }: { scheme: string; path: string; query?: string }) => ({
    ...{ scheme, path, query },
    toString: () => [`${scheme}:${path}`, query].filter(Boolean).join('?'),
  }),
  parse: (address: string) => ({ scheme: new URL(address).protocol.slice(0, -1), toString: () => address }),
  [Symbol.hasInstance]: (value: unknown) => typeof value === 'object' && value !== null && 'path' in value,
};

export class Range {
  readonly start;
  readonly end;
  constructor(line: number, character: number, endLine: number, endCharacter: number) {
    this.start = { line, character };
    this.end = { line: endLine, character: endCharacter };
  }
}

export const CommentMode = { Editing: 0, Preview: 1 } as const;
export const CommentThreadCollapsibleState = { Collapsed: 0, Expanded: 1 } as const;
export const CommentThreadState = { Unresolved: 0, Resolved: 1 } as const;

/** What is shown of comments, and what a person does with it goes through the commands. */
export class CommentController {
  commentingRangeProvider: vscode.CommentingRangeProvider | undefined;
  readonly threads = new Set<vscode.CommentThread>();

  createCommentThread(
    ...[uri, range, comments]: Parameters<vscode.CommentController['createCommentThread']>
  ) {
    const dispose = (): unknown => this.threads.delete(thread);
    const shown = { uri, range, comments, canReply: true, dispose };
    const thread = shown as unknown as vscode.CommentThread;
    this.threads.add(thread);
    return thread;
  }
  dispose(): void {
    this.threads.clear();
  }
}

/** The controllers that were made, the latest last. */
export const controllers: CommentController[] = [];
export const comments = {
  createCommentController: (): CommentController => {
    controllers.push(new CommentController());
    return controllers.at(-1)!;
  },
};

export class McpStdioServerDefinition {}

export class TabInputText {}
export class TabInputNotebook {}
export class TabInputCustom {}
export class TabInputWebview {
  readonly viewType: string = 'mainThreadWebview-agentConsole.chat';
}
export const ViewColumn = { Active: -1 } as const;

export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 } as const;
export const QuickPickItemKind = { Separator: -1, Default: 0 } as const;
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 } as const;
export const StatusBarAlignment = { Left: 1, Right: 2 };

export class TreeItem {
  constructor(
    public label: string,
    public collapsibleState: number = TreeItemCollapsibleState.None,
  ) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class ThemeIcon {
  constructor(
    readonly id: string,
    readonly color?: ThemeColor,
  ) {}
}

export class MarkdownString {
  value = '';

  appendText(text: string): this {
    this.value += text;
    return this;
  }
  appendCodeblock(text: string): this {
    return this.appendText(`\n${text}\n`);
  }
}

export * as l10n from '@vscode/l10n';
export { EventEmitter };

export class CancellationError extends Error {}
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 } as const;
export class FileSystemError extends Error {
  static FileNotFound = (): Error => new FileSystemError('not found');
}

export class Disposable {
  static from = (...all: readonly { dispose(): unknown }[]) =>
    new Disposable(() => all.forEach(each => each.dispose()));
  constructor(readonly dispose: () => unknown = () => undefined) {}
}

/** Other extensions, by their ids. */
export const installed = new Map<string, object>();
export const extensions = part('extensions', {
  getExtension: (id: string): object | undefined => installed.get(id),
});
/** An editor without language models. */
export const lm = undefined;
