import * as vscode from 'vscode';
import type { ApiError, ApiErrorReason, QueryError } from '../api';
import { forNotification } from './text';

export interface SentenceContext {
  /** Host to name instead of the one the request went to. */
  readonly host?: string | undefined;
  /** For times of day; the machine's own language when left out. */
  readonly language?: string | undefined;
}

/**
 * What went wrong, for a person, with the way out: one or two plain sentences, safe for every place text is shown. Status and
 * request id are named where they are known.
 */
export function errorSentence(error: unknown, context: SentenceContext = {}): string {
  if (isNamed<ApiError>(error, 'ApiError') && 'kind' in error) return apiSentence(error, context);
  if (isNamed<QueryError>(error, 'QueryError') && 'problem' in error) return querySentence(error);
  const message = error instanceof Error ? forNotification(error.message) : '';
  return message === '' ? vscode.l10n.t('Something went wrong. The log says more.') : message;
}

/** Classes exist once a bundle, so they are known by name here. */
function isNamed<T extends Error>(error: unknown, name: T['name']): error is T {
  return error instanceof Error && error.name === name;
}

function apiSentence(error: ApiError, context: SentenceContext): string {
  const host = forNotification(context.host ?? hostOf(error.request.origin), 100);
  const facts = factsOf(error);
  switch (error.kind) {
    case 'unauthorized':
      return unauthorized(error, host, facts);
    case 'forbidden':
      return error.request.path.includes('/api/v1/analytics/')
        ? vscode.l10n.t('Analytics needs the Manager or Owner role{0}. Everything else works.', facts)
        : vscode.l10n.t(
            'This key may not do that at {0}{1}. Ask an administrator of your organization for the right.',
            host,
            facts,
          );
    case 'notFound':
      if (error.reason !== 'html' && /\/sessions\/[^/]+(?:\/messages)?$/.test(error.request.path)) {
        return vscode.l10n.t(
          '{0} does not know this session{1}. It may be gone, belong to another organization, or run only in the command-line client.',
          host,
          facts,
        );
      }
      return error.reason === 'html'
        ? notThisService(host, facts)
        : vscode.l10n.t(
            '{0} does not know what was asked for{1}. Check the id, and the address if everything is missing.',
            host,
            facts,
          );
    case 'refused':
      return withDetail(vscode.l10n.t('{0} did not accept the request{1}.', host, facts), error);
    case 'rateLimited':
      return error.retryAt === undefined
        ? vscode.l10n.t('{0} gets too many requests{1}. Try again in a minute.', host, facts)
        : vscode.l10n.t(
            '{0} wants no further requests before {1}{2}. Try again then.',
            host,
            timeText(error.retryAt, context.language),
            facts,
          );
    case 'unavailable':
      return error.retryAt === undefined
        ? vscode.l10n.t('{0} has a problem of its own{1}. Try again in a few minutes.', host, facts)
        : vscode.l10n.t(
            '{0} has a problem of its own until {1}{2}. Try again then.',
            host,
            timeText(error.retryAt, context.language),
            facts,
          );
    case 'malformedAnswer':
      return malformed(error.reason, host, facts);
    case 'unreachable':
      return unreachable(error.reason, host, facts);
    case 'timedOut':
      return vscode.l10n.t(
        '{0} did not answer in time{1}. Check the network, or try again in a few minutes.',
        host,
        facts,
      );
    case 'cancelled':
      return vscode.l10n.t('Cancelled.');
    case 'outcomeUnknown':
      return unknownOutcome(error.reason, host, facts);
  }
}

function unauthorized({ reason }: ApiError, host: string, facts: string): string {
  switch (reason) {
    case 'noKey':
      return vscode.l10n.t('There is no key for {0}. Sign in to enter one.', host);
    case 'keyMalformed':
      return vscode.l10n.t(
        'The key for {0} holds characters no key has, such as a space or a line break. Copy it again from the web application.',
        host,
      );
    case 'jwt':
      return vscode.l10n.t(
        'This needs an API key, and you are signed in to {0} with an access token{1}. Sign in with an API key for this; everything else works.',
        host,
        facts,
      );
    default:
      return vscode.l10n.t(
        'The key was not accepted by {0}{1}. Enter it again or check it in the web application.',
        host,
        facts,
      );
  }
}

function malformed(reason: ApiErrorReason | undefined, host: string, facts: string): string {
  switch (reason) {
    case 'html':
      return notThisService(host, facts);
    case 'redirect':
      return vscode.l10n.t(
        '{0} points to another address{1}. Nothing was sent there. Sign in again with the address it really has.',
        host,
        facts,
      );
    case 'empty':
      return vscode.l10n.t(
        '{0} answered with nothing{1}. Check the address, or try again later.',
        host,
        facts,
      );
    case 'truncated':
      return vscode.l10n.t('The answer of {0} broke off{1}. Check the network and try again.', host, facts);
    case 'tooLarge':
      return vscode.l10n.t('The answer of {0} is too large to read{1}. Ask for less at once.', host, facts);
    case 'wrongShape':
      return vscode.l10n.t(
        '{0} answered, but not as this service does{1}. Check the address; an update of Agent Console may be needed.',
        host,
        facts,
      );
    default:
      return vscode.l10n.t('The answer of {0} cannot be read{1}. Check the address.', host, facts);
  }
}

function notThisService(host: string, facts: string): string {
  return vscode.l10n.t(
    '{0} answered with a web page{1}, so this is not the service’s API address. Check the address; behind a network sign-in page, sign in there first.',
    host,
    facts,
  );
}

