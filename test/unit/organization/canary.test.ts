import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { peopleCsv } from '../../../src/organization/rows';
import { secretTexts, secretValues } from '../../fakes/redaction';
import { drawnRows } from '../../fakes/view';
import { cleanUp, faultServer, open, serve, temporaryFolder } from './support';

const CANARY = 'canary-1f2e3d4c5b6a7980';

/** Secrets in every place a service could put them. `turn` tells one revision's from another's. */
function settings(turn: string): object {
  const secret = `${CANARY}-${turn}`;
  return {
    maxAutonomyLevel: 'low',
    commandAllowlist: [`curl -H "Authorization: Bearer ${secret}"`, `deploy --token ${secret}`],
    customModels: [
      {
        id: 'house',
        baseUrl: `https://user:${secret}@models.example/v1?api_key=${secret}`,
        apiKey: secret,
        extraHeaders: { 'X-Anything': secret, nested: { deep: [secret] } },
        extraArgs: { temperature: 0.5, list: [{ more: secret }] },
        APIKEY: secret,
      },
    ],
    modelPolicy: { allowedBaseUrls: [`https://${secret}@host/x`] },
    extraKnownMarketplaces: {
      acme: { source: { url: `https://x:${secret}@git.example/a.git` }, Auth_Token: secret },
    },
    enabledPlugins: { plugin: { CLIENT_SECRET: secret, env: [`API_KEY=${secret}`] } },
    mcpAutonomyOverrides: { server: { headers: { authorization: secret } } },
    numbers: { otp: 123456789, pwd: 987654321 },
    spelling: {
      texts: secretTexts.map(spell => spell(`canary9f8e7d6${turn}`)),
      values: secretValues.map(spell => spell(`canary9f8e7d6${turn}`)),
    },
    userModelPolicies: { [`ghp_${secret.replace(/\W/g, '')}`]: true },
  };
}

/** Everything in the files below a folder. */
function everythingBelow(folder: string): string {
  return fs
    .readdirSync(folder, { recursive: true })
    .map(name => path.join(folder, String(name)))
    .filter(file => fs.statSync(file).isFile())
    .map(file => `${file}\n${fs.readFileSync(file, 'utf8')}`)
    .join('\n');
}

describe('secrets of the controls', () => {
  afterEach(cleanUp);

  it('reach no row, tooltip, diff, document, export, log or store, and still show that they changed', async () => {
    const server = await faultServer();
    const user = {
      id: 'u1',
      email: 'a@acme.example',
      firstName: 'A',
      metadata: { ssoToken: CANARY, deep: { Secret: [CANARY] }, note: `token=${CANARY}` },
    };
    const change = (revision: number, turn: string): object => ({
      revision,
      settings: settings(turn),
      user: { id: 'admin', name: 'Admin' },
      updatedAt: '2026-11-20T10:00:00Z',
    });
    serve(server, { users: [user], changes: [change(3, 'b'), change(2, 'a'), change(1, 'a')] });
    const root = temporaryFolder();
    const { feature, documents, log, settled } = open(server, root);
    await feature.refresh();
    await settled();

    const [third, second] = await feature.revisions();
    assert.deepEqual(second?.changed, [], 'the same secrets are the same marks');
    const changed = third?.changed.map(name => name.replace(/\..*/, ''));
    const unchanged = Object.keys(settings('')).filter(name => changed?.includes(name) === false);
    assert.deepEqual(unchanged, ['maxAutonomyLevel', 'numbers']);

    const rows = (await drawnRows(feature.tree)).map(({ node, item }) =>
      feature.tree.resolveTreeItem(item, node),
    );
    await feature.commands.showUser({ personId: 'u1' });
    await feature.commands.openChanges({ revision: 3 });
    await feature.commands.showRevision({ revision: 1 });
    assert.equal(documents.size, 3);
    const [person] = await feature.people();
    const told = [
      JSON.stringify(rows),
      ...documents.values(),
      peopleCsv([{ ...user, ...person } as never], undefined, 0),
      ...(await feature.policy.warnings({ model: 'house', autonomyLevel: 'high' })),
      ...log.lines,
      everythingBelow(root),
    ].join('\n');
    assert.match(told, /customModels\[house\]\.apiKey: secret changed/);
    assert.match(everythingBelow(root), /\[redacted /, 'the folder holds the history');
    const leak = told.search(/canary|123456789|987654321/i);
    assert.equal(leak, -1, told.slice(Math.max(0, leak - 200)).slice(0, 400));
  });
});
