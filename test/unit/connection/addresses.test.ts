import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import { decide, parseAddress, proposeAppUrl, SAMPLE } from '../../../src/connection/decide';
import type { Addresses, Environment } from '../../../src/connection/decide';
import { begin, CANARY, hostOf, OTHER_CANARY, serverOf, service, signedIn } from './support';

const BASE = 'AGENT_CONSOLE_BASE_URL';
const APP = 'AGENT_CONSOLE_APP_URL';
const KEY = 'AGENT_CONSOLE_API_KEY';

describe('addresses and the key they are bound to', function () {
  it('an address that changes never gets the key that was stored for another, in no window, at no sign-in, until it comes back', async () => {
    const { running, machine, window } = await signedIn();
    const server = await serverOf({ kind: 'answer', body: { computers: [], reports: [] } });
    const { origin: evil, hits } = server;
    const other = await machine.ready();
    const { service: before } = window.connection.state.current;
    const moveTo = async (baseUrl: string, appUrl: string, kind: 'signedIn' | 'signedOut'): Promise<void> => {
      machine.settings.set({ baseUrl, appUrl });
      await Promise.all([window, other].map(each => each.turnsTo(kind)));
      await Promise.all([window, other].map(({ connection }) => connection.ready()));
    };
    await moveTo(running.baseUrl, evil, 'signedOut');
    const { service: now } = window.connection.state.current;
    assert.deepEqual([now?.appUrl, now?.id], [evil, before?.id], 'only the web application is another');
    await moveTo(running.baseUrl, running.appUrl, 'signedIn');
    assert.ok(await window.isServed(), 'without a question');
    await moveTo(evil, evil, 'signedOut');
    const reason = `There is no key for ${hostOf(evil)}. Sign in to enter one.`;
    const { current } = window.connection.state;
    assert.equal(current.kind === 'signedOut' && current.reason, reason);
    assert.ok(window.log.lines.includes(`Connection: signedOut: ${reason}`));
    assert.deepEqual([window.connection.api, hits], [undefined, []]);
    assert.deepEqual([other.person.told, window.person.confirmed], [[], []]);
    await window.signIn({ baseUrl: evil, appUrl: evil }, OTHER_CANARY);
    assert.deepEqual([window.kind, hits.length], ['signedIn', 2]);
    const sent = JSON.stringify(hits);
    assert.ok(sent.includes(OTHER_CANARY) && !sent.includes(CANARY));
  });

  it('the environment wins, stores nothing, and signing in and out say so; its key, once refused, is used again after a look', async () => {
    const { secrets, machine, running: stored } = await signedIn();
    const running = await service();
    const before = [...secrets.values];
    const environment = { [KEY]: ` ${CANARY} `, [BASE]: `${running.baseUrl}/`, [APP]: running.appUrl };
    const window = await machine.ready(environment);
    const { source, baseUrl } = window.connection.state.current.service ?? {};
    assert.deepEqual([source, baseUrl], ['environment', running.baseUrl]);
    assert.equal(window.context['agentConsole.environment'], true);
    assert.match(window.connection.diagnostics(), /variables set: (AGENT_CONSOLE_\w+(, )?){3}$/);
    const { commands } = window.connection;
    for (const run of [commands.signIn, commands.signOut, commands.useSampleService]) await run();
    assert.equal(window.person.steps.length, 0);
    assert.equal(new Set(window.person.told).size, 1);
    assert.match(window.person.told[0] ?? '', /^The environment variables AGENT_CONSOLE_BASE_URL and /);
    assert.deepEqual([...secrets.values], before);
    assert.equal(machine.settings.now.baseUrl, stored.baseUrl);

    const second = await machine.ready(environment);
    const fault = running.fail({ kind: 'status', status: 401 });
    await window.isServed();
    await window.connection.recheck();
    const { current } = window.connection.state;
    const named = /^The key in AGENT_CONSOLE_API_KEY was not accepted by .* Run Refresh to try/;
    assert.match(current.kind === 'keyRejected' ? current.reason : '', named);
    await second.turnsTo('keyRejected');
    fault.dispose();
    await commands.signIn();
    assert.equal(window.kind, 'signedIn');
    await second.turnsTo('signedIn');

    const half = machine.window({ [KEY]: CANARY });
    await half.connection.commands.signIn();
    const sentence = /^AGENT_CONSOLE_API_KEY is set, but AGENT_CONSOLE_BASE_URL is not/;
    assert.match(half.person.told[0] ?? '', sentence);
  });

  it('an environment with addresses alone asks only for the key and leaves the settings alone', async () => {
    const { running, secrets, machine } = await begin();
    const window = await machine.ready({ [BASE]: running.baseUrl, [APP]: running.appUrl });
    assert.equal(window.kind, 'signedOut');
    await window.enter(CANARY);
    assert.deepEqual([window.kind, window.person.steps[0]?.title], ['signedIn', 'Sign in (1/1)']);
    assert.deepEqual([machine.settings.now.baseUrl, secrets.values.size], ['', 1]);
    await window.signOut();
    assert.deepEqual([window.kind, secrets.values.size], ['signedOut', 0]);
  });

  it('signing out asks, removes every key of the service, and keeps everything else; other windows follow', async () => {
    const { running, secrets, machine, window } = await signedIn();
    const { person, storage, connection } = window;
    const other = await machine.ready();
    const { api } = other.connection;
    const drafts = storage.collection({ path: 'drafts', version: 1, schema: { parse: String } });
    await drafts.put('a', 'half a thought');
    const others = ['agentConsole.key:https://elsewhere.example https://a.example', 'another extension'];
    for (const name of [...others, `agentConsole.key:${running.baseUrl} https://former.example`])
      secrets.values.set(name, CANARY);
    await connection.commands.signOut();
    assert.deepEqual([window.kind, secrets.values.size], ['signedIn', 4], 'the person is not sure');
    await window.signOut();
    assert.deepEqual([window.kind, [...secrets.values.keys()]], ['signedOut', others]);
    await other.turnsTo('signedOut');
    const before = running.requests.length;
    await assert.rejects(Promise.resolve(api?.list('computers')), /noKey/);
    assert.equal(running.requests.length, before);
    const asked = /^Sign out of 127\.0\.0\.1:\d+\? This removes the key.*drafts stay/;
    assert.match(person.confirmed[0] ?? '', asked);
    assert.equal(person.told.at(-1), `Signed out of ${hostOf(running.baseUrl)}.`);
    assert.deepEqual([drafts.get('a'), machine.settings.now.baseUrl], ['half a thought', running.baseUrl]);
    await window.enter('cancel');
    assert.equal(person.steps.at(-1)?.value, running.baseUrl);
    await connection.commands.signOut();
    assert.equal(person.told.at(-1), 'You are not signed in.');
  });

  it('works while the storage folder cannot be written', async () => {
    const { running, machine, window } = await begin();
    fs.writeFileSync(path.join(machine.root, 'storage'), 'in the way');
    await window.signIn(running);
    assert.equal(window.kind, 'signedIn');
    running.fail({ kind: 'status', status: 401 });
    assert.equal(await window.isServed(), false);
    assert.equal(window.kind, 'keyRejected');
    assert.equal(window.person.told.filter(text => text.includes('not accepted')).length, 1);
    assert.match(window.log.lines.join('\n'), /Other windows cannot be told: /);
  });
});

