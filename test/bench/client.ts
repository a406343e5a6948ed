import { createServer } from 'node:http';
import { ApiClient } from '../../src/api';
import { silentLog } from '../fakes/log';
import { LoopbackServer } from '../fakes/loopbackServer';
import { atMost, median, times, type Row } from './rows';

const ROUNDS = 600;

/** A list of twenty computers, as a service answers it. */
const ANSWER = JSON.stringify({
  computers: Array.from({ length: 20 }, (_, index) => ({
    id: `computer-${String(index)}`,
    name: `computer ${String(index)}`,
    status: 'active',
    providerType: 'cloud',
    hostname: `host${String(index)}.example.com`,
    remoteUser: 'agent',
    createdAt: 1_790_000_000_000 + index,
    updatedAt: 1_790_000_000_000 + index,
  })),
  pagination: { hasMore: false, nextCursor: null },
});

/** What our client adds to a request on loopback: asked in turn with bare `fetch`, p50 against p50. */
export async function clientRows(): Promise<Row[]> {
  const server = await LoopbackServer.listen(
    createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
    }),
  );
  const address = server.origin;
  const client = new ApiClient({
    baseUrl: address,
    appUrl: address,
    key: () => Promise.resolve('key'),
    log: silentLog(),
  });
  const bare = async (): Promise<unknown> =>
    (await fetch(`${address}/api/v0/computers`, { headers: { Authorization: 'Bearer key' } })).json();
  const took: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, ask] of [
        ['ours', () => client.list('computers')],
        ['bare', bare],
      ] as const) {
        const began = performance.now();
        await ask();
        // The first ones pay for what is loaded once.
        if (round >= ROUNDS / 6) took[name].push(performance.now() - began);
      }
    }
  } finally {
    client.dispose();
    await server.close();
  }
  console.log(
    `client: p50 ${median(took.ours).toFixed(2)} ms, bare fetch ${median(took.bare).toFixed(2)} ms`,
  );
  return [
    atMost('client on loopback against bare fetch, p50', median(took.ours) / median(took.bare), 1.5, times),
  ];
}
