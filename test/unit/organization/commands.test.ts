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
