import * as fs from 'node:fs';
import * as path from 'node:path';
import type { ApiClient } from '../../../src/api';
import { OrganizationData } from '../../../src/organization/data';
import { later } from '../../fakes/cleanUp';
import { openStorage } from '../../fakes/storage';
import { FakeConnection } from '../../fakes/connection';
import { FaultServer } from '../../fakes/faultServer';
import { silentLog } from '../../fakes/log';
import { clientOf } from '../api/support';

export { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';

export async function faultServer(): Promise<FaultServer> {
  const server = await FaultServer.start();
  later(() => server.close());
  return server;
}

/** A client of a service of the test. */
export function apiOf(server: Pick<FaultServer, 'origin'>): ApiClient {
  return clientOf(server, { redactionKey: 'a key of this installation' }).api;
}

export function addressesOf({ origin }: Pick<FaultServer, 'origin'>) {
  return { baseUrl: origin, appUrl: origin };
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
  const connection = new FakeConnection(apiOf(server), addressesOf(server));
  const clock = { now: Date.UTC(2026, 10, 21, 12) };
  const data = new OrganizationData({
    connection,
    storage,
    log,
    language: 'en',
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

/** Everything in the files below a folder. */
export function everythingBelow(folder: string): string {
  return fs
    .readdirSync(folder, { recursive: true })
    .map(name => path.join(folder, String(name)))
    .filter(file => fs.statSync(file).isFile())
    .map(file => `${file}\n${fs.readFileSync(file, 'utf8')}`)
    .join('\n');
}
