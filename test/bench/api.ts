import { createServer } from 'node:http';
import * as path from 'node:path';
import { buildSync } from 'esbuild';
import { readAnswer } from '../../src/api/answer';
import { redact, Redactor } from '../../src/util/redact';
import { LoopbackServer } from '../fakes/faultServer';
import { root } from '../vscode/paths';
import { atMost, bundled, bytes, clientOf, median, ms, timed, times, type Row } from './rows';

const ROUNDS = 600;

/** What our client adds to a request on loopback: asked in turn with bare `fetch`, p50 against p50. */
export async function clientRows(): Promise<Row[]> {
  const computers = Array.from({ length: 20 }, (_, index) => ({
    id: `computer-${index}`,
    name: `computer ${index}`,
    status: 'active',
    providerType: 'cloud',
    hostname: `host${index}.example.com`,
    remoteUser: 'agent',
    createdAt: 1_790_000_000_000 + index,
    updatedAt: 1_790_000_000_000 + index,
  }));
  const answer = JSON.stringify({ computers, pagination: { hasMore: false, nextCursor: null } });
  const server = await LoopbackServer.listen(
    createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    }),
  );
  const client = clientOf(server.origin);
  const headers = { Authorization: 'Bearer key' };
  const bare = async () => (await fetch(`${server.origin}/api/v0/computers`, { headers })).json();
  const took: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const [ours, theirs] = [await timed(() => client.list('computers')), await timed(bare)];
    // The first ones pay for what is loaded once.
    if (round < ROUNDS / 6) continue;
    took.ours.push(ours);
    took.bare.push(theirs);
  }
  client.dispose();
  await server.close();
  const [ours, theirs] = [median(took.ours), median(took.bare)];
  console.log(`client: p50 ${ms(ours)}, bare fetch ${ms(theirs)}`);
  return [atMost('client on loopback against bare fetch, p50', ours / theirs, 1.5, times)];
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
  ...['a://b:', 'akey=', '--key ', 'bearer ', 'token="', 'https://a@', 'password: |\n '],
  ...['pwd,,,,,,,,,,,,--', '-u=', '//:a'],
];

/** Redaction of the worst of several texts, and what a large answer costs the extension host. */
export async function redactionRows(): Promise<Row[]> {
  const redactor = new Redactor('bench');
  const text = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));
  const took: number[] = [];
  for (const piece of PIECES) {
    const long = text(piece, 64 * 1024);
    const rounds: number[] = [];
    for (let round = 0; round < 20; round++) rounds.push(await timed(() => redact(long, redactor)));
    took.push(Math.min(...rounds));
  }
  const script = bundled('src/api/answer.ts');
  const costs: number[] = [];
  for (const piece of PIECES.slice(0, 2)) {
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, note: text(piece, 8 * 1024) }));
    const body = new TextEncoder().encode(JSON.stringify({ users: rows }));
    const before = process.threadCpuUsage();
    await readAnswer('users', body, redactor, new AbortController().signal, script);
    const { user, system } = process.threadCpuUsage(before);
    costs.push((user + system) / 1_000);
  }
  return [
    atMost('redaction of 64 KB of text, the worst of several', Math.max(...took), 5, ms),
    atMost('an answer of 16 MB: work of the extension host', Math.max(...costs), 50, ms),
  ];
}
