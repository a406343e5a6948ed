/** What went wrong with a request, in terms a caller can act on. */
export type ApiErrorKind =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'refused'
  | 'rateLimited'
  | 'unavailable'
  | 'malformedAnswer'
  | 'unreachable'
  | 'timedOut'
  | 'cancelled'
  /** A POST whose answer did not come or could not be read: it may have been carried out (interface-notes 4). */
  | 'outcomeUnknown';

/** The finer cause, where another step follows from it; `code` says more. */
export type ApiErrorReason =
  /** No usable key, so nothing was sent. */
  | 'noKey'
  /** A JWT where only an API key is accepted (section 5). */
  | 'jwt'
  /** The service was not reached: no such host, nothing there, no network. */
  | 'network'
  | 'proxy'
  | 'certificate'
  /** A connection that was in use broke off. */
  | 'broken'
  | 'redirect'
  /** A web page, something that is no JSON, or JSON of another shape. */
  | 'notThisService'
  | 'tooLarge'
  /** Pages that repeat or do not lead on. */
  | 'brokenList';

/** The request an error is about; never its query, headers or body. */
export interface ApiRequestInfo {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly origin: string;
}

export interface ApiErrorFacts {
  readonly request: ApiRequestInfo;
  readonly reason?: ApiErrorReason | undefined;
  /** What the layer that failed calls it, such as `ENOTFOUND`, `html` or `timedOut`. */
  readonly code?: string | undefined;
  /** HTTP status of the answer, if there was one. */
  readonly status?: number | undefined;
  /** The service's name for this request: foreign text. */
  readonly requestId?: string | undefined;
  /** From the service's error body (section 7): foreign text. */
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  /** Unix ms before which the service wants no further request. */
  readonly retryAt?: number | undefined;
  /** Name and message of what was thrown below, with secrets taken out. */
  readonly cause?: ApiErrorCause | undefined;
}

export interface ApiErrorCause {
  readonly name: string;
  readonly message: string;
}

const BRAND = Symbol.for('agentConsole.ApiError');

/**
 * The one error a request fails with. Holds neither key nor bodies, so it may be logged and inspected. `message` is for logs;
 * people read `errorSentence(error)`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: ApiErrorKind;
  readonly reason: ApiErrorReason | undefined;
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly title: string | undefined;
  readonly detail: string | undefined;
  readonly retryAt: number | undefined;
  readonly request: ApiRequestInfo;

  constructor(kind: ApiErrorKind, facts: ApiErrorFacts) {
    super(describe(kind, facts), facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = kind;
    this.reason = facts.reason;
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.title = facts.title;
    this.detail = facts.detail;
    this.retryAt = facts.retryAt;
    this.request = facts.request;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** True for an `ApiError` made by any copy of this code. */
export function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && (error as { [BRAND]?: unknown })[BRAND] === true;
}

function describe(kind: ApiErrorKind, { request, reason, code, status, requestId }: ApiErrorFacts): string {
  const what = [kind, reason, code].filter(part => part !== undefined).join(', ');
  const facts = [status, requestId === undefined ? undefined : `request ${requestId}`];
  const known = facts.filter(fact => fact !== undefined).join(', ');
  return `${request.method} ${request.path}: ${what}${known === '' ? '' : ` (${known})`}`;
}

/** Why a query was not sent. */
export type QueryProblem =
  /** Not a day written `YYYY-MM-DD`. */
  | 'dateFormat'
  /** Before the earliest day with data (section 8). */
  | 'dateTooEarly'
  /** Today (UTC) or later: not finished yet (section 4.1). */
  | 'dateNotFinished'
  | 'datesReversed'
  | 'limit'
  /** An empty id, or one that cannot be part of an address. */
  | 'id';

/** A query the interface does not allow, refused before anything is sent. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly problem: QueryProblem;
  /** Which parameter, such as `startDate`. */
  readonly parameter: string;
  /** What was given. */
  readonly given: string;
  /** The nearest allowed value or the range, such as `2026-01-14` or `1-100`. */
  readonly allowed: string;

  constructor(problem: QueryProblem, parameter: string, given: string, allowed: string) {
    super(`${parameter}: ${problem}. Allowed: ${allowed}.`);
    this.problem = problem;
    this.parameter = parameter;
    this.given = given;
    this.allowed = allowed;
  }
}
