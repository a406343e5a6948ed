import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FaultServer, type Fault } from '../../fakes/faultServer';
import { clientOf, ENDPOINTS, failureOf } from './support';

const MB = 1_000_000;

describe('a 100 MB answer', function () {
  let server: FaultServer;

  before(async () => {
    server = await FaultServer.start();
    // What is loaded on first use is no growth of an answer.
    server.answer({ kind: 'html' });
    for (const endpoint of ENDPOINTS) await failureOf(endpoint.call(clientOf(server).api));
  });
  after(() => server.close());

  /** By how much the memory in use grew at most while `work` ran, bytes; what is only waiting to be collected is not in use. */
  async function growthWhile(work: () => Promise<unknown>): Promise<number> {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = (): number => {
      collect();
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const before = used();
    let most = before;
    server.onLargePart = () => (most = Math.max(most, used()));
    try {
      await work();
    } finally {
      server.onLargePart = () => undefined;
    }
    return Math.max(most, used()) - before;
  }

  const faults: readonly (readonly [string, Fault])[] = [
    ['that says so', { kind: 'large', bytes: 110 * MB, declared: true }],
    ['that does not say so', { kind: 'large', bytes: 100 * MB, declared: false }],
  ];
  for (const [name, fault] of faults) {
    for (const endpoint of ENDPOINTS.filter(({ name }) =>
      /^computers.list|readiness|sessions.create/.test(name),
    )) {
      it(`${name} is given up by ${endpoint.name}`, async () => {
        server.answer(fault);
        const growth = await growthWhile(async () => {
          const error = await failureOf(endpoint.call(clientOf(server).api));
          assert.equal(error.reason, 'tooLarge');
          assert.equal(error.kind, endpoint.method === 'GET' ? 'malformedAnswer' : 'outcomeUnknown');
          assert.equal(error.status, 200);
          assert.ok(error.requestId);
        });
        assert.equal(server.hits.length, 1);
        assert.ok(growth < 20 * MB, `grew by ${Math.round(growth / MB)} MB`);
        assert.ok(server.sentBytes < 40 * MB, `${server.sentBytes} bytes were sent`);
      });
    }
  }

  it('that says so is given up by analytics too', async () => {
    server.answer({ kind: 'large', bytes: 110 * MB, declared: true });
    const range = { startDate: '2026-11-01', endDate: '2026-11-02' };
    const growth = await growthWhile(async () => {
      const error = await failureOf(clientOf(server).api.analytics.tokens(range));
      assert.equal(error.reason, 'tooLarge');
    });
    assert.ok(growth < 20 * MB);
  });

  it('an archive that unpacks to 100 MB is given up', async () => {
    server.answer({ kind: 'gzipBomb', bytes: 100 * MB });
    const error = await failureOf(clientOf(server).api.computers.list());
    assert.deepEqual([error.kind, error.reason], ['malformedAnswer', 'tooLarge']);
  });

  it('an answer cut into single bytes, with a byte order mark, is read whole', async () => {
    const text = JSON.stringify({
      computers: [{ id: 'é', name: '🦊'.repeat(2_000), providerType: 'byom', createdAt: 1 }],
    });
    const bytes = new TextEncoder().encode(`\uFEFF${text}`);
    let length = bytes.length;
    const { api } = clientOf(server, {
      fetch: () => {
        const body = new ReadableStream<Uint8Array>({
          start: controller => {
            for (const byte of bytes.subarray(0, length)) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        });
        return Promise.resolve(new Response(body, { status: 200 }));
      },
    });
    assert.equal((await api.computers.list()).items[0]?.name, '🦊'.repeat(2_000));
    // One that ends within a letter leaves nothing to the next.
    length = bytes.indexOf(0xf0) + 1;
    assert.equal((await failureOf(api.computers.list())).code, 'notJson');
    length = bytes.length;
    assert.equal((await api.computers.list()).items[0]?.name, '🦊'.repeat(2_000));
  });
});
