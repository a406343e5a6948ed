import * as vscode from 'vscode';
import { isApiError, type ApiClient, type Session, type SessionSettings } from '../api';
import { withSignal } from '../util/cancellation';
import { forNotification, oneLine } from '../util/text';

/** What `agentConsole.sessions.create` takes from other extensions and keybindings. */
export interface CreateRequest {
  readonly computerId: string;
  readonly sessionSettings?: Omit<SessionSettings, 'tokenUsage'>;
}

/** Reads the command's argument: nothing, a request, or a row of the Computers view. Throws with a clear sentence. */
export function readCreateRequest(argument: unknown): Partial<CreateRequest> {
  if (argument === undefined || argument === null) return {};
  if (typeof argument !== 'object') {
    throw new Error(vscode.l10n.t('Creating a session takes { computerId, sessionSettings? }.'));
  }
  const { computerId, sessionSettings } = argument as { computerId?: unknown; sessionSettings?: unknown };
  if (computerId !== undefined && (typeof computerId !== 'string' || computerId === '')) {
    throw new Error(vscode.l10n.t('“computerId” must be the id of a computer.'));
  }
  if (sessionSettings === undefined) return computerId === undefined ? {} : { computerId };
  if (typeof sessionSettings !== 'object' || sessionSettings === null || Array.isArray(sessionSettings)) {
    throw new Error(vscode.l10n.t('“sessionSettings” must be an object.'));
  }
  return { ...(computerId === undefined ? {} : { computerId }), sessionSettings };
}

/**
 * Creates a session (section 4.5). Resolves to `undefined` when cancelled; rejects with the request's error. A creation without an
 * answer is never repeated (interface-notes 4).
 */
export async function createSession(
  api: ApiClient,
  request: CreateRequest,
  computerName: string | undefined,
): Promise<Session | undefined> {
  const title =
    computerName === undefined
      ? vscode.l10n.t('Creating a session…')
      : vscode.l10n.t('Creating a session on {0}…', oneLine(computerName, 60));
  try {
    return await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: forNotification(title), cancellable: true },
      (_, token) => withSignal(token, signal => api.sessions.create(request, { signal })),
    );
  } catch (error) {
    if (isApiError(error) && error.kind === 'cancelled') return undefined;
    throw error;
  }
}
