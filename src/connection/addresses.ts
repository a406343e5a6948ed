import * as vscode from 'vscode';
import type { AddressProblem } from '../api';
import type { IDisposable } from '../util/disposable';
import { keyProblemSentence, parseKey } from './keys';
import type { Addresses } from './types';

/** The two address settings. */
export interface AddressSettings {
  baseUrl(): string;
  appUrl(): string;
  store(addresses: Addresses): Promise<void>;
  onDidChange(listener: () => unknown): IDisposable;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const KEY_VARIABLE = 'AGENT_CONSOLE_API_KEY';
export const BASE_VARIABLE = 'AGENT_CONSOLE_BASE_URL';
export const APP_VARIABLE = 'AGENT_CONSOLE_APP_URL';

/** What one source says of the service; only the environment may bring a key as well. */
export type Named =
  | { readonly kind: 'none' }
  /** There is something, and it cannot be used; `reason` names it. */
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'found'; readonly addresses: Addresses; readonly key?: string };

/** The variables of the connection that are set. */
export function variablesSet(environment: Environment): readonly string[] {
  return [BASE_VARIABLE, APP_VARIABLE, KEY_VARIABLE].filter(name => trimmed(environment[name]) !== '');
}

/** What the environment of the extension host says. It wins over whatever is stored, and is never written. */
export async function environmentAddresses(environment: Environment): Promise<Named> {
  const [first, ...others] = variablesSet(environment);
  if (first === undefined) return { kind: 'none' };
  if (first !== BASE_VARIABLE) {
    const set = others.at(-1) ?? first;
    const reason = vscode.l10n.t('{0} is set, but {1} is not. Set both or neither.', set, BASE_VARIABLE);
    return { kind: 'unusable', reason };
  }
  const [base, app, typed] = [BASE_VARIABLE, APP_VARIABLE, KEY_VARIABLE].map(name =>
    trimmed(environment[name]),
  );
  const named = await pair(base, app, [BASE_VARIABLE, APP_VARIABLE]);
  if (named.kind !== 'found' || typed === undefined || typed === '') return named;
  const key = parseKey(typed);
  return 'ok' in key ? { ...named, key: key.ok } : unusable(KEY_VARIABLE, keyProblemSentence(key.problem));
}

/** What the settings say. */
export async function settingsAddresses(settings: AddressSettings): Promise<Named> {
  const base = trimmed(settings.baseUrl());
  if (base === '') return { kind: 'none' };
  return pair(base, trimmed(settings.appUrl()), ['agentConsole.baseUrl', 'agentConsole.appUrl']);
}

/** What a person reads about an address that cannot be used. */
export function addressProblemSentence(problem: AddressProblem): string {
  switch (problem) {
    case 'empty':
      return vscode.l10n.t('Enter an address, such as https://api.example.com.');
    case 'notAnAddress':
      return vscode.l10n.t('This is not an address. An address looks like https://api.example.com.');
    case 'notHttps':
      return vscode.l10n.t(
        'The address must begin with https://. Only addresses on this machine may use http://.',
      );
    case 'credentials':
      return vscode.l10n.t('Leave the user name and password out of the address. The key comes later.');
    case 'query':
      return vscode.l10n.t('Leave out everything from ? or # on.');
  }
}

/** Host and port of an address, for people. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

export function sameAddresses(a: Addresses, b: Addresses): boolean {
  return a.baseUrl === b.baseUrl && a.appUrl === b.appUrl;
}

/** `app` may be empty: then the address follows from `base`. `names` are what people know the two by. */
async function pair(base = '', app = '', names: readonly [string, string]): Promise<Named> {
  const { parseAddress, proposeAppUrl } = await import('../api');
  const baseUrl = parseAddress(base);
  if ('problem' in baseUrl) return unusable(names[0], addressProblemSentence(baseUrl.problem));
  const appUrl = app === '' ? { ok: proposeAppUrl(baseUrl.ok) } : parseAddress(app);
  if ('problem' in appUrl) return unusable(names[1], addressProblemSentence(appUrl.problem));
  return { kind: 'found', addresses: { baseUrl: baseUrl.ok, appUrl: appUrl.ok } };
}

function unusable(name: string, problem: string): Named {
  return { kind: 'unusable', reason: `${name}: ${problem}` };
}

function trimmed(value: string | undefined): string {
  return (value ?? '').trim();
}
