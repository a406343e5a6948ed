import assert from 'node:assert/strict';
import fc from 'fast-check';
import { transcriptRecords } from '../../../src/chat';
import { searchedComputers } from '../../../src/computers';
import type { ConnectionState } from '../../../src/connection';
import { searchedOrganization } from '../../../src/organization';
import { searchedReadiness } from '../../../src/readiness';
import * as search from '../../../src/search';
import { parseQuery, type Searched, type TypedQuery } from '../../../src/search';
import { sessionRecords } from '../../../src/sessions';
import { Formatter } from '../../../src/util/format';
import { storeRows } from '../../fakes/storage';
import { quickPicks } from '../../fakes/vscode';
import { cleanUp, openWindow, temporaryFolder } from '../storage/support';

const NOON = Date.UTC(2026, 10, 1, 12);

const titles = new Map([
  ['s1', 'Fix the $(bug) parser'],
  ['s2', 'Write docs'],
]);

/** Opens the search over what is stored; `open` is told where a session was opened. */
async function openSearch(
  root: string,
  things: (serviceId: string) => readonly Searched[],
  open: (place: object) => unknown = () => undefined,
  state: object = { kind: 'signedIn', service: { id: 'one' } },
) {
  const run = search.openSearch({
    connection: { ready: () => Promise.resolve(state as ConnectionState) },
    storage: openWindow(root),
    format: new Formatter('en'),
    titles: () => Promise.resolve(titles),
    removed: () => Promise.resolve(['gone']),
    records: id => ({
      sessions: sessionRecords(id),
      messages: session => transcriptRecords(id, session),
      things: things(id),
    }),
    open: place => Promise.resolve(open(place)),
  });
  await Promise.race([run, new Promise(resolve => setImmediate(resolve))]);
  const box = quickPicks.at(-1)!;
  /** What is listed for a text, each with its detail. */
  const type = async (...texts: readonly string[]) => {
    for (const text of texts) box.type(text);
    while (box.busy) await new Promise(resolve => setImmediate(resolve));
    return box.items.map(({ label, detail }) => `${label}: ${detail ?? ''}`);
  };
  const choose = async (index: number): Promise<void> => {
    box.choose(index);
    await run;
  };
  return { box, type, choose };
}

function message(id: string, text: string, more: object = {}) {
  const stored = { id, role: 'user', createdAt: NOON, content: [{ type: 'text', text }], ...more };
  return [id, { id, message: stored }] as const;
}

const persons = {
  text: ({ name, of }: Readonly<Record<string, string>>) => ({
    text: `${name}\nmember of ${of}\nsince ever`,
  }),
  schema: { parse: (value: unknown) => value as Readonly<Record<string, string>> },
};

/** People as a feature would give them: several records of the same one. */
function people(serviceId: string, places: unknown[]): Searched {
  return {
    records: { path: `services/${serviceId}/lists/people` },
    found: ({ id, first, line }) => ({
      key: `${first} ${line}`,
      label: first,
      description: 'person',
      isUndated: true,
      open: () => Promise.resolve(places.push({ person: id, line })),
    }),
  };
}

