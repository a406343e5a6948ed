import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { buildSync } from 'esbuild';
import { ApiClient } from '../../src/api';
import { silentLog } from '../fakes/log';
import { root, temporaryFolder } from '../vscode/paths';
import { end, start } from '../vscode/processes';

/** One line of the report: what was measured, the figure, the target, and whether it holds. */
export type Row = string;

/** How many times as long as on the machine the targets were set on a fixed piece of work takes here; the least of several. */
export const factor = Math.min(...Array.from({ length: 25 }, fixedWork)) / 45;

/** JSON, a sort and strings, in processor time, which other programs hardly change, and an fsync; ms. */
function fixedWork(): number {
  const file = path.join(temporaryFolder('factor'), 'written');
  const text = 'A line of words. '.repeat(8);
  const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: String((n * 7_919) % 20_000), text }));
  const before = process.threadCpuUsage();
  const read = JSON.parse(JSON.stringify(rows)) as typeof rows;
  read.sort((a, b) => (a.id < b.id ? -1 : 1));
  const lines = read.map(row => `${row.id} ${row.text.replaceAll('words', 'letters')}`);
  const { user, system } = process.threadCpuUsage(before);
  const began = performance.now();
  fs.writeFileSync(file, lines.join('\n'), { flush: true });
  return (user + system) / 1000 + performance.now() - began;
}

/** Compares a figure with the most it may be; a time, with what that is on this machine. */
export function atMost(what: string, value: number, target: number, format: (value: number) => string): Row {
  const limit = format === ms ? target * factor : target;
  const verdict = value <= limit ? 'holds' : 'falls short';
  return `${what.padEnd(85)} | ${format(value).padEnd(8)} | ${`<= ${format(limit)}`.padEnd(11)} | ${verdict}`;
}

/** What this share of the values, in percent, is below. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length * share) / 100)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 50);

export const bytes = (value: number): string => `${(value / 1024).toFixed(1)} KB`;
export const megabytes = (value: number): string => `${value.toFixed(2)} MB`;
export const times = (value: number): string => `${value.toFixed(2)} x`;
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** How long something takes, ms. */
export async function timed(act: () => unknown): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

/** How long `work` took, and the longest turn of this thread meanwhile, ms of its own CPU time, so that other programs do not count. */
export async function stall(work: () => Promise<unknown>) {
  let longest = 0;
  let running = true;
  let before = process.threadCpuUsage();
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  const took = await timed(work);
  await new Promise(resolve => setImmediate(resolve));
  running = false;
  return { took, longest };
}

/** Bundles a program of the checkout for Node; it is put where its packages are found. */
export function bundled(entry: string): string {
  const outfile = path.join(root, '.test-out-scripts', entry.replace(/ts$/, 'js'));
  buildSync({
    ...{ entryPoints: [path.join(root, entry)], outfile, bundle: true, platform: 'node', format: 'cjs' },
    ...{ packages: 'external', external: ['vscode'] },
  });
  return outfile;
}

/** A client of a server on this machine. */
export const clientOf = (origin: string, options: Partial<ConstructorParameters<typeof ApiClient>[0]> = {}) =>
  new ApiClient({
    ...{ baseUrl: origin, appUrl: origin, key: () => Promise.resolve('key'), log: silentLog() },
    ...options,
  });

const SERVER = `process.once('message', answers => require('node:http').createServer((request, response) => {
  const [, body] = answers.find(([part]) => request.url.includes(part));
  response.setHeader('content-type', 'application/json');
  request.resume().on('end', () => response.end(body));
}).listen(0, '127.0.0.1', function () { process.send(this.address().port); }));`;

/** A service in a process of its own, so that only the client is measured; the first answer counts whose part the address has. */
export async function answering(...answers: readonly (readonly [part: string, body: string])[]) {
  const server = start(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  server.send(answers);
  const [port] = (await once(server, 'message')) as [number];
  return { origin: `http://127.0.0.1:${port}`, close: () => end(server) };
}