function unreachable(reason: ApiErrorReason | undefined, host: string, facts: string): string {
  switch (reason) {
    case 'dns':
      return vscode.l10n.t('There is no host {0}. Check the address and the network.', host);
    case 'connectionRefused':
      return vscode.l10n.t('Nothing answers at {0}. Check the address and its port.', host);
    case 'reset':
      return vscode.l10n.t('{0} closed the connection before it answered{1}. Try again.', host, facts);
    case 'network':
      return vscode.l10n.t('The network does not lead to {0}. Check that you are online.', host);
    case 'connectTimeout':
      return vscode.l10n.t('{0} cannot be reached in time. Check the network, a VPN or a firewall.', host);
    case 'blockedPort':
      return vscode.l10n.t('The port of {0} is never used for web addresses. Check the address.', host);
    case 'notHttp':
      return vscode.l10n.t('What answers at {0} is not a web service. Check the address and its port.', host);
    case 'proxy':
      return vscode.l10n.t(
        'The proxy does not let requests through to {0}{1}. Check the setting “http.proxy” and the proxy itself.',
        host,
        facts,
      );
    case 'proxyAuthentication':
      return vscode.l10n.t(
        'The proxy on the way to {0} asks for a name and a password{1}. Check the settings “http.proxy” and “http.proxyAuthorization”.',
        host,
        facts,
      );
    case 'selfSignedCertificate':
      return vscode.l10n.t(
        'The certificate of {0} is signed by nobody this machine trusts. Add your organization’s certificate to the system’s store, and keep “http.systemCertificates” on.',
        host,
      );
    case 'certificateExpired':
      return vscode.l10n.t(
        'The certificate of {0} is out of date, or this machine’s clock is wrong. Check the clock first.',
        host,
      );
    case 'certificateHost':
      return vscode.l10n.t(
        'The certificate there was made for another host than {0}. Check the address.',
        host,
      );
    case 'tls':
      return vscode.l10n.t(
        'No secure connection to {0} can be made. Check that the address begins with the right scheme and port.',
        host,
      );
    default:
      return vscode.l10n.t('{0} cannot be reached{1}. Check the address and the network.', host, facts);
  }
}

function unknownOutcome(reason: ApiErrorReason | undefined, host: string, facts: string): string {
  switch (reason) {
    case 'timedOut':
      return vscode.l10n.t(
        '{0} did not answer in time{1}, so it is not known whether this arrived. Look before you send it again.',
        host,
        facts,
      );
    case 'cancelled':
      return vscode.l10n.t(
        'Cancelled after the request had left for {0}, so it is not known whether this arrived. Look before you send it again.',
        host,
      );
    case 'status':
      return vscode.l10n.t(
        '{0} had a problem of its own{1}, so it is not known whether this arrived. Look before you send it again.',
        host,
        facts,
      );
    case 'reset':
    case undefined:
      return vscode.l10n.t(
        'The connection to {0} broke{1}, so it is not known whether this arrived. Look before you send it again.',
        host,
        facts,
      );
    default:
      return vscode.l10n.t(
        'The answer of {0} cannot be read{1}, so it is not known whether this arrived. Look before you send it again.',
        host,
        facts,
      );
  }
}

function querySentence({ problem, parameter, given, allowed }: QueryError): string {
  const what = forNotification(given, 80);
  const range = forNotification(allowed, 80);
  switch (problem) {
    case 'dateFormat':
      return vscode.l10n.t('“{0}” is not a day. Write it as YYYY-MM-DD.', what);
    case 'dateTooEarly':
      return vscode.l10n.t('There is no data for {0}. Days from {1} (UTC) can be asked for.', what, range);
    case 'dateNotFinished':
      return vscode.l10n.t(
        'The data of {0} is not there yet: data ends with yesterday (UTC). Days from {1} can be asked for.',
        what,
        range,
      );
    case 'datesReversed':
      return vscode.l10n.t('The first day, {0}, is after the last day. Swap the two.', what);
    case 'limit':
      return vscode.l10n.t('A page cannot hold {0} entries. Choose {1}.', what, range);
    case 'id':
      return what === ''
        ? vscode.l10n.t('The id ({0}) is empty. Enter it and try again.', parameter)
        : vscode.l10n.t('“{0}” cannot be an id. Check it and try again.', what);
    case 'body':
      return vscode.l10n.t('This cannot be sent: it holds something that cannot be written as JSON.');
  }
}

/** ` (401, request req_1)`, or nothing. */
function factsOf({ status, requestId }: ApiError): string {
  const id = requestId === undefined ? undefined : forNotification(requestId, 100);
  if (status !== undefined && id !== undefined) return ` ${vscode.l10n.t('({0}, request {1})', status, id)}`;
  if (status !== undefined) return ` (${status})`;
  return id === undefined ? '' : ` ${vscode.l10n.t('(request {0})', id)}`;
}

/** The service's own words, after ours. */
function withDetail(sentence: string, { title, detail }: ApiError): string {
  const words = forNotification(detail ?? title ?? '', 300);
  return words === '' ? sentence : vscode.l10n.t('{0} It says: {1}', sentence, words);
}

function timeText(time: number, language: string | undefined): string {
  const far = time - Date.now() > 12 * 60 * 60 * 1000;
  return new Intl.DateTimeFormat(
    language,
    far ? { dateStyle: 'medium', timeStyle: 'short' } : { timeStyle: 'medium' },
  ).format(time);
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : origin;
}
