import type { Blob } from 'node:buffer';
import type { Endpoint, EndpointName } from './endpoints';

export type SentBody = string | Uint8Array | Blob;

export interface Request {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
  readonly url: URL;
  readonly body?: SentBody | undefined;
  /** Tried again with another key only. */
  readonly once?: boolean | undefined;
}

/** One request from its first attempt to its end. */
export interface Call extends Request {
  readonly signal: AbortSignal;
  /** Aborts `signal`. */
  readonly end: () => void;
  /** What it may still wait between its attempts, ms. */
  budget: number;
  key?: string;
  /** An attempt has left, or may have. */
  sent: boolean;
  /** Of the latest attempt. */
  status?: number | undefined;
  requestId?: string | undefined;
  retryAt?: number | undefined;
  received: Uint8Array<ArrayBuffer>;
  /** What was sent, as far as a refusal may quote it (trust.md 21). */
  said?: readonly string[];
}
