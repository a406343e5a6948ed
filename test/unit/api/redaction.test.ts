import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { withoutCredentials } from '../../../src/api/resources/readiness';
import { redact, Redactor } from '../../../src/util/redact';
import { buildApiScript } from '../../fakes/apiScript';
import { FaultServer } from '../../fakes/faultServer';
import { SECRET_TEXTS } from '../../fakes/secretSpellings';
import { SECRET_VALUES } from '../../fakes/secretValues';
import { clientOf, collect, KEY, MESSAGE } from './support';

const MARK = /^\[redacted [0-9a-f]{8}\]$/;
const SECRET = 'canary-9f8e7d6c5b4a3210';

/** Texts as settings really hold them that say nothing secret: a person must be able to read them. */
const HARMLESS_TEXTS: readonly string[] = [
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
  'git commit -m "Rotate the password rules" && npm run build -- --mode production',
  'docker run --rm -p 8080:80 -v /srv/data:/data -e NODE_ENV=production image:1.2.3',
  'docker login registry.example --password-stdin',
  'ssh -p 2222 deploy@host.example',
  'curl -fsSL https://host.example/install.sh | bash',
  'curl -X POST -H "Content-Type: application/json" -b cookies.txt https://host.example/v1/items',
  'kubectl get pods -n billing --selector app=web',
  'kubectl create secret generic database --from-file=./database.yaml',
  'psql -h db.example -p 5432 -U app shop',
  'mysql -h db.example -P 3306 -u app shop',
  'redis-cli -h cache.example -p 6379 ping',
  'helm upgrade --install web ./chart --set replicas=3 --set image.tag=v1.2.3',
  'terraform plan -var region=eu-west-1 -out plan.bin',
  'vault kv get -field=value kv/apps/web',
  'npm config set registry https://registry.example/npm/',
  '//registry.example/:always-auth=true',
  'mvn -Dmaven.test.skip=true -Dstyle.color=always package',
  '--password-file /run/secrets/db --token-file=/run/secrets/token',
  '--max-tokens 4096 --max-output-tokens=8192 --token-limit 100000',
  'max_tokens: 4096, tokens: 5, tokenizer: fast, tokens per minute: 60000',
  'PasswordAuthentication=no and usePassword: false',
  'sort by key: name, primary key: id, keyboard: us, hotkey=ctrl+k',
  'public key: none, publicKey=absent',
  'author: Ann, authority=acme, authentic: yes, coauthors=Ben',
  'passing: 12, bypass=never, compass: north, passenger=3, passive: true',
  'pinned: 3, spin: 2, pinging=host',
  'secretary: Ann Lee',
  'https://host.example/docs/api-key/rotation',
  'https://host.example/token/refresh?page=2&sort=key',
  'https://app@host.example/a/b.git',
  'https://host.example:8443/a:b/c@d',
  'http://localhost:3000/@scope/pkg',
  'postgres://app@db.example:5432/shop?sslmode=require',
  'jdbc:postgresql://db.example:5432/shop?ssl=true',
  'Server=tcp:db.example,1433;Database=shop;Encrypt=True',
  'ssh-ed25519 key of the deploy host',
  'The token is invalid, the password is required, and the secret is out.',
  'Enter your password to continue; token refresh failed; no API_KEY found',
  'set LOG_LEVEL debug; ENV NODE_ENV production; set -e',
  'setHeader("Accept", "application/json")',
  'name: LOG_LEVEL\nvalue: debug',
  '<add key="LogLevel" value="debug" /><name>Ann</name><path>/srv/app</path>',
  '{"name":"LOG_LEVEL","value":"debug"}',
  '{"passwordPolicy":{"minLength":12,"rotationDays":90},"maxTokens":4096}',
  '[1, 2, 3]',
  '[link](https://host.example/a)',
  'lumen-4-thinking-2026-11-20, gleam-2-thinking-preview-2026, glm-4-plus-2026-preview',
  'ghost-writer-model-2026, skip-duplicate-2026-11-20, pk-of-table-orders-2026',
  'sha512-of-the-archive is checked',
  '2026-11-20T10:00:00.000Z',
  '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
  'arn:aws:iam::123456789012:role/agents',
  'src/auth/token.ts:120:14: error TS2345: not assignable',
  'Bash(npm run test:*), Read(./src/**), WebFetch(domain:docs.example)',
  '10.0.0.0/8, 192.168.1.0/24, fe80::1, ::1/128',
  'C:\\Users\\ann\\tokens\\list.txt',
  'user@example.com, ann.lee+tools@acme.example',
  'cookie policy, cookies=no',
  'x => y, a -> b, a := b, key => value',
];

