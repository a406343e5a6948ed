import type * as vscode from 'vscode';
import type { FirstMessage } from './firstMessage';

/** What new sessions need of the chat. */
export interface ChatForNewSessions {
  /** Rejects with `recorded: true` on the error when the message stands in the chat, for the person to decide about. */
  send(message: {
    readonly sessionId: string;
    readonly text: string;
    readonly attachments: readonly vscode.Uri[];
  }): Promise<unknown>;
  /** Puts a message into the session's draft. */
  draft(message: FirstMessage & { readonly sessionId: string }): Promise<unknown>;
}

/** How sending ended. `isSafe`: the message was accepted, or stands in the chat; else only the caller has it. */
export interface FirstSent {
  readonly isSafe: boolean;
  readonly error?: Error;
}

/**
 * Sends the first message of a new session. One that was not even recorded goes into the session's draft; one that may have
 * arrived never does, or it would be sent twice. Never rejects.
 */
export async function sendFirst(
  chat: ChatForNewSessions,
  { sessionId, text, files }: FirstMessage & { readonly sessionId: string },
): Promise<FirstSent> {
  if (text.trim() === '') return { isSafe: true };
  try {
    await chat.send({ sessionId, text, attachments: files });
    return { isSafe: true };
  } catch (failure) {
    const error = failure instanceof Error ? failure : new Error(String(failure));
    if ('recorded' in error && error.recorded === true) return { isSafe: true, error };
    const isSafe = await chat.draft({ sessionId, text, files }).then(
      () => true,
      () => false,
    );
    return { isSafe, error };
  }
}
