import assert from 'node:assert/strict';
import { searchedComputers } from '../../../src/computers';
import { searchedOrganization } from '../../../src/organization';
import { searchedReadiness } from '../../../src/readiness';
import { storeRows } from '../../fakes/storage';
import { cleanUp, temporaryFolder } from '../storage/support';
import { NOON, openSearch } from './support';

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
    const { box, type, choose } = await openSearch({ root, things });
    await type(text);
    const listed = box.items.slice(1).map(({ label, description }) => `${label} (${description})`);
    await choose(1);
    return { listed, asked: [...asked] };
  };
}

describe('the search beyond sessions', function () {
  afterEach(cleanUp);

  it('finds people by name, e-mail and id, and shows the one', async () => {
    const search = searching();
    for (const text of ['smith', 'ann@example.org u1', 'u1'])
      assert.deepEqual(await search(text), { listed: ['Ann Smith (user)'], asked: [{ personId: 'u1' }] });
    assert.deepEqual((await search('bob')).listed, ['bob@example.org (user)']);
    assert.deepEqual((await search('hush')).listed, [], 'what nobody is shown is not found');
  });

  it('finds computers by name and by what failed on them', async () => {
    const search = searching();
    for (const text of ['atlas', '"npm was not"'])
      assert.deepEqual(await search(text), { listed: ['atlas (computer)'], asked: [{ computerId: 'c1' }] });
  });

  it('finds a criterion once a repository, in its latest report', async () => {
    const search = searching();
    const { listed, asked } = await search('strict');
    assert.equal(listed.length, 1);
    assert.match(listed[0]!, /^type_checker \(readiness of .*acme\/app/);
    assert.partialDeepStrictEqual(asked, [{ reportId: 'r2', criterion: 'type_checker' }]);
    assert.match((await search('linter')).listed.join(), /^linter /);
  });

  it('finds the change of a control in the revision that made it', async () => {
    const search = searching();
    const { listed, asked } = await search('sandbox true');
    assert.deepEqual(asked, [{ revision: 2 }]);
    assert.match(listed.join(), /^Revision 2 \(ann@example.org/);
    assert.deepEqual((await search('sandbox false')).asked, [{ revision: 1 }]);
  });
});
