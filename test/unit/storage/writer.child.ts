/** Another window, for tests: `writer.child.js ACT ROOT …`. */
import { once } from 'node:events';
import * as fs from 'node:fs';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { notes, planned, type Note } from './support';

const open = (root: string) => openStorage({ root, log: silentLog() });
const numbers = (path: string) => ({ path, version: 1, schema: { parse: Number } });
const increment = (now: number | undefined): number => (now ?? 0) + 1;

const acts: Readonly<Record<string, (root: string, ...rest: readonly string[]) => Promise<void>>> = {
  /** Carries out the planned operations, eight at a time, and writes down each one before and after. */
  async work(root, journal = '', writer, from, to) {
    const text = ({ count }: Note) => ({ text: `said ${count}` });
    const collection = open(root).collection({ ...notes, text });
    const file = fs.openSync(journal, 'a');
    const note = (line: string): void => void fs.writeSync(file, `${line}\n`);
    let next = Number(from);
    const worker = async (): Promise<void> => {
      while (next < Number(to)) {
        const index = next++;
        const { kind, id, text: put } = planned(Number(writer), index);
        note(`try ${index}`);
        if (kind === 'increment')
          await collection.update(id, now => ({ text: 'count', count: increment(now?.count) }));
        else if (kind === 'put') await collection.put(id, { text: put, count: index });
        else await collection.remove(id);
        note(`done ${index}`);
        if (index % 10 === 0) process.send?.('progress');
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  },

  /** Writes records until the disk is full; prints how many are durable. */
  async fill(root, from) {
    const collection = open(root).collection(notes);
    for (let n = Number(from); ; n++) {
      await collection.put(`fill-${n}`, { text: 'x'.repeat(700) });
      fs.writeSync(1, `${n + 1}\n`);
    }
  },

  /** Enters so many times where one process may be at a time; throws when another one is there. */
  async compete(root, times) {
    const storage = open(root);
    const counter = storage.collection<number>(numbers('inside'));
    for (let entered = 0; entered < Number(times);) {
      await storage.tryRun('a', 60_000, async () => {
        if ((await counter.update('inside', increment)) !== 1) throw new Error('Somebody is there.');
        await counter.update('entered', increment);
        await counter.update('inside', now => (now ?? 0) - 1);
        entered++;
      });
    }
  },

  async race(root, times) {
    const counter = open(root).collection<number>(numbers('race'));
    for (let n = 0; n < Number(times); n++) await counter.update('n', increment);
  },

  /** Reads a record of a damaged database, at a sign; says what it was told of that. */
  async restore(root) {
    const said: { keptAs?: string; text?: string | undefined } = {};
    const onRestored = ({ keptAs }: { readonly keptAs: string }): void => void (said.keptAs = keptAs);
    const collection = openStorage({ root, log: silentLog(), onRestored }).collection(notes);
    process.send?.('ready');
    await once(process, 'message');
    said.text = (await collection.read('a'))?.text;
    process.send?.(said);
  },

  async dieImporting(root) {
    const parse = JSON.parse;
    let count = 0;
    JSON.parse = (text: string): unknown => (++count === 100 ? process.exit(9) : (parse(text) as unknown));
    await open(root).collection(notes).load();
  },
};

async function main([act = '', root = '', ...rest]: readonly string[]): Promise<void> {
  await acts[act]?.(root, ...rest);
  if (process.connected) process.disconnect();
}

void main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
