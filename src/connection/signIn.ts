import * as vscode from 'vscode';
import type * as Api from '../api';
import { addressProblemSentence, hostOf } from './addresses';
import type { CheckResult, SignInStep } from './check';
import { keyProblemSentence, parseKey } from './keys';
import type { Prompts, Step } from './prompts';
import type { Addresses } from './types';

/** What the questions begin with. */
export interface SignInStart {
  readonly known?: Addresses | undefined;
  /** The addresses cannot be changed here: only the key is asked for. */
  readonly fixed: boolean;
  readonly begin: SignInStep;
}

export interface SignInAnswer {
  readonly addresses: Addresses;
  readonly key: string;
}

/**
 * Asks for the two addresses and the key and checks them. Whatever fails is said at the question where it can be fixed, with
 * everything typed kept. `undefined` when the person gives up. Changes nothing.
 */
export async function askSignIn(
  prompts: Prompts,
  check: (addresses: Addresses, key: string, signal: AbortSignal) => Promise<CheckResult>,
  start: SignInStart,
): Promise<SignInAnswer | undefined> {
  const form = new Form(start, await import('../api'));
  let problem: string | undefined;
  for (;;) {
    const answer = await prompts.ask(form.step(problem));
    problem = undefined;
    if (answer.kind === 'cancelled') return undefined;
    if (answer.kind === 'back') {
      form.back();
      continue;
    }
    const filled = form.take(answer.value);
    if (filled === undefined) continue;
    const { addresses, key } = filled;
    const title = vscode.l10n.t('Checking {0}', hostOf(addresses.baseUrl));
    const result = await prompts.progress(title, signal => check(addresses, key, signal));
    if (result.kind === 'problem') {
      problem = result.sentence;
      form.goTo(result.step);
    } else if (result.kind === 'accepted') {
      if (!result.accessToken || (await acceptsToken(prompts))) return filled;
    }
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

type AddressRules = Pick<typeof Api, 'parseAddress' | 'proposeAppUrl'>;

/** What has been typed so far, and which question comes next. */
class Form {
  readonly #parse: AddressRules;
  readonly #steps: readonly SignInStep[];
  readonly #typed: Record<SignInStep, string>;
  /** The address of the web application as last derived from the service's. */
  #proposed = '';
  #at: number;

  constructor({ known, fixed, begin }: SignInStart, parse: AddressRules) {
    this.#parse = parse;
    this.#steps = fixed ? ['key'] : ['baseUrl', 'appUrl', 'key'];
    this.#typed = { baseUrl: known?.baseUrl ?? '', appUrl: known?.appUrl ?? '', key: '' };
    if (known !== undefined) this.#proposed = parse.proposeAppUrl(known.baseUrl);
    this.#at = Math.max(0, this.#steps.indexOf(begin));
  }

  goTo(step: SignInStep): void {
    this.#at = Math.max(0, this.#steps.indexOf(step));
  }

  back(): void {
    this.#at = Math.max(0, this.#at - 1);
  }

  /** Takes an answer; resolves to all answers after the last question. */
  take(value: string): SignInAnswer | undefined {
    const name = this.#current;
    this.#typed[name] = value;
    if (name === 'baseUrl') this.#propose();
    if (name !== 'key') {
      this.#at++;
      return undefined;
    }
    const { baseUrl, appUrl } = this.#addresses;
    const key = parseKey(value);
    return 'ok' in key && baseUrl !== '' && appUrl !== ''
      ? { addresses: { baseUrl, appUrl }, key: key.ok }
      : undefined;
  }

  step(problem: string | undefined): Step {
    const name = this.#current;
    return {
      ...this.#texts(name),
      title: vscode.l10n.t('Sign in'),
      step: this.#at + 1,
      totalSteps: this.#steps.length,
      value: this.#typed[name],
      secret: name === 'key',
      problem,
      validate: value => this.#validate(name, value),
    };
  }

  get #current(): SignInStep {
    return this.#steps[this.#at] ?? 'key';
  }

  get #addresses(): Addresses {
    const ok = (text: string): string => {
      const parsed = this.#parse.parseAddress(text);
      return 'ok' in parsed ? parsed.ok : '';
    };
    return { baseUrl: ok(this.#typed.baseUrl), appUrl: ok(this.#typed.appUrl) };
  }

  #texts(name: SignInStep): Pick<Step, 'prompt' | 'placeholder' | 'link'> {
    const { baseUrl, appUrl } = this.#addresses;
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

  #validate(name: SignInStep, value: string): string | undefined {
    if (name === 'key') {
      const key = parseKey(value);
      return 'ok' in key ? undefined : keyProblemSentence(key.problem);
    }
    const parsed = this.#parse.parseAddress(value);
    return 'ok' in parsed ? undefined : addressProblemSentence(parsed.problem);
  }

  /** Follows the service's address unless the person has typed another one. */
  #propose(): void {
    const { baseUrl } = this.#addresses;
    if (baseUrl === '') return;
    const { appUrl } = this.#typed;
    const proposed = this.#parse.proposeAppUrl(baseUrl);
    if (appUrl === '' || appUrl === this.#proposed) this.#typed.appUrl = proposed;
    this.#proposed = proposed;
  }
}
