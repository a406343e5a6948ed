import { type IncomingHttpHeaders } from 'node:http';
import { type Credential } from './credentials';
import { type Origin } from './faults';
import { type IDisposable } from '../../src/util/disposable';
import { Emitter, type Event } from '../../src/util/event';

/** A request as it arrived. The credential itself is not kept. */
export interface RecordedRequest {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly origin: Origin;
  readonly method: string;
  readonly path: string;
  /** A name given more than once has all its values. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Names in lower case; `authorization` is `[owner]`, `[member]`, `[jwt]` or `[invalid]`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: Credential;
  /** The parsed JSON; `undefined` without a body, for anything else than JSON, and for old large ones. */
  readonly body: unknown;
  /** Length of the body in bytes as it came over the wire. */
  readonly bodyBytes: number;
  /** The status answered; `undefined` before the answer, 0 where the connection was cut instead. */
  readonly status: number | undefined;
}

/** The writable side of a recorded request. */
export type Recording = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };

const KEPT_REQUESTS = 1000;
const KEPT_BODY_BYTES = 64 * 1024 * 1024;

/** The last 1,000 requests, with at most 64 MB of bodies. */
export class Recorder implements IDisposable {
  readonly #requests: Recording[] = [];
  readonly #received = new Emitter<RecordedRequest>();
  #bodyBytes = 0;

  /** Fires when a request has arrived whole, before anything is answered. */
  readonly onDidReceive: Event<RecordedRequest> = this.#received.event;

  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  add(recording: Recording): void {
    this.#requests.push(recording);
    this.#bodyBytes += recording.bodyBytes;
    while (this.#requests.length > KEPT_REQUESTS) this.#bodyBytes -= kept(this.#requests.shift());
    for (const old of this.#requests) {
      if (this.#bodyBytes <= KEPT_BODY_BYTES) break;
      if (old === recording) break;
      this.#bodyBytes -= kept(old);
      old.body = undefined;
    }
    this.#received.fire(recording);
  }

  dispose(): void {
    this.#received.dispose();
  }
}

function kept(recording: Recording | undefined): number {
  return recording?.body === undefined ? 0 : recording.bodyBytes;
}

/** What is recorded of a request as it arrived. */
export function recordingOf(
  received: Pick<RecordedRequest, 'receivedAt' | 'origin' | 'method' | 'credential'>,
  url: URL,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Recording {
  const query = [...new Set(url.searchParams.keys())].map(name => {
    const [value = '', ...more] = url.searchParams.getAll(name);
    return [name, more.length === 0 ? value : [value, ...more]] as const;
  });
  const shown = new Map(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  if (received.credential !== 'none') shown.set('authorization', `[${received.credential}]`);
  return {
    ...received,
    path: url.pathname,
    query: Object.fromEntries(query),
    headers: Object.fromEntries(shown),
    body: parsed(body),
    bodyBytes: body.length,
    status: undefined,
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
