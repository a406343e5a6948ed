import * as path from 'node:path';
import { unescape } from 'node:querystring';
import * as vscode from 'vscode';
import { isApiError, type ApiClient } from '../api';
import type { Service } from '../connection';
import { commands } from '../contributions';
import { readSessionId } from '../ui/pick';
import { joined, themeIcon } from '../ui/text';
import { errorSentence } from '../util/errorSentence';
import { withSignal } from '../util/promises';
import { forNotification, forQuickPick, middle, oneLine } from '../util/text';
import type { SessionsContext } from '.';
import { activityOf, type SessionRecord, type Workspace } from './record';
import { wordsOf, type SessionContext } from './words';

/**
 * The client and its service. A person who is not signed in is asked to; another program is told. Rejects where there is none: with the
 * sentence, or as cancelled by a person.
 */
export async function signedIn(
  { connection, ready }: SessionsContext,
  byPerson: boolean,
): Promise<{ readonly api: ApiClient; readonly service: Service }> {
  if ((await connection.ready()).kind !== 'signedIn' && byPerson)
    await vscode.commands.executeCommand(commands.connection.signIn);
  const state = await connection.ready();
  const { api } = connection;
  if (state.kind === 'signedIn' && api !== undefined) {
    await ready();
    return { api, service: state.service };
  }
  if (byPerson) throw new vscode.CancellationError();
  throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
}

/** Reads a session and puts it in the index (section 4.6). Resolves to `undefined` when cancelled. */
export async function learnSession(
  context: SessionsContext,
  sessionId: string,
  byPerson: boolean,
): Promise<string | undefined> {
  const { api, service } = await signedIn(context, byPerson);
  const session = await inProgress(vscode.l10n.t('Looking for the session…'), signal =>
    api.one('session', { ids: { sessionId }, signal }),
  );
  if (session === undefined) return undefined;
  const learnt = { session, origin: 'added', at: Date.now(), workspace: currentWorkspace() } as const;
  await context.index.learn(service.id, learnt);
  return session.sessionId;
}

/** The record of a row or of an id; without any argument, of a known session that the person picks. */
export async function recordOf(context: SessionsContext, row: unknown): Promise<SessionRecord | undefined> {
  await context.ready();
  const meant = row ?? (await chooseSession(context, vscode.l10n.t('Choose a session'), 'only known'));
  return context.index.get(readSessionId(meant) ?? '');
}

/** The records of the selected rows where the one that is meant is among them, as in the Explorer; else of that one alone. */
export async function recordsOf(
  context: SessionsContext,
  row: unknown,
  rows?: unknown,
): Promise<readonly SessionRecord[]> {
  const selection: readonly unknown[] = context.view.selection;
  const meant = Array.isArray(rows) ? (rows as unknown[]) : selection.includes(row) ? selection : [row];
  return (await Promise.all(meant.map(each => recordOf(context, each)))).filter(
    record => record !== undefined,
  );
}

type SessionChoice = { readonly sessionId: string } | 'new' | 'add';

/** Asks for one of the known sessions, or also for a new one, which may come `first`, or one that is not known yet. */
export async function chooseSession(
  context: SessionsContext,
  placeHolder: string,
  first: 'known' | 'new' | 'only known',
): Promise<SessionChoice | undefined> {
  await context.ready();
  type Choice = vscode.QuickPickItem & { readonly value?: SessionChoice };
  const isArchived = ({ local }: SessionRecord): number => Number(local.archivedAt !== undefined);
  const known = [...context.index.records.values()]
    .sort((a, b) => isArchived(a) - isArchived(b) || activityOf(b) - activityOf(a))
    .map((record): Choice => {
      const { title, icon, agedState, computer } = wordsOf(record, contextOf(record, context));
      return {
        label: forQuickPick(title),
        description: forQuickPick(joined([agedState, computer])),
        iconPath: themeIcon(icon),
        detail: forQuickPick(record.sessionId),
        value: record,
      };
    });
  const line: Choice = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const fresh: Choice = { label: `$(add) ${vscode.l10n.t('New session…')}`, value: 'new', alwaysShow: true };
  const byId: Choice = {
    label: `$(link) ${vscode.l10n.t('Open a session by its id…')}`,
    value: 'add',
    alwaysShow: true,
  };
  const items = {
    known: [...known, line, fresh, byId],
    new: [fresh, line, ...known, line, byId],
    'only known': known,
  }[first];
  // Often asked from a page, which would close it by getting the focus back late.
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(items, options))?.value;
}

