import * as vscode from 'vscode';
import { oneLine } from '../../util/text';
import { readSessionId } from '../../ui/pick';

/** A file without an address; its bytes are brought here when they are read. */
export interface AwayFile {
  readonly name: string;
  /** Where it belongs in the workspace; the name without it. */
  readonly path?: string | undefined;
  /** Where that is known before it is read, bytes. */
  readonly size?: number;
  read(): Thenable<Uint8Array>;
}

const textFile = (name: string, text: () => string | Promise<string>, path?: string): AwayFile => ({
  ...{ name, path },
  read: async () => new TextEncoder().encode(await text()),
});

/** What a person hands over: files by their addresses, and such as have none. */
export interface Given {
  readonly uris: readonly string[];
  readonly files: readonly AwayFile[];
}

export async function pickFiles(): Promise<readonly string[]> {
  const uris = await vscode.window.showOpenDialog({
    canSelectMany: true,
    openLabel: vscode.l10n.t('Attach'),
  });
  return (uris ?? []).map(uri => uri.toString());
}

/** The selections of the active editor, each as a text file that names its file and lines. */
export function selectedTexts(): readonly AwayFile[] {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return [];
  const { document } = editor;
  const place = placeOf(document.uri);
  return editor.selections
    .filter(selection => !selection.isEmpty)
    .sort((a, b) => a.start.compareTo(b.start))
    .map(selection => {
      // A selection that ends before the first character of a line does not take that line in.
      const last = selection.end.character === 0 ? selection.end.line : selection.end.line + 1;
      const lines = `${selection.start.line + 1}-${Math.max(last, selection.start.line + 1)}`;
      const text = (): string => document.getText(selection);
      return textFile(`${nameOf(document.uri)}:${lines}`, text, `${place}:${lines}`);
    });
}

