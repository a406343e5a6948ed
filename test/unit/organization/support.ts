import assert from 'node:assert/strict';
import type { ApiClient } from '../../../src/api';
import { Organization } from '../../../src/organization';
import type { UsageOfPeople } from '../../../src/organization/model';
import { ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { FakeConnection } from '../../fakes/connection';
import { FaultServer } from '../../fakes/faultServer';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { drawnRows, fakeView, type DrawnRow } from '../../fakes/view';
import { clientOf } from '../api/support';

export { cleanUp, temporaryFolder } from '../../fakes/cleanUp';

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

export type Window = ReturnType<typeof open>;

/** The organization as one window sees it; windows with the same root share what is kept. */
export function open(server: FaultServer, root = temporaryFolder()) {
  const log = silentLog();
  const storage = openStorage({ root, log });
  const connection = new FakeConnection(apiOf(server), addressesOf(server));
  const view = fakeView(false);
  const clock = { now: Date.UTC(2026, 10, 21, 12) };
  /** What was opened, by its title. */
  const documents = new Map<string, string>();
  const usage: { asked: number; of: UsageOfPeople | undefined } = { asked: 0, of: new Map() };
  const feature = new Organization({
    connection,
    storage,
    log,
    view,
    focused: new ObservableValue(true),
    format: new Formatter('en'),
    now: () => clock.now,
    details: {
      show: (_id, title, content) => {
        documents.set(title, content());
        return Promise.resolve();
      },
      compare: ({ title, before, after }) => {
        documents.set(title, `${String(before)}→ ${after}`);
        return Promise.resolve({} as never);
      },
    },
    usage: () => {
      usage.asked++;
      return Promise.resolve(usage.of);
    },
  });
  const close = async (): Promise<void> => {
    feature.dispose();
    await storage.settled();
    storage.dispose();
  };
  later(close);
  return { feature, connection, view, clock, documents, usage, log, close, settled: () => storage.settled() };
}

/** The first row whose text begins so. */
export async function row({ feature }: Window, start: string): Promise<DrawnRow> {
  const found = (await drawnRows(feature.tree)).find(({ text }) => text.startsWith(start));
  assert.ok(found, start);
  return found;
}
