import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Row, Splice } from '../../../src/chat/protocol';
import { RowBuilder, type RowsInput } from '../../../src/chat/transcript/rows';
import { RowView } from '../../../src/chat/transcript/rowFeed';
import { Formatter } from '../../../src/util/format';
import { afterwards, cleanUp, knownOf, message } from './support';

afterEach(cleanUp);

const inputOf = (count: number): RowsInput => ({
  known: knownOf(
    ...Array.from({ length: count }, (_, index) =>
      message(`m${index}`, {
        createdAt: 1_000_000_000_000 + index * 60_000,
        ...(index === 0 ? {} : { parentId: `m${index - 1}` }),
      }),
    ),
  ),
  sends: [],
  messageCount: count,
  breaks: new Map(),
  inComposer: undefined,
  timeZone: 'UTC',
});

function viewOf() {
  const splices: Splice[] = [];
  let rows: readonly Row[] = [];
  let onReady = (): void => undefined;
  const view = new RowView(
    splice => {
      splices.push(splice);
      const { from, remove } = splice;
      rows = [...rows.slice(0, from), ...splice.rows, ...rows.slice(from + remove)];
    },
    new Formatter('en'),
    () => onReady(),
  );
  afterwards(() => view.dispose());
  const ready = new Promise<void>(resolve => (onReady = resolve));
  return { view, splices, rows: () => rows, ready };
}

const keys = (rows: readonly Row[]): string[] => rows.map(({ key }) => key);

describe('the rows of a long transcript', () => {
  it('are shown from the end before the rest is made, and then all of them as one builder would make them', async () => {
    const input = inputOf(5000);
    const { view, splices, rows, ready } = viewOf();
    view.show(input);
    assert.equal(keys(rows()).at(-1), 'message:m4999');
    assert.ok(rows().length <= 200);
    assert.equal(splices[0]?.total, 5000, 'the page waits for the rest');
    await ready;
    view.show(input);
    for (let turn = 0; turn < 100 && rows().length < 5000; turn++) await setImmediate();
    const whole = new RowBuilder(new Formatter('en')).build(input);
    assert.deepEqual(rows(), whole);
    assert.equal(splices.at(-1)?.total, whole.length);
  });

  it('are never taken away again when it grows long while it is shown', () => {
    const { view, splices, rows } = viewOf();
    const later = { ...inputOf(1200), messageCount: undefined };
    view.show({ ...later, known: new Map([...later.known].slice(0, 100)) });
    view.show(later);
    assert.ok(splices.every(({ remove }) => remove === 0));
    assert.ok(rows().length >= 1200);
  });

  it('end with the panel', async () => {
    const { view, ready } = viewOf();
    view.show(inputOf(5000));
    view.dispose();
    const end = await Promise.race([ready.then(() => 'told'), setImmediate('not told')]);
    assert.equal(end, 'not told');
  });
});