const one = { baseUrl: 'https://api.one.example', appUrl: 'https://app.one.example' };
const two = { baseUrl: 'https://api.two.example', appUrl: 'https://app.two.example' };
const nowhere = { baseUrl: '', appUrl: '' };
const wholeEnvironment = { [BASE]: ` ${two.baseUrl}/ `, [APP]: two.appUrl, [KEY]: ' of-environment ' };

const given = {
  environment: {} as Environment,
  ...{ settings: nowhere, sample: false, key: undefined as string | undefined, refused: '' },
};
type Given = Partial<typeof given>;

function decided(of: Given) {
  const { environment, settings, sample, key, refused } = { ...given, ...of };
  const rejection = (_service: string, used: string) =>
    used === refused ? { status: 401, requestId: 'req_1' } : undefined;
  return decide({
    environment,
    settings: { baseUrl: () => settings.baseUrl, appUrl: () => settings.appUrl },
    records: { isSampleChosen: sample, rejection },
    keys: { read: () => Promise.resolve(key) },
  });
}

describe('which service and which key', () => {
  it('are those of the environment, else of the sample, else of the settings; or it is said what is missing', async () => {
    const stored = { settings: one, key: 'k' };
    const all = { ...stored, sample: true };
    const at = ({ baseUrl, appUrl }: Addresses): string => `${baseUrl} ${appUrl}`;
    const from = (environment: Environment): Given => ({ ...all, environment });
    const follows = { ...stored, settings: { baseUrl: `${one.baseUrl}/`, appUrl: '' } };
    for (const [given, expected] of [
      [{}, 'signedOut: '],
      [follows, `settings ${at(one)} k`],
      [all, `sample ${at(SAMPLE)} ${SAMPLE.key}`],
      [from(wholeEnvironment), `environment ${at(two)} of-environment`],
      [from({ [BASE]: two.baseUrl }), `environment ${at(two)} k`],
      [{ ...stored, refused: 'j' }, `settings ${at(one)} k`],
      [{ ...stored, settings: { baseUrl: 'no address', appUrl: '' } }, /^signedOut: .*baseUrl: This is not/],
      [from({ [APP]: two.appUrl }), /^signedOut: AGENT_CONSOLE_APP_URL is set, but/],
      [from({ [BASE]: 'http://x.example' }), /_BASE_URL: The address must begin with/],
      [from({ [BASE]: two.baseUrl, [KEY]: 'a\nb' }), /AGENT_CONSOLE_API_KEY: This is not a key/],
    ] as const) {
      const { state, key } = await decided(given);
      const words =
        state.kind === 'signedIn'
          ? `${state.service.source} ${at(state.service)} ${key}`
          : `${state.kind}: ${state.reason ?? ''}`;
      if (typeof expected === 'string') assert.equal(words, expected);
      else assert.match(words, expected);
    }
  });

  it('never are a stored key and other addresses than those in force, nor a key that was refused', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          environment: fc.constantFrom({}, { [BASE]: two.baseUrl }, { [KEY]: 'e' }, wholeEnvironment),
          settings: fc.constantFrom(one, two, nowhere, { baseUrl: 'x y', appUrl: '' }),
          sample: fc.boolean(),
          key: fc.constantFrom(undefined, 'k'),
          refused: fc.constantFrom('', 'k', 'of-environment'),
        }),
        async given => {
          const { state, key } = await decided(given);
          if (state.kind !== 'signedIn') return;
          assert.notEqual(key, given.refused);
          const { source, baseUrl } = state.service;
          if (key === 'k')
            assert.equal(baseUrl, source === 'environment' ? two.baseUrl : given.settings.baseUrl);
          if (BASE in given.environment) assert.equal(source, 'environment');
        },
      ),
    ));
});

