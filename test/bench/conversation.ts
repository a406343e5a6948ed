import { monitorEventLoopDelay } from 'node:perf_hooks';
import { RowView } from '../../src/chat/transcript/rowFeed';
import type { RowsInput } from '../../src/chat/transcript/rows';
import type { StoredMessage } from '../../src/chat/transcript/messages';
import type { Splice } from '../../src/chat/protocol';
import { Transcript } from '../../src/chat/transcript/transcript';
import type { Storage } from '../../src/storage';
import { openStorage } from '../fakes/storage';
import { Formatter } from '../../src/util/format';
import { silentLog } from '../fakes/log';
import { messageRow } from '../ui/chatPage';
import { atMost, median, type Row } from './rows';

const MESSAGES = 10_000;
const ROUNDS = 5;
const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;

interface Measured {
  /** Until the page is sent the end of the transcript, ms. */
  readonly first: number;
  /** Until it is sent all of it, ms. */
  readonly all: number;
  readonly stall: number;
  /** What one more message costs, ms. */
  readonly more: number;
}

/** What a long transcript costs the extension host: reading the stored records, making rows, and handing them to the page. */
export async function conversationRows(folder: string): Promise<Row[]> {
  await inStorage(folder, async transcript => {
    await transcript.keep(Array.from({ length: MESSAGES }, (_, index) => message(index)));
  });
  const measured: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++)
    await inStorage(folder, async transcript => {
      measured.push(await measure(transcript, MESSAGES + round));
    });
  const of = (name: keyof Measured): number => median(measured.map(round => round[name]));
  return [
    atMost(
      'transcript of 10,000 messages in the host, records read and the end sent',
      of('first'),
      120,
      milliseconds,
    ),
    atMost('the same, all of it sent', of('all'), 500, milliseconds),
    atMost('the same, longest stall', of('stall'), 50, milliseconds),
    atMost('the same, one more message', of('more'), 25, milliseconds),
  ];
}

async function measure(transcript: Transcript, next: number): Promise<Measured> {
  let done: (at: number) => void = () => undefined;
  const complete = new Promise<number>(resolve => (done = resolve));
  let first = 0;
  let sent = 0;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  // What a splice costs on its way to the page: VS Code writes it as JSON.
  const receive = (splice: Splice): void => {
    JSON.stringify(splice);
    sent += splice.rows.length - splice.remove;
    first ||= performance.now() - began;
    if (sent >= splice.total) done(performance.now() - began);
  };
  const view = new RowView(receive, new Formatter('en'), () => view.show(inputOf(transcript)));
  await transcript.load();
  view.show(inputOf(transcript));
  const all = await complete;
  delay.disable();
  await transcript.keep([message(next)]);
  const changed = performance.now();
  view.show(inputOf(transcript));
  const more = performance.now() - changed;
  view.dispose();
  return { first, all, stall: delay.max / 1e6, more };
}

function inputOf({ known }: Transcript): RowsInput {
  const rest = { sends: [], messageCount: known.size, inComposer: undefined, timeZone: 'Europe/Berlin' };
  return { ...rest, known, breaks: new Map() };
}

/** The message behind a row of the page's own measurement. */
function message(index: number): StoredMessage {
  const row = messageRow(index);
  if (row.kind !== 'message') throw new TypeError('No message.');
  const parent = index === 0 ? {} : { parentId: String(index - 1) };
  const texts = row.parts.flatMap(part => ('text' in part ? [{ type: 'text', text: part.text }] : []));
  const { id, role, at = 0 } = row;
  return { id, role, createdAt: at, updatedAt: at, content: texts, ...parent };
}

async function inStorage(folder: string, work: (transcript: Transcript) => Promise<void>): Promise<void> {
  const storage: Storage = openStorage({ root: folder, log: silentLog() });
  const transcript = new Transcript(storage, 'service', 'session');
  try {
    await work(transcript);
  } finally {
    transcript.dispose();
    await storage.settled();
    storage.dispose();
  }
}
