import type { Row as ChatRow } from '../../src/chat/protocol';
import { messageRow, openChatPage } from '../ui/page';
import { atMost, median, ms, type Row } from './rows';

const MESSAGES = 10_000;

type Measured = Readonly<Record<'opened' | 'longestFrame' | 'elements' | 'keystroke', number>>;

/** The chat page with a long transcript, as its panel sends it, in the browser of the tests. */
export async function transcriptRows(dist: string): Promise<Row[]> {
  const measured: Measured[] = [];
  for (let round = 0; round < 3; round++) {
    const page = await openChatPage(dist);
    const all = JSON.stringify(Array.from({ length: MESSAGES }, (_, index) => messageRow(index)));
    await page.evaluate(`window.rows = ${all}`);
    measured.push(await page.evaluate<Measured>(SCRIPT));
    await page.close();
  }
  const page = await openChatPage(dist);
  const rows = JSON.stringify(Array.from({ length: 60 }, (_, index) => typicalRow(index)));
  const typical = await page.evaluate<number>(`${TYPICAL}(${rows})`);
  await page.close();
  const of = (name: keyof Measured): number => median(measured.map(round => round[name]));
  return [
    atMost('transcript of 10,000 messages, open at the end', of('opened'), 120, ms),
    atMost('the same, longest frame while scrolling through', of('longestFrame'), 25, ms),
    atMost('the same, elements', of('elements'), 1500, String),
    atMost('the same, keystroke in the composer, p99', of('keystroke'), 16, ms),
    atMost('a typical message (2 KB Markdown with code) from bytes to pixels', typical, 3, ms),
  ];
}

/** What an agent answers: 2 KB of Markdown with code in it. */
function typicalRow(index: number): ChatRow {
  const sentence = 'The job takes a lock in `src/jobs/nightly.ts:24`, so **two** workers never run at once. ';
  const code = '  const total = sum(items, 7); // cents\n'.repeat(12);
  const list = `- item: ${sentence}\n`.repeat(5);
  const text = `Typical ${index}. ${sentence.repeat(8)}\n\n${list}\n\`\`\`ts\n${code}\`\`\`\n`;
  const [row, id] = [messageRow(1) as Extract<ChatRow, { kind: 'message' }>, `typical${index}`];
  return { ...row, key: id, id, parts: [{ kind: 'text', text }] };
}

/** From the message with the row until its elements stand and are laid out; the median, in ms, of all but the first ones. */
const TYPICAL = `(async rows => {
  await drawn();
  const channel = new MessageChannel();
  const turn = () => new Promise(done => { channel.port1.onmessage = done; channel.port2.postMessage(0); });
  const times = [];
  for (const [index, row] of rows.entries()) {
    await drawn();
    const began = performance.now();
    tell('splice', { from: index, remove: 0, rows: [row], isWhole: true });
    while (![...document.querySelectorAll('.log article')].at(-1)?.textContent.includes('Typical ' + index + '.')) await turn();
    document.querySelector('.log').getBoundingClientRect();
    times.push(performance.now() - began);
  }
  return times.slice(10).sort((a, b) => a - b)[Math.floor((times.length - 10) / 2)];
})`;

const SCRIPT = `(async () => {
  await drawn();
  const total = rows.length;
  let began = performance.now();
  tell('splice', { from: 0, remove: 0, rows: rows.slice(-100), isWhole: false });
  while (!document.querySelector('.log')?.textContent.includes('Number ${MESSAGES - 1}.')) await drawn();
  await drawn();
  const opened = performance.now() - began;
  for (let end = total - 100; end > 0; end -= 1000) {
    tell('splice', { from: 0, remove: 0, rows: rows.slice(Math.max(0, end - 1000), end), isWhole: end <= 1000 });
    await drawn();
  }
  await drawn();
  const log = document.querySelector('.log');
  let longestFrame = 0, elements = 0;
  // As fast as a wheel goes, at five places of the whole.
  for (let place = 0; place < 5; place++) {
    log.scrollTop = (log.scrollHeight * place) / 5;
    for (let frame = 0; frame < 10; frame++) await drawn();
    let last = await new Promise(requestAnimationFrame);
    for (let step = 0; step < 60; step++) {
      log.scrollTop += 120;
      const now = await new Promise(requestAnimationFrame);
      longestFrame = Math.max(longestFrame, now - last);
      last = now;
      elements = Math.max(elements, document.querySelectorAll('*').length);
    }
  }
  const field = document.querySelector('textarea');
  const strokes = [];
  for (let step = 0; step < 200; step++) {
    began = performance.now();
    field.value += 'a';
    field.dispatchEvent(new InputEvent('input', { bubbles: true, data: 'a' }));
    await Promise.resolve();
    field.getBoundingClientRect();
    strokes.push(performance.now() - began);
    if (step % 10 === 0) await drawn();
  }
  strokes.sort((a, b) => a - b);
  return { opened, longestFrame, elements, keystroke: strokes[Math.floor(strokes.length * 0.99)] };
})()`;
