/** Another window, for tests; see `acts`. */
import { once } from 'node:events';
import * as fs from 'node:fs';
import type { Restored } from '../../../src/storage';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { notes, planned } from './support';

const open = (root: string) => openStorage({ root, log: silentLog() });
const numbers = (path: string) => ({ path, version: 1, schema: { parse: Number } });

/** Carries out the planned operations, eight at a time, and writes down each one before and after. */
async function work(root: string, journal: string, writer: number, from: number, to: number): Promise<void> {
  const collection = open(root).collection(notes);
  const file = fs.openSync(journal, 'a');
  const note = (line: string): void => void fs.writeSync(file, `${line}\n`);
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) {
      const index = next++;
      const operation = planned(writer, index);
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

/** Writes records until the disk is full; prints how many are durable. */
async function fill(root: string, from: number): Promise<void> {
  const collection = open(root).collection(notes);
  for (let n = from; ; n++) {
    await collection.put(`fill-${n}`, { text: 'x'.repeat(700) });
    fs.writeSync(1, `${n + 1}\n`);
  }
}

/** Enters `times` times where one process may be at a time; throws when another one is there. */
async function compete(root: string, times: number): Promise<void> {
  const storage = open(root);
  const counter = storage.collection<number>(numbers('inside'));
  for (let entered = 0; entered < times;) {
    await storage.tryRun('a', 60_000, async () => {
      if ((await counter.update('inside', now => (now ?? 0) + 1)) !== 1)
        throw new Error('Somebody is there.');
      await counter.update('entered', now => (now ?? 0) + 1);
      await counter.update('inside', now => (now ?? 0) - 1);
      entered++;
    });
  }
}

/** Adds 1 to one record, `times` times. */
async function race(root: string, times: number): Promise<void> {
  const counter = open(root).collection<number>(numbers('race'));
  for (let n = 0; n < times; n++) await counter.update('n', now => (now ?? 0) + 1);
}

/** Writes, changes and removes records that can be found, until it is killed. */
async function say(root: string): Promise<void> {
  const said = open(root).collection<string>({
    path: 'said',
    version: 1,
    schema: { parse: String },
    text: text => ({ text }),
  });
  for (let n = 0; ; n++) {
    const ids = Array.from({ length: 20 }, (_, each) => `r${(n + each) % 60}`);
    await Promise.all(ids.map(id => (n % 3 === 2 ? said.remove(id) : said.put(id, `said ${id} ${n}`))));
    process.send?.('progress');
  }
}

/** Holds the lease `a` until it is killed. */
async function hold(root: string): Promise<void> {
  const storage = open(root);
  await storage.tryRun('a', 60_000, async () => {
    process.send?.('held');
    await new Promise<void>(resolve => process.once('disconnect', resolve));
  });
}

/** Reads a record of a damaged database, at a sign; says what it was told of that. */
async function restore(root: string): Promise<void> {
  const said: { keptAs?: string; text?: string | undefined } = {};
  const onRestored = ({ keptAs }: Restored): void => void (said.keptAs = keptAs);
  const collection = openStorage({ root, log: silentLog(), onRestored }).collection(notes);
  process.send?.('ready');
  await once(process, 'message');
  said.text = (await collection.read('a'))?.text;
  process.send?.(said);
}

/** Ends after 100 records of an import. */
async function dieImporting(root: string): Promise<void> {
  const parse = JSON.parse;
  let count = 0;
  JSON.parse = (text: string): unknown => (++count === 100 ? process.exit(9) : (parse(text) as unknown));
  await open(root).collection(notes).load();
}

const acts: Readonly<Record<string, (root: string, rest: readonly string[]) => Promise<void>>> = {
  fill: (root, [from]) => fill(root, Number(from)),
  race: (root, [times]) => race(root, Number(times)),
  compete: (root, [times]) => compete(root, Number(times)),
  hold,
  say,
  dieImporting,
  restore,
  work: (root, [journal = '', writer, from, to]) =>
    work(root, journal, Number(writer), Number(from), Number(to)),
};

async function main([mode = '', root = '', ...rest]: readonly string[]): Promise<void> {
  await acts[mode]?.(root, rest);
  if (process.connected) process.disconnect();
}

void main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
