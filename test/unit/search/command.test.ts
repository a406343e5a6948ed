import assert from 'node:assert/strict';
import { transcriptRecords } from '../../../src/chat';
import type { Searched } from '../../../src/search';
import { sessionRecords } from '../../../src/sessions';
import { storeRows } from '../../fakes/storage';
import { cleanUp, temporaryFolder } from '../storage/support';
import { NOON, openSearch } from './support';

const titles = new Map([
  ['s1', 'Fix the $(bug) parser'],
  ['s2', 'Write docs'],
]);

function message(id: string, text: string, more: object = {}) {
  const stored = { id, role: 'user', createdAt: NOON, content: [{ type: 'text', text }], ...more };
  return [id, { id, message: stored }] as const;
}

interface Person {
  readonly name: string;
  readonly of: string;
}

const persons = {
  text: ({ name, of }: Person) => ({ text: `${name}\nmember of ${of}\nsince ever` }),
  schema: { parse: (value: unknown) => value as Person },
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
async function opened(isSignedOut = false) {
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
  return { ...(await openSearch({ root, things, titles, removed: ['gone'], isSignedOut, open })), places };
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
    await assert.rejects(opened(true), /Sign in first/);
  });
});