export async function askSessionId(context: SessionsContext): Promise<string | undefined> {
  const { host } = (await signedIn(context, true)).service;
  const value = await vscode.window.showInputBox({
    title: vscode.l10n.t('Open a session by its id'),
    prompt: vscode.l10n.t(
      'The id is shown in the web application and in the command-line client. A link to a session also works.',
    ),
    ignoreFocusOut: true,
    validateInput: text => {
      try {
        if (text.trim() !== '') typedSession(text, host);
        return undefined;
      } catch (error) {
        return errorSentence(error);
      }
    },
  });
  return value === undefined || value.trim() === '' ? undefined : typedSession(value, host);
}

/** Shows that something is going on, which a person may cancel: `undefined` then. */
export async function inProgress<T>(
  title: string,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, (_, token) =>
    withSignal(token, ask).catch((error: unknown) => {
      if (isApiError(error) && error.kind === 'cancelled') return undefined;
      throw error;
    }),
  );
}

const FOLDER = '/session/';

/** A link that opens a session in VS Code; `base` is the address the editor gives this extension, `host` that of the service. */
export function linkTo(
  { scheme, authority }: Pick<vscode.Uri, 'scheme' | 'authority'>,
  sessionId: string,
  host: string | undefined,
): string {
  const query = host === undefined ? '' : `?service=${encodeURIComponent(host)}`;
  return `${scheme}://${authority}${FOLDER}${encodeURIComponent(sessionId)}${query}`;
}

/**
 * The session that a link is to, which anybody may have written, at the service a person is signed in to; throws why it is to none. The
 * address comes decoded.
 */
export function linkedSession({ path, query }: Pick<vscode.Uri, 'path' | 'query'>, own: string): string {
  const sessionId = path.startsWith(FOLDER) ? path.slice(FOLDER.length) : '';
  const host = query === '' ? own : /^service=([\p{L}\p{M}\p{N} .:[\]-]{1,255})$/u.exec(query)?.[1];
  if (!isSessionId(sessionId) || host === undefined)
    throw new Error(vscode.l10n.t('This link does not lead to a session.'));
  if (host === own) return sessionId;
  throw new Error(
    vscode.l10n.t(
      'This link is to a session at {0}, but you are signed in to {1}. Sign in there to open it.',
      forNotification(host, 80),
      own,
    ),
  );
}

/** The session that a typed or pasted text names: an id, or a link of whichever editor. Throws why it names none. */
export function typedSession(typed: string, own: string): string {
  const text = typed.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const { pathname = '', search = '' } = URL.parse(text) ?? {};
    return linkedSession({ path: unescape(pathname), query: unescape(search.slice(1)) }, own);
  }
  if (isSessionId(text)) return text;
  throw new Error(vscode.l10n.t('A session id has no spaces and at most 256 characters.'));
}

/** `.` and `..` name no session: in an address they would lead elsewhere. */
export function isSessionId(text: string): boolean {
  return /^(?!\.{1,2}$)[^\s\p{C}]{1,256}$/u.test(text);
}

export function contextOf(record: SessionRecord, context: SessionsContext): SessionContext {
  const { computers, changes, extras, connection } = context;
  return {
    computer: id => computers.known(id),
    changes: changes.of(record.sessionId),
    now: Date.now(),
    canStop: extras() && connection.api?.extras.canInterrupt === true,
  };
}

/** The workspace of this window: its file where it has one, else its first folder; `undefined` without any. */
export function currentWorkspace(): Workspace | undefined {
  const { workspaceFile, workspaceFolders, name } = vscode.workspace;
  const uri = workspaceFile ?? workspaceFolders?.[0]?.uri;
  return uri === undefined ? undefined : { uri: uri.toString(), name: oneLine(name ?? uri.path, 80) };
}

/** Whether a session belongs to this window: to its workspace, to one of its folders, or to something below one. */
export function isHere(workspace: Workspace | undefined): boolean {
  if (workspace === undefined) return false;
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  if (workspace.uri === workspaceFile?.toString()) return true;
  return workspaceFolders.some(({ uri }) => {
    const folder = uri.toString().replace(/\/$/, '');
    return workspace.uri === folder || workspace.uri.startsWith(`${folder}/`);
  });
}

/** The workspace of a working directory that a hook named: the folder of this window it lies in, else the directory itself. */
export function workspaceOfCwd(cwd: string | undefined): Workspace | undefined {
  if (cwd === undefined || !path.isAbsolute(cwd)) return undefined;
  const directory = vscode.Uri.file(cwd);
  const folder = vscode.workspace.getWorkspaceFolder(directory);
  if (folder !== undefined) return currentWorkspace();
  return {
    uri: directory.toString().replace(/\/$/, ''),
    name: middle(oneLine(path.basename(cwd) || cwd), 80),
  };
}
