import assert from 'node:assert/strict';
import { transcriptRecords } from '../../../src/chat';
import type { ConnectionState } from '../../../src/connection';
import { registerSearch, type Place, type Searched } from '../../../src/search';
import { sessionRecords } from '../../../src/sessions';
import { Formatter } from '../../../src/util/format';
import { storeRows } from '../../fakes/storage';
import { quickPicks, type QuickPick } from '../../fakes/vscode';
import { cleanUp, openWindow, temporaryFolder } from '../storage/support';

const NOON = Date.UTC(2026, 10, 1, 12);
const titles = new Map([
  ['s1', 'Fix the $(bug) parser'],
  ['s2', 'Write docs'],
]);
const signedIn = { kind: 'signedIn', service: { id: 'one' } } as ConnectionState;

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
      kind: 'person',
      hasDetail: line !== first,
      hasTime: false,
      open: () => Promise.resolve(places.push({ person: id, line })),
    }),
  };
}

/** The command over what is stored, and the places it has opened. */
function scene(state: ConnectionState = signedIn) {
  const root = temporaryFolder();
  const session = (id: string) =>
    [id, { sessionId: id, origin: 'added', addedAt: NOON, firstText: titles.get(id), local: {} }] as const;
  const said = transcriptRecords('one', '*');
  storeRows(root, 'services/one/sessions', 2, [session('s1'), session('s2')], sessionRecords('one'));
  storeRows(
    root,
    'services/one/transcripts/s1',
    1,
    [
      message('m1', 'The parser drops a $(trash) brace\nat the \u202eend of a file'),
      message('m2', 'I mended the parser', { role: 'assistant', createdAt: NOON + 1 }),
      message('m3', 'A secret parser', { visibility: 'llm_only' }),
      message('m4', 'Another secret parser', { isUserVisible: false }),
    ],
    said,
  );
  storeRows(root, 'services/one/transcripts/s2', 1, [message('m5', 'About parsers')], said);
  storeRows(root, 'services/two/transcripts/s1', 1, [message('m6', 'A parser elsewhere')], said);
  storeRows(
    root,
    'services/one/transcripts/gone',
    1,
    [message('m7', 'A parser nobody wants any more')],
    said,
  );
  storeRows(
    root,
    'services/one/lists/people',
    1,
    [
      ['p1', { name: 'Ann Smith', of: 'parser team' }],
      ['p2', { name: 'Ann Smith', of: 'parser team' }],
      ['p3', { name: 'Bob', of: 'docs' }],
    ],
    persons,
  );
  storeRows(
    root,
    'services/two/lists/people',
    1,
    [['p4', { name: 'Ann Elsewhere', of: 'parser team' }]],
    persons,
  );
  const places: (Place | object)[] = [];
  const { commands } = registerSearch({
    connection: { ready: () => Promise.resolve(state) },
    storage: openWindow(root),
    format: new Formatter('en'),
    titles: () => Promise.resolve(titles),
    removed: () => Promise.resolve(['gone']),
    records: id => ({
      sessions: sessionRecords(id),
      messages: session => transcriptRecords(id, session),
      things: [people(id, places)],
    }),
    open: place => Promise.resolve(places.push(place)),
  });
  return { commands, places };
}

/** Resolves when nothing is being looked for any more. */
async function idle(box: QuickPick): Promise<void> {
  while (box.busy) await new Promise(resolve => setImmediate(resolve));
}

async function opened(commands: ReturnType<typeof scene>['commands']) {
  const run = commands.open() as Promise<void>;
  await new Promise(resolve => setImmediate(resolve));
  const box = quickPicks.at(-1)!;
  const type = async (text: string) => {
    box.type(text);
    await idle(box);
    return box.items.map(({ label, detail }) => `${label}: ${detail ?? ''}`);
  };
  return { run, box, type };
}

describe('the command that searches sessions', function () {
  afterEach(cleanUp);

  it('lists what is stored of this service with the words around, the latest first, and opens it there', async () => {
    const { commands, places } = scene();
    const { run, box, type } = await opened(commands);
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
    assert.deepEqual(await type('secret'), []);
    assert.deepEqual(await type('elsewhere'), []);
    assert.deepEqual(await type('after:9998 parser'), []);
    assert.deepEqual(await type('" OR 1'), []);
    await type('mend');
    box.choose(0);
    await run;
    assert.deepEqual(places, [{ sessionId: 's1', messageId: 'm2', words: 'mended' }]);
    assert.equal(box.isShown, false);
  });

  it('lists people and the like after what was said, each once, and opens them', async () => {
    const { commands, places } = scene();
    const { run, box, type } = await opened(commands);
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
    box.choose(1);
    await run;
    assert.deepEqual(places, [{ person: 'p2', line: 'member of parser team' }]);
  });

  it('finds nothing of a session that was taken out of the list', async () => {
    const { commands } = scene();
    const { run, box, type } = await opened(commands);
    assert.deepEqual(await type('nobody wants'), []);
    box.dispose();
    await run;
  });

  it('shows what was typed last, however fast', async () => {
    const { commands } = scene();
    const { run, box } = await opened(commands);
    for (const text of ['p', 'pa', 'docs', 'mended ']) box.type(text);
    await idle(box);
    assert.deepEqual(
      box.items.map(({ detail }) => detail),
      ['I mended the parser'],
    );
    box.dispose();
    await run;
  });

  it('asks for a word where there is nothing but where to look', async () => {
    const { commands } = scene();
    const { run, box } = await opened(commands);
    box.type('from:me in:docs');
    await idle(box);
    assert.equal(box.title, 'Type a word to search for');
    box.dispose();
    await run;
  });

  it('asks to sign in where no sessions are shown', async () => {
    const { commands } = scene({ kind: 'signedOut' });
    await assert.rejects(Promise.resolve(commands.open()), /Sign in first/);
  });
});
