import assert from 'node:assert/strict';
import fc from 'fast-check';
import { csv } from '../../../src/util/csv';

/** RFC 4180, read strictly. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const row: string[] = [];
    for (;;) {
      const [whole = '', quoted, bare] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))/.exec(text.slice(at)) ?? [];
      at += whole.length;
      row.push(quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'));
      if (text[at] === ',') at++;
      else break;
    }
    assert.equal(text.slice(at, at + 2), '\r\n', `no end of line at ${at}`);
    at += 2;
    rows.push(row);
  }
  return rows;
}

describe('CSV', () => {
  it('quotes what needs quotes, fills short rows, writes nothing for nothing', () => {
    assert.equal(
      csv(['a', 'b, c'], [['say "hi"', 'x\r\ny'], [1.5, undefined], [null], [true, ' pad ']]),
      'a,"b, c"\r\n"say ""hi""","x\ny"\r\n1.5,\r\n,\r\ntrue," pad "\r\n',
    );
    assert.equal(csv(['n'], [[Number.NaN], [-1], [Infinity]]), 'n\r\n\r\n-1\r\n\r\n');
  });

  it('no text begins what a spreadsheet runs, whatever stands before it', () => {
    for (const evil of [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      ' =1',
      '＝1',
      '|calc',
      '\u0000=1',
      '=cmd|"/c calc"!A1',
    ]) {
      const [, [cell = ''] = []] = parse(csv(['n'], [[evil]]));
      assert.ok(cell.startsWith("'"), JSON.stringify(cell));
    }
    assert.equal(csv(['n'], [['a=b'], ["O'Neil"], ['first-last']]), "n\r\na=b\r\nO'Neil\r\nfirst-last\r\n");
  });

  it('control and bidi characters are shown as such', () => {
    assert.equal(csv(['n'], [['a\u202eb\u0007']]), 'n\r\na\ufffdb\ufffd\r\n');
  });

  it('any table comes back cell by cell, and no cell is a formula', () => {
    const cells = fc.array(
      fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.constant(undefined)), {
        minLength: 2,
        maxLength: 2,
      }),
    );
    fc.assert(
      fc.property(cells, rows => {
        const [, ...read] = parse(csv(['a', 'b'], rows));
        assert.equal(read.length, rows.length);
        for (const [index, row] of read.entries()) {
          assert.equal(row.length, 2);
          for (const [column, cell] of row.entries()) {
            if (typeof rows[index]?.[column] === 'string')
              assert.ok(!/^\s*[=+\-@]/.test(cell), JSON.stringify(cell));
          }
        }
      }),
    );
  });
});
