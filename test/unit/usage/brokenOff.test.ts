import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userRows } from '../../fakes/usage';
import { Emitter } from '../../../src/util/event';
import { cleanUp, Clock, never, openWindow, query, temporaryFolder } from './support';

const DAYS = 20;
const PEOPLE = 350;
const wanted = query('people', '2026-01-14', '2026-02-02');

/** `/users` (section 4.1) of 350 people, 100 a page; each page is given when the test says so. */
class People {
  /** The cursors asked with; `-` for none. */
  readonly asked: string[] = [];
  readonly #asked = new Emitter<void>();
  readonly #server: Server;
  /** Pages given at once; the one after them waits for `give`. */
  free = Infinity;
  /** Answers with this status instead, once. */
  fail: number | undefined;
  url = '';

  constructor() {
    const rows = userRows({ days: DAYS, people: PEOPLE });
    const ids = [...new Set(rows.map(row => String(row['user_id'])))].sort();
    this.#server = createServer((request, response) => {
      const cursor = new URL(request.url ?? '/', 'http://x').searchParams.get('cursor');
      this.asked.push(cursor === null ? '-' : String(ids.indexOf(cursor) + 1));
      this.#asked.fire();
      if (this.fail !== undefined) {
        response.writeHead(this.fail, { 'content-type': 'application/json' }).end('{}');
        this.fail = undefined;
        return;
      }
      if (this.free-- <= 0) return;
      const from = cursor === null ? 0 : ids.indexOf(cursor) + 1;
      const page = new Set(ids.slice(from, from + 100));
      const hasMore = from + 100 < ids.length;
      const body = {
        data: rows.filter(row => page.has(String(row['user_id']))),
        meta: { org_id: 'org', has_more: hasMore, ...(hasMore ? { next_cursor: ids[from + 99] } : {}) },
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when so many pages have been asked for. */
  async until(count: number): Promise<void> {
    while (this.asked.length < count)
      await new Promise<void>(resolve => {
        const subscription = this.#asked.event(() => {
          subscription.dispose();
          resolve();
        });
      });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('reading people that was broken off', function () {
  const service = new People();
  before(() => service.start());
  after(() => service.close());
  beforeEach(() => {
    service.asked.length = 0;
    service.free = Infinity;
    service.fail = undefined;
  });
  afterEach(cleanUp);

  const open = (clock: Clock) =>
    openWindow({ baseUrl: service.url, appUrl: service.url, apiKey: 'k' }, temporaryFolder(), clock).data;
  /** Reads two pages and gives up in the third. */
  const breakOff = async (data: ReturnType<typeof open>, labels: string[] = []): Promise<void> => {
    service.free = 2;
    const abort = new AbortController();
    const onProgress = (_: number, label: string): number => labels.push(label);
    const reading = data.fetch(wanted, { signal: abort.signal, onProgress });
    await service.until(3);
    abort.abort();
    await assert.rejects(reading, { name: 'AbortError' });
    assert.deepEqual(service.asked, ['-', '100', '200']);
    service.free = Infinity;
  };
  const rowsOf = (made: Awaited<ReturnType<ReturnType<typeof open>['fetch']>>): number | undefined =>
    made.sections.find(({ table }) => table.rows.length === PEOPLE)?.table.rows.length;

  it('goes on with the page it was broken off at, and says how many pages there are already', async () => {
    const data = open(new Clock());
    const first: string[] = [];
    await breakOff(data, first);
    assert.deepEqual(first, ['1 page of people read', '2 pages of people read']);
    const labels: string[] = [];
    const made = await data.fetch(wanted, {
      signal: never(),
      onProgress: (_, label) => labels.push(label),
    });
    assert.deepEqual(service.asked, ['-', '100', '200', '200', '300']);
    assert.equal(made.missing, undefined);
    assert.equal(rowsOf(made), PEOPLE);
    assert.deepEqual(labels.slice(0, 3), [
      '2 pages of people read',
      '3 pages of people read',
      '4 pages of people read',
    ]);
    // The same as in one go.
    const whole = await open(new Clock()).fetch(wanted, { signal: never() });
    assert.deepEqual(made.figures, whole.figures);
    assert.deepEqual(made.sections, whole.sections);
  });

  it('begins anew for other days, after a while, and when everything is asked for again', async () => {
    for (const change of ['days', 'time', 'again'] as const) {
      service.asked.length = 0;
      const clock = new Clock();
      const data = open(clock);
      await breakOff(data);
      if (change === 'time') clock.now += 16 * 60_000;
      if (change === 'again') clock.now += 1_000;
      const other = query('people', '2026-01-14', change === 'days' ? '2026-02-01' : '2026-02-02');
      await data.fetch(other, { signal: never(), again: change === 'again' });
      assert.deepEqual(service.asked.slice(3), ['-', '100', '200', '300'], change);
    }
  });

  it('begins anew once the service has refused to go on', async () => {
    const clock = new Clock();
    const data = open(clock);
    await breakOff(data);
    service.fail = 404;
    assert.ok((await data.fetch(wanted, { signal: never() })).missing);
    clock.now += 1_000;
    const made = await data.fetch(wanted, { signal: never() });
    assert.deepEqual(service.asked.slice(3), ['200', '-', '100', '200', '300']);
    assert.equal(rowsOf(made), PEOPLE);
  });
});
