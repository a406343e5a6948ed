import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { forNotification } from '../util/text';
import { hostOf, KEY_VARIABLE, type Named } from './addresses';
import type { Rejection } from './records';
import { SAMPLE } from './sample';
import type { Addresses, ConnectionState, Service } from './types';

/** Where requests go and with which key, or why nowhere. */
export type Target =
  | (ConnectionState & { readonly kind: 'signedOut' | 'keyRejected' })
  | (ConnectionState & { readonly kind: 'signedIn'; readonly key: string });

/**
 * The environment wins over the sample, the sample over the settings; a key that was refused is not used. `storedKey` is the one
 * entered for the addresses in force. Reads nothing.
 */
export function decide(
  environment: Named,
  settings: Named,
  isSampleChosen: boolean,
  storedKey: string | undefined,
  rejectionOf: (service: Service, key: string) => Rejection | undefined,
): Target {
  const use = (service: Service, key: string): Target => {
    const rejection = rejectionOf(service, key);
    if (rejection === undefined) return { kind: 'signedIn', service, key };
    const fromEnvironment = environment.kind === 'found' && environment.key === key;
    return { kind: 'keyRejected', service, reason: rejectedSentence(service, rejection, fromEnvironment) };
  };
  if (environment.kind === 'none' && isSampleChosen) return use(serviceAt(SAMPLE, 'sample'), SAMPLE.key);
  const named = environment.kind === 'none' ? settings : environment;
  if (named.kind === 'none') return { kind: 'signedOut' };
  if (named.kind === 'unusable') return { kind: 'signedOut', reason: named.reason };
  const service = serviceAt(named.addresses, named === environment ? 'environment' : 'settings');
  const key = named.key ?? storedKey;
  if (key !== undefined) return use(service, key);
  const reason = vscode.l10n.t('There is no key for {0}. Sign in to enter one.', service.host);
  return { kind: 'signedOut', reason, service };
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

function rejectedSentence({ host }: Service, rejection: Rejection, fromEnvironment: boolean): string {
  return fromEnvironment
    ? vscode.l10n.t(
        'The key in {0} was not accepted by {1}{2}. Run Refresh to try it again; to use another key, change the variable and reload the window.',
        KEY_VARIABLE,
        host,
        answerFacts(rejection),
      )
    : vscode.l10n.t(
        'The key was not accepted by {0}{1}. Enter it again or check it in the web application.',
        host,
        answerFacts(rejection),
      );
}

/** What a service answered, for the middle of a sentence: ` (401, request req_1)`, or nothing. */
export function answerFacts({ status, requestId }: Rejection): string {
  if (status === undefined) return '';
  if (requestId === undefined) return ` (${status})`;
  return vscode.l10n.t(' ({0}, request {1})', status, forNotification(requestId, 100));
}
