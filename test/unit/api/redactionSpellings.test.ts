import assert from 'node:assert/strict';
import { Redactor } from '../../../src/api';
import { SECRET_TEXTS } from '../../fakes/secretSpellings';
import { SECRET_VALUES } from '../../fakes/secretValues';

/** Texts as settings really hold them that say nothing secret: a person must be able to read them. */
const HARMLESS_TEXTS: readonly string[] = [
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

describe('spellings of secrets', function () {
  const redactor = new Redactor('a key of this installation');
  const whole = (value: unknown): unknown => redactor.redact(value, { texts: true });

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
      return around.flatMap(put => faults(put(one), redactor.text(put(one)), redactor.text(put(two))));
    });
    assert.deepEqual(found, []);
  });

  it('none gets through in a value at any depth, nor in the same as a text', () => {
    const found = SECRET_VALUES.flatMap(spell => {
      const [one, two] = [spell('canary9f8e7d6c'), spell('canary0a1b2c3d')];
      const told = (value: unknown): string => JSON.stringify(whole({ deep: [{ deeper: value }] }));
      const [text, other] = [JSON.stringify(one), JSON.stringify(two)];
      return [
        ...faults(text, told(one), told(two)),
        ...faults(`text ${text}`, redactor.text(text), redactor.text(other)),
      ];
    });
    assert.deepEqual(found, []);
  });

  it('hostile texts are searched in no time', () => {
    for (const piece of [
      '_a-',
      'password ',
      'password:\n  a',
      'password:\n- ',
      'password: |\n  ',
      'token="a\\',
      'token=\\"a\\\\',
      "secret='",
      'name: a\nvalue',
      'value: "a" name: ',
      '<a ',
      '<password>',
      '("a", ',
      'set a_b ',
      'a_b 1a',
      '//a:',
      '//a:b@',
      '%3A%2F%2Fa%3A',
      'a/b@',
      'login -p',
      'curl -b "=',
      'http -a ',
      'ldap -w',
      'eyJaaaaaaaa.a.a.',
      '123456789:A',
      'Maaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaa.',
      '[1,',
      '{"a":',
      '["a",',
      '$2a$',
    ]) {
      const began = performance.now();
      redactor.text(piece.repeat(Math.floor(65_000 / piece.length)));
      assert.ok(performance.now() - began < 1_500, `${piece} took ${performance.now() - began} ms`);
    }
  });

  it('what is no secret stays readable', () => {
    const changed = HARMLESS_TEXTS.filter(text => redactor.text(text) !== text);
    assert.deepEqual(
      changed.map(text => redactor.text(text)),
      changed,
    );
    for (const value of HARMLESS_VALUES) assert.deepEqual(whole(value), value);
  });
});
