import { readAnswer } from '../../src/api/worker';
import { redact, Redactor } from '../../src/util/redact';
import { atMost, bundled, ms, type Row } from './rows';

const PIECES = [
  'Plain words of a person. ',
  'a://b:',
  'akey=',
  '--key ',
  'bearer ',
  'token="',
  'https://a@',
  'password: |\n ',
];

/** What this thread alone has worked, ms. */
function worked(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1_000;
}

/** Redaction of the worst of several texts, and what a large answer costs the extension host. */
export async function redactionRows(): Promise<Row[]> {
  const redactor = new Redactor('bench');
  const text = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));
  const took = PIECES.map(piece => {
    const long = text(piece, 64 * 1024);
    const rounds = Array.from({ length: 20 }, () => {
      const began = performance.now();
      redact(long, redactor);
      return performance.now() - began;
    });
    return Math.min(...rounds);
  });
  const script = bundled('src/api/worker.ts');
  const costs: number[] = [];
  for (const piece of PIECES.slice(0, 2)) {
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, note: text(piece, 8 * 1024) }));
    const body = new Uint8Array(new TextEncoder().encode(JSON.stringify({ users: rows })));
    const signal = new AbortController().signal;
    const before = process.threadCpuUsage();
    await readAnswer('users', body, redactor, signal, script);
    costs.push(worked(before));
  }
  return [
    atMost('redaction of 64 KB of text, the worst of several', Math.max(...took), 5, ms),
    atMost('an answer of 16 MB: work of the extension host', Math.max(...costs), 50, ms),
  ];
}
