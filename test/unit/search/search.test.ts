import assert from 'node:assert/strict';
import fc from 'fast-check';
import { transcriptRecords } from '../../../src/chat';
import { searchedComputers } from '../../../src/computers';
import type { ConnectionState } from '../../../src/connection';
import { searchedOrganization } from '../../../src/organization';
import { searchedReadiness } from '../../../src/readiness';
import { openSearch, parseQuery } from '../../../src/search';
import { sessionRecords } from '../../../src/sessions';
import { storeRows } from '../../fakes/storage';
import { quickPicks } from '../../fakes/vscode';
import { recordOf } from '../sessions/support';
import { openWindow, temporaryFolder, until } from '../storage/support';

const NOON = Date.UTC(2026, 10, 1, 12);

const titles = new Map([
  ['s1', 'Fix the $(bug) parser'],
  ['s2', 'Write docs'],
]);

function message(id: string, text: string, more: object = {}) {
  const stored = { id, role: 'user', createdAt: NOON, content: [{ type: 'text', text }], ...more };
  return [id, { id, message: stored }] as const;
}

const SAID = {
  'one/transcripts/s1': [
    message('m1', 'The parser drops a $(trash) brace\nat the \u202eend of a file'),
    message('m2', 'I mended the parser', { role: 'assistant', createdAt: NOON + 1 }),
    message('m3', 'A secret parser', { visibility: 'llm_only' }),
    message('m4', 'Another secret parser', { isUserVisible: false }),
  ],
  'one/transcripts/s2': [message('m5', 'About parsers')],
  'two/transcripts/s1': [message('m6', 'A parser elsewhere')],
  'one/transcripts/gone': [message('m7', 'A parser nobody wants any more')],
};

const ANN = { id: 'u1', firstName: 'Ann', lastName: 'Smith', email: 'ann@example.org' };
const report = (reportId: string, createdAt: number, rationale: string) => ({
  ...{ reportId, createdAt, repoUrl: 'https://github.com/acme/app' },
  report: {
    type_checker: { numerator: 1, denominator: 1, rationale },
    linter: { numerator: 0, denominator: 1 },
  },
});
const revision = (number: number, enabled: boolean) => ({
  ...{ revision: number, settings: { sandbox: { enabled } }, user: ANN },
  updatedAt: new Date(NOON + number).toISOString(),
});
/** Lists by where they are kept, and by the keys of their items. */
const LISTS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  'one/lists/people': {
    u1: { ...ANN, metadata: { note: 'hush' } },
    u2: { id: 'u2', email: 'docs@example.org' },
  },
  'two/lists/people': { u3: { id: 'u3', email: 'elsewhere@example.org' } },
  'one/lists/computers': {
    c1: { id: 'c1', name: 'atlas', provisioningSteps: [{ name: 'Install', error: 'npm was not found' }] },
  },
  'one/lists/readiness/app.example.org': {
    r1: report('r1', NOON, 'Strict mode is off'),
    r2: report('r2', NOON + 1, 'Strict mode is on'),
  },
  'one/lists/controls': { 1: revision(1, false), 2: revision(2, true), 3: revision(3, true) },
};

/** The search over what is stored, and the places it has opened. */
async function opened(state: object = { kind: 'signedIn', service: { id: 'one' } }) {
  const root = temporaryFolder();
  const places: unknown[] = [];
  const open = (place: unknown) => Promise.resolve(places.push(place));
  const things = (id: string) => [
    ...searchedOrganization(id, () => Promise.resolve({ showUser: open, openChanges: open })),
    searchedComputers(id, () => Promise.resolve({ showDetails: open })),
    searchedReadiness(id, () => Promise.resolve({ openReport: open })),
  ];
  const stored = (sessionId: string) =>
    [sessionId, recordOf({ sessionId, firstText: titles.get(sessionId)! })] as const;
  storeRows(root, 'services/one/sessions', 2, [...titles.keys()].map(stored), sessionRecords('one'));
  for (const [path, messages] of Object.entries(SAID))
    storeRows(root, `services/${path}`, 1, messages, transcriptRecords('one', '*'));
  for (const [path, items] of Object.entries(LISTS)) {
    const rows = Object.entries(items).map(([key, item]) => [`item ${key}`, { item }] as const);
    const [, name = ''] = /lists\/(\w+)/.exec(path) ?? [];
    const kind = things('one').find(({ records }) => records.path.includes(`lists/${name}`));
    storeRows(root, `services/${path}`, 1, [...rows, ['head', { head: { problems: [] } }]], kind?.records);
  }
  const run = openSearch({
    connection: { ready: () => Promise.resolve(state as ConnectionState) },
    storage: openWindow(root),
    titles: () => Promise.resolve(titles),
    removed: () => Promise.resolve(['gone']),
    records: id => ({
      sessions: sessionRecords(id),
      messages: session => transcriptRecords(id, session),
      things: things(id),
    }),
    open,
  });
  await Promise.race([run, new Promise(resolve => setImmediate(resolve))]);
  const box = quickPicks.at(-1)!;
  const type = async (...texts: readonly string[]) => {
    for (const text of texts) box.type(text);
    await until(() => !box.busy);
    return box.items.map(({ label, detail }) => `${label}: ${detail ?? ''}`);
  };
  const choose = async (index: number): Promise<void> => {
    box.choose(index);
    await run;
  };
  return { box, type, choose, places };
}

