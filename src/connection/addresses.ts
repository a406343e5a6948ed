import * as vscode from 'vscode';
import type { IDisposable } from '../util/disposable';
import { keyProblem } from './keys';

/** The two addresses of a service in their normal form: the service's own and the web application's. */
export interface Addresses {
  readonly baseUrl: string;
  readonly appUrl: string;
}

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
export function environmentAddresses(environment: Environment): Named {
  const set = variablesSet(environment);
  if (set.length === 0) return { kind: 'none' };
  if (set[0] !== BASE_VARIABLE) {
    const name = set.at(-1) ?? '';
    const reason = vscode.l10n.t('{0} is set, but {1} is not. Set both or neither.', name, BASE_VARIABLE);
    return { kind: 'unusable', reason };
  }
  const named = pair([BASE_VARIABLE, APP_VARIABLE], environment[BASE_VARIABLE], environment[APP_VARIABLE]);
  const key = (environment[KEY_VARIABLE] ?? '').trim();
  if (named.kind !== 'found' || key === '') return named;
  const problem = keyProblem(key);
  return problem === undefined ? { ...named, key } : unusable(KEY_VARIABLE, problem);
}

export function settingsAddresses({ baseUrl, appUrl }: Pick<AddressSettings, 'baseUrl' | 'appUrl'>): Named {
  if (baseUrl().trim() === '') return { kind: 'none' };
  return pair(['agentConsole.baseUrl', 'agentConsole.appUrl'], baseUrl(), appUrl());
}

/** `app` may be empty: then the address follows from `base`. The names are what people know the two by. */
function pair([baseName, appName]: readonly [string, string], base = '', app = ''): Named {
  const baseUrl = parseAddress(base);
  if ('problem' in baseUrl) return unusable(baseName, baseUrl.problem);
  const appUrl = app.trim() === '' ? { ok: proposeAppUrl(baseUrl.ok) } : parseAddress(app);
  if ('problem' in appUrl) return unusable(appName, appUrl.problem);
  return { kind: 'found', addresses: { baseUrl: baseUrl.ok, appUrl: appUrl.ok } };
}

function unusable(name: string, problem: string): Named {
  return { kind: 'unusable', reason: `${name}: ${problem}` };
}

/**
 * Reads the address of a service as a person types it: https, or http on loopback; a path is kept without its trailing
 * slash; the scheme may be left out. `ok` is the normal form to store and compare, `problem` a sentence.
 */
export function parseAddress(text: string): { readonly ok: string } | { readonly problem: string } {
  const typed = text.trim();
  // The URL parser would silently drop or turn around some of these.
  const url = /[\s\\\p{Cc}\p{Cf}]/u.test(typed) ? undefined : toUrl(typed);
  if (url === undefined || url.hostname === '')
    return {
      problem: vscode.l10n.t('This is not an address. An address looks like https://api.example.com.'),
    };
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    return {
      problem: vscode.l10n.t(
        'The address must begin with https://. Only addresses on this machine may use http://.',
      ),
    };
  if (url.username !== '' || url.password !== '' || /[?#]/.test(typed))
    return {
      problem: vscode.l10n.t('Leave out a user name, a password, and everything from the first ? or #.'),
    };
  return { ok: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

function toUrl(typed: string): URL | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return URL.parse(typed) ?? undefined;
  if (/^https?:/i.test(typed)) return undefined;
  const guess = URL.parse(`https://${typed}`);
  return (guess && isLoopback(guess.hostname) ? URL.parse(`http://${typed}`) : guess) ?? undefined;
}

/** True for a host name (as in `URL.hostname`) that never leaves this machine; names below `localhost` may, by way of a resolver. */
function isLoopback(hostname: string): boolean {
  return /^(?:localhost|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(hostname);
}

/** The web application's likely address: `api.X` becomes `app.X`, anything else stays as it is. Takes a parsed address. */
export function proposeAppUrl(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  if (url?.hostname.startsWith('api.') !== true) return baseUrl;
  return `${url.protocol}//app.${url.host.slice('api.'.length)}`;
}
