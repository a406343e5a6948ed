import assert from 'node:assert/strict';
import type { ApiClient } from '../../../src/api';
import { Organization } from '../../../src/organization';
import type { UsageOfPeople } from '../../../src/organization/data';
import { ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { FakeConnection } from '../../fakes/connection';
import { FaultServer, type Fault, type Hit } from '../../fakes/faultServer';
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

const DAY_MS = 24 * 60 * 60 * 1000;
/** Noon (UTC) of 20 November 2026. */
const NEWEST = Date.UTC(2026, 10, 20, 12);

export interface LargeOrganization {
  readonly users: readonly (object | null)[];
  /** In any order: the interface promises none. */
  readonly changes: readonly object[];
}

/** An organization of any size; revision `n` changes what `n` divides evenly. */
export function largeOrganization(users: number, revisions: number): LargeOrganization {
  return {
    users: Array.from({ length: users }, (_, index) => ({
      id: `user_${String(index).padStart(6, '0')}`,
      email: `person${index}@acme.example`,
      firstName: `First${index % 97}`,
      lastName: `Last${index}`,
      createdAt: new Date(NEWEST - 400 * DAY_MS).toISOString(),
      ...(index % 11 === 0 ? {} : { lastSignInAt: new Date(NEWEST - (index % 200) * DAY_MS).toISOString() }),
      metadata: { department: `Department ${index % 12}` },
    })),
    changes: Array.from({ length: revisions }, (_, index) => changeOf(revisions - index)),
  };
}

function changeOf(revision: number): object {
  const list = (length: number, name: string): string[] =>
    Array.from({ length }, (_, index) => `${name}-${index}`);
  return {
    revision,
    updatedAt: new Date(NEWEST - (2_000 - revision) * (DAY_MS / 2)).toISOString(),
    user: {
      id: `admin_${revision % 5}`,
      email: `admin${revision % 5}@acme.example`,
      name: `Admin ${revision % 5}`,
    },
    settings: {
      maxAutonomyLevel: ['low', 'medium', 'high'][revision % 3],
      sessionRetentionDays: 30 + Math.floor(revision / 4),
      commandAllowlist: list(20 + (revision % 7), 'allowed command'),
      commandDenylist: list(20, 'denied command'),
      enableAgentShield: revision % 2 === 0,
      modelPolicy: {
        allowedModelIds: list(10, 'model'),
        blockedModelIds: list(Math.floor(revision / 10) % 6, 'blocked'),
        allowCustomModels: revision % 5 === 0,
      },
      sandbox: {
        enabled: true,
        filesystem: { allowWrite: list(8, 'path'), denyRead: list(8, 'secret path') },
      },
      customModels: list(3, 'house').map((id, index) => ({
        id,
        index,
        apiKey: `key-${Math.floor(revision / 8)}-${id}`,
      })),
      mcpPolicy: { enabled: true, allowlist: list(12, 'server') },
    },
  };
}

/** Answers one of the two list calls as the interface says: pages of `limit`, a cursor, `hasMore`. */
export function answerLists(organization: LargeOrganization, hit: Pick<Hit, 'url'>): Fault {
  const url = new URL(hit.url, 'http://service');
  const isUsers = url.pathname.endsWith('/organization/users');
  const all = isUsers ? organization.users : organization.changes;
  const limit = Number(url.searchParams.get('limit') ?? 20);
  const start = Number(url.searchParams.get('cursor') ?? 0);
  const end = start + limit;
  const hasMore = end < all.length;
  const pagination = { hasMore, nextCursor: hasMore ? String(end) : null };
  const page = all.slice(start, end);
  return { kind: 'answer', body: isUsers ? { users: page, pagination } : { changes: page, pagination } };
}
