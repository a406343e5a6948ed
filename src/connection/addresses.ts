import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { AddressProblem } from '../api';
import type { IDisposable } from '../util/disposable';
import type { Service } from './types';
import { parseKey, keyProblemSentence } from './key';

/** The two addresses of a service, as `parseAddress` gives them. */
export interface Addresses {
  readonly baseUrl: string;
  readonly appUrl: string;
}

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

export type Found =
  | { readonly kind: 'none' }
  /** There is something, and it cannot be used; `reason` names it. */
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'found'; readonly addresses: Addresses };

/** What the environment of the extension host says. It wins over whatever is stored, and is never written. */
export async function environmentAddresses(
  environment: Environment,
): Promise<Found & { readonly key?: string }> {
  const base = trimmed(environment[BASE_VARIABLE]);
  const app = trimmed(environment[APP_VARIABLE]);
  const typedKey = trimmed(environment[KEY_VARIABLE]);
  if (base === '' && app === '' && typedKey === '') return { kind: 'none' };
  if (base === '') {
    const set = typedKey === '' ? APP_VARIABLE : KEY_VARIABLE;
    const reason = vscode.l10n.t('{0} is set, and {1} is not. Set both, or neither.', set, BASE_VARIABLE);
    return { kind: 'unusable', reason };
  }
  const found = await pair(base, app, [BASE_VARIABLE, APP_VARIABLE]);
  if (found.kind !== 'found' || typedKey === '') return found;
  const key = parseKey(typedKey);
  if ('ok' in key) return { ...found, key: key.ok };
  return {
    kind: 'unusable',
    reason: vscode.l10n.t('{0}: {1}', KEY_VARIABLE, keyProblemSentence(key.problem)),
  };
}

/** What the settings say. */
export async function settingsAddresses(settings: AddressSettings): Promise<Found> {
  const base = settings.baseUrl().trim();
  if (base === '') return { kind: 'none' };
  return pair(base, settings.appUrl().trim(), ['agentConsole.baseUrl', 'agentConsole.appUrl']);
}

/** What a person reads about an address that cannot be used. */
export function addressProblemSentence(problem: AddressProblem): string {
  switch (problem) {
    case 'empty':
      return vscode.l10n.t('Enter an address, such as https://api.example.com.');
    case 'notAnAddress':
      return vscode.l10n.t('This is not an address. It looks like https://api.example.com.');
    case 'notHttps':
      return vscode.l10n.t(
        'The address must begin with https://. Only an address on this machine may use http://.',
      );
    case 'credentials':
      return vscode.l10n.t(
        'Leave the name and the password out of the address. The key is asked for separately.',
      );
    case 'query':
      return vscode.l10n.t('Leave out what follows ? or # in the address.');
  }
}

/**
 * The service at two addresses. What is stored of it belongs to `baseUrl`, so its id stays the same as long as that does; the
 * sample keeps one id on all ports.
 */
export function serviceAt(addresses: Addresses, source: Service['source']): Service {
  const { baseUrl, appUrl } = addresses;
  const digest = createHash('sha256').update(baseUrl).digest('hex').slice(0, 16);
  const sample = source === 'sample';
  const host = sample ? vscode.l10n.t('Sample service') : hostOf(baseUrl);
  return { id: sample ? 'sample' : digest, baseUrl, appUrl, host, source };
}

/** Host and port of an address, for people. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

export function sameAddresses(a: Addresses, b: Addresses): boolean {
  return a.baseUrl === b.baseUrl && a.appUrl === b.appUrl;
}

/** `app` may be empty: then the address follows from `base`. `names` are what people know the two by. */
async function pair(base: string, app: string, names: readonly [string, string]): Promise<Found> {
  const { parseAddress, proposeAppUrl } = await import('../api');
  const baseUrl = parseAddress(base);
  if ('problem' in baseUrl) return unusable(names[0], baseUrl.problem);
  const appUrl = app === '' ? { ok: proposeAppUrl(baseUrl.ok) } : parseAddress(app);
  if ('problem' in appUrl) return unusable(names[1], appUrl.problem);
  return { kind: 'found', addresses: { baseUrl: baseUrl.ok, appUrl: appUrl.ok } };
}

function unusable(name: string, problem: AddressProblem): Found {
  return { kind: 'unusable', reason: vscode.l10n.t('{0}: {1}', name, addressProblemSentence(problem)) };
}

function trimmed(value: string | undefined): string {
  return (value ?? '').trim();
}
