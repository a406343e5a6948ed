import assert from 'node:assert/strict';
import { OrganizationCommands, type OrganizationCommandsDeps } from '../../../src/organization/commands';
import type { Person } from '../../../src/organization/model';
import { acts } from '../../fakes/vscode';

const PEOPLE: readonly Person[] = [
  { id: 'with', email: 'ann@acme.example' },
  { id: 'without', firstName: 'Bo' },
];

function commands(): OrganizationCommands['handlers'] {
  const data = { person: (id: string) => PEOPLE.find(person => person.id === id) };
  // Only what copying asks of the room is there.
  return new OrganizationCommands({ data } as unknown as OrganizationCommandsDeps).handlers;
}

describe('copying e-mails', () => {
  const rows = PEOPLE.map(({ id }) => ({ personId: id }));

  beforeEach(() => acts.splice(0));

  it('of all selected rows that have one, whichever of them was clicked', async () => {
    for (const clicked of rows) {
      acts.splice(0);
      await commands().copyEmail(clicked, rows);
      assert.deepEqual(acts, ['clipboard.writeText=ann@acme.example']);
    }
  });

  it('says which person has none when no selected row has one', async () => {
    const [, without] = rows;
    await assert.rejects(Promise.resolve(commands().copyEmail(without, [without])), /no e-mail of Bo/);
    assert.deepEqual(acts, []);
  });
});

describe('copying ids of users', () => {
  beforeEach(() => acts.splice(0));

  it('copies those of all selected rows, or that of the one that was clicked', async () => {
    const rows = PEOPLE.map(({ id }) => ({ personId: id }));
    await commands().copyUserId(rows[1], rows);
    await commands().copyUserId(rows[1], undefined);
    assert.deepEqual(acts, ['clipboard.writeText=with, without', 'clipboard.writeText=without']);
  });
});

describe('commands that ask which user or revision', () => {
  const failure = { at: 1, sentence: 'This key may not read the users (403).', forbidden: true };
  const NOTHING = { items: [], problems: [] };

  /** Of an organization of which nothing is known but what is given. */
  function handlers(
    known: {
      people?: object;
      controls?: object;
      revisions?: readonly object[];
      host?: string | undefined;
    } = {},
  ): OrganizationCommands['handlers'] {
    const { people = NOTHING, controls = NOTHING, revisions = [] } = known;
    const data = {
      people: { state: { current: people } },
      controls: { state: { current: controls } },
      revisions,
    };
    return new OrganizationCommands({
      data: { ...data, revision: () => revisions[0] },
      shown: { people: [], isPeopleFiltered: false, peopleFilter: {}, historyFilter: {}, days: new Map() },
      listed: () => Promise.resolve(),
      used: () => Promise.resolve(),
      usedSoon: () => Promise.resolve(),
      host: () => ('host' in known ? known.host : 'api.example.com'),
      inactiveDays: () => 30,
      now: () => 0,
    } as unknown as OrganizationCommandsDeps).handlers;
  }
  const ofPeople = ['findUser', 'showUser', 'copyEmail', 'copyUserId', 'exportUsers'] as const;
  const ofRevisions = [
    'findRevision',
    'filter',
    'openChanges',
    'compareRevisions',
    'showCurrent',
    'showRevision',
    'copyPermalink',
    'exportHistory',
  ] as const;
  const says = async (
    names: readonly (keyof OrganizationCommands['handlers'])[],
    made: OrganizationCommands['handlers'],
    reason: RegExp,
  ): Promise<void> => {
    for (const name of names) await assert.rejects(Promise.resolve(made[name]()), reason, name);
  };

  it('say why there is none instead of asking with an empty list', async () => {
    await says(ofPeople, handlers(), /^Error: No user is known yet\.$/);
    await says(ofRevisions, handlers(), /^Error: No control revision is known yet\.$/);
    const forbidden = { ...NOTHING, failure };
    await says(ofPeople, handlers({ people: forbidden }), /may not read the users \(403\)/);
    await says(ofRevisions, handlers({ controls: forbidden }), /may not read the users \(403\)/);
    const signedOut = handlers({ host: undefined, people: forbidden });
    await says([...ofPeople, ...ofRevisions], signedOut, /^Error: Sign in to read the organization\.$/);
  });

  it('say that there is nothing to compare the only revision with', async () => {
    const only = handlers({ revisions: [{ revision: 1, settings: {} }] });
    await assert.rejects(
      Promise.resolve(only.compareRevisions({ revision: 1 })),
      /No other control revision/,
    );
  });
});
