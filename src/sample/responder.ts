import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Fault, type Faults } from './faults';
import { errorAnswer, faultAnswer, guard, json, parseBody, readBody, send, type Answer } from './http';
import { admit, credentialOf, type SampleKeys } from './keys';
import { type Origin, type Recorder, type Recording } from './recorder';
import { findRoute, type Route } from './router';
import { Refusal } from './validate';
import { type Waits } from './waits';

export interface ResponderOptions {
  readonly routes: readonly Route[];
  readonly keys: SampleKeys;
  /** Unix ms. */
  readonly now: () => number;
  readonly recorder: Recorder;
  readonly faults: Faults;
  readonly waits: Waits;
  /** Keeps what has changed; resolves when it is kept. */
  readonly keep: () => Promise<void>;
}

/** Takes requests, records them, and answers them or lets them fail as told. */
export class Responder {
  readonly #options: ResponderOptions;

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /** Answers one request; never rejects. */
  async serve(origin: Origin, request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const recording = this.#recording(origin, request);
    const { requestId } = recording;
    let answer: Answer | undefined;
    let cut = false;
    try {
      const body = await this.#receive(recording, request);
      const compute = (): Promise<Answer> => this.#compute(recording, request, body);
      const fault = this.#options.faults.take(origin, recording.method, recording.path);
      answer = fault === undefined ? await compute() : await this.#spoil(fault, compute, response, requestId);
      cut = fault?.kind === 'truncate';
    } catch (error) {
      answer = request.complete || error instanceof Refusal ? refused(error, requestId) : undefined;
    }
    recording.status = cut ? 0 : (answer?.status ?? 0);
    if (answer === undefined) request.socket.resetAndDestroy();
    else send(response, answer, requestId, cut);
  }

  #recording(origin: Origin, request: IncomingMessage): Recording {
    const credential = credentialOf(request.headers.authorization, this.#options.keys);
    const { path, search } = target(request);
    const query = new Map<string, string | string[]>();
    for (const [name, value] of search) {
      const before = query.get(name);
      query.set(name, before === undefined ? value : [before, value].flat());
    }
    const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    if (credential !== 'none') headers.set('authorization', `[${credential}]`);
    return {
      requestId: newRequestId(),
      receivedAt: Math.floor(this.#options.now()),
      origin,
      method: request.method ?? '',
      path,
      query: Object.fromEntries(query),
      headers: Object.fromEntries(headers),
      credential,
      body: undefined,
      bodyBytes: 0,
      status: undefined,
    };
  }

  /** Reads and records the request, whatever becomes of it; hands back how to get at the body, which may refuse. */
  async #receive(recording: Recording, request: IncomingMessage): Promise<() => unknown> {
    try {
      guard(request);
      const raw = await readBody(request);
      recording.bodyBytes = raw.length;
      const body = parseBody(request, raw);
      recording.body = body;
      return () => body;
    } catch (error) {
      // A body that is no good matters only where a route would take it; all other reasons end the request here.
      if (!(error instanceof Refusal) || error.status !== 400) throw error;
      return () => {
        throw error;
      };
    } finally {
      this.#options.recorder.add(recording);
    }
  }

  /** The true answer. What a POST changed is kept before it is answered. */
  async #compute(recording: Recording, request: IncomingMessage, body: () => unknown): Promise<Answer> {
    const { route, parts } = findRoute(
      this.#options.routes,
      recording.origin,
      recording.method,
      recording.path,
    );
    admit(recording.credential, route.access);
    const answer = route.answer({ path: parts, query: target(request).search, body: body() });
    const kept = this.#options.keep();
    if (route.method === 'POST') await kept;
    else void kept.catch(() => undefined);
    return json(route.status, answer);
  }

  /** The answer a fault makes of the true one; `undefined` where the connection is cut. */
  async #spoil(
    fault: Fault,
    compute: () => Promise<Answer>,
    response: ServerResponse,
    requestId: string,
  ): Promise<Answer | undefined> {
    const answered = (): Promise<Answer> => compute().catch((error: unknown) => refused(error, requestId));
    switch (fault.kind) {
      case 'delay': {
        const early = fault.applied === true ? await answered() : undefined;
        const over = await this.#options.waits.wait(fault.ms ?? 1000);
        return over && !response.destroyed ? (early ?? (await answered())) : undefined;
      }
      case 'truncate':
        return answered();
      case 'alter': {
        const answer = await answered();
        return { ...answer, body: JSON.stringify(fault.alter(JSON.parse(answer.body))) };
      }
      default:
        if (fault.applied === true) await answered();
        return faultAnswer(fault, requestId);
    }
  }
}

/** An id as answers carry it in `X-Request-Id` and in error bodies. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
}

/** The answer to a request that failed. */
function refused(error: unknown, requestId: string): Answer {
  if (error instanceof Refusal) return errorAnswer(error.status, error.message, requestId, error.headers);
  return errorAnswer(500, 'Internal error.', requestId);
}

/** Path and query as they were sent; nothing is normalised. */
function target(request: IncomingMessage): { readonly path: string; readonly search: URLSearchParams } {
  const url = request.url ?? '';
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  return { path, search: new URLSearchParams(at < 0 ? '' : url.slice(at + 1)) };
}