/** The files in what was dropped on a tree: their addresses, or themselves where they have none. */
export async function droppedFiles(data: vscode.DataTransfer): Promise<Given> {
  const listed = await data.get('text/uri-list')?.asString();
  const uris = (listed ?? '')
    .split(/\r?\n/)
    .filter(line => line !== '' && !/^(?:#|https?:|mailto:|data:|blob:)/i.test(line));
  if (uris.length > 0) return { uris, files: [] };
  const files: AwayFile[] = [];
  for (const [, item] of data) {
    const file = item.asFile();
    // With an address, its size is known before it is read (trust.md 14).
    if (file?.uri !== undefined) uris.push(file.uri.toString());
    else if (file !== undefined) files.push({ name: file.name, read: () => file.data() });
  }
  return { uris, files };
}

/** Relative to the workspace, with `/`; the name alone for what lies outside: its path says more about this machine than about the file. */
export function placeOf(uri: vscode.Uri): string {
  if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return nameOf(uri);
  const hasFolders = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return vscode.workspace.asRelativePath(uri, hasFolders).replaceAll('\\', '/');
}

/** The path in an address; of what is no address at all, that. */
export function pathIn(uri: string): string {
  try {
    return decodeURIComponent(uri.replace(/^[a-z-]+:(?:\/\/[^/]*)?|[?#].*/gis, ''));
  } catch {
    return uri;
  }
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.split('/').at(-1) ?? uri.path;
}

/** What a file is called beside others: as all pasted pictures are `image.png`, one without a place gets a name that no other has. */
export function nameAmong({ name, path }: AwayFile, others: readonly { readonly name: string }[]): string {
  const last = oneLine(name.split(/[\\/]/).at(-1) ?? '', 100);
  const own = last === '' ? vscode.l10n.t('file') : last;
  const [, stem = own, ending = ''] = /^(.+?)(\.[^.]*)?$/s.exec(own) ?? [];
  const isTaken = (free: string): boolean => path === undefined && others.some(each => each.name === free);
  let free = own;
  for (let number = 2; isTaken(free); number++) free = `${stem}-${number}${ending}`;
  return free;
}

interface FileProblems {
  readonly uri: vscode.Uri;
  readonly problems: readonly vscode.Diagnostic[];
}

type Changed = Pick<vscode.SourceControlResourceState, 'resourceUri'>;

interface FailedTest {
  readonly test: Pick<vscode.TestItem, 'label' | 'parent'>;
  readonly message: vscode.TestMessage;
}

/** What changed in files since the last commit, and those of which that cannot be said. Rejects with a sentence. */
export type DiffOf = (
  files: readonly vscode.Uri[],
) => Promise<{ readonly diff: Uint8Array; readonly rest: readonly vscode.Uri[] }>;

/** Lines shown around a problem, the most of one place, and the most characters of one. */
const AROUND = 3;
const MOST_LINES = 200;
const MOST_CHARACTERS = 1_000;
const SEVERITIES: readonly string[] = ['error', 'warning', 'information', 'hint'];

/**
 * What the menus of files, problems, Source Control, tests, comments and terminals hand over; without anything, the person picks
 * files. Rejects with a sentence where it is anything else, or there is nothing to attach.
 */
export async function givenBy(args: readonly unknown[], diffOf: DiffOf): Promise<Given> {
  const [first, selected] = args;
  if (first === undefined || first === null) return { uris: await pickFiles(), files: [] };
  if (isUri(first)) {
    // All that is selected with what was clicked, which a tab's menu does not tell.
    const all = Array.isArray(selected) ? selected.filter(isUri) : [];
    return { uris: (all.length === 0 ? [first] : all).map(uri => uri.toString()), files: [] };
  }
  if (isProblems(first)) return { uris: [], files: [problemFile(first)] };
  if (isFailedTest(first)) return { uris: [], files: [testFile(first)] };
  if (isThread(first)) return { uris: [], files: [threadFile(first)] };
  if (isTerminal(first)) return { uris: [], files: [await terminalFile()] };
  const changed = args.flatMap(rowsOf).filter(isChanged);
  const given = changed.length > 0 ? await changedFiles(changed, diffOf) : undefined;
  if (given !== undefined && given.uris.length + given.files.length > 0) return given;
  throw new Error(vscode.l10n.t('There is nothing here that can be attached.'));
}

function problemFile({ uri, problems }: FileProblems): AwayFile {
  const read = async (): Promise<string> => {
    const document = await vscode.workspace.openTextDocument(uri);
    const parts = problems.map(problem => {
      const code = typeof problem.code === 'object' ? problem.code.value : problem.code;
      const by = [problem.source, code].filter(part => part !== undefined && part !== '').join(' ');
      const kind = SEVERITIES[problem.severity] ?? 'problem';
      return [
        at(uri, problem.range.start),
        `${kind}${by === '' ? '' : ` (${by})`}: ${problem.message}`,
        ...(problem.relatedInformation ?? []).map(
          ({ location, message }) => `  ${at(location.uri, location.range.start)}: ${message}`,
        ),
        '',
        ...numbered(document, problem.range),
      ].join('\n');
    });
    return parts.join('\n\n');
  };
  const line = (problems[0]?.range.start.line ?? 0) + 1;
  return textFile(`${nameOf(uri)}:${line} problem.txt`, read);
}

/** The lines of a range and some around it, with their numbers; those of the range are marked. */
function numbered(document: vscode.TextDocument, { start, end }: vscode.Range): readonly string[] {
  const from = Math.max(0, start.line - AROUND);
  const to = Math.min(document.lineCount - 1, end.line + AROUND, from + MOST_LINES);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => {
    const line = from + index;
    const mark = line >= start.line && line <= end.line ? '>' : ' ';
    return `${mark} ${line + 1} | ${document.lineAt(line).text.slice(0, MOST_CHARACTERS)}`;
  });
}

function threadFile({ uri, range, comments }: vscode.CommentThread): AwayFile {
  const read = async (): Promise<string> => {
    const document = await vscode.workspace.openTextDocument(uri);
    const lines = range === undefined ? [] : [at(uri, range.start), ...numbered(document, range)];
    const said = comments.map(({ author, body }) => `${author.name}:\n${wordsOf(body)}\n`);
    return [...lines, '', ...said].join('\n');
  };
  return textFile(`${nameOf(uri)} comments.txt`, read);
}

function testFile({ test, message }: FailedTest): AwayFile {
  const labels: string[] = [];
  for (let at: FailedTest['test'] | undefined = test; at !== undefined && labels.length < 20; at = at.parent)
    labels.unshift(at.label);
  const { location, expectedOutput: expected, actualOutput: actual, stackTrace = [] } = message;
  const lines = [`Failed test: ${labels.join(' > ')}`];
  if (location !== undefined) lines.push(at(location.uri, location.range.start));
  lines.push('', wordsOf(message.message));
  if (expected !== undefined || actual !== undefined)
    lines.push('', 'Expected:', expected ?? '', '', 'Actual:', actual ?? '');
  if (stackTrace.length > 0) lines.push('', 'Stack:');
  for (const { label, uri, position } of stackTrace)
    lines.push(`  ${label}${uri === undefined ? '' : ` (${at(uri, position)})`}`);
  return textFile(`${labels.at(-1) ?? ''} failed.txt`.trim(), () => lines.join('\n'));
}

/** What is selected in the terminal, which VS Code tells only by way of the clipboard. Text that was there is put back. */
async function terminalFile(): Promise<AwayFile> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  const mark = `agent-console-${Date.now()}`;
  await clipboard.writeText(mark);
  let text: string;
  try {
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    text = await clipboard.readText();
  } finally {
    await clipboard.writeText(before);
  }
  if (text === mark || text.trim() === '')
    throw new Error(vscode.l10n.t('Select some text in the terminal first.'));
  return textFile('terminal.txt', () => text);
}

/** One diff of all these files; those it cannot show go themselves. */
async function changedFiles(changed: readonly Changed[], diffOf: DiffOf): Promise<Given> {
  const uris = [...new Map(changed.map(({ resourceUri: uri }) => [uri.toString(), uri])).values()];
  const { diff, rest } = await diffOf(uris);
  const name = uris.length === 1 && uris[0] !== undefined ? `${nameOf(uris[0])}.diff` : 'changes.diff';
  const file = { name, size: diff.length, read: () => Promise.resolve(diff) };
  return { uris: rest.map(uri => uri.toString()), files: diff.length === 0 ? [] : [file] };
}

const wordsOf = (text: string | vscode.MarkdownString): string =>
  typeof text === 'string' ? text : text.value;

/** A place as an agent reads it. */
const at = (uri: vscode.Uri, position?: vscode.Position): string =>
  `${placeOf(uri)}${position === undefined ? '' : `:${position.line + 1}:${position.character + 1}`}`;

/** Whatever a foreign value has for fields. */
const fieldsOf = (value: unknown) => (value ?? {}) as Readonly<Record<string, unknown>>;

function isProblems(value: unknown): value is FileProblems {
  const { uri, problems } = fieldsOf(value);
  return isUri(uri) && Array.isArray(problems);
}

function isFailedTest(value: unknown): value is FailedTest {
  const { test, message } = fieldsOf(value);
  return fieldsOf(test)['label'] !== undefined && fieldsOf(message)['message'] !== undefined;
}

function isThread(value: unknown): value is vscode.CommentThread {
  const { uri, comments } = fieldsOf(value);
  return isUri(uri) && Array.isArray(comments);
}

const isTerminal = (value: unknown): boolean => typeof fieldsOf(value)['sendText'] === 'function';

/** A group of rows as its rows. */
function rowsOf(value: unknown): readonly unknown[] {
  const { resourceStates } = fieldsOf(value);
  return Array.isArray(resourceStates) ? resourceStates : [value];
}

const isChanged = (value: unknown): value is Changed => isUri(fieldsOf(value)['resourceUri']);

/** Reads the argument of `agentConsole.chat.send`, addresses as text; throws a sentence when it is not what it should be. */
export function readSendRequest(value: unknown) {
  const request = value as { readonly text?: unknown; readonly attachments?: unknown } | null | undefined;
  const sessionId = readSessionId(request);
  const words = request?.text;
  if (sessionId === undefined || typeof words !== 'string' || words.trim() === '') {
    throw new Error(vscode.l10n.t('Sending needs a session id and a text.'));
  }
  const uris = request?.attachments ?? [];
  if (!Array.isArray(uris) || !uris.every(isUri))
    throw new Error(vscode.l10n.t('Attachments are given as a list of URIs.'));
  return { sessionId, text: words, attachments: uris.map(uri => uri.toString()) };
}

function isUri(value: unknown): value is vscode.Uri {
  const { scheme, path } = fieldsOf(value);
  return typeof scheme === 'string' && typeof path === 'string';
}
