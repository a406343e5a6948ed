import { env, l10n } from 'vscode';
import type { ApiError } from '../api';
import { Formatter } from './format';
import { forNotification } from './text';

/**
 * What went wrong, for a person, with the way out: one or two plain sentences, safe for every place text is shown. Status and
 * request id are named where they are known. `host` is named instead of the one the request went to.
 */
export function errorSentence(error: unknown, { host }: { readonly host?: string | undefined } = {}): string {
  if (isApiError(error)) return apiSentence(error, host);
  const message = error instanceof Error ? forNotification(error.message) : '';
  return message === '' ? l10n.t('Something went wrong. See the log for details.') : message;
}

/** Classes exist once a bundle, so this one is known by name here. */
function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === 'ApiError' && 'kind' in error;
}

function apiSentence(error: ApiError, named: string | undefined): string {
  const { kind, reason, retryAt, title, detail } = error;
  const { path, origin } = error.request;
  const host = forNotification(named ?? hostOf(origin), 100);
  const facts = answerFacts(error);
  switch (kind) {
    case 'unauthorized':
      if (reason === 'noKey')
        return l10n.t('There is no usable key for {0}{1}. Sign in to enter one.', host, facts);
      return reason === 'jwt'
        ? l10n.t('This needs an API key, but you are signed in to {0} with an access token{1}.', host, facts)
        : l10n.t('The key was not accepted by {0}{1}. Enter it again or create another.', host, facts);
    case 'forbidden':
      return path.includes('/api/v1/analytics/')
        ? l10n.t('Analytics needs the Manager or Owner role{0}. Everything else works.', facts)
        : l10n.t('This key has no access to this at {0}{1}. Ask an administrator.', host, facts);
    case 'notFound':
      if (reason !== undefined) return answerSentence(reason, host, facts);
      return /\/sessions\/[^/]+(?:\/messages)?$/.test(path)
        ? l10n.t(
            '{0} has no such session{1}. It may be gone, belong to another organization, or run only in the command-line client.',
            host,
            facts,
          )
        : l10n.t('{0} found nothing there{1}. Check the id and the address.', host, facts);
    case 'refused': {
      const sentence = l10n.t('{0} did not accept the request{1}.', host, facts);
      const words = forNotification(detail ?? title ?? '', 300);
      return words === '' ? sentence : l10n.t('{0} It says: {1}', sentence, words);
    }
    case 'rateLimited':
    case 'unavailable':
      if (retryAt !== undefined) {
        const time = new Formatter(env.language).date({ dateStyle: 'medium', timeStyle: 'medium' }, retryAt);
        return l10n.t('{0} asks to wait until {1}{2}. Try again then.', host, time, facts);
      }
      return kind === 'rateLimited'
        ? l10n.t('{0} is receiving too many requests{1}. Try again in a minute.', host, facts)
        : l10n.t('{0} is having problems{1}. Try again in a few minutes.', host, facts);
    case 'malformedAnswer':
    case 'unreachable':
      return answerSentence(reason, host, facts);
    case 'timedOut':
      return l10n.t('{0} did not answer in time{1}. Check the network, or try again.', host, facts);
    case 'cancelled':
      return l10n.t('Cancelled.');
    case 'outcomeUnknown':
      return l10n.t(
        '{0} sent no usable answer{1}, so it is not known whether this arrived. Check before you send it again.',
        host,
        facts,
      );
  }
}

/** Of an answer that could not be taken, or did not come. */
function answerSentence(reason: ApiError['reason'], host: string, facts: string): string {
  switch (reason) {
    case 'network':
      return l10n.t('{0} cannot be reached{1}. Check the address, its port and the network.', host, facts);
    case 'proxy':
      return l10n.t(
        'The proxy lets no request through to {0}{1}. Check “http.proxy” in settings.',
        host,
        facts,
      );
    case 'certificate':
      return l10n.t(
        'No secure connection to {0} is possible{1}: its certificate is untrusted, expired, or made for another host. Add your organization’s certificate to the system’s store, keep “http.systemCertificates” on, and check the clock and the address.',
        host,
        facts,
      );
    case 'broken':
      return l10n.t('The connection to {0} was lost{1}. Check the network and try again.', host, facts);
    case 'redirect':
      return l10n.t('{0} redirects to another address{1}. Sign in with the correct address.', host, facts);
    case 'notThisService':
      return l10n.t(
        '{0} did not answer the way this service should{1}. Check the address. If your network has a sign-in page, sign in there first. Agent Console may need an update.',
        host,
        facts,
      );
    case 'tooLarge':
      return l10n.t('The answer from {0} is too large to read{1}. Ask for less at a time.', host, facts);
    case 'brokenList':
      return l10n.t('{0} sent a list whose pages repeat or break off{1}. Try again.', host, facts);
    default:
      return l10n.t('{0} sent no usable answer{1}. Check the address and the network.', host, facts);
  }
}

/** ` (ENOTFOUND)` or ` (401, request req_1)`: status, what the layer that failed calls it, and the service's name for it. */
export function answerFacts({ status, code, requestId }: Partial<ApiError>): string {
  const parts = [
    status === undefined ? undefined : String(status),
    code === undefined ? undefined : forNotification(code, 40),
    requestId === undefined ? undefined : l10n.t('request {0}', forNotification(requestId, 100)),
  ].filter(part => part !== undefined);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** Of an address; anything else stays as it is. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
