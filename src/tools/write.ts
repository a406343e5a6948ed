import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { isApiError } from '../api';
import { errorSentence } from '../util/errorSentence';
import { forNotification, plain } from '../util/text';
import { doing } from './read';
import type { Sources } from './sources';
import { seen, type Words } from './words';

/** How a send ended, as the chat says it. */
export type Sent =
  | { readonly state: 'accepted'; readonly messageId: string }
  | { readonly state: 'refused' | 'unknown'; readonly sentence: string };

export interface WriteDeps {
  readonly sources: Sources;
  readonly words: Words;
  /** The person has turned writing on. */
  readonly isOn: () => boolean;
  readonly isRestricted: () => boolean;
  /** Shows a question with a preview over the window, and waits for the person. */
  readonly confirm: (question: string, detail: string, act: string) => Promise<boolean>;
  /** Resolves to the id; to `undefined` where the person would rather not. */
  readonly create: (request: {
    readonly computerId: string;
    readonly sessionSettings: object;
  }) => Promise<string | undefined>;
  readonly send: (message: { readonly sessionId: string; readonly text: string }) => Promise<Sent>;
}

/** What can be read in a question before it is answered, characters. */
const MOST_WORDS = 2_000;

const words = (describe: string, most = 200) =>
  z.string().check(z.minLength(1), z.maxLength(most), z.describe(describe));
const message = (describe: string) =>
  words(`${describe} At most ${MOST_WORDS} characters, all of which the person sees first.`, MOST_WORDS);

/** The tools that write: off until a person turns them on, and each use is theirs to decide. */
export function writeTools(deps: WriteDeps) {
  const { sources, isOn, isRestricted, confirm, create, send } = deps;

  const agreed = async (
    question: string,
    preview: readonly string[],
    act: string,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const isAgreed = await confirm(question, preview.filter(part => part !== '').join('\n\n'), act);
    // Whoever asked may have gone meanwhile.
    signal.throwIfAborted();
    return isAgreed;
  };
  const check = (): void => {
    if (isRestricted()) throw new Error(vscode.l10n.t('In Restricted Mode nothing is written.'));
    if (!isOn())
      throw new Error(vscode.l10n.t('Writing is off. A person can turn it on: agentConsole.tools.write.'));
  };
  const sentTo = (sessionId: string, text: string) =>
    outcomeOf(async () => {
      const sent = await send({ sessionId, text });
      if (sent.state === 'accepted') return { outcome: 'accepted', messageId: sent.messageId };
      return { outcome: sent.state === 'refused' ? 'refused' : 'not known', reason: sent.sentence };
    });

  return {
    create_session: doing(
      z.strictObject({
        computerId: words('Id of the computer, as list_computers gives it.'),
        model: z.optional(words('Left out: the default of the service.')),
        reasoningEffort: z.optional(words('Such as low, medium or high.')),
        autonomyLevel: z.optional(words('off, low, medium or high.')),
        message: z.optional(message('The first message to the agent.')),
      }),
      async ({ computerId, message: given, ...sessionSettings }, signal) => {
        check();
        const { items } = await sources.computers();
        const name = items.find(each => each.computerId === computerId)?.name ?? computerId;
        const text = seen(given ?? '');
        const preview = [
          ...Object.entries(sessionSettings).map(([key, value]) => `${key}: ${shown(value ?? '')}`),
          shown(text),
        ];
        const question = vscode.l10n.t(
          'An assistant wants to create a session on {0}.',
          forNotification(name, 60),
        );
        if (!(await agreed(question, preview, vscode.l10n.t('Create session'), signal)))
          return deps.words.answer(DECLINED);
        const made = await outcomeOf(async () => {
          const sessionId = await create({ computerId, sessionSettings });
          return sessionId === undefined ? DECLINED : { outcome: 'accepted', sessionId };
        });
        const { sessionId } = made;
        const isSending = sessionId !== undefined && text.trim() !== '';
        return deps.words.answer({
          ...made,
          ...(isSending ? { message: await sentTo(sessionId, text) } : {}),
        });
      },
    ),

    send_message: doing(
      z.strictObject({ sessionId: words('Id of the session.'), text: message('What to send to its agent.') }),
      async ({ sessionId, text: given }, signal) => {
        check();
        const session = (await sources.sessions()).get(sessionId);
        if (session === undefined)
          throw new Error('There is no session with this id in the list of Agent Console.');
        const text = seen(given);
        const question = vscode.l10n.t(
          'An assistant wants to send a message to “{0}”.',
          forNotification(session.title, 80),
        );
        const isAgreed = await agreed(question, [shown(text)], vscode.l10n.t('Send'), signal);
        return deps.words.answer(isAgreed ? await sentTo(sessionId, text) : DECLINED);
      },
    ),
  };
}

type Outcome = Readonly<Record<string, string>>;

const DECLINED = {
  outcome: 'refused',
  reason: 'The person decided against it. Do not ask again by yourself.',
};

/** What goes out, as a question shows it: all of it, and nothing in it acts. */
function shown(text: string): string {
  return plain(text).replace(/\](?=\()/g, '] ');
}

/** Accepted, refused or not known: only a refusal of the service, or what never reached it, is certainly none. */
async function outcomeOf(act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (error) {
    const isRecorded = (error as { readonly recorded?: unknown } | undefined)?.recorded === true;
    const isUnknown = isRecorded || (isApiError(error) && error.kind === 'outcomeUnknown');
    return { outcome: isUnknown ? 'not known' : 'refused', reason: errorSentence(error) };
  }
}
