import * as vscode from 'vscode';
import { isApiError, type ApiClient, type Computer, type Session, type SessionSettings } from '../api';
import { withSignal } from '../util/cancellation';
import { forNotification, oneLine } from '../util/text';
import { pickComputer } from './pickers';

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
 * Creates a session (section 4.5), asking for the computer when none is named. Resolves to `undefined` when cancelled; rejects
 * with the request's error. A creation without an answer is never repeated (interface-notes 4).
 */
export async function createSession(
  api: ApiClient,
  request: Partial<CreateRequest>,
  options: {
    readonly lastComputerId: string | undefined;
    readonly host?: string;
    /** Asked before anything is sent; false when the person would rather not. */
    readonly agree: (computer: Computer | undefined) => Promise<boolean>;
  },
): Promise<{ readonly session: Session; readonly computer: Computer | undefined } | undefined> {
  const context = options.host === undefined ? {} : { host: options.host };
  const computer =
    request.computerId === undefined ? await pickComputer(api, options.lastComputerId, context) : undefined;
  const computerId = request.computerId ?? computer?.id;
  if (computerId === undefined || !(await options.agree(computer))) return undefined;
  const title =
    computer === undefined
      ? vscode.l10n.t('Creating a session…')
      : vscode.l10n.t('Creating a session on {0}…', oneLine(computer.name, 60));
  try {
    const session = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: forNotification(title), cancellable: true },
      (_, token) =>
        withSignal(token, signal =>
          api.sessions.create(
            {
              computerId,
              ...(request.sessionSettings === undefined ? {} : { sessionSettings: request.sessionSettings }),
            },
            { signal },
          ),
        ),
    );
    return { session, computer };
  } catch (error) {
    if (isApiError(error) && error.kind === 'cancelled') return undefined;
    throw error;
  }
}
