import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as vscode from 'vscode';
import { ApiError } from '../../../src/api/errors';
import type { ApiErrorKind, ApiErrorReason, ApiErrorFacts } from '../../../src/api/errors';
import { OutputLog } from '../../../src/log';
import { csv } from '../../../src/util/csv';
import { DetailsDocuments } from '../../../src/util/detailsDocuments';
import { errorSentence } from '../../../src/util/errorSentence';
import { Formatter, supportedLanguage } from '../../../src/util/format';
import { forNotification, forQuickPick, middle, oneLine, plain } from '../../../src/util/text';
import { output } from '../../fakes/vscode';

describe('foreign text', () => {
  it('holds in no form what nobody sees, no link of a notification, and no icon of a status bar', () => {
    const bad = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;
    const signs = fc.constantFrom(']', '(', '[', ')', '$', 'zap', ' ', '\n', 'command:a');
    const texts = fc.array(fc.oneof(signs, signs, fc.string({ unit: 'binary' })), { maxLength: 30 });
    fc.assert(
      fc.property(texts, parts => {
        const text = parts.join('');
        for (const form of [plain, oneLine, forNotification, forQuickPick])
          assert.doesNotMatch(form(text), bad);
        assert.ok(!forNotification(text).includes(']('));
        assert.ok(!forQuickPick(text).includes('$('));
      }),
      { numRuns: 300 },
    );
    assert.equal(oneLine('a\u202etxt.exe\u0007'), 'a\ufffdtxt.exe\ufffd');
    assert.equal(forNotification('[x](command:y)'), '[x] (command:y)');
  });

  it('keeps line breaks and tabs where it is longer, is capped, and keeps both ends of a path', () => {
    assert.equal(plain('a\r\nb\tc\rd'), 'a\nb\tc\nd');
    assert.equal(plain('abcdef', 4), 'abc…');
    assert.equal(plain('ab👍cd', 4), 'ab…');
    assert.equal(oneLine('  a \n\n b  '), 'a b');
    const path = '/home/person/projects/shop/packages/checkout/src/cart.test.ts';
    assert.equal(middle(path, 30), '/home/perso…t/src/cart.test.ts');
    assert.equal(middle('a/b', 30), 'a/b');
  });

  it("holds the person's own key in no line of the log, whatever it looks like", () => {
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

  it('in read-only documents has its ending, and two sides where it is compared, however long the address', async () => {
    const workspace = vscode.workspace as unknown as Record<string, unknown>;
    const before = { ...workspace };
    workspace['onDidCloseTextDocument'] = () => ({ dispose: () => undefined });
    const opened: vscode.Uri[] = [];
    workspace['openTextDocument'] = (uri: vscode.Uri) => Promise.resolve(opened.push(uri));
    const documents = new DetailsDocuments({ fire: () => undefined });
    const id = 'long'.repeat(100);
    await documents.show(id, id, () => '');
    assert.match(opened[0]!.path, /\.md$/);
    Object.assign(workspace, before);
    const right = await documents.compare({ id, name: 'a', title: '', before: '', after: 'new' });
    const left = vscode.Uri.from({ scheme: 'x', path: right.path.replace('/after ', '/before ') });
    assert.deepEqual([documents.text(left), documents.text(right)], ['', 'new']);
  });
});

describe('sentences for people', () => {
  const request = { method: 'GET', path: '/api/v0/computers', origin: 'https://api.example.com' } as const;
  const errorOf = (kind: ApiErrorKind, facts: Partial<ApiErrorFacts> = {}): ApiError =>
    new ApiError(kind, { request, ...facts });

  it('read differently for each way to fail, name the host and the way out', () => {
    const ways: Partial<Record<ApiErrorKind, (ApiErrorReason | undefined)[]>> = {
      unreachable: ['network', 'proxy', 'certificate', 'broken', undefined],
      malformedAnswer: ['notThisService', 'redirect', 'tooLarge', 'brokenList'],
      unauthorized: ['noKey', 'jwt', undefined],
    };
    const others = ['forbidden', 'notFound', 'refused', 'rateLimited', 'unavailable', 'timedOut'] as const;
    for (const kind of [...others, 'outcomeUnknown'] as const) ways[kind] = [undefined];
    const facts = { status: 200, code: 'E_X', requestId: 'req_7' };
    const texts = Object.entries(ways).flatMap(([kind, reasons]) =>
      reasons.map(reason => errorSentence(errorOf(kind as ApiErrorKind, { ...facts, reason }))),
    );
    assert.deepEqual([texts.length, new Set(texts).size], [19, 19]);
    for (const text of texts)
      assert.match(text, /^(?=.*api\.example\.com)[A-Z“a].*\(200, E_X, request req_7\).*[.]$/);
  });

  it('say what is known, in words that are one line, short, and hold no live link', () => {
    const evil = '[click](command:evil)\n\u202egnp.exe '.repeat(50);
    const ofSession = { request: { ...request, path: '/api/v0/sessions/s1' }, status: 404, requestId: 'r' };
    const retryAt = new Date(2026, 10, 21, 14, 5).getTime();
    const nothing = /^Something went wrong\. See the log for details\.$/;
    for (const [error, said] of [
      [errorOf('notFound', ofSession), /has no such session \(404, request r\)\. It may be gone, belong to /],
      [errorOf('rateLimited', { retryAt, status: 429 }), /^the sample service .*2:05:00.*\(429\)/],
      [errorOf('refused', { requestId: evil, title: 'T', detail: evil }), /It says: \[click\] \(command/],
      [errorOf('refused', { title: 'Only a title' }), /It says: Only a title$/],
      [new Error('disk [x](command:y) full'), /^disk \[x\] \(command:y\) full$/],
      [Object.assign(new Error('x'), { kind: 'refused' }), /^x$/],
      ['nonsense', nothing],
      [undefined, nothing],
    ] as const) {
      const sentence = errorSentence(error, { host: 'the sample service' });
      assert.match(sentence, said);
      assert.doesNotMatch(sentence, /[\n\u202e]|\]\(|.{600}/);
    }
  });
});

/** RFC 4180, read strictly. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  let read = '';
  for (const [cell, quoted, bare = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy)) {
    read += cell;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end !== ',') rows.push([]);
  }
  assert.equal(read, text);
  return rows.slice(0, -1);
}

describe('CSV', () => {
  it('quotes what needs quotes, fills short rows, writes nothing for nothing', () => {
    for (const [rows, text] of [
      [[['say "hi"', 'x\r\ny'], [1.5, undefined], [null]], '"say ""hi""","x\ny"\r\n1.5,\r\n,\r\n'],
      [[[true, ' pad '], [Number.NaN, -1], [Infinity]], 'true," pad "\r\n,-1\r\n,\r\n'],
      [[['a\u202eb\u0007', "O'Neil=first-last"]], "a\ufffdb\ufffd,O'Neil=first-last\r\n"],
    ] as const)
      assert.equal(csv(['a', 'b, c'], rows), `a,"b, c"\r\n${text}`);
  });

  it('any table comes back cell by cell, and no text begins what a spreadsheet runs, whatever stands before it', () => {
    const starts = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', '|calc', '\u0000=1'];
    const evil = fc.constantFrom(...starts, '=cmd|"/c calc"!A1');
    const cell = fc.oneof(evil, fc.string({ unit: 'binary' }), fc.double(), fc.constant(undefined));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell)), rows => {
        const [, ...read] = parse(csv(['a', 'b'], rows));
        assert.ok(read.length === rows.length && read.every(row => row.length === 2));
        for (const [index, row] of read.entries())
          for (const [column, text] of row.entries())
            if (typeof rows[index]?.[column] === 'string')
              assert.doesNotMatch(text, /^[\s\ufffd]*[=+\-@＝|]/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('formats', () => {
  const english = new Formatter('en');

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

  it('speaks other languages, and English for one it does not know', () => {
    const german = new Formatter('de');
    assert.deepEqual([german.span(2 * 86_400_000), german.bytes(1536)], ['2 Tg.', '1,5 kB']);
    assert.match(german.duration(7_140_000), /^1 Std\.,? (?:und )?59 Min\.$/);
    assert.equal(new Formatter('xx-invalid-').compact(1500), '1.5K');
    const named = ['en-GB@posix', 'de_DE.UTF-8', 'C', ''].map(supportedLanguage);
    assert.deepEqual(named, ['en-GB', 'de-DE', 'en', 'en']);
  });
});
