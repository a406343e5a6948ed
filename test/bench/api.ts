import { createServer } from 'node:http';
import * as path from 'node:path';
import { buildSync } from 'esbuild';
import { readAnswer } from '../../src/api/answer';
import { redact, Redactor } from '../../src/util/redact';
import { LoopbackServer } from '../fakes/faultServer';
import { root } from '../vscode/paths';
import { atMost, bundled, bytes, clientOf, median, ms, times, type Row } from './rows';

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
  const client = clientOf(address);
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

/** What asking the service loads, minified as one file, with what of it is whose. */
export function interfaceRows(): Row[] {
  const { metafile } = buildSync({
    ...{ entryPoints: [path.join(root, 'src/api/index.ts')], bundle: true, minify: true, platform: 'node' },
    ...{ format: 'esm', target: 'node22', mainFields: ['module', 'main'], write: false, metafile: true },
  });
  const parts = new Map<string, number>();
  const [output] = Object.values(metafile.outputs);
  for (const [file, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    const owner = /node_modules\/(\w+)/.exec(file)?.[1] ?? 'ours';
    parts.set(owner, (parts.get(owner) ?? 0) + bytesInOutput);
  }
  console.log([...parts].map(([owner, size]) => `${owner} ${bytes(size)}`).join(', '));
  return [atMost('the interface with ky and zod, minified', output?.bytes ?? NaN, 70 * 1024, bytes)];
}

const PIECES = [
  'Plain words of a person. ',
  'a://b:',
  'akey=',
  '--key ',
  'bearer ',
  'token="',
  'https://a@',
  'password: |\n ',
  'pwd,,,,,,,,,,,,--',
  '-u=',
  '//:a',
];

/** Redaction of the worst of several texts, and what a large answer costs the extension host. */
export async function redactionRows(): Promise<Row[]> {
  const redactor = new Redactor('bench');
  const text = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));
  const took = PIECES.map(piece => {
    const long = text(piece, 64 * 1024);
    let quickest = Infinity;
    for (let round = 0; round < 20; round++) {
      const began = performance.now();
      redact(long, redactor);
      quickest = Math.min(quickest, performance.now() - began);
    }
    return quickest;
  });
  const script = bundled('src/api/answer.ts');
  const costs: number[] = [];
  for (const piece of PIECES.slice(0, 2)) {
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, note: text(piece, 8 * 1024) }));
    const body = new Uint8Array(new TextEncoder().encode(JSON.stringify({ users: rows })));
    const signal = new AbortController().signal;
    const before = process.threadCpuUsage();
    await readAnswer('users', body, redactor, signal, script);
    const { user, system } = process.threadCpuUsage(before);
    costs.push((user + system) / 1_000);
  }
  return [
    atMost('redaction of 64 KB of text, the worst of several', Math.max(...took), 5, ms),
    atMost('an answer of 16 MB: work of the extension host', Math.max(...costs), 50, ms),
  ];
}
