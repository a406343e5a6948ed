import type { Blob } from 'node:buffer';
import type { Logger } from '../log';
import type { RowKind } from './analyticsAnswer';
import type { Call } from './attempt';
import type { DroppedField } from './decode';
import type { Http } from './http';
import type { Redactor } from './redaction';

/** What every call takes as its last argument. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** How long one attempt may take including its body, ms. */
export interface Timeouts {
  readonly get: number;
  readonly post: number;
  /** Analytics answers can be tens of megabytes. */
  readonly analytics: number;
}

/** What the resources share. */
export interface Service {
  readonly http: Http;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly baseUrl: string;
  readonly appUrl: string;
  readonly timeouts: Timeouts;
  readonly now: () => number;
}

/** Largest answers taken, bytes after decompression. */
const MAX_ANSWER = 16 * 1024 * 1024;
const MAX_ANALYTICS_ANSWER = 96 * 1024 * 1024;

export type Query = Readonly<Record<string, string | undefined>>;

/** `/api/v0/`: an API key or a JWT. */
export function v0Get(service: Service, path: string, query: Query = {}): Call {
  return {
    ...target('GET', service.baseUrl, `/api/v0${path}`, query),
    maxBytes: MAX_ANSWER,
    timeoutMs: service.timeouts.get,
    apiKeyOnly: false,
  };
}

/** A POST of a JSON body. */
export function v0Post(service: Service, path: string, body: string | Uint8Array | Blob): Call {
  return {
    ...target('POST', service.baseUrl, `/api/v0${path}`, {}),
    body,
    maxBytes: MAX_ANSWER,
    timeoutMs: service.timeouts.post,
    apiKeyOnly: false,
  };
}

/** `/api/v1/analytics/`: an API key only. */
export function analyticsGet(service: Service, path: string, rows: RowKind, query: Query): Call {
  return {
    ...target('GET', service.baseUrl, `/api/v1/analytics${path}`, query),
    rows,
    maxBytes: MAX_ANALYTICS_ANSWER,
    timeoutMs: service.timeouts.analytics,
    apiKeyOnly: true,
  };
}

/** The web application's address: an API key only. */
export function appGet(service: Service, path: string, query: Query): Call {
  return {
    ...target('GET', service.appUrl, path, query),
    maxBytes: MAX_ANSWER,
    timeoutMs: service.timeouts.get,
    apiKeyOnly: true,
  };
}

function target(
  method: 'GET' | 'POST',
  base: string,
  path: string,
  query: Query,
): Pick<Call, 'method' | 'url' | 'info'> {
  const url = new URL(base + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return { method, url, info: { method, path: url.pathname, origin: url.origin } };
}

/** Logs the parts left out of an answer that is one item. */
export function reportTo(log: Logger, what: string): (dropped: readonly DroppedField[]) => void {
  return dropped => {
    const fields = dropped.slice(0, 20).map(({ reason }) => reason);
    log.warn(`${what}: left out of the answer: ${fields.join('; ')}`);
  };
}
