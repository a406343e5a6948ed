import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { csvOf, jsonOf } from '../../../src/usage/csv';
import type { Cell, TabReport } from '../../../src/usage/report';
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
    notes: [],
  };
}

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
      fc.string({
        unit: fc.constantFrom('=', '+', '-', '@', '"', ',', '\r', '\n', '\t', ' ', 'a', '\uff1d'),
      }),
    );
    const value = fc.oneof(text, fc.integer(), fc.constant(null));
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { maxLength: 8 }), rows => {
        const [header, ...lines] = parse(csvOf(withRows(rows), 's'));
        assert.deepEqual(header, ['C0', 'C1']);
        assert.deepEqual(lines.pop(), ['Total', '4']);
        assert.equal(lines.length, rows.length);
        lines.forEach((fields, at) =>
          fields.forEach((field, column) => {
            const sent: Cell | undefined = rows[at]?.[column];
            const wanted = String(sent ?? '');
            assert.ok(field === wanted || field === `'${wanted}`, `${field} for ${wanted}`);
            if (typeof sent === 'string') assert.doesNotMatch(field, /^\s*[=+\-@\uff1d]/);
          }),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('a whole report says its days and that they are UTC', () => {
    const lines = parse(csvOf(withRows([['a', 1]])));
    assert.deepEqual(lines.slice(0, 5), [
      ['tab', 'tokens'],
      ['start', '2026-11-01'],
      ['end', '2026-11-02'],
      ['data through', '2026-11-20'],
      ['time zone', 'UTC'],
    ]);
  });

  it('JSON has figures and tables, and names nobody beyond the tables', () => {
    const text = jsonOf(withRows([['a', 1]]));
    const read = JSON.parse(text) as Record<string, unknown>;
    assert.doesNotMatch(text, /user_secret|"u1"/);
    assert.equal(read['dataThrough'], '2026-11-20');
    assert.deepEqual((read['sections'] as { rows: unknown[] }[])[0]?.rows, [{ c0: 'a', c1: 1 }]);
  });
});
