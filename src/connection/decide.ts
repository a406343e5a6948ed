import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { IDisposable } from '../util/lifecycle';
import { answerFacts, hostOf } from '../util/errorSentence';
import { keyProblem, type KeyStore } from './keys';
import type { ConnectionRecords } from './records';

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

export interface Service extends Addresses {
  /**
   * Short stable id made from `baseUrl` alone (`sample` for the sample); names the service's folder in storage. Services that
   * differ only in `appUrl` share it and what is stored, but not the key.
   */
  readonly id: string;
  readonly host: string;
  /** `sample`: the built-in service; `environment`: AGENT_CONSOLE_* of the extension host; `settings`: sign-in. */
  readonly source: 'settings' | 'environment' | 'sample';
}

/** `reason` is a sentence for people. */
export type ConnectionState =
  /**
   * There is a `reason` where there is more to say than that nobody has signed in. `service` is the one whose addresses are known but
   * not its key: what was stored of it can still be read.
   */
  | {
      readonly kind: 'signedOut';
      readonly reason?: string | undefined;
      readonly service?: Service | undefined;
    }
  | { readonly kind: 'signedIn'; readonly service: Service }
  /** All requests rest until there is another key. */
  | { readonly kind: 'keyRejected'; readonly service: Service; readonly reason: string };

/** Where the sample is said to be, and a key for it. Nothing is ever sent there. */
export const SAMPLE: Addresses & { readonly key: string } = {
  baseUrl: 'https://api.sample.invalid',
  appUrl: 'https://app.sample.invalid',
  key: 'sample-data-needs-no-key',
};

interface Sources {
  readonly environment: Environment;
  readonly settings: Pick<AddressSettings, 'baseUrl' | 'appUrl'>;
  readonly records: Pick<ConnectionRecords, 'isSampleChosen' | 'rejection'>;
  readonly keys: Pick<KeyStore, 'read'>;
}

/** Where requests go and with which key, or why nowhere. */
export interface Target {
  readonly state: ConnectionState;
  /** None while signed out. */
  readonly key?: string;
}

/**
 * The environment wins over the sample, the sample over the settings; a key that was refused is not used. Reads no secret that it
 * does not need.
 */
export async function decide({ environment, settings, records, keys }: Sources): Promise<Target> {
  const given = environmentAddresses(environment);
  if (given.kind === 'none' && records.isSampleChosen)
    return { state: { kind: 'signedIn', service: serviceAt(SAMPLE, 'sample') }, key: SAMPLE.key };
  const named = given.kind === 'none' ? settingsAddresses(settings) : given;
  if (named.kind === 'none') return { state: { kind: 'signedOut' } };
  if (named.kind === 'unusable') return { state: { kind: 'signedOut', reason: named.reason } };
  const service = serviceAt(named.addresses, named === given ? 'environment' : 'settings');
  const { id, host } = service;
  const key = named.key ?? (await keys.read(service));
  if (key === undefined) {
    const reason = vscode.l10n.t('There is no key for {0}. Sign in to enter one.', host);
    return { state: { kind: 'signedOut', reason, service } };
  }
  const rejection = records.rejection(id, key);
  if (rejection === undefined) return { state: { kind: 'signedIn', service }, key };
  const facts = answerFacts(rejection);
  const reason =
    named.key === undefined
      ? vscode.l10n.t('The key was not accepted by {0}{1}. Enter it again or create another.', host, facts)
      : vscode.l10n.t(
          'The key in {0} was not accepted by {1}{2}. Run Refresh to try it again; to use another key, change the variable and reload the window.',
          KEY_VARIABLE,
          host,
          facts,
        );
  return { state: { kind: 'keyRejected', service, reason }, key };
}

/**
 * The service at two addresses. What is stored of it belongs to `baseUrl`, so its id stays the same as long as that does; the
 * sample keeps one id wherever it is.
 */
export function serviceAt({ baseUrl, appUrl }: Addresses, source: Service['source']): Service {
  if (source === 'sample')
    return { id: 'sample', baseUrl, appUrl, host: vscode.l10n.t('Sample service'), source };
  const id = createHash('sha256').update(baseUrl).digest('hex').slice(0, 16);
  return { id, baseUrl, appUrl, host: hostOf(baseUrl), source };
}

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
