import * as vscode from 'vscode';
import { hostOf } from '../util/errorSentence';
import { forNotification } from '../util/text';
import { parseAddress, proposeAppUrl, type Addresses } from './addresses';
import { checkService, type SignInStep } from './check';
import type { Clients } from './clients';
import { keyProblem } from './keys';
import type { Prompts, Question } from './prompts';

interface SignInStart {
  readonly known?: Addresses | undefined;
  /** The addresses cannot be changed here: only the key is asked for. */
  readonly fixed: boolean;
  readonly begin: SignInStep;
}

/**
 * Asks for the two addresses and the key and checks them. Whatever fails is said at the question where it can be fixed, with
 * everything typed kept. `undefined` when the person gives up. Changes nothing.
 */
export async function askSignIn(
  prompts: Prompts,
  clients: Clients,
  { known, fixed, begin }: SignInStart,
): Promise<{ readonly addresses: Addresses; readonly key: string } | undefined> {
  const steps: readonly SignInStep[] = fixed ? ['key'] : ['baseUrl', 'appUrl', 'key'];
  const typed = { baseUrl: known?.baseUrl ?? '', appUrl: known?.appUrl ?? '', key: '' };
  let at = Math.max(0, steps.indexOf(begin));
  let problem: string | undefined;
  for (;;) {
    const name = steps[at] ?? 'key';
    const addresses = { baseUrl: read(typed.baseUrl), appUrl: read(typed.appUrl) };
    const value = await prompts.ask({
      ...questions[name](addresses),
      title: vscode.l10n.t('Sign in ({0}/{1})', at + 1, steps.length),
      value: typed[name],
      secret: name === 'key',
      problem,
    });
    problem = undefined;
    if (value === undefined) return undefined;
    // The address of the web application follows, unless the person has typed another one.
    const isFollowing = typed.appUrl === '' || typed.appUrl === proposeAppUrl(addresses.baseUrl);
    typed[name] = value;
    if (name === 'baseUrl' && isFollowing) typed.appUrl = proposeAppUrl(read(value));
    if (name !== 'key') {
      at++;
      continue;
    }
    const key = typed.key.trim();
    const title = vscode.l10n.t('Checking {0}', hostOf(addresses.baseUrl));
    const result = await prompts.progress(title, signal => checkService(clients, addresses, key, signal));
    if (result.kind === 'problem') {
      problem = result.sentence;
      at = Math.max(0, steps.indexOf(result.step));
    }
    const isTaken = result.kind === 'accepted' && (!result.accessToken || (await acceptsToken(prompts)));
    if (isTaken) return { addresses, key };
  }
}

function read(text: string): string {
  const parsed = parseAddress(text);
  return 'ok' in parsed ? parsed.ok : '';
}

function addressProblem(text: string): string | undefined {
  const parsed = parseAddress(text);
  return 'ok' in parsed ? undefined : parsed.problem;
}

function acceptsToken(prompts: Prompts): Promise<boolean> {
  return prompts.confirm(
    vscode.l10n.t('This is an access token, not an API key. Continue with it?'),
    vscode.l10n.t(
      'It works for computers, sessions, users and the control history. Analytics and readiness reports need an API key.',
    ),
    vscode.l10n.t('Continue with the token'),
  );
}

type Words = Pick<Question, 'prompt' | 'placeHolder' | 'validate'>;

const questions: Readonly<Record<SignInStep, (addresses: Addresses) => Words>> = {
  baseUrl: () => ({
    prompt: vscode.l10n.t('Address of the service'),
    placeHolder: 'https://api.example.com',
    validate: addressProblem,
  }),
  appUrl: ({ baseUrl }) => ({
    prompt: vscode.l10n.t(
      'Address of the web application of {0}, which has the readiness reports',
      hostOf(baseUrl),
    ),
    placeHolder: 'https://app.example.com',
    validate: addressProblem,
  }),
  key: ({ baseUrl, appUrl }) => ({
    prompt: vscode.l10n.t(
      'API key for {0}. Administrators create keys at {1}. VS Code keeps it in its secret storage.',
      hostOf(baseUrl),
      forNotification(`${appUrl}/settings`),
    ),
    validate: keyProblem,
  }),
};