/** The search over what is stored, and the places it has opened. */
async function opened(state?: object) {
  const root = temporaryFolder();
  const session = (id: string) =>
    [id, { sessionId: id, origin: 'added', addedAt: NOON, firstText: titles.get(id), local: {} }] as const;
  storeRows(root, 'services/one/sessions', 2, [session('s1'), session('s2')], sessionRecords('one'));
  const said = {
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
  for (const [path, messages] of Object.entries(said))
    storeRows(root, `services/${path}`, 1, messages, transcriptRecords('one', '*'));
  const lists = {
    one: [
      ['p1', { name: 'Ann Smith', of: 'parser team' }],
      ['p2', { name: 'Ann Smith', of: 'parser team' }],
      ['p3', { name: 'Bob', of: 'docs' }],
    ],
    two: [['p4', { name: 'Ann Elsewhere', of: 'parser team' }]],
  } as const;
  for (const [service, rows] of Object.entries(lists))
    storeRows(root, `services/${service}/lists/people`, 1, rows, persons);
  const places: unknown[] = [];
  const things = (id: string) => [people(id, places)];
  const open = (place: object) => places.push(place);
  return { ...(await openSearch(root, things, open, state)), places };
}

describe('the command that searches sessions', function () {
  afterEach(cleanUp);

  it('lists what is stored of this service with the words around, the latest first, and opens it there', async () => {
    const { box, type, choose, places } = await opened();
    const fix = 'Fix the $\u200b(bug) parser';
    assert.deepEqual(await type('from:me parser '), [
      `${fix}: The parser drops a $\u200b(trash) brace at the \ufffdend of a file`,
    ]);
    assert.deepEqual((await type('parser ')).slice(0, 3), [
      `${fix}: I mended the parser`,
      `${fix}: The parser drops a $\u200b(trash) brace at the \ufffdend of a file`,
      `${fix}: `,
    ]);
    assert.equal(box.title, '4 results, newest first');
    assert.match(box.items[0]!.description!, /^agent · /);
    assert.match(box.items[1]!.description!, /^you · /);
    assert.match(box.items[2]!.description!, /^title · /);
    assert.equal((await type('pars')).length, 6);
    assert.deepEqual(await type('from:me "parser drops"'), [
      `${fix}: The parser drops a $\u200b(trash) brace at the \ufffdend of a file`,
    ]);
    assert.deepEqual(await type('in:docs parser'), ['Write docs: About parsers']);
    assert.deepEqual(await type('in:nothing parser'), []);
    assert.equal(box.title, 'No results');
    for (const text of ['secret', 'elsewhere', 'nobody wants', 'after:9998 parser', '" OR 1'])
      assert.deepEqual(await type(text), [], text);
    await type('mend');
    await choose(0);
    assert.deepEqual(places, [{ sessionId: 's1', messageId: 'm2', words: 'mended' }]);
    assert.equal(box.isShown, false);
  });

  it('lists people and the like after what was said, each once, and opens them', async () => {
    const { box, type, choose, places } = await opened();
    assert.deepEqual(await type('docs'), ['Write docs: ', 'Other: ', 'Bob: Bob member of docs since ever']);
    assert.equal(box.title, '2 results, newest first');
    assert.deepEqual(await type('ann'), ['Other: ', 'Ann Smith: ']);
    assert.equal(box.items[1]!.description, 'person');
    assert.deepEqual(await type('from:agent ann'), []);
    assert.deepEqual(await type('in:docs ann'), []);
    await type('docs member');
    assert.deepEqual(await type('team'), [
      'Other: ',
      'Ann Smith: Ann Smith member of parser team since ever',
    ]);
    await choose(1);
    assert.deepEqual(places, [{ person: 'p2', line: 'member of parser team' }]);
  });

  it('shows what was typed last, however fast', async () => {
    const { box, type } = await opened();
    await type('p', 'pa', 'docs', 'mended ');
    assert.deepEqual(
      box.items.map(({ detail }) => detail),
      ['I mended the parser'],
    );
  });

  it('asks for a word where there is nothing but where to look, and to sign in where no sessions are shown', async () => {
    const { box, type } = await opened();
    await type('from:me in:docs');
    assert.equal(box.title, 'Type a word to search for');
    await assert.rejects(opened({ kind: 'signedOut' }), /Sign in first/);
  });
});

/** The command over lists as they are kept; resolves to what it lists for some words, and to what opening the only one asks for. */
function searching() {
  const root = temporaryFolder();
  const asked: unknown[] = [];
  const note = (argument: unknown): unknown => asked.push(argument);
  const things = (id: string) => [
    ...searchedOrganization(id, () => Promise.resolve({ showUser: note, openChanges: note })),
    searchedComputers(id, () => Promise.resolve({ showDetails: note })),
    searchedReadiness(id, () => Promise.resolve({ openReport: note })),
  ];
  const list = (name: string, items: Readonly<Record<string, object>>): void => {
    const path = `services/one/lists/${name}`;
    const rows = Object.entries(items).map(([key, item]) => [`item ${key}`, { item }] as const);
    const end = ['head', { head: { problems: [] } }] as const;
    const kind = things('one').find(({ records }) => path.startsWith(records.path.replace('/*', '')));
    storeRows(root, path, 1, [...rows, end], kind?.records);
  };
  list('people', {
    u1: {
      id: 'u1',
      firstName: 'Ann',
      lastName: 'Smith',
      email: 'ann@example.org',
      metadata: { note: 'hush' },
    },
    u2: { id: 'u2', email: 'bob@example.org' },
  });
  list('computers', {
    c1: { id: 'c1', name: 'atlas', provisioningSteps: [{ name: 'Install', error: 'npm was not found' }] },
  });
  const report = (reportId: string, createdAt: number, rationale: string) => ({
    reportId,
    createdAt,
    repoUrl: 'https://github.com/acme/app',
    report: {
      type_checker: { numerator: 1, denominator: 1, rationale },
      linter: { numerator: 0, denominator: 1 },
    },
  });
  list('readiness/app.example.org', {
    r1: report('r1', NOON, 'Strict mode is off'),
    r2: report('r2', NOON + 1, 'Strict mode is on'),
  });
  const revision = (number: number, enabled: boolean) => ({
    revision: number,
    settings: { sandbox: { enabled } },
    user: { email: 'ann@example.org' },
    updatedAt: new Date(NOON + number).toISOString(),
  });
  list('controls', { 1: revision(1, false), 2: revision(2, true), 3: revision(3, true) });
  return async (text: string) => {
    asked.length = 0;
    const { box, type, choose } = await openSearch(root, things);
    await type(text);
    const listed = box.items.slice(1).map(({ label, description }) => `${label} (${description})`);
    await choose(1);
    return { listed, asked: [...asked] };
  };
}

describe('the search beyond sessions', function () {
  afterEach(cleanUp);

  it('finds people by name, e-mail and id, and shows the one', async () => {
    const find = searching();
    for (const text of ['smith', 'ann@example.org u1', 'u1'])
      assert.deepEqual(await find(text), { listed: ['Ann Smith (user)'], asked: [{ personId: 'u1' }] });
    assert.deepEqual((await find('bob')).listed, ['bob@example.org (user)']);
    assert.deepEqual((await find('hush')).listed, [], 'what nobody is shown is not found');
  });

  it('finds computers by name and by what failed on them', async () => {
    const find = searching();
    for (const text of ['atlas', '"npm was not"'])
      assert.deepEqual(await find(text), { listed: ['atlas (computer)'], asked: [{ computerId: 'c1' }] });
  });

  it('finds a criterion once a repository, in its latest report', async () => {
    const find = searching();
    const { listed, asked } = await find('strict');
    assert.equal(listed.length, 1);
    assert.match(listed[0]!, /^type_checker \(readiness of .*acme\/app/);
    assert.partialDeepStrictEqual(asked, [{ reportId: 'r2', criterion: 'type_checker' }]);
    assert.match((await find('linter')).listed.join(), /^linter /);
  });

  it('finds the change of a control in the revision that made it', async () => {
    const find = searching();
    const { listed, asked } = await find('sandbox true');
    assert.deepEqual(asked, [{ revision: 2 }]);
    assert.match(listed.join(), /^Revision 2 \(ann@example.org/);
    assert.deepEqual((await find('sandbox false')).asked, [{ revision: 1 }]);
  });
});

const word = (text: string, isPrefix = false) => ({ text, isPrefix });
const day = (year: number, month: number, date: number): number => new Date(year, month - 1, date).getTime();

describe('what is typed into the search', () => {
  const table: readonly (readonly [text: string, read: Partial<TypedQuery>])[] = [
    // The last word may go on, as phrases may and beginnings.
    ['one two', { terms: [word('one'), word('two', true)] }],
    ['one two ', { terms: [word('one'), word('two')] }],
    ['"one two" th* four ', { terms: [word('one two'), word('th', true), word('four')] }],
    ['"one tw', { terms: [word('one tw', true)] }],
    ['  ', { terms: [] }],
    // Who, title and day.
    ['from:me error ', { terms: [word('error')], by: 'me' }],
    ['FROM:agent x ', { terms: [word('x')], by: 'agent' }],
    ['in:"fix the" x ', { terms: [word('x')], inTitle: 'fix the' }],
    ['x in:fix', { terms: [word('x')], inTitle: 'fix' }],
    ['x after:2026-11-01', { terms: [word('x')], after: day(2026, 11, 1) }],
    ['x before:2026-12', { terms: [word('x')], before: day(2026, 12, 1) }],
    // What is not whole yet says nothing, and all else is words.
    ['x after:2026-', { terms: [word('x')] }],
    ['x in:', { terms: [word('x')] }],
    ['from:nobody https://x ', { terms: [word('from:nobody'), word('https://x')] }],
  ];
  for (const [text, read] of table)
    it(`"${text}" is understood`, () => {
      const { terms, ...rest } = parseQuery(text);
      const narrowed = Object.entries(rest).filter(([, value]) => value !== undefined);
      assert.deepEqual({ terms, ...Object.fromEntries(narrowed) }, read);
    });

  it('can be anything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        assert.ok(parseQuery(text).terms.length <= 20);
      }),
    );
  });
});
