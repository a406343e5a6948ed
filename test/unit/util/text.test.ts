import assert from 'node:assert/strict';
import fc from 'fast-check';
import { OutputLog } from '../../../src/log';
import { output } from '../../fakes/vscode';
import { forNotification, forQuickPick, middle, oneLine, plain } from '../../../src/util/text';
import { csv } from '../../../src/util/csv';
import { Formatter, supportedLanguage } from '../../../src/util/format';

describe('foreign text', () => {
  it('takes bidi and control characters out of every form', () => {
    const bad = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
        for (const form of [plain, oneLine, forNotification, forQuickPick])
          assert.doesNotMatch(form(text), bad);
      }),
    );
    assert.equal(oneLine('a\u202etxt.exe\u0007'), 'a\ufffdtxt.exe\ufffd');
  });

  it('leaves no link syntax for notifications, however it is nested', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(']', '(', '[', 'x', ' ', '\n', 'command:a', ')'), { maxLength: 30 }),
        parts => {
          assert.ok(!forNotification(parts.join('')).includes(']('));
        },
      ),
    );
    assert.equal(forNotification('[x](command:y)'), '[x] (command:y)');
  });

  it('leaves no icon syntax for quick picks and the status bar', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('$', '(', 'zap', ')', ' '), { maxLength: 30 }), parts => {
        assert.ok(!forQuickPick(parts.join('')).includes('$('));
      }),
    );
  });

  it('keeps line breaks and tabs of longer text, and caps its length', () => {
    assert.equal(plain('a\r\nb\tc\rd'), 'a\nb\tc\nd');
    assert.equal(plain('abcdef', 4), 'abc…');
    assert.equal(plain('ab👍cd', 4), 'ab…');
    assert.equal(oneLine('  a \n\n b  '), 'a b');
  });

  it('truncates paths in the middle and keeps the file name', () => {
    const path = '/home/person/projects/shop/packages/checkout/src/cart.test.ts';
    const short = middle(path, 30);
    assert.equal(short.length, 30);
    assert.ok(short.startsWith('/home/') && short.endsWith('src/cart.test.ts'));
    assert.equal(middle('a/b', 30), 'a/b');
  });
});

describe('redaction of log lines', () => {
  it("takes the person's own key out of every line, whatever it looks like", () => {
    const [log, own] = [new OutputLog(), 'plain words as a key'];
    log.keepOut(own);
    output.length = 0;
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](`GET /x?q=${own} 200`);
    log.error('It failed', new Error(own));
    assert.equal(output.length, 5);
    for (const line of output) assert.match(line, /\[redacted\]/);
    assert.doesNotMatch(output.join('\n'), /plain words/);
    log.dispose();
  });
});

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
    const starts = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', '|calc', '\u0000=1'];
    for (const evil of [...starts, '=cmd|"/c calc"!A1']) {
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

describe('formats', () => {
  const english = new Formatter('en');
  const german = new Formatter('de');

  const minute = 60_000;
  const table = {
    // The largest whole unit.
    span: { 12_400: '12 sec', 179_000: '2 min', 10_800_000: '3 hr', 432_000_000: '5 days', '-5': '0 sec' },
    // Two units.
    duration: {
      ...{ 0: '0 sec', 999: '0 sec', 58_900: '58 sec', 119_000: '1 min 59 sec', '-5': '0 sec' },
      ...{ [minute]: '1 min', [2 * minute]: '2 min', [119 * minute]: '1 hr 59 min' },
      ...{ [180 * minute + 59_000]: '3 hr', [51 * 60 * minute]: '2 days 3 hr' },
    },
    // Steps of 1,024.
    bytes: { 0: '0 bytes', 1023: '1,023 bytes', 1536: '1.5 kB', 10_485_760: '10 MB' },
    compact: { 4_210_000: '4.2M' },
    number: { 4_210_000: '4,210,000' },
    exact: {
      NaN: 'NaN',
      Infinity: 'Infinity',
      1.7e18: '1700000000000000000',
      '-1e18': '-1000000000000000000',
    },
  };
  for (const [kind, words] of Object.entries(table))
    it(`shows ${kind} as ${Object.values(words).join(', ')}`, () => {
      for (const [value, text] of Object.entries(words))
        assert.equal(english[kind as keyof typeof table](Number(value)), text);
    });

  it('speaks other languages', () => {
    assert.equal(german.span(2 * 86_400_000), '2 Tg.');
    assert.match(german.duration(7_140_000), /^1 Std\.,? (?:und )?59 Min\.$/);
    assert.equal(german.bytes(1536), '1,5 kB');
  });

  it('falls back to English for a language it does not know', () => {
    assert.equal(new Formatter('xx-invalid-').compact(1500), '1.5K');
    const named = ['en-GB@posix', 'de_DE.UTF-8', 'C', ''].map(supportedLanguage);
    assert.deepEqual(named, ['en-GB', 'de-DE', 'en', 'en']);
  });
});
