import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http';
import { TextDecoder } from 'node:util';
import { type Fault } from './faults';
import { invalid, Refusal } from './validate';

/** Largest request body accepted, in bytes. */
export const MAX_BODY_BYTES = 150 * 1024 * 1024;

const LOOPBACK_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** What goes back. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

/** The error body of interface section 7; the endpoints whose error body is not shown use it too. */
export function errorAnswer(
  status: number,
  detail: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { title: STATUS_CODES[status] ?? 'Error', detail, status, requestId }, headers);
}

/**
 * Only programs on this machine may call: the name asked for must be a loopback name (a web page that rebinds its own name
 * to this address is refused), and nothing a web page sends, which carries `Origin`, is answered.
 */
export function guard(request: IncomingMessage): void {
  const name = (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
  if (!LOOPBACK_NAMES.has(name)) throw new Refusal(403, 'The Host header must name this machine.');
  if (request.headers.origin !== undefined) throw new Refusal(403, 'Web pages may not call this service.');
}

/** The whole body; 413 for one above the limit, after it has been read and dropped so that the sender hears the answer. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
      if (length > 8 * MAX_BODY_BYTES) request.destroy();
    });
    request.once('end', resolve);
    request.once('error', reject);
    request.once('close', () => reject(new Error('The request was not completed.')));
  });
  if (length > MAX_BODY_BYTES) throw new Refusal(413, `A request body has at most ${MAX_BODY_BYTES} bytes.`);
  return Buffer.concat(chunks);
}

/** Reads a body as its headers say: `undefined` for none; 400 for one that is not JSON, not UTF-8, or sent with GET. */
export function parseBody(request: IncomingMessage, body: Buffer): unknown {
  if (request.method !== 'POST') {
    return body.length === 0 ? undefined : invalid(`${request.method ?? ''} requests have no body.`);
  }
  const type = (request.headers['content-type'] ?? '').toLowerCase().replace(/\s/g, '');
  if (type !== 'application/json' && type !== 'application/json;charset=utf-8') {
    invalid('The content type must be application/json.');
  }
  if (request.headers['content-encoding'] !== undefined) invalid('The body must not be compressed.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    return invalid('The body is not JSON in UTF-8.');
  }
}

/** Sends an answer; with `cut`, only half of its body before the connection ends. */
export function send(response: ServerResponse, answer: Answer, requestId: string, cut = false): void {
  if (response.destroyed || response.headersSent) return;
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    'Content-Length': String(body.length),
    ...answer.headers,
  });
  if (!cut) response.end(body);
  else response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.socket?.destroy());
}

/** The answer a fault gives in place of the true one; `undefined` where the connection is cut. */
export function faultAnswer(fault: Fault, requestId: string): Answer | undefined {
  switch (fault.kind) {
    case 'status':
      return errorAnswer(
        fault.status ?? 500,
        'The service was told to fail.',
        requestId,
        fault.retryAfter === undefined ? {} : { 'Retry-After': String(fault.retryAfter) },
      );
    case 'rateLimit':
      return errorAnswer(429, 'Too many requests.', requestId, {
        'Retry-After': String(fault.retryAfter ?? 1),
      });
    case 'html':
      return page(fault.status, 'text/html; charset=utf-8', SIGN_IN_PAGE);
    case 'redirect':
      return { status: fault.status ?? 307, headers: { Location: fault.location ?? '/elsewhere' }, body: '' };
    case 'empty':
      return page(fault.status, 'application/json', '');
    case 'malformed':
      return page(fault.status, 'application/json', '{"data": [{"date": ');
    case 'alter':
    case 'delay':
    case 'reset':
    case 'truncate':
      return undefined;
  }
}

const SIGN_IN_PAGE =
  '<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>';

function page(status: number | undefined, type: string, body: string): Answer {
  return { status: status ?? 200, headers: { 'Content-Type': type }, body };
}
