import assert from 'node:assert/strict';
import type { TreeItem } from 'vscode';
import type { OrganizationData } from '../../../src/organization/data';
import { ControlDocuments, revisionText } from '../../../src/organization/documents';
import { historyCsv, peopleCsv } from '../../../src/organization/exports';
import { warningsOf } from '../../../src/organization/policy';
import { Rows } from '../../../src/organization/rows';
import {
  changeFacts,
  changeLines,
  changeText,
  changeWords,
  personFacts,
} from '../../../src/organization/words';
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
    settingOfTomorrow: [
      [
        {
          Password: secret,
          connectionString: `Server=x;Password=${secret}`,
          webhookUrl: `https://h/${secret}`,
        },
      ],
    ],
    anotherOfTomorrow: {
      looksLikeOne: `sk-${secret.replace(/\W/g, '')}`,
    },
    listedByName: {
      otp: 123456789,
      pwd: 987654321,
      authToken: 1234567890,
      headerValues: { a: secret },
      extra_arguments: [secret],
      arguments: [secret],
      passkey: secret,
      pin: secret,
      userpw: secret,
      key: secret,
      keys: [secret],
      env: [{ name: 'API_KEY', value: secret }],
      serverIds: [{ id: { deep: `Authorization: Bearer ${secret}` } }],
    },
    listedByLook: {
      addresses: [
        `https://user:p@${secret}@host`,
        `https://user:pa/${secret}@host`,
        `admin:${secret}@host:8080`,
        `https://host/?access=${secret}`,
      ],
      lines: [`curl -u a:${secret} https://host`, `token ${secret}`, `Cookie: a=b; c=${secret}`],
    },
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
    assert.deepEqual(data.changesOf(second), [], 'the same secrets are the same marks');
    const changed = data.changesOf(third);
    assert.deepEqual(
      [...new Set(changed.map(({ setting }) => setting))].sort(),
      [
        'anotherOfTomorrow.looksLikeOne',
        'commandAllowlist',
        'customModels[].APIKEY',
        'customModels[].apiKey',
        'customModels[].baseUrl',
        'customModels[].extraArgs.*',
        'customModels[].extraHeaders.*',
        'customModels[].extraHeaders.*.deep',
        'enabledPlugins.*.CLIENT_SECRET',
        'enabledPlugins.*.env',
        'extraKnownMarketplaces.*.Auth_Token',
        'extraKnownMarketplaces.*.source.url',
        'listedByLook.addresses',
        'listedByLook.lines',
        'listedByName.arguments',
        'listedByName.env',
        'listedByName.extra_arguments',
        'listedByName.headerValues.a',
        'listedByName.key',
        'listedByName.keys',
        'listedByName.passkey',
        'listedByName.pin',
        'listedByName.serverIds',
        'listedByName.userpw',
        'mcpAutonomyOverrides.*.headers.authorization',
        'modelPolicy.allowedBaseUrls',
        'settingOfTomorrow',
        'spelling.texts',
        'spelling.values',
        'userModelPolicies.*',
      ].sort(),
    );

    const person = data.person('u1')!;
    const documents = new ControlDocuments(data, format);
    const items = await everyRow(data);
    const secretRow = items.find(({ label }) => textOf(label).startsWith('customModels[house].apiKey: '));
    assert.match(String(secretRow?.description), /secret changed/);
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
      ...data.revisions.flatMap(revision => {
        const changes = data.changesOf(revision);
        return [
          revisionText(revision),
          ...changes.flatMap(each => [changeText(each), changeWords(each), ...changeFacts(each).flat()]),
          ...changeLines(changes),
        ];
      }),
      await documents.text({ path: '/service/revision-3.jsonc' }),
      historyCsv(
        data.revisions,
        revision => data.changesOf(revision),
        revision => data.before(revision),
      ),
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

  it('a revision after ones that are not known says since when its changes are', async () => {
    const server = await faultServer();
    const change = (revision: number, maxAutonomyLevel: string): object => ({
      revision,
      settings: { maxAutonomyLevel },
      user: { name: 'Ann' },
    });
    const changes = [change(9, 'low'), change(8, 'high'), change(5, 'off')];
    server.answer(({ url }) => ({
      kind: 'answer',
      body: url.includes('/users')
        ? { users: [], pagination: { hasMore: false } }
        : { changes, pagination: { hasMore: false } },
    }));
    const { data } = openWindow(temporaryFolder(), server);
    await data.refresh();
    const items = await everyRow(data);
    const rowOf = (revision: number): TreeItem | undefined =>
      items.find(({ label }) => label === `rev ${revision}`);
    assert.equal(rowOf(9)?.description, 'Ann · maxAutonomyLevel');
    assert.equal(rowOf(8)?.description, 'Ann · maxAutonomyLevel · since rev 5');
    assert.match(rowOf(8)?.accessibilityInformation?.label ?? '', /since rev 5/);
  });

  it('a document says what is not known any more, and what could not be read', async () => {
    const server = await faultServer();
    const { data } = openWindow(temporaryFolder(), server);
    const documents = new ControlDocuments(data, new Formatter('en'));
    assert.match(
      await documents.text({ path: '/service/revision-9.jsonc' }),
      /^\/\/ Revision 9 is no longer/,
    );
    assert.equal(await documents.text({ path: '/service/nothing.jsonc' }), '{}\n');
    assert.equal(
      revisionText({ revision: 1, settings: { b: 1 }, unread: ['a', 'a'] }),
      '// Could not be read and is left out: a\n{\n  "b": 1\n}\n',
    );
  });
});
