import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { ApiClient } from '../../../src/api';
import type { ConnectionState } from '../../../src/connection';
import { UsageData, type UsageDataDeps } from '../../../src/usage/days/usageData';
import type { TabId, TabReport, UsageQuery } from '../../../src/usage/report/types';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';
import { startSampleService, type SampleService } from '../../fakes/sampleService';
import { openStorage } from '../../fakes/storage';

const cleanups: (() => unknown)[] = [];

export async function cleanUp(): Promise<void> {
  for (const run of cleanups.splice(0).reverse()) await run();
}

/** Noon (UTC) of a day; the latest that can be asked for is the day before, 2026-11-20. */
export const NOON = Date.UTC(2026, 10, 21, 12);

export type Clock = Awaited<ReturnType<typeof begin>>['clock'];
export type Window = ReturnType<Awaited<ReturnType<typeof begin>>['open']>;

/** A service and the windows that share its days. */
export async function begin() {
  const clock = { now: NOON, read: (): number => clock.now };
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-console-usage-'));
  const service = await startSampleService({ pace: 0, now: clock.read });
  cleanups.push(
    () => fs.rmSync(root, { recursive: true, force: true }),
    () => service.close(),
  );
  const { baseUrl, appUrl } = service;
  const known = { id: 'test', baseUrl, appUrl, host: 'test', source: 'settings' } as const;

  /** What one window has, signed in with `apiKey`. */
  const open = (apiKey = (): string => service.apiKey, more: Partial<UsageDataDeps> = {}) => {
    const log = silentLog();
    const storage = openStorage({ root, log, now: clock.read });
    const state = new ObservableValue<ConnectionState>({ kind: 'signedIn', service: known });
    const ready = new Emitter<never>();
    let key = 'a key';
    const signedIn = (): boolean => state.current.kind === 'signedIn';
    const api = new ApiClient({
      ...{ baseUrl, appUrl, key: async () => Promise.resolve(apiKey()), log, now: clock.read },
      ...{ random: () => 0, delay: () => Promise.resolve() },
    });
    const connection = {
      ...{ state, api, onDidBecomeReady: ready.event, keyMark: () => (signedIn() ? key : undefined) },
      ready: () => Promise.resolve(state.current),
    };
    const data = new UsageData({ connection, storage, log, now: clock.read, ...more });
    cleanups.push(async () => {
      data.dispose();
      api.dispose();
      await storage.settled();
      storage.dispose();
    });
    /** Another key takes the place of the one before. */
    const useKey = (mark: string): void => {
      key = mark;
      if (signedIn()) ready.fire(undefined as never);
      else state.set({ kind: 'signedIn', service: known });
    };
    const reject = (): void => state.set({ kind: 'keyRejected', service: known, reason: 'No.' });
    return { data, useKey, reject };
  };
  return { clock, service, open };
}

type Loose = Readonly<Record<string, unknown>> & { readonly date: string };

/** The service answers with other rows than it has. */
export function answer(service: SampleService, rows: (sent: readonly Loose[]) => readonly Loose[]) {
  return service.fail({
    kind: 'alter',
    alter: body => ({ ...(body as object), data: rows((body as { data: Loose[] }).data) }),
  });
}

export function query(tab: TabId, start: string, end: string, more: Partial<UsageQuery> = {}): UsageQuery {
  return { tab, range: { start, end }, compare: false, folded: true, pseudonyms: false, ...more };
}

/** The report after what was missing has been fetched, as far as that went. */
export async function fetched(
  data: UsageData,
  asked: UsageQuery,
  options: Partial<Parameters<UsageData['fetch']>[1]> = {},
): Promise<TabReport> {
  const { signal } = new AbortController();
  const problem = await data.fetch(asked, { signal, ...options });
  const made = await data.report(asked);
  return problem === undefined ? made : { ...made, problem };
}

/** The analytics requests a service has seen, as `path?start..end`. */
export function calls(service: SampleService): string[] {
  return service.requests
    .filter(({ path: asked }) => asked.startsWith('/api/v1/analytics'))
    .map(({ path: asked, query: parameters }) => {
      const given = parameters as Record<string, string>;
      return `${asked.replace('/api/v1/analytics', '')} ${given['startDate'] ?? ''}..${given['endDate'] ?? ''}`;
    });
}
