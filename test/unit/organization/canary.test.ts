import assert from 'node:assert/strict';
import type { TreeItem } from 'vscode';
import type { OrganizationData } from '../../../src/organization/data';
import { stableText } from '../../../src/organization/changes';
import { warningsOf } from '../../../src/organization/policy';
import { Rows } from '../../../src/organization/rows';
import { peopleCsv, personFacts } from '../../../src/organization/words';
import { secretTexts, secretValues } from '../../fakes/redaction';
import { factsDocument } from '../../../src/ui/text';
import { Tree } from '../../../src/ui/tree';
import { Formatter } from '../../../src/util/format';
import { drawnRows, fakeView } from '../../fakes/view';
import { cleanUp, everythingBelow, faultServer, later, openWindow, temporaryFolder } from './support';

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

/** The rows of the whole tree with their tooltips, as the view draws them. */
async function everyRow(data: OrganizationData): Promise<TreeItem[]> {
  const rows = new Rows({
    data,
    format: new Formatter('en'),
    now: Date.now,
    onPeopleSeen: () => undefined,
  });
  const tree = new Tree({ view: fakeView(), ready: () => Promise.resolve(), roots: () => rows.roots() });
  later(() => tree.dispose());
  return (await drawnRows(tree)).map(({ node, item }) => tree.resolveTreeItem(item, node));
}

function textOf(label: TreeItem['label']): string {
  return typeof label === 'object' ? label.label : (label ?? '');
}

describe('secrets of the controls', () => {
  afterEach(cleanUp);

  it('reach no row, tooltip, diff, document, export, log, store or copied text, and still show that they changed', async () => {
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
    server.answer(({ url }) => ({
      kind: 'answer',
      body: url.includes('/users')
        ? { users: [user], pagination: { hasMore: false } }
        : { changes: [change(3, 'b'), change(2, 'a'), change(1, 'a')], pagination: { hasMore: false } },
    }));
    const root = temporaryFolder();
    const { data, log, settled } = openWindow(root, server);
    await data.refresh();
    await settled();

    const format = new Formatter('en');
    const [third, second, first] = data.revisions;
    assert.ok(third && second && first);
    assert.deepEqual(second.changes, [], 'the same secrets are the same marks');
    const changed = third.changes;
    const names = new Set(changed.map(({ setting }) => setting.replace(/[[.].*/, '')));
    assert.deepEqual(
      Object.keys(settings('')).filter(name => !names.has(name)),
      ['maxAutonomyLevel', 'numbers'],
    );

    const person = data.person('u1')!;
    const items = await everyRow(data);
    assert.ok(items.some(({ label }) => textOf(label) === 'customModels[house].apiKey: secret changed'));
    assert.ok(everythingBelow(root).includes('[redacted '), 'the folder holds the history');
    const told = [
      ...items.flatMap(item => [
        item.id,
        textOf(item.label),
        String(item.description),
        (item.tooltip as { readonly value: string } | undefined)?.value,
        item.accessibilityInformation?.label,
        JSON.stringify(item),
      ]),
      stableText(third.settings),
      peopleCsv([person], undefined, Date.now()),
      factsDocument('', [['', personFacts(person, undefined, format)]], person),
      ...warningsOf({ model: 'house', autonomyLevel: 'high', computerProvider: 'byom' }, third),
      ...log.lines,
      everythingBelow(root),
    ].join('\n');
    assert.ok(told.includes('[redacted '));
    const leak = told.search(/canary|123456789|987654321/i);
    assert.equal(leak, -1, told.slice(Math.max(0, leak - 200)).slice(0, 400));
  });
});
