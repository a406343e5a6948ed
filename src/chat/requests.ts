import * as vscode from 'vscode';
import { readSessionId } from '../ui/pick';
import { isPageState, type PageState } from './protocol';

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

/** The files of an Explorer or editor menu: what was clicked, and all that is selected with it, which a tab's menu does not tell. */
export function readUris(clicked: unknown, selected: unknown): readonly string[] | undefined {
  const all = Array.isArray(selected) ? selected.filter(isUri) : [];
  const uris = all.length === 0 ? [clicked].filter(isUri) : all;
  return uris.length === 0 ? undefined : uris.map(uri => uri.toString());
}

export function isUri(value: unknown): value is vscode.Uri {
  const uri = value as Partial<vscode.Uri> | null | undefined;
  return typeof uri?.scheme === 'string' && typeof uri.path === 'string';
}

/** What a page kept over a reload, if it is that (a page is free to keep anything). */
export function readPageState(state: unknown): PageState | undefined {
  if (!isPageState(state) || state.sessionId === '' || !/^[a-z0-9_-]+$/.test(state.serviceId))
    return undefined;
  return state;
}
