import * as vscode from 'vscode';
import { forNotification } from '../util/text';

const FOLDER = '/session/';

/** What a link says: a session, and the host of the service it is of. */
interface SessionLink {
  readonly sessionId: string;
  readonly host?: string | undefined;
}

/** A link that opens a session in VS Code; `base` is the address the editor gives this extension. */
export function linkTo(base: Pick<vscode.Uri, 'scheme' | 'authority'>, link: SessionLink): string {
  const { sessionId, host } = link;
  const query = host === undefined ? '' : `?service=${encodeURIComponent(host)}`;
  return `${base.scheme}://${base.authority}${FOLDER}${encodeURIComponent(sessionId)}${query}`;
}

/** The session that a link is to, at the service a person is signed in to; throws why it is to none. */
export function linkedSession(link: Pick<vscode.Uri, 'path' | 'query'>, own: string): string {
  const { sessionId, host = own } = readLink(link) ?? {};
  if (sessionId === undefined) throw new Error(vscode.l10n.t('This link does not lead to a session.'));
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
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return linkedSession(decoded(text), own);
  if (isSessionId(text)) return text;
  throw new Error(vscode.l10n.t('A session id has no spaces and at most 256 characters.'));
}

function decoded(address: string): Pick<vscode.Uri, 'path' | 'query'> {
  try {
    const { pathname, search } = new URL(address);
    return { path: decodeURIComponent(pathname), query: decodeURIComponent(search.slice(1)) };
  } catch {
    return { path: '', query: '' };
  }
}

/** Reads a link that anybody may have written; `undefined` for one that names no session. An address comes decoded. */
function readLink({ path, query }: Pick<vscode.Uri, 'path' | 'query'>): SessionLink | undefined {
  const sessionId = path.startsWith(FOLDER) ? path.slice(FOLDER.length) : '';
  if (!isSessionId(sessionId)) return undefined;
  const host = /^service=(.*)$/s.exec(query)?.[1];
  if (host === undefined) return query === '' ? { sessionId } : undefined;
  return /^[a-z0-9.:[\]-]{1,255}$/i.test(host) ? { sessionId, host } : undefined;
}

/** `.` and `..` name no session: in an address they would lead elsewhere. */
export function isSessionId(text: string): boolean {
  return /^(?!\.{1,2}$)[^\s\p{C}]{1,256}$/u.test(text);
}
