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

describe('formats', () => {
  const english = new Formatter('en');
  const german = new Formatter('de');

  it('shows spans in the largest whole unit', () => {
    assert.equal(english.span(12_400), '12 sec');
    assert.equal(english.span(2 * 60_000 + 59_000), '2 min');
    assert.equal(english.span(3 * 3_600_000), '3 hr');
    assert.equal(english.span(5 * 86_400_000), '5 days');
    assert.equal(english.span(-5), '0 sec');
    assert.equal(german.span(2 * 86_400_000), '2 Tg.');
  });

  it('shows how long something took in two units', () => {
    const minute = 60_000;
    const times = [
      0,
      999,
      58_900,
      minute,
      119_000,
      120_000,
      7_140_000,
      180 * minute + 59_000,
      51 * 60 * minute,
      -5,
    ];
    assert.equal(
      times.map(ms => english.duration(ms)).join(),
      '0 sec,0 sec,58 sec,1 min,1 min 59 sec,2 min,1 hr 59 min,3 hr,2 days 3 hr,0 sec',
    );
    assert.match(german.duration(7_140_000), /^1 Std\.,? (?:und )?59 Min\.$/);
  });

  it('shows sizes in steps of 1,024', () => {
    assert.equal(english.bytes(0), '0 bytes');
    assert.equal(english.bytes(1023), '1,023 bytes');
    assert.equal(english.bytes(1536), '1.5 kB');
    assert.equal(english.bytes(10 * 1024 * 1024), '10 MB');
    assert.equal(german.bytes(1536), '1,5 kB');
  });

  it('shortens numbers and keeps every digit where asked', () => {
    assert.equal(english.compact(4_210_000), '4.2M');
    assert.equal(english.number(4_210_000), '4,210,000');
  });

  it('falls back to English for a language it does not know', () => {
    assert.equal(new Formatter('xx-invalid-').compact(1500), '1.5K');
    const named = ['en-GB@posix', 'de_DE.UTF-8', 'C', ''].map(supportedLanguage);
    assert.deepEqual(named, ['en-GB', 'de-DE', 'en', 'en']);
  });

  it('shows a time that is not one as it is', () => {
    for (const time of [Number.NaN, Infinity, 1.7e18, -1.7e18])
      assert.equal(english.exact(time), String(time));
  });
});
