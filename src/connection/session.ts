import type { ApiClient } from '../api';
import type { Service } from './types';

/** A service with one key in use; ended when the connection turns to another key or service. */
export class Session {
  readonly service: Service;
  /** Reads the key anew from where it is kept. */
  readonly readKey: () => Promise<string | undefined>;
  /** Unix ms at which the service last took this very key when asked to be sure. */
  provedAt: number | undefined;
  client: ApiClient | undefined;
  /** One look at the key for all requests refused at the same time. */
  checking: Promise<boolean> | undefined;
  readonly #beforeRequest: (() => Promise<unknown>) | undefined;
  #key: string;
  #ended = false;

  constructor(options: {
    readonly service: Service;
    readonly key: string;
    readonly readKey: () => Promise<string | undefined>;
    readonly beforeRequest?: (() => Promise<unknown>) | undefined;
  }) {
    this.service = options.service;
    this.readKey = options.readKey;
    this.#key = options.key;
    this.#beforeRequest = options.beforeRequest;
  }

  get key(): string {
    return this.#key;
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  /** Another window stored another key for the same service. */
  replaceKey(key: string): void {
    this.#key = key;
    this.provedAt = undefined;
  }

  /** From now on no request is sent in its name. */
  end(): void {
    this.#ended = true;
  }

  /** The key for one request; none when ended. */
  async keyForRequest(): Promise<string | undefined> {
    if (this.#ended) return undefined;
    await this.#beforeRequest?.();
    return this.#key;
  }
}