describe('addresses as people type them', () => {
  it('are read, or refused with what is wrong', () => {
    for (const [typed, ok] of [
      ['https://api.example.com', 'https://api.example.com'],
      ['  https://API.Example.com/  ', 'https://api.example.com'],
      ['api.example.com', 'https://api.example.com'],
      ['api.example.com:8443/base/', 'https://api.example.com:8443/base'],
      ['https://example.com:443', 'https://example.com'],
      ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
      ['http://localhost:4000/', 'http://localhost:4000'],
      ['localhost:4000', 'http://localhost:4000'],
      ['http://[::1]:4000', 'http://[::1]:4000'],
      ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ] as const)
      assert.deepEqual(parseAddress(typed), { ok }, typed);
    for (const [problem, ...texts] of [
      [/not an address/, '', '   ', 'https://', 'not an address', 'https:/one-slash.example'],
      [/not an address/, 'https://exa\u202emple.com', 'https://host\\@evil.example'],
      [/must begin with https/, 'http://example.com', 'http://127.0.0.1.evil.example', 'http://192.168.0.1'],
      [/must begin with https/, 'http://api.localhost:4000', 'http://localhost.evil.example'],
      [/must begin with https/, 'ftp://127.0.0.1', 'javascript://example.com/%0aalert(1)'],
      [/^Leave out/, 'https://user:secret@example.com', 'https://token@example.com'],
      [/^Leave out/, 'https://example.com/?key=1', 'https://example.com/#x'],
    ] as const)
      for (const typed of texts) {
        const read = parseAddress(typed);
        assert.match('problem' in read ? read.problem : '', problem, typed);
      }
  });

  it('that are accepted are accepted again unchanged, and none throws', () => {
    const url = fc.webUrl();
    const secure = url.map(text => text.replace('http:', 'https:'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), url, secure), typed => {
        const first = parseAddress(typed);
        if ('problem' in first) return;
        assert.deepEqual(parseAddress(first.ok), first);
        assert.match(first.ok, /^https:.*[^/?#]$|^http:\/\/(localhost|127\.|\[::1\]).*[^/?#]$/);
        assert.doesNotThrow(() => proposeAppUrl(first.ok));
      }),
    );
  });
});
