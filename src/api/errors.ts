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

export interface ApiErrorFacts {
  /** The request; never its query, headers or body. */
  readonly request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly origin: string };
  readonly reason?: ApiErrorReason | undefined;
  /** What the layer that failed calls it, such as `ENOTFOUND`, `html` or `timedOut`. */
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  /** The service's name for this request: foreign text. */
  readonly requestId?: string | undefined;
  /** From the service's error body (section 7): foreign text. */
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  /** Unix ms before which the service wants no further request. */
  readonly retryAt?: number | undefined;
  /** Name and message of what was thrown below, with secrets taken out. */
  readonly cause?: { readonly name: string; readonly message: string } | undefined;
}

/**
 * The one error a request fails with. Holds neither key nor bodies, so it may be logged and inspected. `message` is for logs;
 * people read `errorSentence(error)`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: ApiErrorKind;
  declare readonly request: ApiErrorFacts['request'];
  declare readonly reason: ApiErrorFacts['reason'];
  declare readonly code: ApiErrorFacts['code'];
  declare readonly status: ApiErrorFacts['status'];
  declare readonly requestId: ApiErrorFacts['requestId'];
  declare readonly title: ApiErrorFacts['title'];
  declare readonly detail: ApiErrorFacts['detail'];
  declare readonly retryAt: ApiErrorFacts['retryAt'];

  constructor(kind: ApiErrorKind, { cause, ...facts }: ApiErrorFacts) {
    const { request, reason, code, status, requestId } = facts;
    const what = [kind, reason, code].filter(part => part !== undefined).join(', ');
    const answer = [status, requestId && `request ${requestId}`]
      .filter(part => part !== undefined)
      .join(', ');
    const message = `${request.method} ${request.path}: ${what}${answer === '' ? '' : ` (${answer})`}`;
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    Object.assign(this, facts);
  }
}

export function isApiError(error: unknown): error is ApiError {
  return error instanceof ApiError;
}

/** What `call` fails with; throws what is no `ApiError`. */
export async function failureOf(call: () => Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}
