import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { copyOf, csvOf, jsonOf } from '../../../src/usage/show/exports';
import type { Cell, TabReport } from '../../../src/usage/report/types';
import { plain } from '../../../src/util/text';
import { hostileNames } from '../../fakes/usageReports';
import { query } from './support';

function withRows(rows: readonly (readonly Cell[])[], columns = 2): TabReport {
  return {
    query: query('tokens', '2026-11-01', '2026-11-02', { person: 'u1', pseudonyms: true }),
    through: '2026-11-20',
    figures: [{ id: 'f', label: 'F', value: 3, unit: 'count', explanation: '' }],
    sections: [
      {
        id: 's',
        title: 'T',
        explanation: '',
        table: {
          columns: Array.from({ length: columns }, (_, at) => ({
            id: `c${at}`,
            label: `C${at}`,
            kind: 'text' as const,
          })),
          rows: rows.map((cells, at) => ({ id: String(at), cells, person: 'user_secret' })),
          total: ['Total', 4],
        },
      },
    ],
    markers: [],
    notes: [],
  };
}

const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
const FACTS = [
  ['start', '2026-11-01'],
  ['end', '2026-11-02'],
  ['data through', '2026-11-20'],
  ['time zone', 'UTC'],
];

/** A reader of RFC 4180 of its own. */
function parse(text: string): string[][] {
  const lines: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const fields: string[] = [];
    for (;;) {
      let value = '';
      if (text[at] === '"') {
        for (at++; ; at++) {
          if (text[at] !== '"') value += text[at]!;
          else if (text[at + 1] === '"') value += text[at++]!;
          else break;
        }
        at++;
      } else {
        while (at < text.length && text[at] !== ',' && text[at] !== '\r') value += text[at++]!;
      }
      fields.push(value);
      if (text[at] !== ',') break;
      at++;
    }
    assert.equal(text.slice(at, at + 2), '\r\n');
    at += 2;
    lines.push(fields);
  }
  return lines;
}

