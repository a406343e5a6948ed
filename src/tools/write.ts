import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { isApiError } from '../api';
import { confirmed } from '../ui/window';
import { errorSentence } from '../util/errorSentence';
import { forNotification, oneLine, plain } from '../util/text';
import type { ToolsDeps } from './deps';
import { doing, text } from './read';
import { seen, type Words } from './tools';

type Outcome = Readonly<Record<string, string>>;

/** What can be read in a question before it is answered, characters and lines. */
const [MOST, MOST_LINES] = [2_000, 30];
const DECLINED = {
  outcome: 'refused',
  reason: 'The person decided against it. Do not ask again by yourself.',
};

/** Accepted, refused or not known: only what the service refused, or what never reached it, certainly did not happen. */
async function outcomeOf(act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (error) {
    const isRecorded = (error as { readonly recorded?: unknown } | undefined)?.recorded === true;
    const isUnknown = isRecorded || (isApiError(error) && error.kind === 'outcomeUnknown');
    return { outcome: isUnknown ? 'not known' : 'refused', reason: errorSentence(error) };
  }
}

/** The tools that write: off until a person turns them on, and each use is theirs to decide. */
export function writeTools(deps: Pick<ToolsDeps, 'sources' | 'mayWrite' | 'create' | 'send'>, words: Words) {
  /** Rejects where nothing may be written. */
  const check = (): void => {
    if (!vscode.workspace.isTrusted) throw new Error(vscode.l10n.t('Nothing is written in Restricted Mode.'));
    if (!deps.mayWrite())
      throw new Error(vscode.l10n.t('Writing is off. A person can turn it on: agentConsole.tools.write.'));
  };
  let isAsking = false;
  /** Shows all that is to be sent, of which nothing acts there and nothing is out of sight, and waits for the person. */
  const agreed = async (question: string, preview: string, act: string, signal: AbortSignal) => {
    const detail = plain(preview).replace(/\](?=\()/g, '] ');
    if (detail.split(/[\n\u2028\u2029]/).length > MOST_LINES)
      throw new Error(`A person could not see all of it: write at most ${MOST_LINES} lines.`);
    if (isAsking) throw new Error('The person is being asked something else. Wait for their answer.');
    isAsking = true;
    const isAgreed = await confirmed(question, detail, act).finally(() => (isAsking = false));
    if (isAgreed && signal.aborted)
      void vscode.window.showInformationMessage(
        vscode.l10n.t('The assistant is no longer waiting for this. Nothing was sent.'),
      );
    signal.throwIfAborted();
    return isAgreed;
  };
  const sentTo = (sessionId: string, message: string): Promise<Outcome> =>
    outcomeOf(async () => {
      const sent = await deps.send({ sessionId, text: message });
      if (sent.state === 'accepted') return { outcome: 'accepted', messageId: sent.messageId };
      return { outcome: sent.state === 'refused' ? 'refused' : 'not known', reason: sent.sentence };
    });

  return {
    create_session: doing(
      z.strictObject({
        computerId: text(),
        model: z.optional(text(100)),
        reasoningEffort: z.optional(text(100)),
        autonomyLevel: z.optional(text(100)),
        message: z.optional(text(MOST)),
      }),
      async ({ computerId, message = '', ...sessionSettings }, signal) => {
        check();
        const { items } = await deps.sources.computers();
        const name = items.find(each => each.computerId === computerId)?.name ?? computerId;
        const first = seen(message);
        const settings = Object.entries(sessionSettings).map(([key, value = '']) =>
          oneLine(`${key}: ${value}`),
        );
        const preview = `${settings.join('\n')}\n\n${first}`;
        const on = forNotification(name, 60);
        const question = vscode.l10n.t('An assistant wants to create a session on {0}.', on);
        if (!(await agreed(question, preview, vscode.l10n.t('Create session'), signal)))
          return words.answer(DECLINED);
        const made = await outcomeOf(async () => {
          const sessionId = await deps.create({ computerId, sessionSettings });
          return sessionId === undefined ? DECLINED : { outcome: 'accepted', sessionId };
        });
        const { sessionId } = made;
        const isSent = sessionId !== undefined && first.trim() !== '';
        return words.answer({ ...made, message: isSent ? await sentTo(sessionId, first) : undefined });
      },
    ),

    send_message: doing(
      z.strictObject({ sessionId: text(), text: text(MOST) }),
      async ({ sessionId, text: message }, signal) => {
        check();
        const title = forNotification((await deps.sources.session(sessionId)).title, 80);
        const question = vscode.l10n.t('An assistant wants to send a message to “{0}”.', title);
        const isAgreed = await agreed(question, seen(message), vscode.l10n.t('Send'), signal);
        return words.answer(isAgreed ? await sentTo(sessionId, seen(message)) : DECLINED);
      },
    ),
  };
}
