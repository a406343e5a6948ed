import * as vscode from 'vscode';
import { addressProblemSentence, hostOf } from './addresses';
import { checkService, type SignInStep } from './check';
import type { Clients } from './clients';
import { keyProblem } from './keys';
import type { Prompts, Step } from './prompts';
import type { Addresses } from './types';

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
  const { parseAddress, proposeAppUrl } = await import('../api');
  const steps: readonly SignInStep[] = fixed ? ['key'] : ['baseUrl', 'appUrl', 'key'];
  const typed = { baseUrl: known?.baseUrl ?? '', appUrl: known?.appUrl ?? '', key: '' };
  const read = (text: string): string => {
    const parsed = parseAddress(text);
    return 'ok' in parsed ? parsed.ok : '';
  };
  const validate = (name: SignInStep, text: string): string | undefined => {
    if (name === 'key') return keyProblem(text);
    const parsed = parseAddress(text);
    return 'ok' in parsed ? undefined : addressProblemSentence(parsed.problem);
  };
  let proposed = proposeAppUrl(typed.baseUrl);
  let at = Math.max(0, steps.indexOf(begin));
  let problem: string | undefined;
  for (;;) {
    const name = steps[at] ?? 'key';
    const addresses = { baseUrl: read(typed.baseUrl), appUrl: read(typed.appUrl) };
    const answer = await prompts.ask({
      ...stepTexts(name, addresses),
      step: at + 1,
      totalSteps: steps.length,
      value: typed[name],
      secret: name === 'key',
      problem,
      validate: text => validate(name, text),
    });
    problem = undefined;
    if (answer === 'cancelled') return undefined;
    if (answer === 'back') {
      at = Math.max(0, at - 1);
      continue;
    }
    typed[name] = answer.value;
    if (name === 'baseUrl') {
      // The other follows, unless the person has typed another one.
      const next = proposeAppUrl(read(answer.value));
      if (typed.appUrl === '' || typed.appUrl === proposed) typed.appUrl = next;
      proposed = next;
    }
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

function acceptsToken(prompts: Prompts): Promise<boolean> {
  return prompts.confirm(
    vscode.l10n.t('This is an access token, not an API key. Continue with it?'),
    vscode.l10n.t(
      'It works for computers, sessions, users and the control history. Analytics and readiness reports need an API key.',
    ),
    vscode.l10n.t('Continue with the token'),
  );
}

function stepTexts(
  name: SignInStep,
  { baseUrl, appUrl }: Addresses,
): Pick<Step, 'prompt' | 'placeholder' | 'link'> {
  switch (name) {
    case 'baseUrl':
      return { prompt: vscode.l10n.t('Address of the service'), placeholder: 'https://api.example.com' };
    case 'appUrl':
      return {
        prompt: vscode.l10n.t(
          'Address of the web application of {0}, which has the readiness reports',
          hostOf(baseUrl),
        ),
        placeholder: 'https://app.example.com',
      };
    case 'key':
      return {
        prompt: vscode.l10n.t(
          'API key for {0}. Administrators create keys in the settings of the web application. VS Code keeps it in its secret storage.',
          hostOf(baseUrl),
        ),
        link: {
          tooltip: vscode.l10n.t('Open the settings of the web application'),
          address: `${appUrl}/settings`,
        },
      };
  }
}