const HARMLESS_VALUES: readonly unknown[] = [
  {
    passwordPolicy: { minLength: 12, rotationDays: 90 },
    passwordFile: '/run/secrets/db',
    secretScanning: true,
  },
  { tokenUsage: { input: 5 }, tokenLimit: 4096, maxTokens: 5, tokenizer: 'fast', tokenType: 'opaque' },
  { credentialHelper: 'keychain', authProvider: 'acme-sso', authMode: 'browser', apiKeyExpiryDays: 30 },
  [
    { name: 'LOG_LEVEL', value: 'debug' },
    { Name: 'REGION', Value: 'eu-west-1' },
    { header: 'Accept', value: 'text/html' },
  ],
  [
    ['Accept', 'text/html'],
    ['LOG_LEVEL', 'debug'],
  ],
  { key: 'HOME', value: '/home/me' },
  { source: 'github', repo: 'acme/plugins' },
  { sandbox: { network: { allowedDomains: ['*.acme.example'], httpProxyPort: 8080 } } },
  { commandAllowlist: ['git status', 'npm test', 'ls -la'], commandDenylist: ['rm -rf /'] },
  { allowedModelIds: ['lumen-4', 'hf_house-model-3-70b-instruct', '0123456789abcdef0123456789abcdef'] },
  { id: 'session_01JD4X7Q2ZK8M3N5P6R7S8T9VW', userId: 'auth0|5f7c8ec7c33c6c004bbafe82' },
  { id: 'key-0123456789abcdef0123', sessionId: '6f9619ff-8b86-d011-b42d-00cf4fc964ff' },
  { args: ['--verbose', '--port', '8080', '-p', '80', 'login'] },
  { parameterKey: 'size', settingKey: 'editor.size', featureKeys: ['a'], requiredKeys: ['b'], keyId: 'k' },
  { webhooksEnabled: true, mapKeys: ['x'], headerCount: 3, type: 'text', content: 'plain words' },
  { mcpAutonomyOverrides: { 'secret-scanner': 'high', 'password-vault': 'low', token: 'ask' } },
  { title: 'Reset a password', text: 'Asks the service for another one.' },
  { primaryKey: 'id', sortKey: 'name', publicKey: 'none', cacheKeys: ['a'], hotkey: 'ctrl+k' },
  { sha256: 'of the archive', oauth2: 'on', base64: 'no', step2: 'b', h264: 'x' },
];

