import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { ApiClient } from '../../../src/api';
import type { Connection, ConnectionState } from '../../../src/connection';
import type { Storage } from '../../../src/storage';
import { openStorage } from '../../fakes/storage';
import { startSampleService, type SampleService } from '../../fakes/sampleService';
import type { TabId, TabReport, UsageQuery } from '../../../src/usage/report/types';
import { UsageData, type UsageDataDeps } from '../../../src/usage/days/usageData';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';

const cleanups: (() => unknown)[] = [];

export async function cleanUp(): Promise<void> {
  for (const run of cleanups.splice(0).reverse()) await run();
}

export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-console-usage-'));
  cleanups.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Noon (UTC) of a day; the latest that can be asked for is the day before, 2026-11-20. */
export const NOON = Date.UTC(2026, 10, 21, 12);

export class Clock {
  now = NOON;
  readonly read = (): number => this.now;
}

export async function sample(clock: Clock = new Clock()): Promise<SampleService> {
  const service = await startSampleService({ pace: 0, now: clock.read });
  cleanups.push(() => service.close());
  return service;
}

export interface Window {
  readonly data: UsageData;
  readonly storage: Storage;
  readonly ready: Emitter<never>;
  readonly state: ObservableValue<ConnectionState>;
  readonly log: ReturnType<typeof silentLog>;
}

/** What one window has, signed in at `service` with `key`, its records under `root`. */
export function openWindow(
  service: Pick<SampleService, 'baseUrl' | 'appUrl' | 'apiKey'>,
  root: string,
  clock: Clock,
  options: { readonly key?: () => string } & Partial<UsageDataDeps> = {},
): Window {
  const log = silentLog();
  const storage = openStorage({ root, log, now: clock.read });
  const known = {
    id: 'test',
    baseUrl: service.baseUrl,
    appUrl: service.appUrl,
    host: 'test',
    source: 'settings',
  } as const;
  const state = new ObservableValue<ConnectionState>({ kind: 'signedIn', service: known });
  const ready = new Emitter<never>();
  const api = new ApiClient({
    baseUrl: service.baseUrl,
    appUrl: service.appUrl,
    key: () => Promise.resolve(options.key?.() ?? service.apiKey),
    log,
    now: clock.read,
    random: () => 0,
    delay: () => Promise.resolve(),
  });
  const connection: Connection = {
    state,
    get api() {
      return state.current.kind === 'signedIn' ? api : undefined;
    },
    onDidBecomeReady: ready.event,
    ready: () => Promise.resolve(state.current),
  };
  const data = new UsageData({ connection, storage, log, now: clock.read, ...options });
  cleanups.push(async () => {
    data.dispose();
    api.dispose();
    await storage.settled();
    storage.dispose();
  });
  return { data, storage, ready, state, log };
}

/** A service and the windows that share its days. */
export async function begin() {
  const clock = new Clock();
  const service = await sample(clock);
  const root = temporaryFolder();
  const open = (options: Parameters<typeof openWindow>[3] = {}): Window =>
    openWindow(service, root, clock, options);
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
  return data.report(asked, await data.fetch(asked, { signal: never(), ...options }));
}

export const never = (): AbortSignal => new AbortController().signal;

/** The analytics requests a service has seen, as `path?start..end`. */
export function calls(service: SampleService): string[] {
  return service.requests
    .filter(({ path: asked }) => asked.startsWith('/api/v1/analytics'))
    .map(({ path: asked, query: parameters }) => {
      const given = parameters as Record<string, string>;
      return `${asked.replace('/api/v1/analytics', '')} ${given['startDate'] ?? ''}..${given['endDate'] ?? ''}`;
    });
}
