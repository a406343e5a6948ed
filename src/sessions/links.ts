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

/** The link in a text that a person typed or pasted, of whichever editor; `undefined` for a text that is no address. */
export function linkIn(text: string): SessionLink | 'other' | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  try {
    const { pathname, search } = new URL(text);
    const [path, query] = [decodeURIComponent(pathname), decodeURIComponent(search.slice(1))];
    return readLink({ path, query }) ?? 'other';
  } catch {
    return 'other';
  }
}

/** Says that a link is to another service than the one a person is signed in to. */
export function elsewhereText(host: string, own: string): string {
  return vscode.l10n.t(
    'This link is to a session at {0}, but you are signed in to {1}. Sign in there to open it.',
    forNotification(host, 80),
    own,
  );
}

export function noSessionText(): string {
  return vscode.l10n.t('This link does not lead to a session.');
}

/** Reads a link that anybody may have written; `undefined` for one that names no session. An address comes decoded. */
export function readLink({ path, query }: Pick<vscode.Uri, 'path' | 'query'>): SessionLink | undefined {
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
