import * as vscode from 'vscode';
import type { ApiClient, ApiError } from '../api';
import { answerFacts, errorSentence, hostOf } from '../util/errorSentence';
import type { Clients } from './clients';
import type { Addresses } from './addresses';
import type { Service } from './decide';

export type SignInStep = 'baseUrl' | 'appUrl' | 'key';

export type CheckResult =
  /** `accessToken`: the service took it, but it is no API key, so analytics and readiness stay closed. */
  | { readonly kind: 'accepted'; readonly accessToken: boolean }
  /** `step` is where it can be fixed. */
  | { readonly kind: 'problem'; readonly step: SignInStep; readonly sentence: string }
  | { readonly kind: 'cancelled' };

/** One call to the service, and only if that went well one to the web application. Stores nothing. */
export async function checkService(
  clients: Clients,
  addresses: Addresses,
  key: string,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { failureOf } = await import('../api');
  return clients.withKey(addresses, key, async client => {
    let accessToken = false;
    for (const [step, ask] of [
      ['baseUrl', () => client.list('computers', { signal })],
      ['appUrl', () => client.pages('reports', { limit: 1, signal }).next()],
    ] as const) {
      const error = await failureOf(ask);
      if (error?.kind === 'cancelled') return { kind: 'cancelled' };
      accessToken = step === 'appUrl' && error?.reason === 'jwt';
      if (error === undefined || isLetIn(error) || accessToken) continue;
      const sentence = problemSentence(error, step, addresses);
      return { kind: 'problem', step: error.kind === 'unauthorized' ? 'key' : step, sentence };
    }
    return { kind: 'accepted', accessToken };
  });
}

export interface AccessRow {
  readonly what: string;
  readonly state: 'readable' | 'refused' | 'unknown';
  /** A sentence for people. */
  readonly detail: string;
}

/** Asks for each thing once, all at the same time. */
export async function readAccess(
  client: ApiClient,
  { source, host }: Service,
  signal: AbortSignal,
): Promise<readonly AccessRow[]> {
  const { failureOf, latestDay } = await import('../api');
  const day = latestDay(Date.now());
  const asked = { limit: 1, signal };
  const questions: readonly (readonly [what: string, ask: () => Promise<unknown>])[] = [
    [vscode.l10n.t('Computers and sessions'), () => client.list('computers', { signal })],
    [vscode.l10n.t('Users of the organization'), () => client.pages('users', asked).next()],
    [vscode.l10n.t('Control history'), () => client.pages('controlHistory', asked).next()],
    [
      vscode.l10n.t('Analytics'),
      () => client.list('activity', { query: { startDate: day, endDate: day }, signal }),
    ],
    [vscode.l10n.t('Readiness reports'), () => client.pages('reports', asked).next()],
  ];
  return Promise.all(
    questions.map(async ([what, ask]): Promise<AccessRow> => {
      const error = await failureOf(ask);
      if (error === undefined)
        return { what, state: 'readable', detail: vscode.l10n.t('This key can read it.') };
      const detail = errorSentence(error, { host: source === 'sample' ? host : undefined });
      return { what, state: /^(forbidden|unauthorized)$/.test(error.kind) ? 'refused' : 'unknown', detail };
    }),
  );
}

/** Who is refused a right has been let in; but only the service says so in JSON: a door in front of it does not. */
function isLetIn({ kind, title, detail, requestId }: ApiError): boolean {
  return kind === 'forbidden' && [title, detail, requestId].some(text => text !== undefined);
}

function problemSentence(error: ApiError, step: 'baseUrl' | 'appUrl', addresses: Addresses): string {
  const host = hostOf(addresses[step]);
  const service = hostOf(addresses.baseUrl);
  const { status, requestId } = error;
  const facts = answerFacts({ status, requestId });
  const isOther = error.kind === 'notFound' || error.kind === 'refused';
  if (error.kind === 'forbidden')
    return vscode.l10n.t(
      'Something other than the service refused the request to {0}{1}. Check the address, and whether a proxy or firewall is in the way.',
      host,
      facts,
    );
  if (isOther && step === 'baseUrl')
    return vscode.l10n.t(
      '{0} answered, but it is not an agent service: it has no computers{1}. Check the address.',
      host,
      facts,
    );
  if (isOther)
    return vscode.l10n.t(
      '{0} answered, but it is not the web application of {1}: it has no readiness reports{2}. Check the address.',
      host,
      service,
      facts,
    );
  if (error.kind === 'unauthorized' && step === 'appUrl')
    return vscode.l10n.t(
      '{0} accepted the key, but the web application at {1} did not{2}. Enter an API key of this organization, or sign in again with another address.',
      service,
      host,
      facts,
    );
  return errorSentence(error, { host });
}
