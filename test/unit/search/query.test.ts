import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseQuery, type TypedQuery } from '../../../src/search';

const parsed = (text: string): Partial<TypedQuery> => {
  const { terms, ...rest } = parseQuery(text);
  return { terms, ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) };
};
const word = (text: string, isPrefix = false) => ({ text, isPrefix });
const day = (year: number, month: number, date: number): number => new Date(year, month - 1, date).getTime();

describe('what is typed into the search', () => {
  it('is words, of which the last may go on, phrases and beginnings', () => {
    assert.deepEqual(parsed('one two'), { terms: [word('one'), word('two', true)] });
    assert.deepEqual(parsed('one two '), { terms: [word('one'), word('two')] });
    assert.deepEqual(parsed('"one two" th* four '), {
      terms: [word('one two'), word('th', true), word('four')],
    });
    assert.deepEqual(parsed('"one tw'), { terms: [word('one tw', true)] });
    assert.deepEqual(parsed('  '), { terms: [] });
  });

  it('narrows by who, title and day', () => {
    assert.deepEqual(parsed('from:me error '), { terms: [word('error')], by: 'me' });
    assert.deepEqual(parsed('FROM:agent x '), { terms: [word('x')], by: 'agent' });
    assert.deepEqual(parsed('in:"fix the" x '), { terms: [word('x')], inTitle: 'fix the' });
    assert.deepEqual(parsed('x in:fix'), { terms: [word('x')], inTitle: 'fix' });
    assert.deepEqual(parsed('x after:2026-11-01 before:2026-12'), {
      terms: [word('x')],
      after: day(2026, 11, 1),
      before: day(2026, 12, 1),
    });
  });

  it('waits for what is not whole yet, and takes all else for words', () => {
    assert.deepEqual(parsed('x after:2026-'), { terms: [word('x')] });
    assert.deepEqual(parsed('x in:'), { terms: [word('x')] });
    assert.deepEqual(parsed('from:nobody https://x '), { terms: [word('from:nobody'), word('https://x')] });
  });

  it('can be anything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        assert.ok(parseQuery(text).terms.length <= 20);
      }),
    );
  });
});
