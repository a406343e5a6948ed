import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CollectionOptions, SearchQuery, SearchTerm, Storage } from '../../../src/storage';
import { wordsOf } from '../../../src/storage/search';
import { openWindow, temporaryFolder } from './support';

interface Said {
  readonly text: string;
  readonly at: number;
  readonly by: 'me' | 'agent';
  readonly isHidden?: boolean;
}

const said = (folder: string): CollectionOptions<Said> => ({
  path: `services/one/${folder}`,
  version: 1,
  schema: { parse: value => value as Said },
  text: ({ isHidden = false, ...text }) => (isHidden ? undefined : text),
});
/** Words in five scripts, with marks, cases and widths as people write them. */
const words = [
  ...['Café', 'cafe', 'coffee', 'Résumé', 'résumés', 'NAÏVE', 'test', 'tests', 'testing', 'ﬁle', 'v1', 'ⅷ'],
  ...['Привет', 'привет', 'приветы', 'Ёлка', 'елка', 'мир', 'Καλημέρα', 'καλημερα', 'ΟΔΟΣ', 'οδός', 'κόσμε'],
  ...['中文', '文件', '日本語', 'テスト', 'ﾃｽﾄ', '東京都', 'が', '한국어', '한국'],
  ...['مرحبا', 'مَرْحَبًا', 'العالم', 'أهلا', 'اهلا'],
];
const text = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(' ', ', ', '\n', '。', '-', '"', ' (', '…')), {
    minLength: 1,
    maxLength: 8,
  })
  .map(parts => parts.flat().join(''));

/** As somebody would who reads everything: words beside each other, of which the last may go on. */
function isIn(text: string, sought: string, isPrefix: boolean): boolean {
  const spaced = (words: readonly string[]): string => ` ${words.join(' ')}`;
  const [whole, part] = [wordsOf(text), wordsOf(sought)];
  return part.length > 0 && `${spaced(whole)} `.includes(`${spaced(part)}${isPrefix ? '' : ' '}`);
}