describe('redaction', () => {
  const redactor = new Redactor('a key of this installation');
  const whole = (value: unknown): unknown => redactor.redact(structuredClone(value));
  const textOf = (text: string): string => redact(text, redactor);

  /** What is left of a secret, or is missing of its mark, in `told`; a changed secret must change it. */
  const faults = (spelt: string, told: string, toldOther: string): string[] =>
    [
      /canary/i.test(told) ? 'leaks' : '',
      /\[redacted [0-9a-f]{8}\]/.test(told) ? '' : 'has no mark',
      told === toldOther ? 'hides a change' : '',
    ]
      .filter(fault => fault !== '')
      .map(fault => `${fault}: ${spelt} -> ${told}`);

  it('none gets through in a text, alone, in a sentence or in JSON, and a changed secret is a changed text', () => {
    const found = SECRET_TEXTS.flatMap(spell => {
      const [one, two] = [spell('canary9f8e7d6c'), spell('canary0a1b2c3d')];
      const around: readonly ((text: string) => string)[] = [
        text => text,
        text => `Run ${text} first`,
        text => JSON.stringify({ run: text }),
      ];
      return around.flatMap(put => faults(put(one), textOf(put(one)), textOf(put(two))));
    });
    assert.deepEqual(found, []);
  });

  it('none gets through in a value at any depth', () => {
    const found = SECRET_VALUES.flatMap(spell => {
      const [one, two] = [spell('canary9f8e7d6c'), spell('canary0a1b2c3d')];
      const told = (value: unknown): string => JSON.stringify(whole({ deep: [{ deeper: value }] }));
      return faults(JSON.stringify(one), told(one), told(two));
    });
    assert.deepEqual(found, []);
  });

  it('what is no secret stays readable', () => {
    for (const text of HARMLESS_TEXTS) assert.equal(textOf(text), text);
    for (const value of HARMLESS_VALUES) assert.deepEqual(whole(value), value);
  });

  it('copies nothing, keeps the order, and marks no name twice', () => {
    const given = JSON.parse(
      `{"first":1,"__proto__":{"polluted":1},"plain":{"name":"b"},"apiKey":"${SECRET}","last":[2]}`,
    ) as Record<string, unknown>;
    const result = whole(given) as typeof given;
    assert.deepEqual(Object.keys(result), ['first', 'plain', 'apiKey', 'last']);
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.match(String(result['apiKey']), MARK);
    assert.deepEqual(whole(result), result, 'what is marked stays as it is');
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
  });

  it('shows that a secret changed, and never what it is', () => {
    assert.equal(redactor.mark('one'), new Redactor('a key of this installation').mark('one'));
    assert.notEqual(redactor.mark('one'), redactor.mark('two'));
    assert.notEqual(redactor.mark('one'), new Redactor('another key').mark('one'));
    assert.notEqual(new Redactor().mark('one'), new Redactor().mark('one'), 'random without a key');
  });

  it('stays whole on deep values', () => {
    let deep: unknown = SECRET;
    for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? [deep] : { deep };
    assert.ok(JSON.stringify(redactor.redact(deep)).includes('[too deep]'));
  });

  it('a text with hundreds of secrets is marked as one from there on', () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `token=${index}abc`).join(' ');
    const marks = textOf(text).match(/\[redacted /g) ?? [];
    assert.ok(marks.length > 100 && marks.length < 1_000, String(marks.length));
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

  it('names of criteria and tools hide nothing; texts of them are searched all the same', () => {
    const told = {
      report: { secrets_management: { numerator: 1, rationale: 'No key in the repository.' } },
      data: [{ tools: [{ token: 5, name: 'reset_password' }] }],
    };
    assert.deepEqual(redactor.redact(structuredClone(told), 'texts'), told);
    assert.ok(!JSON.stringify(redactor.redact({ a: [`--token ${SECRET}`] }, 'texts')).includes('canary'));
  });

  it("the person's own key leaves in no answer, whatever it is part of, and what was said stays otherwise as it was said", async () => {
    const server = await FaultServer.start();
    const { folder, script } = buildApiScript();
    try {
      const said = `password: ${SECRET} and ${KEY}`;
      const filler = 'x'.repeat(3 * 1024 * 1024);
      for (const more of [{}, { filler }]) {
        const content = [{ type: 'text', text: said, [KEY]: [KEY] }];
        server.answer({
          kind: 'answer',
          body: { ...MESSAGE, id: KEY, content, novelty: { [KEY]: KEY }, ...more },
        });
        const { api } = clientOf(server, { redactionKey: 'k', workerScript: script });
        const message = await api.messages.get('s', 'm');
        assert.ok(!JSON.stringify(message).includes(KEY));
        assert.equal(message.content![0]?.text, `password: ${SECRET} and ${new Redactor('k').mark(KEY)}`);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await server.close();
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
      assert.equal(history.items[0]?.settings?.customModels?.[0]?.apiKey, new Redactor('k').mark(SECRET));

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
