import type { ApiClientOptions } from '../api';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { OpenRepository } from '../util/git';
import { once } from '../util/promises';
import type { Addresses } from './types';

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
      appUrl: SAMPLE.appUrl,
      records: storage.collection({ path: 'sample', version: 1, schema: sampleRecord }),
      openRepository: await openRepository().catch((error: unknown) => {
        log.error('The sample has no reports of the open repository', error);
        return undefined;
      }),
    });
  });
  return async (url, init) => (await load())(url, init);
}