describe('exports', () => {
  it('CSV reads back as it was, and nothing in it is a formula', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...Array.from('=+-@",\r\n\t a\uff1d\uff0b\uff0d\uff20')) }),
    );
    const value = fc.oneof(text, fc.integer(), fc.constant(null));
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { maxLength: 8 }), rows => {
        const [header, ...lines] = parse(csvOf(withRows(rows), 's'));
        assert.deepEqual(header, ['C0', 'C1', ...FACTS.map(([name]) => name)]);
        const facts = FACTS.map(([, value]) => value);
        assert.ok(lines.every(fields => isDeepStrictEqual(fields.slice(2), facts)));
        assert.deepEqual(lines.pop()?.slice(0, 2), ['Total', '4']);
        assert.equal(lines.length, rows.length);
        lines.forEach((fields, at) =>
          fields.slice(0, 2).forEach((field, column) => {
            const sent: Cell | undefined = rows[at]?.[column];
            const wanted = plain(String(sent ?? ''));
            assert.ok(field === wanted || field === plain(`'${String(sent)}`), `${field} for ${wanted}`);
            if (typeof sent === 'string') assert.doesNotMatch(field, FORMULA);
          }),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('a whole report as CSV is one table, a line a figure or a cell, each with its days and that they are UTC', () => {
    const report = withRows([
      ['a', 1, 2],
      ['a, "b"', null, 3],
    ]);
    const [section] = report.sections;
    const columns = [
      { id: 'name', label: 'Name', kind: 'text' },
      { id: 'calls', label: 'Calls', kind: 'count' },
      { id: 'day', label: 'Last day', kind: 'day' },
    ] as const;
    const made = { ...report, sections: [{ ...section!, table: { ...section!.table, columns } }] };
    const facts = FACTS;
    assert.deepEqual(parse(csvOf(made)), [
      ['section', 'row', 'column', 'value', ...facts.map(([name]) => name)],
      ...[
        ['', 'F', '', '3'],
        ['T', 'a', 'Calls', '1'],
        ['T', 'a', 'Last day', '2'],
        ['T', 'a, "b"', 'Calls', ''],
        ['T', 'a, "b"', 'Last day', '3'],
        ['T', 'Total', 'Calls', '4'],
        ['T', 'Total', 'Last day', ''],
      ].map(line => [...line, ...facts.map(([, value]) => value)]),
    ]);
  });

  it('CSV of a tab has the head figures of the period before, as page and JSON have them', () => {
    const made: TabReport = {
      ...withRows([]),
      previousRange: { start: '2026-10-30', end: '2026-10-31' },
      figures: [
        { id: 'f', label: 'F', value: 3, previous: 2, unit: 'count', explanation: '' },
        { id: 'g', label: 'G', value: 5, previous: undefined, unit: 'count', explanation: '' },
      ],
    };
    const [header, ...lines] = parse(csvOf(made));
    assert.deepEqual(header?.slice(4, 8), ['start', 'end', 'compared start', 'compared end']);
    const period = ['2026-11-01', '2026-11-02', '2026-10-30', '2026-10-31'];
    assert.deepEqual(
      lines.filter(([section]) => section === '').map(fields => fields.slice(0, 8)),
      [
        ['', 'F', '', '3', ...period],
        ['', 'F', 'before', '2', ...period],
        ['', 'G', '', '5', ...period],
        ['', 'G', 'before', '', ...period],
      ],
    );
  });

  it('a copied table says so too, has a line a row and a cell a tab, whatever is in the cells', () => {
    const cell = fc.oneof(
      fc.string(),
      fc.constantFrom(...hostileNames, '\t=1+1', '\r\n-2', ' @x', '\uff0b1', '\uff0d1', '\uff201', '\uff1d1'),
      fc.integer(),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 20 }), made => {
        const lines = copyOf(withRows(made), 's')
          .split('\n')
          .map(line => line.split('\t'));
        assert.deepEqual(lines.pop(), ['']);
        assert.deepEqual(lines.shift(), ['C0', 'C1', ...FACTS.map(([name]) => name)]);
        assert.deepEqual(lines.pop()?.slice(0, 2), ['Total', '4']);
        assert.equal(lines.length, made.length);
        for (const [index, cells] of lines.entries()) {
          assert.deepEqual(
            cells.slice(2),
            FACTS.map(([, value]) => value),
          );
          for (const [place, text] of cells.slice(0, 2).entries()) {
            if (typeof made[index]![place] === 'string') assert.doesNotMatch(text, FORMULA);
            else assert.equal(text, String(made[index]![place]));
          }
        }
      }),
    );
  });

  it('says in every file what is missing, and of what only a part is known', () => {
    const part = { value: 7000, known: 29, of: 30 };
    const report = withRows([
      ['a', part],
      ['b', null],
      ['c', 0],
    ]);
    const [figure] = report.figures;
    const made = {
      ...report,
      figures: [
        { ...figure!, value: part },
        { ...figure!, value: undefined },
      ],
    };
    assert.deepEqual(
      parse(csvOf(made, 's')).map(fields => fields.slice(0, 2)),
      [
        ['C0', 'C1'],
        ['a', '7000 (29 of 30)'],
        ['b', ''],
        ['c', '0'],
        ['Total', '4'],
      ],
    );
    assert.deepEqual(
      parse(csvOf(made))
        .slice(1, 3)
        .map(([, , , value]) => value),
      ['7000 (29 of 30)', ''],
    );
    assert.match(copyOf(made, 's'), /\na\t7000 \(29 of 30\)\t.*\nb\t\t.*\nc\t0\t/);
    // Names nobody that the tables do not name.
    assert.doesNotMatch(jsonOf(made), /user_secret|"u1"/);
    const { figures, sections } = JSON.parse(jsonOf(made)) as {
      figures: { value: unknown }[];
      sections: { rows: unknown }[];
    };
    assert.deepEqual(
      figures.map(({ value }) => value),
      [part, null],
    );
    assert.deepEqual(sections[0]?.rows, [
      { c0: 'a', c1: part },
      { c0: 'b', c1: null },
      { c0: 'c', c1: 0 },
    ]);
  });
});
