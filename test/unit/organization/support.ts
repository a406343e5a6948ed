import type { ApiClient } from '../../../src/api';
import { Organization } from '../../../src/organization';
import type { UsageOfPeople } from '../../../src/organization/data';
import { ObservableValue } from '../../../src/util/event';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { FakeConnection } from '../../fakes/connection';
import { FaultServer, type Fault } from '../../fakes/faultServer';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { fakeView, textOf } from '../../fakes/view';
import { clientOf } from '../api/support';

export { cleanUp, temporaryFolder } from '../../fakes/cleanUp';

export async function faultServer(): Promise<FaultServer> {
  const server = await FaultServer.start();
  later(() => server.close());
  return server;
}

/** A client of a service of the test. */
function apiOf(server: Pick<FaultServer, 'origin'>): ApiClient {
  return clientOf(server, { redactionKey: 'a key of this installation' }).api;
}

export function addressesOf({ origin }: Pick<FaultServer, 'origin'>) {
  return { baseUrl: origin, appUrl: origin };
}

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

/** A window that has read these lists, or what else the service answers. */
export async function opened(given: Lists | Fault) {
  const server = await faultServer();
  if ('kind' in given) server.answer(given);
  else serve(server, given);
  const window = open(server);
  await window.feature.refresh();
  return { server, ...window, rows: () => textOf(window.feature.tree) };
}

/** Lists of any size, in any order: the interface promises none. */
export interface Lists {
  readonly users: readonly (object | null)[];
  readonly changes: readonly object[];
}

/** Users with names that are not in the order of their ids, and revisions that each change something. */
export function largeOrganization(users: number, revisions: number): Lists {
  return {
    users: Array.from({ length: users }, (_, index) => ({
      id: `user_${index}`,
      firstName: `First${index % 97}`,
      lastName: `Last${index}`,
      metadata: { department: `Department ${index % 12}` },
    })),
    changes: Array.from({ length: revisions }, (_, index) => {
      const revision = revisions - index;
      const commandAllowlist = Array.from({ length: 20 + (revision % 7) }, (_each, at) => `command-${at}`);
      const customModels = [{ id: 'house', index: revision % 3, apiKey: `key-${revision % 8}` }];
      return {
        revision,
        updatedAt: '2026-11-20T12:00:00Z',
        user: { id: 'admin', email: 'admin@acme.example', name: 'Admin' },
        settings: { sessionRetentionDays: revision, commandAllowlist, customModels },
      };
    }),
  };
}

/** Makes the service answer the two list calls as the interface says: pages of `limit`, a cursor, `hasMore`; or that of users with `ofUsers`. */
export function serve(server: FaultServer, { users, changes }: Lists, ofUsers?: Fault): void {
  server.answer(({ url }) => {
    const { pathname, searchParams } = new URL(url, 'http://service');
    if (ofUsers !== undefined && pathname.endsWith('/users')) return ofUsers;
    const [name, all] = pathname.endsWith('/users') ? ['users', users] : ['changes', changes];
    const start = Number(searchParams.get('cursor') ?? 0);
    const end = start + Number(searchParams.get('limit') ?? 20);
    const hasMore = end < all.length;
    const pagination = { hasMore, nextCursor: hasMore ? String(end) : null };
    return { kind: 'answer', body: { [name]: all.slice(start, end), pagination } };
  });
}
