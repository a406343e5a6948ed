import * as vscode from 'vscode';
import type { ApiError } from '../api';
import { errorSentence } from '../util/errorSentence';
import { forNotification } from '../util/text';
import { hostOf, KEY_VARIABLE, type Addresses } from './addresses';
import type { Service } from './types';

/** Of a refused key: what the service answered. Foreign text. */
export interface RejectionFacts {
  readonly status?: number;
  readonly requestId?: string;
}

/** Says that the key in use is not taken any more, with the way out. */
export function rejectionSentence(service: Service, facts: RejectionFacts, fromEnvironment: boolean): string {
  return fromEnvironment
    ? vscode.l10n.t(
        'The key in {0} was not accepted by {1}{2}. Change it, then reload the window.',
        KEY_VARIABLE,
        service.host,
        factsOf(facts),
      )
    : vscode.l10n.t(
        'The key was not accepted by {0}{1}. Enter it again or check it in the web application.',
        service.host,
        factsOf(facts),
      );
}

/** Why the service's address did not pass the check of sign-in. */
export function baseProblemSentence(error: ApiError, { baseUrl }: Addresses): string {
  const host = hostOf(baseUrl);
  if (error.kind === 'forbidden') return doorSentence(error, host);
  if (error.kind === 'notFound' || error.kind === 'refused') {
    return vscode.l10n.t(
      '{0} answers, but is not this service: it knows nothing of computers{1}. Check the address.',
      host,
      factsOf(error),
    );
  }
  return errorSentence(error, { host });
}

/** Why the web application's address did not pass the check of sign-in. */
export function appProblemSentence(error: ApiError, { baseUrl, appUrl }: Addresses): string {
  const host = hostOf(appUrl);
  if (error.kind === 'forbidden') return doorSentence(error, host);
  if (error.kind === 'notFound' || error.kind === 'refused') {
    return vscode.l10n.t(
      '{0} answers, but is not the web application of {1}: it knows nothing of readiness reports{2}. Check the address.',
      host,
      hostOf(baseUrl),
      factsOf(error),
    );
  }
  if (error.kind === 'unauthorized') {
    return vscode.l10n.t(
      '{0} accepted the key, and the web application at {1} did not{2}. Enter an API key of this organization, or go back and check the address.',
      hostOf(baseUrl),
      host,
      factsOf(error),
    );
  }
  return errorSentence(error, { host });
}

/** Something refuses entry that is not the service: another program, a proxy, a firewall. */
function doorSentence(error: ApiError, host: string): string {
  return vscode.l10n.t(
    '{0} refuses entry{1}, and not in the words of this service. Check the address, and whether something stands in front of it.',
    host,
    factsOf(error),
  );
}

/** ` (401, request req_1)`, or nothing. */
function factsOf({
  status,
  requestId,
}: {
  status?: number | undefined;
  requestId?: string | undefined;
}): string {
  if (status === undefined) return '';
  if (requestId === undefined) return ` (${status})`;
  return vscode.l10n.t(' ({0}, request {1})', status, forNotification(requestId, 100));
}
