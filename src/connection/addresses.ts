import * as vscode from 'vscode';
import type { AddressProblem } from '../api';
import type { IDisposable } from '../util/disposable';
import { keyProblem } from './keys';
import type { Addresses } from './types';

export interface AddressSettings {
  baseUrl(): string;
  appUrl(): string;
  store(addresses: Addresses): Promise<void>;
  onDidChange(listener: () => unknown): IDisposable;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const KEY_VARIABLE = 'AGENT_CONSOLE_API_KEY';
export const BASE_VARIABLE = 'AGENT_CONSOLE_BASE_URL';
const APP_VARIABLE = 'AGENT_CONSOLE_APP_URL';

/** What one source says of the service; only the environment may bring a key as well. */
export type Named =
  | { readonly kind: 'none' }
  /** There is something, and it cannot be used; `reason` names it. */
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'found'; readonly addresses: Addresses; readonly key?: string };

export function variablesSet(environment: Environment): readonly string[] {
  return [BASE_VARIABLE, APP_VARIABLE, KEY_VARIABLE].filter(name => (environment[name] ?? '').trim() !== '');
}

/** What the environment of the extension host says. It wins over whatever is stored, and is never written. */
export async function environmentAddresses(environment: Environment): Promise<Named> {
  const set = variablesSet(environment);
  if (set.length === 0) return { kind: 'none' };
  if (set[0] !== BASE_VARIABLE) {
    const text = vscode.l10n.t(
      '{0} is set, but {1} is not. Set both or neither.',
      set.at(-1) ?? '',
      BASE_VARIABLE,
    );
    return { kind: 'unusable', reason: text };
  }
  const named = await pair(environment[BASE_VARIABLE], environment[APP_VARIABLE], [
    BASE_VARIABLE,
    APP_VARIABLE,
  ]);
  const key = (environment[KEY_VARIABLE] ?? '').trim();
  if (named.kind !== 'found' || key === '') return named;
  const problem = keyProblem(key);
  return problem === undefined ? { ...named, key } : unusable(KEY_VARIABLE, problem);
}

export async function settingsAddresses(
  settings: Pick<AddressSettings, 'baseUrl' | 'appUrl'>,
): Promise<Named> {
  if (settings.baseUrl().trim() === '') return { kind: 'none' };
  return pair(settings.baseUrl(), settings.appUrl(), ['agentConsole.baseUrl', 'agentConsole.appUrl']);
}

export function addressProblemSentence(problem: AddressProblem): string {
  switch (problem) {
    case 'notAnAddress':
      return vscode.l10n.t('This is not an address. An address looks like https://api.example.com.');
    case 'notHttps':
      return vscode.l10n.t(
        'The address must begin with https://. Only addresses on this machine may use http://.',
      );
    case 'tooMuch':
      return vscode.l10n.t('Leave out a user name, a password, and everything from the first ? or #.');
  }
}

/** `app` may be empty: then the address follows from `base`. `names` are what people know the two by. */
async function pair(base = '', app = '', names: readonly [string, string]): Promise<Named> {
  const { parseAddress, proposeAppUrl } = await import('../api');
  const baseUrl = parseAddress(base);
  if ('problem' in baseUrl) return unusable(names[0], addressProblemSentence(baseUrl.problem));
  const appUrl = app.trim() === '' ? { ok: proposeAppUrl(baseUrl.ok) } : parseAddress(app);
  if ('problem' in appUrl) return unusable(names[1], addressProblemSentence(appUrl.problem));
  return { kind: 'found', addresses: { baseUrl: baseUrl.ok, appUrl: appUrl.ok } };
}

function unusable(name: string, problem: string): Named {
  return { kind: 'unusable', reason: `${name}: ${problem}` };
}
