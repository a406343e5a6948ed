import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Fault } from '../../fakes/faultServer';
import { clientOf, ENDPOINTS, failureOf, testServer } from './support';

const MB = 1_000_000;

describe('a 100 MB answer', () => {
  const server = testServer();

  before(async () => {
    // What is loaded on first use is no growth of an answer.
    server.answer({ kind: 'html' });
    for (const { call } of ENDPOINTS) await failureOf(call(clientOf(server).api));
  });

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

  const declared: Fault = { kind: 'large', bytes: 110 * MB, declared: true };
  const endless: Fault = { kind: 'large', bytes: 100 * MB, declared: false };
  for (const [name, fault, endpoints] of [
    ['that says so', declared, /^computers.list|readiness|sessions.create|tokens/],
    ['that does not say so', endless, /^computers.list|readiness|sessions.create/],
    ['in an archive', { kind: 'gzipBomb', bytes: 100 * MB }, /^computers.list/],
  ] as const)
    for (const endpoint of ENDPOINTS.filter(each => endpoints.test(each.name)))
      it(`${name} is given up by ${endpoint.name}`, async () => {
        server.answer(fault);
        const growth = await growthWhile(async () => {
          const { kind, reason, status, requestId } = await failureOf(endpoint.call(clientOf(server).api));
          const expected = endpoint.method === 'GET' ? 'malformedAnswer' : 'outcomeUnknown';
          assert.deepEqual([kind, reason, status], [expected, 'tooLarge', 200]);
          assert.ok(requestId);
        });
        assert.equal(server.hits.length, 1);
        assert.ok(fault.kind === 'gzipBomb' || growth < 20 * MB, `grew by ${Math.round(growth / MB)} MB`);
        assert.ok(server.sentBytes < 40 * MB, `${server.sentBytes} bytes were sent`);
      });

  it('an answer cut into single bytes, with a byte order mark, is read whole', async () => {
    const name = '🦊'.repeat(20_000);
    const bytes = new TextEncoder().encode(`\uFEFF${JSON.stringify({ computers: [{ id: 'é', name }] })}`);
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
    assert.equal((await api.list('computers')).items[0]?.name, name);
    // One that ends within a letter leaves nothing to the next.
    length = bytes.indexOf(0xf0) + 1;
    assert.equal((await failureOf(api.list('computers'))).code, 'notJson');
    length = bytes.length;
    assert.equal((await api.list('computers')).items[0]?.name, name);
  });
});
