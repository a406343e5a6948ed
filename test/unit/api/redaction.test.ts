import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Redactor } from '../../../src/api';
import { withoutCredentials } from '../../../src/api/redaction';
import { secrecyOf } from '../../../src/api/secretNames';
import { FaultServer } from '../../fakes/faultServer';
import { clientOf, collect } from './support';

const MARK = /^\[redacted [0-9a-f]{8}\]$/;
const SECRET = 'canary-9f8e7d6c5b4a3210';

describe('redaction', function () {
  const redactor = new Redactor('a key of this installation');
  const whole = (value: unknown): unknown => redactor.redact(value, { texts: true });

  it('names of secrets, in any letter case and with any separators', () => {
    for (const name of [
      'apiKey api_key APIKEY x-api-key X_API_KEY providerApiKeyValue accessKey secret_access_key privateKey clientSecret',
      'password Passwd PGPASSWORD passphrase credentials awsCredential cookie Set-Cookie extraHeaders headers extraArgs',
      'token accessToken GH_TOKEN authtoken authorization auth jwt DB_PWD otp thoughtSignature accessTokenValue token_2',
      'DB_PASS pw gatewayCreds userpw pin signingPin passkey headerValues extra_arguments extraArguments arguments PAT',
      'header extra_arg webhookUrl alertsWebhookURL relayClientUrl relay_agent_url RELAYAGENTURI signingKey DEPLOY_KEY storageAccountKey connectionString',
    ].flatMap(names => names.split(' '))) {
      assert.equal(secrecyOf(name), 'all', name);
    }
    for (const name of ['tokens', 'refresh_tokens', 'inputTokens', 'thinkingMaxTokens']) {
      assert.equal(secrecyOf(name), 'text', name);
    }
    for (const name of [
      'tokenUsage inputTokensUsed model baseUrl id provider reasoningEffort customModels key keys keyboard publicKey',
      'maxAutonomyLevel allowedIps authorName tokenizer description author sessionDefaultSettings relay pinned path spinner values',
    ].flatMap(names => names.split(' '))) {
      assert.equal(secrecyOf(name), 'none', name);
    }
  });

  it('copies only what holds a secret, in its order, and changes nothing given', () => {
    const plain = { id: 'a', list: [{ name: 'b' }, 1, null] };
    assert.equal(whole(plain), plain);
    const given = JSON.parse(
      `{"first":1,"__proto__":{"polluted":1},"plain":{"name":"b"},"apiKey":"${SECRET}","last":[2]}`,
    ) as Record<string, unknown>;
    const before = structuredClone(given);
    const result = whole(given) as typeof given;
    assert.deepEqual(Object.keys(result), ['first', 'plain', 'apiKey', 'last']);
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.match(String(result['apiKey']), MARK);
    assert.equal(result['plain'], given['plain']);
    assert.deepEqual(given, before);
  });

  it('takes values out at any depth and keeps everything else', () => {
    const settings = {
      customModels: [
        {
          model: 'm',
          baseUrl: 'https://host/v1',
          apiKey: SECRET,
          extraHeaders: { 'X-Anything': SECRET, empty: '' },
          extraArgs: { temperature: 0.5, nested: { list: [SECRET, true, null] } },
          maxOutputTokens: 5,
          thinkingMaxTokens: 7,
        },
      ],
      novelty: [[{ deep: { MASTER_KEY: SECRET, Password: 1234, tokens: 12, refresh_tokens: [SECRET] } }]],
      modelPolicy: { allowedModelIds: ['a', 'b'], allowCustomModels: false },
    };
    const result = whole(settings) as typeof settings;
    const [model] = result.customModels;
    assert.match(model?.apiKey ?? '', MARK);
    assert.match(model?.extraHeaders['X-Anything'] ?? '', MARK);
    assert.equal(model?.extraHeaders.empty, '');
    assert.match(String(model.extraArgs.temperature), MARK);
    assert.deepEqual(model.extraArgs.nested.list.slice(1), [true, null]);
    assert.deepEqual([model.maxOutputTokens, model.thinkingMaxTokens, model.model], [5, 7, 'm']);
    assert.match(String(result.novelty[0]?.[0]?.deep.Password), MARK);
    assert.equal(result.novelty[0]?.[0]?.deep.tokens, 12, 'a count is no secret');
    assert.deepEqual(result.modelPolicy, settings.modelPolicy);
    assert.ok(!JSON.stringify(result).includes('canary'));
    assert.equal(settings.customModels[0]?.apiKey, SECRET, 'the original is left alone');
  });

  it('numbers under the name of a secret are secrets; counts of tokens are none', () => {
    const result = whole({ otp: 123456, pwd: 998877, authToken: 1234567890, DB_PASS: 1, pat: 2 });
    for (const value of Object.values(result as object)) assert.match(String(value), MARK);
    const counts = { inputTokens: 5, outputTokens: 6, cacheReadTokens: 7, maxTokens: 8, tokens: 9 };
    assert.deepEqual(whole(counts), counts);
    assert.equal(
      redactor.text('--max-tokens 4096 and max_tokens=4096'),
      '--max-tokens 4096 and max_tokens=4096',
    );
  });

  it('a bare key is one where texts are searched, unless it names a value or leads further', () => {
    const result = whole({
      key: SECRET,
      more: { keys: [SECRET] },
      env: [{ name: 'API_KEY', value: SECRET }],
    });
    assert.ok(!JSON.stringify(result).includes('canary'), JSON.stringify(result));
    const kept = { key: { a: 'b' }, keys: [{ size: 1 }], env: [{ key: 'HOME', value: '/home/me' }] };
    assert.deepEqual(whole(kept), kept);
    assert.deepEqual(redactor.redact({ key: 'k' }, { texts: false }), { key: 'k' });
  });

  it('a name that ends in id hides nothing', () => {
    const text = `curl -H "Authorization: Bearer ${SECRET}"`;
    const result = whole({
      id: { deep: text },
      serverIds: [text],
      tokenId: text,
      clientId: `sk-${SECRET}`,
      userId: text,
      allowedUserIds: [{ note: text }],
      ids: `https://user:${SECRET}@host`,
    });
    assert.ok(!JSON.stringify(result).includes('canary'), JSON.stringify(result));
  });

  it('shows that a secret changed, and never what it is', () => {
    assert.equal(redactor.mark('one'), new Redactor('a key of this installation').mark('one'));
    assert.notEqual(redactor.mark('one'), redactor.mark('two'));
    assert.notEqual(redactor.mark('one'), new Redactor('another key').mark('one'));
    assert.notEqual(new Redactor().mark('one'), new Redactor().mark('one'), 'random without a key');
  });

  it('finds credentials within texts', () => {
    for (const text of [
      `curl -H "Authorization: Bearer ${SECRET}"`,
      `authorization=${SECRET}`,
      `https://user:p@${SECRET}@host/path`,
      `https://user:p@ss${SECRET}@canary@host`,
      `https://user:pa/${SECRET}@host`,
      `https://user:pa?${SECRET}#canary@host`,
      `https://to@${SECRET}@host`,
      `admin:${SECRET}@host:8080`,
      `via admin:${SECRET}@proxy.example for all`,
      `admin:p@${SECRET}@10.0.0.1`,
      `curl -u a:${SECRET} https://host`,
      `curl -ua:${SECRET} https://host`,
      `curl --user "a:${SECRET} two words" https://host`,
      `curl --proxy-user=a:${SECRET} https://host`,
      `sshpass -p ${SECRET} ssh host`,
      `sshpass -p'${SECRET} two words' ssh host`,
      `mysql -h db -p${SECRET} shop`,
      `mysqldump -uroot -p${SECRET}`,
      'token canary1def',
      'Authorization: token canary1def',
      'Cookie: a=b; c=canary; d=canary',
      `curl -H 'Cookie: a=b; c=canary' https://host`,
      'https://host/x?access=canary',
      'caNary4-x9Qz_Tr5mVb-8KpL2wXd_Yf6Hj3Ns7Gc1Rt0',
      'key of the house: 0123456789abcdef0123456789abcdef (canary)'.replace(' (canary)', ''),
      'k 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      `Authorization: Basic ${SECRET}==`,
      `bearer ${SECRET}`,
      `https://user:${SECRET}@host/path`,
      `https://${SECRET}@host/path`,
      `postgres://app:${SECRET}@db:5432/x`,
      `https://host/x?a=1&token=${SECRET}&b=2`,
      `https://host/x?sig=${SECRET}`,
      `https://host/x?X-Api-Key=${SECRET}`,
      `export API_KEY=${SECRET}`,
      `MY_PASSWORD="${SECRET} with words"`,
      `deploy --token ${SECRET} now`,
      `deploy --password '${SECRET} two words' now`,
      `deploy --api-key=${SECRET}`,
      `{"apiKey":"${SECRET}"}`,
      `{\\"apiKey\\":\\"${SECRET}\\"}`,
      `{"a": {"client_secret" : "${SECRET}"}}`,
      'sk-canary0123456789abcdef',
      'npm_canary0123456789abcdef',
      'AKIAcanary1234567890',
      'AIzacanaryA1234567890abcdefghijklmnopqr',
      'SG.canaryabcdefghijklmn.ABCDEFGHIJKLMNOPQRSTUVW',
      'https://hooks.example/services/T00000000/B00000000/canaryXXXXXXXXXXXXXX',
      'https://chat.example/api/webhooks/123456789012345678/canary123_ghiJKL456',
      'canary2lzYXZlcnlsb25nc2VjcmV0dmFsdWUxMjM0NTY3ODkw',
      'prefix canary2lzYXZlcnlsb25nc2VjcmV0dmFsdWUxMjM0NTY3ODkw== suffix',
      'ghp_canary0123456789abcdef',
      'eyJjYW5hcnkiOiIxIn0.eyJjYW5hcnkiOiIxIn0.canary',
      '-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----',
      '-----BEGIN PRIVATE KEY-----\ncanary',
    ]) {
      const result = redactor.text(text);
      assert.match(result, /\[redacted [0-9a-f]{8}\]/, text);
      assert.ok(
        !/canary|caNary|0123456789abcdef01|eyJj|two words|with words/.test(result),
        `${text} -> ${result}`,
      );
    }
  });

  it('leaves ordinary texts alone', () => {
    for (const text of [
      'git status && npm test -- --watch',
      'https://host/path?page=2#part',
      'Write the basic understanding of bearer tokens down',
      'git@github.example:acme/shop.git',
      '3f9a1c20b7d64e0f8a5c2b1d9e7f6a5b4c3d2e1f',
      'user_01HXYZABCDEFGHJKMNPQRSTVWX',
      'session_01JD4X7Q2ZK8M3N5P6R7S8T9VW',
      '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
      'message 3F2504E0-4F89-41D3-9A0C-0305E82C3301',
      'image@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'https://host:8080/@scope/pkg and https://host/a@b/c:d@e',
      'github:acme/tools@v1.2.0, npm:lodash@4.17.21, name@1.2.3, mailto:ann@acme.example, image:tag@x',
      'docker run -u 1000:1000 image',
      'mysql -p shop, mysql -P 3306, token of the day, token abcdefgh',
      'cookies and a cookie are fine',
      'key: value, keys: many, monkey=banana',
      'C:\\Program Files\\tool.exe --output out',
      '/Users/me/Library/Application/Code2026/User/globalStorage1',
      'maxConcurrentSandboxSessionsPerUserV2',
      'lumen-Thinking-2026-11-20-preview-with-a-long-name',
      'https://host/services/billing/payment-processor and https://host/webhooks/',
      'passing tests, bypass the queue',
    ]) {
      assert.equal(redactor.text(text), text);
    }
  });

  it('values after a flag in a list, names that are secrets, and ids that must stay usable', () => {
    for (const args of [
      ['curl', '-u', `a:${SECRET}`],
      ['--user', `a:${SECRET}`],
    ])
      assert.ok(!JSON.stringify(whole({ args })).includes('canary'));
    assert.deepEqual(
      (whole({ args: ['--api-key', SECRET, '--verbose', 'yes'] }) as { args: string[] }).args.map(arg =>
        arg.startsWith('['),
      ),
      [false, true, false, false],
    );
    const named = whole({ [`sk-${SECRET}`]: true }) as object;
    assert.ok(!JSON.stringify(named).includes('canary'));
    const ids = {
      id: 'key-0123456789abcdef0123',
      allowedUserIds: ['token-0123456789abcdef0123'],
      allowedModelIds: ['0123456789abcdef0123456789abcdef'],
    };
    assert.deepEqual(whole(ids), ids);
  });

  it('stays quick on hostile texts and whole on deep values', () => {
    for (const piece of [
      'a-',
      'eyJ',
      'eyJ-',
      'a:',
      'https://',
      'bearer ',
      '--key ',
      'authorization',
      'cookie:',
      'https://a:',
      'a:b@',
      'a:b@c.',
      'a:b@c.d.e.',
      '-u a:',
      'mysql -p',
      'token ',
      'aB3-',
      'sshpass -p',
      '\\"',
      '-----BEGIN PRIVATE KEY-----',
    ]) {
      const began = performance.now();
      redactor.text(piece.repeat(Math.floor(65_000 / piece.length)));
      assert.ok(performance.now() - began < 1_500, `${piece} took ${performance.now() - began} ms`);
    }
    assert.match(redactor.text('a'.repeat(70_000)), MARK);
    let deep: unknown = SECRET;
    for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? [deep] : { deep };
    assert.ok(JSON.stringify(whole(deep)).includes('[too deep]'));
  });

  it('no secret survives under a secret name, wherever it is, and nothing else is lost', () => {
    const name = fc.constantFrom(
      'apiKey',
      'API_KEY',
      'extraHeaders',
      'Password',
      'x-client-secret',
      'accessToken',
      'relayAgentUrl',
    );
    const tree = fc.letrec(tie => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('node'), { maxKeys: 3 }),
        fc
          .tuple(name, fc.constantFrom<unknown>(SECRET, [SECRET], { a: { b: SECRET } }))
          .map(([key, value]) => ({ [key]: value })),
      ),
    })).node;
    fc.assert(
      fc.property(tree, value => !JSON.stringify(whole(value) ?? null).includes('canary')),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const copy = redactor.redact(value, { texts: false, except: new Set() });
        assert.equal(typeof copy, typeof value);
      }),
    );
  });

  it('repository addresses lose credentials and nothing else', () => {
    for (const [address, expected] of [
      ['https://user:pw@host/a/b.git', 'https://host/a/b.git'],
      ['https://token@host/a/b', 'https://host/a/b'],
      ['https://user:p@ss@host/a/b', 'https://host/a/b'],
      ['ssh://git:pw@host:22/a/b', 'ssh://git@host:22/a/b'],
      ['ssh://git@host/a/b', 'ssh://git@host/a/b'],
      ['git@host:a/b.git', 'git@host:a/b.git'],
      ['https://host/a@b/c', 'https://host/a@b/c'],
    ] as const) {
      assert.equal(withoutCredentials(address), expected);
    }
  });

  it('holds for whole answers: history, users, sessions, messages', async () => {
    const server = await FaultServer.start();
    try {
      const settings = {
        customModels: [
          { apiKey: SECRET, extraHeaders: { h: SECRET }, extraArgs: { a: SECRET } },
          { apiKey: 5 },
        ],
        extraKnownMarketplaces: { m: { url: `https://u:${SECRET}@host` } },
        commandAllowlist: [`curl -H "Authorization: Bearer ${SECRET}"`],
        unknown: { deep: [{ service_password: SECRET }] },
      };
      server.answer({
        kind: 'answer',
        body: { changes: [{ revision: 1, settings }], pagination: { hasMore: false } },
      });
      const options = { redactionKey: 'k' };
      const [history] = await collect(clientOf(server, options).api.organization.controlHistory());
      assert.equal(history?.items.length, 1);
      assert.deepEqual(history.problems, []);
      assert.ok(!JSON.stringify(history).includes('canary'));
      assert.equal(history.items[0]?.settings.customModels?.[0]?.apiKey, new Redactor('k').mark(SECRET));

      server.answer({
        kind: 'answer',
        body: { users: [{ id: 'u', metadata: { ssoToken: SECRET } }], pagination: { hasMore: false } },
      });
      const [users] = await collect(clientOf(server).api.organization.users());
      assert.equal(users?.items.length, 1);
      assert.ok(!JSON.stringify(users).includes('canary'));

      const tags = [{ name: 't', metadata: { apiToken: SECRET } }];
      server.answer({
        kind: 'answer',
        body: {
          sessionId: 's',
          status: 'idle',
          messageCount: 1,
          createdAt: 1,
          updatedAt: 1,
          sessionSettings: { tags },
        },
      });
      assert.ok(!JSON.stringify(await clientOf(server).api.sessions.get('s')).includes('canary'));
    } finally {
      await server.close();
    }
  });
});
