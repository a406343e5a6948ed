import type { ApiClient, ApiClientOptions } from '../api';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { OpenRepository } from '../util/git';
import { once } from '../util/promises';
import type { ConnectionRecords } from './records';
import type { Addresses } from './addresses';

/** Where the sample is said to be, and a key for it. Nothing is ever sent there. */
export const SAMPLE: Addresses & { readonly key: string } = {
  baseUrl: 'https://api.sample.invalid',
  appUrl: 'https://app.sample.invalid',
  key: 'sample-data-needs-no-key',
};

/** Answers what is asked of the sample, in this process; loaded when first asked, its state shared by all windows. */
export function answersOfSample(
  storage: Storage,
  openRepository: () => Promise<OpenRepository | undefined>,
  log: Logger,
): NonNullable<ApiClientOptions['fetch']> {
  const load = once(async () => {
    const { sampleFetch, sampleRecord } = await import('../sample');
    return sampleFetch({
      records: storage.collection({ path: 'sample', version: 1, schema: sampleRecord }),
      openRepository: await openRepository().catch((error: unknown) => {
        log.error('The sample has no reports of the open repository', error);
        return undefined;
      }),
    });
  });
  return async (url, init) => (await load())(url, init);
}

/** Makes clients that share pauses and the marks of secrets with all windows. */
export class Clients {
  readonly #records: ConnectionRecords;
  readonly #log: Logger;
  readonly #sample: NonNullable<ApiClientOptions['fetch']>;

  /** `sample` answers in place of the network what is asked of the sample. */
  constructor(records: ConnectionRecords, log: Logger, sample: NonNullable<ApiClientOptions['fetch']>) {
    this.#records = records;
    this.#log = log;
    this.#sample = sample;
  }

  async make(
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
    const client = await this.make(addresses, () => key);
    try {
      return await work(client);
    } finally {
      client.dispose();
    }
  }
}
