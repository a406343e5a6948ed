import assert from 'node:assert/strict';
import fc from 'fast-check';
import { OutputLog } from '../../../src/log';
import { output } from '../../fakes/vscode';
import { forNotification, forQuickPick, middle, oneLine, plain } from '../../../src/util/text';

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
