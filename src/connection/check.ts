import * as vscode from 'vscode';
import type { ApiClient, ApiError } from '../api';
import { errorSentence } from '../util/errorSentence';
import { hostOf } from './addresses';
import type { Clients } from './clients';
import { answerFacts } from './decide';
import type { Addresses, Service } from './types';

export type SignInStep = 'baseUrl' | 'appUrl' | 'key';

export type CheckResult =
  /** `accessToken`: the service took it, but it is no API key, so analytics and readiness stay closed. */
  | { readonly kind: 'accepted'; readonly accessToken: boolean }
  /** `step` is where it can be fixed. */
  | { readonly kind: 'problem'; readonly step: SignInStep; readonly sentence: string }
  | { readonly kind: 'cancelled' };

/** One call to the service, and only if that went well one to the web application. Stores nothing. */
export function checkService(
  clients: Clients,
  addresses: Addresses,
  key: string,
  signal: AbortSignal,
): Promise<CheckResult> {
  return clients.withKey(addresses, key, async client => {
    const base = await failureOf(() => client.computers.list({ signal }));
    if (base?.kind === 'cancelled') return { kind: 'cancelled' };
    if (base !== undefined && !isLetIn(base)) {
      const step = base.kind === 'unauthorized' ? 'key' : 'baseUrl';
      return { kind: 'problem', step, sentence: baseProblemSentence(base, addresses) };
    }
    const app = await failureOf(() => firstReport(client, signal));
    if (app?.kind === 'cancelled') return { kind: 'cancelled' };
    const accessToken = app?.kind === 'unauthorized' && app.reason === 'jwt';
    if (app === undefined || isLetIn(app) || accessToken) return { kind: 'accepted', accessToken };
    const step = app.kind === 'unauthorized' ? 'key' : 'appUrl';
    return { kind: 'problem', step, sentence: appProblemSentence(app, addresses) };
  });
}

/** One thing a key may be good for. */
export interface AccessRow {
  readonly what: string;
  readonly state: 'checking' | 'readable' | 'refused' | 'unknown';
  /** A sentence for people; empty while checking. */
  readonly detail: string;
}

/** Asks for each thing once, all at the same time, and hands over the whole table whenever an answer has come. */
export async function readAccess(
  client: ApiClient,
  { source, host }: Service,
  signal: AbortSignal,
  onRows: (rows: readonly AccessRow[]) => void,
): Promise<void> {
  const { latestDay } = await import('../api');
  const day = latestDay(Date.now());
  const questions: readonly (readonly [what: string, ask: () => Promise<unknown>])[] = [
    [vscode.l10n.t('Computers and sessions'), () => client.computers.list({ signal })],
    [
      vscode.l10n.t('Users of the organization'),
      () => firstPage(client.organization.users({ limit: 1 }, { signal })),
    ],
    [
      vscode.l10n.t('Control history'),
      () => firstPage(client.organization.controlHistory({ limit: 1 }, { signal })),
    ],
    [
      vscode.l10n.t('Analytics'),
      () => client.analytics.activity({ startDate: day, endDate: day }, { signal }),
    ],
    [vscode.l10n.t('Readiness reports'), () => firstReport(client, signal)],
  ];
  const rows: AccessRow[] = questions.map(([what]) => ({ what, state: 'checking', detail: '' }));
  onRows([...rows]);
  const answers = questions.map(async ([what, ask], index) => {
    const error = await failureOf(ask);
    if (signal.aborted) return;
    const isRefused = error?.kind === 'forbidden' || error?.kind === 'unauthorized';
    rows[index] =
      error === undefined
        ? { what, state: 'readable', detail: vscode.l10n.t('This key can read it.') }
        : {
            what,
            state: isRefused ? 'refused' : 'unknown',
            detail: errorSentence(error, { host: source === 'sample' ? host : undefined }),
          };
    onRows([...rows]);
  });
  await Promise.all(answers);
}

/** Who is refused a right has been let in; but only the service says so in JSON: a door in front of it does not. */
function isLetIn(error: ApiError): boolean {
  const says = [error.title, error.detail, error.requestId].some(text => text !== undefined);
  return error.kind === 'forbidden' && says;
}

/** Why the service's address did not pass. */
function baseProblemSentence(error: ApiError, { baseUrl }: Addresses): string {
  const host = hostOf(baseUrl);
  if (error.kind === 'forbidden') return doorSentence(error, host);
  if (error.kind === 'notFound' || error.kind === 'refused') {
    return vscode.l10n.t(
      '{0} answered, but it is not an agent service: it has no computers{1}. Check the address.',
      host,
      answerFacts(error),
    );
  }
  return errorSentence(error, { host });
}

/** Why the web application's address did not pass. */
function appProblemSentence(error: ApiError, { baseUrl, appUrl }: Addresses): string {
  const host = hostOf(appUrl);
  if (error.kind === 'forbidden') return doorSentence(error, host);
  if (error.kind === 'notFound' || error.kind === 'refused') {
    return vscode.l10n.t(
      '{0} answered, but it is not the web application of {1}: it has no readiness reports{2}. Check the address.',
      host,
      hostOf(baseUrl),
      answerFacts(error),
    );
  }
  if (error.kind === 'unauthorized') {
    return vscode.l10n.t(
      '{0} accepted the key, but the web application at {1} did not{2}. Enter an API key of this organization, or go back and check the address.',
      hostOf(baseUrl),
      host,
      answerFacts(error),
    );
  }
  return errorSentence(error, { host });
}

/** Something refuses entry that is not the service: another program, a proxy, a firewall. */
function doorSentence(error: ApiError, host: string): string {
  return vscode.l10n.t(
    'Something other than the service refused the request to {0}{1}. Check the address, and whether a proxy or firewall is in the way.',
    host,
    answerFacts(error),
  );
}

/** One GET for at most one readiness report. */
function firstReport(client: ApiClient, signal: AbortSignal): Promise<void> {
  return firstPage(client.readiness.reports({ limit: 1 }, { signal }));
}

/** Reads one page and asks for no more. */
async function firstPage(pages: AsyncIterable<unknown>): Promise<void> {
  const iterator = pages[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
}

async function failureOf(call: () => Promise<unknown>): Promise<ApiError | undefined> {
  const { isApiError } = await import('../api');
  try {
    await call();
    return undefined;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}
