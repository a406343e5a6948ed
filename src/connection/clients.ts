import type { ApiClient, ApiClientOptions } from '../api';
import type { Logger } from '../log';
import { Disposable } from '../util/disposable';
import type { ConnectionRecords } from './records';
import { SAMPLE } from './sample';
import type { Addresses } from './types';

/** Makes clients that share pauses and the marks of secrets with all windows. */
export class Clients extends Disposable {
  readonly #records: ConnectionRecords;
  readonly #log: Logger;
  readonly #sample: NonNullable<ApiClientOptions['fetch']>;

  /** `sample` answers in place of the network what is asked of the sample. */
  constructor(records: ConnectionRecords, log: Logger, sample: NonNullable<ApiClientOptions['fetch']>) {
    super();
    this.#records = records;
    this.#log = log;
    this.#sample = sample;
  }

  /**
   * A client that lives as long as this object: a request under way when the key changes is let come to its end, since nobody
   * could tell whether an aborted one arrived.
   */
  async open(
    addresses: Addresses,
    keyForRequest: () => string | undefined,
    onUnauthorized?: ApiClientOptions['onUnauthorized'],
  ): Promise<ApiClient> {
    return this.register(await this.#make(addresses, keyForRequest, onUnauthorized));
  }

  async #make(
    { baseUrl, appUrl }: Addresses,
    keyForRequest: () => string | undefined,
    onUnauthorized?: ApiClientOptions['onUnauthorized'],
  ): Promise<ApiClient> {
    const { ApiClient } = await import('../api');
    const log = this.#log;
    const redactionKey = await this.#records.marksKey().catch((error: unknown) => {
      log.error('Marks of secrets are of this window alone', error);
      return undefined;
    });
    const key = (): Promise<string | undefined> => {
      const given = keyForRequest();
      if (given !== undefined) log.keepOut?.(given);
      return Promise.resolve(given);
    };
    const fetch = baseUrl === SAMPLE.baseUrl ? this.#sample : undefined;
    const gate = this.#records;
    return new ApiClient({ baseUrl, appUrl, key, onUnauthorized, gate, redactionKey, log, fetch });
  }

  /** Runs `work` with a client of its own for a key that is not in use. */
  async withKey<T>(addresses: Addresses, key: string, work: (client: ApiClient) => Promise<T>): Promise<T> {
    const client = await this.#make(addresses, () => key);
    try {
      return await work(client);
    } finally {
      client.dispose();
    }
  }
}
