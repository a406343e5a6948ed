import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { forQuickPick } from '../util/text';
import { elsewhereText, isSessionId, linkIn } from './links';
import { activityOf, type SessionStatus } from './store/model';
import type { SessionRecord } from './store/record';
import { themeIcon, joined } from '../ui/text';
import { computerName, iconOf, sessionTitle, stateText, type ComputerFacts } from './view/words';

interface Choice<T> extends vscode.QuickPickItem {
  readonly value?: T;
}

/** What a person chose when asked for a session. */
export type SessionChoice =
  { readonly kind: 'known'; readonly sessionId: string } | { readonly kind: 'new' | 'add' };

/** Asks for one of the known sessions, or also for others; `undefined` when cancelled. */
export async function pickSession(ask: {
  readonly records: readonly SessionRecord[];
  readonly statusOf: (record: SessionRecord) => SessionStatus;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly format: Formatter;
  readonly placeHolder: string;
  /** What comes first: a new session, and one that is not known yet, may do as well. */
  readonly first: 'known' | 'new' | 'only known';
}): Promise<SessionChoice | undefined> {
  const { computer, format, placeHolder } = ask;
  const now = Date.now();
  const known: Choice<SessionChoice>[] = [...ask.records]
    .sort((a, b) => Number(isArchived(a)) - Number(isArchived(b)) || activityOf(b) - activityOf(a))
    .map(record => {
      const status = ask.statusOf(record);
      const state = stateText(record, status, at => format.span(now - at));
      return {
        label: forQuickPick(sessionTitle(record)),
        description: forQuickPick(joined([state, computerName(record, computer)])),
        iconPath: themeIcon(iconOf(record, { status, computer })),
        detail: forQuickPick(record.sessionId),
        value: { kind: 'known', sessionId: record.sessionId },
      };
    });
  const line: Choice<SessionChoice> = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const fresh: Choice<SessionChoice> = {
    label: `$(add) ${vscode.l10n.t('New session…')}`,
    value: { kind: 'new' },
    alwaysShow: true,
  };
  const byId: Choice<SessionChoice> = {
    label: `$(link) ${vscode.l10n.t('Open a session by its id…')}`,
    value: { kind: 'add' },
    alwaysShow: true,
  };
  const items = {
    known: [...known, line, fresh, byId],
    new: [fresh, line, ...known, line, byId],
    'only known': known,
  }[ask.first];
  // Often asked from a page, which would close it by getting the focus back late.
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(items, options))?.value;
}

function isArchived({ local }: SessionRecord): boolean {
  return local.archivedAt !== undefined;
}

/**
 * Asks for a session's id, or a link to one at `host`; resolves to the id. Ids are the service's: anything without white space or
 * control characters may be one.
 */
export async function askSessionId(host: string): Promise<string | undefined> {
  const value = await vscode.window.showInputBox({
    title: vscode.l10n.t('Open a session by its id'),
    prompt: vscode.l10n.t(
      'The id is shown in the web application and in the command-line client. A link to a session will do, too.',
    ),
    ignoreFocusOut: true,
    validateInput: text => {
      const typed = text.trim() === '' ? undefined : typedSession(text.trim(), host);
      return typeof typed === 'object' ? typed.problem : undefined;
    },
  });
  const typed = typedSession(value?.trim() ?? '', host);
  return typeof typed === 'string' ? typed : undefined;
}

/** The id of the session that a text names, or why it names none. */
function typedSession(text: string, host: string): string | { readonly problem: string } {
  const link = linkIn(text);
  if (link === 'other') return { problem: vscode.l10n.t('This link names no session of Agent Console.') };
  if (link?.host !== undefined && link.host !== host) return { problem: elsewhereText(link.host, host) };
  const id = link?.sessionId ?? text;
  return isSessionId(id)
    ? id
    : { problem: vscode.l10n.t('A session id has no spaces and at most 256 characters.') };
}
