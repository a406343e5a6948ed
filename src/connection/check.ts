import type { ApiClient, ApiError } from '../api';
import type { Addresses } from './addresses';
import type { Clients } from './clients';
import { appProblemSentence, baseProblemSentence } from './sentences';

export type SignInStep = 'baseUrl' | 'appUrl' | 'key';

export type CheckResult =
  /** `accessToken`: the service took it, but it is no API key, so analytics and readiness stay closed. */
  | { readonly kind: 'accepted'; readonly accessToken: boolean }
  /** `step` is where it can be mended. */
  | { readonly kind: 'problem'; readonly step: SignInStep; readonly sentence: string }
  | { readonly kind: 'cancelled' };

/** One call to the service, and only if that went well one to the web application. Stores nothing. */
export function checkService(
  clients: Clients,
  addresses: Addresses,
  key: string,
  signal: AbortSignal,
): Promise<CheckResult> {
  return clients.withKey(addresses, key, async client => {
    const base = await failureOf(() => client.computers.list({ signal }));
    if (base?.kind === 'cancelled') return { kind: 'cancelled' };
    if (base !== undefined && !isLetIn(base)) {
      const step = base.kind === 'unauthorized' ? 'key' : 'baseUrl';
      return { kind: 'problem', step, sentence: baseProblemSentence(base, addresses) };
    }
    const app = await failureOf(() => firstReport(client, signal));
    if (app?.kind === 'cancelled') return { kind: 'cancelled' };
    const accessToken = app?.kind === 'unauthorized' && app.reason === 'jwt';
    if (app === undefined || isLetIn(app) || accessToken) return { kind: 'accepted', accessToken };
    const step = app.kind === 'unauthorized' ? 'key' : 'appUrl';
    return { kind: 'problem', step, sentence: appProblemSentence(app, addresses) };
  });
}

/** Who is refused a right has been let in; but only the service says so in JSON: a door in front of it does not. */
function isLetIn(error: ApiError): boolean {
  const says = [error.title, error.detail, error.requestId].some(text => text !== undefined);
  return error.kind === 'forbidden' && says;
}

/** One GET for at most one readiness report. */
export async function firstReport(client: ApiClient, signal: AbortSignal): Promise<void> {
  await firstPage(client.readiness.reports({ limit: 1 }, { signal }));
}

/** Reads one page and asks for no more. */
export async function firstPage(pages: AsyncIterable<unknown>): Promise<void> {
  const iterator = pages[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
}

async function failureOf(call: () => Promise<unknown>): Promise<ApiError | undefined> {
  const { isApiError } = await import('../api');
  try {
    await call();
    return undefined;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}