describe('full-text search of the store', () => {
  let storage: Storage;
  beforeEach(() => (storage = openWindow(temporaryFolder())));

  const search = (text: string, { isPrefix = false, ...more }: Partial<SearchQuery & SearchTerm> = {}) =>
    storage.search({ terms: [{ text, isPrefix }], within: ['services/one'], limit: 5_000, ...more });
  const found = async (...query: Parameters<typeof search>): Promise<string> => {
    const { hits, isMore } = await search(...query);
    return `${hits.map(({ id }) => id).join('')}${isMore ? '+' : ''}`;
  };

  it('finds what reading everything finds', async () => {
    const messages = fc.sample(text, { numRuns: 5_000, seed: 7 });
    const kept = storage.collection(said('many'));
    await Promise.all(messages.map((text, at) => kept.put(`m${at}`, { text, at, by: 'me' })));
    const part = fc
      .constantFrom(...words)
      .chain(word => fc.integer({ min: 1, max: word.length }).map(length => word.slice(0, length)));
    const sought = fc.array(fc.oneof(part, fc.constantFrom(...words)), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(sought, fc.boolean(), async (parts, isPrefix) => {
        const phrase = parts.join(' ');
        const { hits, isMore } = await search(phrase, { isPrefix });
        const expected = messages.flatMap((text, at) => (isIn(text, phrase, isPrefix) ? [`m${at}`] : []));
        const ids = hits.map(({ id }) => id).reverse();
        assert.deepEqual(ids, expected);
        assert.equal(isMore, false);
        for (const { match, lead, rest } of hits) {
          assert.ok(isIn(match, phrase, isPrefix), `${match} for ${phrase}`);
          assert.ok((lead + match + rest).length > 0);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('takes whatever is typed for text', async () => {
    const text = 'one NEAR two AND three OR "four" (five) * six';
    await storage.collection(said('few')).put('a', { text, at: 1, by: 'me' });
    const queries = ['" OR 1', 'NEAR(', 'one AND three', '*', '"', 'said:one', '{', "'; DROP TABLE x", '\0'];
    for (const sought of queries)
      assert.equal(await found(sought), isIn(text, sought, false) ? 'a' : '', sought);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.boolean(), async (text, isPrefix) => {
        await search(text, { isPrefix, within: [text, 'services/one'] });
      }),
    );
  });

  it('finds a word however it is spelt, and in scripts without spaces what stands side by side', async () => {
    const text = 'Café ОДНА Ёлка οδός مَرْحَبًا 東京都庁 ﾃｽﾄ 한국어를 हिन्दी ภาษาไทย';
    await storage.collection(said('few')).put('a', { text, at: 1, by: 'me' });
    const spelt = 'cafe CAFÉ cafe\u0301 одна елка ΟΔΟΣ مرحبا 京都 都庁 テスト हिन्दी ไทย';
    for (const sought of spelt.split(' ')) assert.equal(await found(sought), 'a', sought);
    for (const sought of ['한국', 'caf', 'οδο'])
      assert.deepEqual([await found(sought, { isPrefix: true }), await found(sought)], ['a', ''], sought);
    for (const sought of ['東都', '京 庁', 'हन्द', 'afé']) assert.equal(await found(sought), '', sought);
  });

  it('follows changes, removals, and what is hidden', async () => {
    const kept = storage.collection(said('few'));
    for (const [at, [id, text]] of [['a', 'alpha'] as const, ['b', 'alpha beta'] as const].entries())
      await kept.put(id, { text, at: at + 1, by: 'me' });
    await kept.put('c', { text: 'alpha', at: 3, by: 'me', isHidden: true });
    assert.equal(await found('alpha'), 'ba');
    await kept.update('a', now => ({ ...now!, text: 'gamma' }));
    await kept.update('b', now => ({ ...now!, at: 0 }));
    assert.deepEqual([await found('alpha'), await found('gamma')], ['b', 'a']);
    await kept.update('a', now => ({ ...now!, isHidden: true }));
    await kept.remove('b');
    assert.deepEqual([await found('alpha'), await found('gamma')], ['', '']);
    await kept.put('b', { text: 'alpha again', at: 9, by: 'me' });
    assert.equal(await found('alpha'), 'b');
    const asked = storage.collection({ ...said('asked'), isVolatile: () => true });
    for (const [at, text] of ['delta', 'epsilon', 'epsilon'].entries())
      await asked.put('d', { text, at, by: 'me' });
    assert.deepEqual([await found('delta'), await found('epsilon')], ['', 'd']);
  });

  it('narrows by who, when and where, the latest first, and says when there are more', async () => {
    const two = { ...said('x'), path: 'services/two/s1' };
    for (const [id, at, by, options] of [
      ['a', 1, 'me', said('s1')],
      ['b', 3, 'agent', said('s2')],
      ['c', 2, 'agent', said('s1')],
      ['d', 4, 'me', two],
    ] as const)
      await storage.collection(options).put(id, { text: 'word', at, by });
    for (const [more, ids] of [
      [{}, 'bca'],
      [{ limit: 2 }, 'bc+'],
      [{ by: 'agent' }, 'bc'],
      [{ within: ['services/one/s1'] }, 'ca'],
      [{ within: ['services/one/s2', 'services/two/s1'] }, 'db'],
      [{ within: [] }, ''],
      [{ without: ['services/one/s1', 'services/one/other'] }, 'b'],
      [{ after: 2 }, 'bc'],
      [{ before: 2 }, 'a'],
      [{ after: 2, before: 3 }, 'c'],
    ] as const)
      assert.equal(await found('word', more), ids, JSON.stringify(more));
    // Nanoseconds, say.
    await storage.collection(said('s1')).put('z', { text: 'word', at: 2 ** 60, by: 'me' });
    assert.equal(await found('word'), 'zbca');
    const [, latest] = await storage.texts('services/one/s1', 2);
    assert.deepEqual(latest, { text: 'word', at: 2, by: 'agent' });
  });
});
