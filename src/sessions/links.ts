import type * as vscode from 'vscode';
import { isSessionId } from './pickers';

const FOLDER = '/session/';

/** What a link says: a session, and the host of the service it is of. */
export interface SessionLink {
  readonly sessionId: string;
  readonly host?: string | undefined;
}

/** A link that opens a session in VS Code; `base` is the address the editor gives this extension. */
export function linkTo(base: Pick<vscode.Uri, 'scheme' | 'authority'>, link: SessionLink): string {
  const { sessionId, host } = link;
  const query = host === undefined ? '' : `?service=${encodeURIComponent(host)}`;
  return `${base.scheme}://${base.authority}${FOLDER}${encodeURIComponent(sessionId)}${query}`;
}

/** Reads a link that anybody may have written; `undefined` for one that names no session. An address comes decoded. */
export function readLink({ path, query }: Pick<vscode.Uri, 'path' | 'query'>): SessionLink | undefined {
  const sessionId = path.startsWith(FOLDER) ? path.slice(FOLDER.length) : '';
  if (!isSessionId(sessionId)) return undefined;
  const host = /^service=(.*)$/s.exec(query)?.[1];
  if (host === undefined) return query === '' ? { sessionId } : undefined;
  return /^[a-z0-9.:[\]-]{1,255}$/i.test(host) ? { sessionId, host } : undefined;
}