describe('the search', () => {
  it('lists what is stored of this service with the words around, the latest first, and opens it there', async () => {
    const { box, type, choose, places } = await opened();
    const fix = 'Fix the $\u200b(bug) parser';
    const first = `${fix}: The parser drops a $\u200b(trash) brace at the \ufffdend of a file`;
    assert.deepEqual(await type('from:me parser '), [first]);
    assert.deepEqual(await type('parser '), [`${fix}: I mended the parser`, first, `${fix}: `]);
    assert.equal(box.title, '3 results, newest first');
    for (const [index, who] of ['agent', 'you', 'title'].entries())
      assert.ok(box.items[index]!.description!.startsWith(`${who} · `), who);
    assert.equal((await type('pars')).length, 4);
    assert.deepEqual(await type('from:me "parser drops"'), [first]);
    assert.deepEqual(await type('in:docs parser'), ['Write docs: About parsers']);
    assert.deepEqual(await type('in:"fix the bug pars" mended '), [`${fix}: I mended the parser`]);
    assert.deepEqual(await type('in:nothing parser'), []);
    assert.equal(box.title, 'No results');
    const nothing = 'secret|elsewhere|nobody wants|after:9998 parser|" OR 1|hush|in:"fi bug" mended ';
    for (const text of nothing.split('|')) assert.deepEqual(await type(text), [], text);
    assert.deepEqual(await type('p', 'pa', 'docs', 'mended '), [`${fix}: I mended the parser`]);
    await choose(0);
    assert.deepEqual(places, [{ sessionId: 's1', messageId: 'm2', words: 'mended' }]);
    assert.equal(box.isShown, false);
  });

  it('lists people and the like after what was said, unless it is asked who said it or where; asks for a word, and to sign in where no sessions are shown', async () => {
    const { box, type } = await opened();
    assert.deepEqual(await type('docs'), ['Write docs: ', 'Other: ', 'docs@example.org: ']);
    assert.equal(box.title, '2 results, newest first');
    for (const text of ['from:agent docs', 'in:docs smith']) assert.deepEqual(await type(text), [], text);
    await type('from:me in:docs');
    assert.equal(box.title, 'Type a word to search for');
    await assert.rejects(opened({ kind: 'signedOut' }), /Sign in first/);
  });

  for (const [what, typed, listed, place] of [
    ['people by name, e-mail and id', 'smith ann@example.org u1', /^Ann Smith \(user\)$/, { personId: 'u1' }],
    ['people without a name', 'docs@example', /^docs@example\.org \(user\)$/, { personId: 'u2' }],
    ['computers by name', 'atlas', /^atlas \(computer\)$/, { computerId: 'c1' }],
    ['computers by what failed', '"npm was not"', /^atlas \(computer\)$/, { computerId: 'c1' }],
    ['a criterion in its latest report', 'strict', /^type_checker \(readiness of .*acme/, { reportId: 'r2' }],
    ['a criterion without words', 'linter', /^linter /, { criterion: 'linter' }],
    ['what a revision changed', 'sandbox true', /^Revision 2 \(ann@example\.org/, { revision: 2 }],
    ['what the first one had', 'sandbox false', /^Revision 1 /, { revision: 1 }],
  ] as const)
    it(`finds ${what}, once, and opens that`, async () => {
      const { box, type, choose, places } = await opened();
      await type(typed);
      const [, found, ...more] = box.items.map(({ label, description }) => `${label} (${description})`);
      assert.match(found!, listed);
      assert.deepEqual(more, []);
      await choose(1);
      assert.partialDeepStrictEqual(places, [place]);
    });
});

it('what is typed into the search is words, of which the last may go on, and who, where and when; it can be anything', () => {
  const day = (year: number, month: number, date: number) => new Date(year, month - 1, date).getTime();
  for (const [typed, words, narrowed = {}] of [
    ['one two', 'one, two*'],
    ['one two ', 'one, two'],
    ['"one two" th* four ', 'one two, th*, four'],
    ['"one tw', 'one tw*'],
    ['  ', ''],
    ['from:me error ', 'error', { by: 'me' }],
    ['FROM:agent x ', 'x', { by: 'agent' }],
    ['in:"fix the" x ', 'x', { inTitle: 'fix the' }],
    ['x in:fix', 'x', { inTitle: 'fix' }],
    ['x after:2026-11-01', 'x', { after: day(2026, 11, 1) }],
    ['x before:2026-12', 'x', { before: day(2026, 12, 1) }],
    // What is not whole yet says nothing, and all else is words.
    ['x after:2026-', 'x'],
    ['x in:', 'x'],
    ['from:nobody https://x ', 'from:nobody, https://x'],
  ] as const) {
    const { terms, ...rest } = parseQuery(typed);
    assert.equal(terms.map(({ text, isPrefix }) => `${text}${isPrefix ? '*' : ''}`).join(', '), words, typed);
    assert.deepEqual(JSON.parse(JSON.stringify(rest)), narrowed, typed);
  }
  assert.equal(parseQuery('word '.repeat(30)).terms.length, 20);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), typed => assert.ok(parseQuery(typed).terms.length <= 20)),
  );
});
