import assert from 'node:assert/strict';
import { ApiClient } from '../../../src/api';
import { startSampleService, type SampleService } from '../../fakes/sampleService';
import { ServiceList } from '../../../src/sessions/status/serviceList';
import type { SessionIndex } from '../../../src/sessions/store/sessionIndex';
import { ObservableValue } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';
import { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';
import { openIndex, remove, sessionOf } from './support';

describe('the list of sessions that some services offer', () => {
  let root: string;
  let index: SessionIndex;
  let service: SampleService;
  let client: ApiClient;

  const start = async (extras: boolean): Promise<void> => {
    service = await startSampleService({ pace: 0, extras });
    client = new ApiClient({
      baseUrl: service.baseUrl,
      appUrl: service.appUrl,
      key: () => Promise.resolve(service.apiKey),
      log: silentLog(),
      delay: () => Promise.resolve(),
    });
    later(() => service.close());
    later(() => client.dispose());
  };
  const open = (
    deps: {
      index?: SessionIndex;
      extras?: () => boolean;
      focused?: ObservableValue<boolean>;
      api?: unknown;
    } = {},
  ) => {
    const { api = client, ...others } = deps;
    const usual = {
      index,
      connection: { api },
      extras: () => true,
      focused: new ObservableValue(true),
      log: silentLog(),
    };
    const list = new ServiceList({ ...usual, ...others } as never);
    later(() => list.dispose());
    return list;
  };
  const asked = (): number =>
    service.requests.filter(({ method, path }) => method === 'GET' && path === '/api/v0/sessions').length;

  beforeEach(async () => {
    root = temporaryFolder();
    index = await openIndex(root);
  });
  afterEach(cleanUp);

  it('is taken into the index, once for all who ask, and says how the sessions came there', async () => {
    await start(true);
    const sessions = open();
    await Promise.all([sessions.read(), sessions.read()]);
    assert.equal(asked(), 1);
    assert.ok(service.sessionIds.length > 0);
    assert.deepEqual([...index.records.keys()].sort(), [...service.sessionIds].sort());
    for (const { origin, session } of index.records.values())
      assert.deepEqual([origin, typeof session?.status], ['listed', 'string']);
  });

  it('does not bring back what a person has removed, nor overwrite what is kept here, in this window or the next', async () => {
    await start(true);
    const sessions = open();
    await sessions.read();
    const [first = '', second = '', ...others] = service.sessionIds;
    await remove(index, first);
    await index.keep(second, local => ({ ...local, name: 'Mine' }));
    await client.one('sendMessage', { ids: { sessionId: second }, body: JSON.stringify({ text: 'More' }) });
    const check = (window: SessionIndex): void => {
      assert.deepEqual([...window.records.keys()].sort(), [second, ...others].sort());
      assert.equal(window.get(second)?.local.name, 'Mine');
    };
    const before = index.get(second)?.session;
    await sessions.read();
    check(index);
    assert.notDeepEqual(index.get(second)?.session, before, 'what the service says of it is taken in');
    const next = await openIndex(root);
    check(next);
    await open({ index: next }).read();
    check(next);
    assert.equal(asked(), 3);
  });

  it('is asked for once where the service has none, and nobody is told', async () => {
    await start(false);
    const sessions = open();
    await sessions.read();
    await sessions.read();
    assert.equal(asked(), 1);
    assert.equal(index.records.size, 0);
  });

  it('is not asked for where that is switched off, or before the window has the focus', async () => {
    await start(true);
    await open({ extras: () => false }).read();
    assert.equal(asked(), 0);
    const focused = new ObservableValue(false);
    const sessions = open({ focused });
    await sessions.read();
    assert.equal(asked(), 0);
    focused.set(true);
    await sessions.read();
    assert.equal(asked(), 1);
    assert.ok(index.records.size > 0);
  });

  it('is read page by page, up to 20, and no further once it is given up', async () => {
    await start(true);
    const cursors: (string | undefined)[] = [];
    let onPage = (): void => undefined;
    const api = {
      extras: {
        sessions: async (cursor?: string) => {
          await Promise.resolve();
          cursors.push(cursor);
          onPage();
          const page = cursors.length;
          const items = [sessionOf({ sessionId: `s${page}` })];
          return { items, problems: [], cursor: `page ${page}` };
        },
      },
    };
    const limited = open({ api });
    await limited.read();
    assert.deepEqual([...cursors.slice(0, 3), cursors.length], [undefined, 'page 1', 'page 2', 20]);
    assert.equal(index.records.size, 20);
    onPage = () => limited.cancel();
    await limited.read();
    assert.equal(cursors.length, 21);
    assert.equal(index.records.has('s21'), false);
  });
});
