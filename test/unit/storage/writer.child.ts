/** Another window, for tests: `put ROOT ID`, or `work ROOT JOURNAL WRITER FROM TO` for the test of interrupted writers. */
import * as fs from 'node:fs';
import { openStorage } from '../../../src/storage';
import { MemoryLog, notes } from './support';
import { planned, type Operation } from './workload';

async function put(root: string, id: string): Promise<void> {
  await openStorage({ root, log: new MemoryLog() }).collection(notes).put(id, { text: 'written by a child' });
}

/** Carries out the planned operations, eight at a time, and writes down each one before and after. */
async function work(root: string, journal: string, writer: number, from: number, to: number): Promise<void> {
  const collection = openStorage({ root, log: new MemoryLog() }).collection(notes);
  const file = fs.openSync(journal, 'a');
  const note = (line: string): void => void fs.writeSync(file, `${line}\n`);
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) {
      const index = next++;
      const operation: Operation = planned(writer, index);
      note(`try ${index}`);
      if (operation.kind === 'increment') {
        await collection.update(operation.id, now => ({ text: 'count', count: (now?.count ?? 0) + 1 }));
      } else if (operation.kind === 'put') {
        await collection.put(operation.id, { text: operation.text, count: index });
      } else {
        await collection.remove(operation.id);
      }
      note(`done ${index}`);
      if (index % 10 === 0) process.send?.('progress');
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

async function main([mode, root = '', ...rest]: readonly string[]): Promise<void> {
  if (mode === 'put') return put(root, rest[0] ?? '');
  const [journal = '', writer, from, to] = rest;
  await work(root, journal, Number(writer), Number(from), Number(to));
  process.disconnect();
}

void main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
