import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { isApiError, type ApiClient } from '../../../src/api';
import type { ConnectionState, Service } from '../../../src/connection/types';
import { OrganizationData } from '../../../src/organization/data';
import { openStorage } from '../../../src/storage';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { FaultServer } from '../../fakes/faultServer';
import { silentLog } from '../../fakes/log';
import { clientOf } from '../api/support';

const cleanups: (() => unknown)[] = [];

export async function cleanUp(): Promise<void> {
  for (const run of cleanups.splice(0).reverse()) await run();
}

export function later(run: () => unknown): void {
  cleanups.push(run);
}

export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-console-organization-'));
  later(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function faultServer(): Promise<FaultServer> {
  const server = await FaultServer.start();
  later(() => server.close());
  return server;
}

/** The connection as one window has it. */
export class FakeConnection {
  readonly state: ObservableValue<ConnectionState>;
  readonly #ready = new Emitter<Service>();
  api: ApiClient | undefined;
  readonly onDidBecomeReady = this.#ready.event;

  constructor(server: Pick<FaultServer, 'origin'>, id = 'service') {
    this.api = clientOf(server, { redactionKey: 'a key of this installation' }).api;
    this.state = new ObservableValue<ConnectionState>({ kind: 'signedIn', service: serviceOf(id, server) });
  }

  ready(): Promise<ConnectionState> {
    return Promise.resolve(this.state.current);
  }

  /** Another service with another client. */
  go(server: Pick<FaultServer, 'origin'>, id: string): void {
    this.api = clientOf(server, { redactionKey: 'a key of this installation' }).api;
    this.state.set({ kind: 'signedIn', service: serviceOf(id, server) });
  }

  anotherKey(): void {
    const { service } = this.state.current;
    if (service !== undefined) this.#ready.fire(service);
  }
}

function serviceOf(id: string, { origin }: Pick<FaultServer, 'origin'>): Service {
  return { id, baseUrl: origin, appUrl: origin, host: new URL(origin).host, source: 'environment' };
}

export interface Window {
  readonly data: OrganizationData;
  readonly connection: FakeConnection;
  readonly clock: { now: number };
  readonly log: ReturnType<typeof silentLog>;
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The organization as one window sees it; windows with the same root share what is kept. */
export function openWindow(root: string, server: Pick<FaultServer, 'origin'>): Window {
  const log = silentLog();
  const storage = openStorage({ root, log });
  const connection = new FakeConnection(server);
  const clock = { now: Date.UTC(2026, 10, 21, 12) };
  const data = new OrganizationData({
    connection,
    storage,
    log,
    failureOf: error => ({
      sentence: String(error),
      forbidden: isApiError(error) && error.kind === 'forbidden',
    }),
    now: () => clock.now,
  });
  const close = async (): Promise<void> => {
    data.dispose();
    await storage.settled();
    storage.dispose();
  };
  later(close);
  return { data, connection, clock, log, close, settled: () => storage.settled() };
}

/** Resolves when `holds` does, looking again whenever the data changes. */
export async function until(data: OrganizationData, holds: () => boolean): Promise<void> {
  if (holds()) return;
  await new Promise<void>(resolve => {
    const subscription = data.onDidChange(() => {
      if (!holds()) return;
      subscription.dispose();
      resolve();
    });
  });
}

/** Everything in the files below a folder. */
export function everythingBelow(folder: string): string {
  return fs
    .readdirSync(folder, { recursive: true })
    .map(name => path.join(folder, String(name)))
    .filter(file => fs.statSync(file).isFile())
    .map(file => `${file}\n${fs.readFileSync(file, 'utf8')}`)
    .join('\n');
}
