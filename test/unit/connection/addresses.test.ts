import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  anyServer,
  CANARY,
  cleanUp,
  hostOf,
  Machine,
  OTHER_CANARY,
  service,
  SharedSecrets,
  signIn,
  until,
} from './support';

describe('addresses and the key they are bound to', function () {
  afterEach(cleanUp);

  it('nothing is set: signed out without a reason', async () => {
    const window = new Machine().window();
    assert.deepEqual(await window.connection.ready(), { kind: 'signedOut' });
    assert.deepEqual(window.context, {
      'agentConsole.connection': 'signedOut',
      'agentConsole.environment': false,
      'agentConsole.knownService': false,
    });
    assert.equal(window.connection.api, undefined);
  });

  for (const [baseUrl, appUrl, reason] of [
    [
      'nonsense at all',
      '',
      'agentConsole.baseUrl: This is not an address. It looks like https://api.example.com.',
    ],
    ['http://api.example.com', '', /^agentConsole\.baseUrl: The address must begin with https/],
    [
      'https://api.example.com',
      'http://app.example.com',
      /^agentConsole\.appUrl: The address must begin with https/,
    ],
    ['https://u:p@api.example.com', '', /^agentConsole\.baseUrl: Leave the name and the password out/],
  ] as const) {
    it(`names the setting that cannot be used: ${baseUrl} ${appUrl}`, async () => {
      const machine = new Machine();
      machine.settings.set({ baseUrl, appUrl });
      const state = await machine.window().connection.ready();
      assert.ok(state.kind === 'signedOut');
      if (typeof reason === 'string') assert.equal(state.reason, reason);
      else assert.match(state.reason ?? '', reason);
    });
  }

  it('follows the settings: without a web application’s address it is derived', async () => {
    const machine = new Machine();
    const window = machine.window();
    await window.connection.ready();
    machine.settings.set({ baseUrl: 'https://api.example.com/', appUrl: '' });
    await until(window.connection.state.onDidChange, () => 'reason' in window.connection.state.current);
    const state = window.connection.state.current;
    assert.ok(state.kind === 'signedOut');
    assert.equal(state.reason, 'There is no key for api.example.com. Sign in to enter one.');
    assert.equal(state.service?.appUrl, 'https://app.example.com');
  });

  describe('an address that changes under a stored key', () => {
    async function changed() {
      const known = await service();
      const hits: string[] = [];
      const evil = await anyServer((request, response) => {
        hits.push(JSON.stringify(request.headers));
        response.end('{"computers":[],"reports":[]}');
      });
      const secrets = new SharedSecrets();
      const machine = new Machine(secrets);
      const window = machine.window();
      const other = machine.window();
      await signIn(window, known);
      await other.connection.ready();
      return { known, evil, hits, secrets, machine, window, other };
    }

    it('never gets that key: signed out with a reason, and one window asks once', async () => {
      const { known, evil, hits, machine, window, other } = await changed();
      machine.settings.set({ baseUrl: evil, appUrl: evil });
      await Promise.all(
        [window, other].map(w =>
          until(w.connection.state.onDidChange, () => w.connection.state.current.kind === 'signedOut'),
        ),
      );
      const { current } = window.connection.state;
      assert.equal(
        current.kind === 'signedOut' && current.reason,
        `The stored key was entered for ${hostOf(known.baseUrl)}, so it is not sent to ${hostOf(evil)}. Sign in to decide.`,
      );
      const asked = [...window.person.told, ...other.person.told].filter(text =>
        text.includes('has not been sent'),
      );
      assert.deepEqual(asked, [
        `The service’s address is now ${hostOf(evil)}. The stored key was entered for ${hostOf(known.baseUrl)} and has not been sent.`,
      ]);
      assert.equal(window.connection.api, undefined);
      assert.deepEqual(hits, []);
    });

    it('gets it nowhere when only the web application’s address changes', async () => {
      const { known, evil, hits, machine, window } = await changed();
      const before = window.connection.state.current.service;
      machine.settings.set({ baseUrl: known.baseUrl, appUrl: evil });
      await until(
        window.connection.state.onDidChange,
        () => window.connection.state.current.kind === 'signedOut',
      );
      assert.deepEqual(hits, []);
      const { service: now } = window.connection.state.current;
      assert.equal(now?.appUrl, evil);
      assert.equal(now.id, before?.id, 'what is stored of the service stays with it');
    });

    it('says in the log why nobody is signed in', async () => {
      const { evil, machine, window } = await changed();
      machine.settings.set({ baseUrl: evil, appUrl: evil });
      await until(
        window.connection.state.onDidChange,
        () => window.connection.state.current.kind === 'signedOut',
      );
      const said = (): boolean =>
        window.log.lines.some(line => /^Connection: signedOut: The stored key was entered for /.test(line));
      await window.connection.ready();
      assert.ok(said(), window.log.lines.join('\n'));
    });

    it('gets it after a person has confirmed both hosts', async () => {
      const { known, evil, hits, machine, window } = await changed();
      machine.settings.set({ baseUrl: evil, appUrl: evil });
      await until(
        window.connection.state.onDidChange,
        () => window.connection.state.current.kind === 'signedOut',
      );
      window.person.confirms(true);
      await window.connection.commands.signIn();
      const question = window.person.confirmed.at(-1) ?? '';
      assert.ok(question.startsWith(`Use the stored key for ${hostOf(evil)}?`), question);
      assert.ok(question.includes(`entered for ${hostOf(known.baseUrl)}`), question);
      assert.equal(window.connection.state.current.kind, 'signedIn');
      assert.ok(hits.length === 2 && hits.every(headers => headers.includes(CANARY)));
    });

    it('does not get it when the person says no and enters another', async () => {
      const { evil, hits, machine, window } = await changed();
      machine.settings.set({ baseUrl: evil, appUrl: evil });
      await until(
        window.connection.state.onDidChange,
        () => window.connection.state.current.kind === 'signedOut',
      );
      window.person.confirms(false).answers(evil, evil, OTHER_CANARY);
      await window.connection.commands.signIn();
      assert.equal(window.connection.state.current.kind, 'signedIn');
      assert.ok(
        hits.length === 2 &&
          hits.every(headers => headers.includes(OTHER_CANARY) && !headers.includes(CANARY)),
      );
    });

    it('is signed in again without a question when the address comes back', async () => {
      const { known, evil, machine, window } = await changed();
      machine.settings.set({ baseUrl: evil, appUrl: evil });
      await until(
        window.connection.state.onDidChange,
        () => window.connection.state.current.kind === 'signedOut',
      );
      machine.settings.set(known);
      await until(
        window.connection.state.onDidChange,
        () => window.connection.state.current.kind === 'signedIn',
      );
      assert.equal((await window.connection.api?.computers.list())?.problems.length, 0);
    });
  });

  describe('the environment', () => {
    it('wins over settings, stored key and sample, stores nothing, and sign-in and sign-out say so', async () => {
      const [stored, running] = [await service(), await service()];
      const secrets = new SharedSecrets();
      const machine = new Machine(secrets);
      await signIn(machine.window(), stored);
      const before = [...secrets.values];
      const window = machine.window({
        environment: {
          AGENT_CONSOLE_API_KEY: ` ${CANARY} `,
          AGENT_CONSOLE_BASE_URL: `${running.baseUrl}/`,
          AGENT_CONSOLE_APP_URL: running.appUrl,
        },
      });
      const state = await window.connection.ready();
      assert.ok(state.kind === 'signedIn');
      assert.deepEqual([state.service.source, state.service.baseUrl], ['environment', running.baseUrl]);
      assert.equal(window.context['agentConsole.environment'], true);
      await window.connection.commands.signIn();
      await window.connection.commands.signOut();
      await window.connection.commands.useSampleService();
      assert.equal(window.person.steps.length, 0);
      assert.equal(new Set(window.person.told).size, 1);
      assert.match(
        window.person.told[0] ?? '',
        /^The environment variables AGENT_CONSOLE_BASE_URL and AGENT_CONSOLE_API_KEY decide/,
      );
      assert.deepEqual([...secrets.values], before);
      assert.equal(machine.settings.baseUrl, stored.baseUrl);
    });

    for (const [name, environment, reason] of [
      [
        'a key without an address',
        { AGENT_CONSOLE_API_KEY: CANARY },
        /^AGENT_CONSOLE_API_KEY is set, and AGENT_CONSOLE_BASE_URL is not/,
      ],
      [
        'only the web application',
        { AGENT_CONSOLE_APP_URL: 'https://a.example' },
        /^AGENT_CONSOLE_APP_URL is set, and AGENT_CONSOLE_BASE_URL is not/,
      ],
      [
        'a wrong address',
        { AGENT_CONSOLE_BASE_URL: 'http://x.example' },
        /^AGENT_CONSOLE_BASE_URL: The address must begin with https/,
      ],
      [
        'a key with a line break',
        { AGENT_CONSOLE_BASE_URL: 'https://x.example', AGENT_CONSOLE_API_KEY: `a\n${CANARY}` },
        /^AGENT_CONSOLE_API_KEY: There is a space or a line break/,
      ],
    ] as const) {
      it(`with ${name} says what to mend and uses nothing else`, async () => {
        const stored = await service();
        const machine = new Machine();
        await signIn(machine.window(), stored);
        const window = machine.window({ environment });
        const state = await window.connection.ready();
        assert.ok(state.kind === 'signedOut');
        assert.match(state.reason ?? '', reason);
        assert.equal(window.context['agentConsole.environment'], true);
        await window.connection.commands.signIn();
        assert.match(window.person.told[0] ?? '', reason);
      });
    }

    it('with addresses alone asks only for the key and leaves the settings alone', async () => {
      const running = await service();
      const secrets = new SharedSecrets();
      const machine = new Machine(secrets);
      const environment = { AGENT_CONSOLE_BASE_URL: running.baseUrl, AGENT_CONSOLE_APP_URL: running.appUrl };
      const window = machine.window({ environment });
      assert.equal((await window.connection.ready()).kind, 'signedOut');
      assert.equal(window.context['agentConsole.environment'], true, 'the sample is not offered');
      window.person.answers(CANARY);
      await window.connection.commands.signIn();
      assert.deepEqual(
        window.person.steps.map(({ step, totalSteps }) => [step, totalSteps]),
        [[1, 1]],
      );
      const state = window.connection.state.current;
      assert.equal(state.kind === 'signedIn' && state.service.source, 'environment');
      assert.equal(window.context['agentConsole.environment'], false);
      assert.deepEqual([machine.settings.baseUrl, secrets.values.size], ['', 1]);
      window.person.confirms(true);
      await window.connection.commands.signOut();
      assert.deepEqual([window.connection.state.current.kind, secrets.values.size], ['signedOut', 0]);
    });
  });

  it('signing out removes the key wherever it was used, and no other', async () => {
    const [one, two] = [await service(), await service()];
    const secrets = new SharedSecrets();
    const machine = new Machine(secrets);
    const window = machine.window();
    await signIn(window, one);
    secrets.values.set(
      'agentConsole.key:https://elsewhere.example.com https://app.example.com',
      OTHER_CANARY,
    );
    secrets.values.set('another extension', CANARY);
    machine.settings.set({ baseUrl: one.baseUrl, appUrl: two.appUrl });
    await until(
      window.connection.state.onDidChange,
      () => window.connection.state.current.kind === 'signedOut',
    );
    window.person.confirms(true);
    await window.connection.commands.signIn();
    assert.equal([...secrets.values.values()].filter(key => key === CANARY).length, 3);
    window.person.confirms(true);
    await window.connection.commands.signOut();
    assert.deepEqual([...secrets.values.values()].sort(), [CANARY, OTHER_CANARY].sort());
    assert.equal(secrets.values.get('another extension'), CANARY);
    machine.settings.set({ baseUrl: one.baseUrl, appUrl: one.appUrl });
    const { kind } = await machine.window().connection.ready();
    assert.equal(kind, 'signedOut', 'the address put back signs nobody in');
  });

  it('signing out asks, removes the key, and keeps everything else', async () => {
    const running = await service();
    const secrets = new SharedSecrets();
    const machine = new Machine(secrets);
    const window = machine.window();
    await signIn(window, running);
    const drafts = window.storage.collection({ path: 'drafts', version: 1, decode: String });
    await drafts.put('a', 'half a thought');
    window.person.confirms(false);
    await window.connection.commands.signOut();
    assert.deepEqual([window.connection.state.current.kind, secrets.values.size], ['signedIn', 1]);
    window.person.confirms(true);
    await window.connection.commands.signOut();
    assert.deepEqual([window.connection.state.current.kind, secrets.values.size], ['signedOut', 0]);
    assert.match(
      window.person.confirmed[0] ?? '',
      /^Sign out of 127\.0\.0\.1:\d+\? The key is removed.*drafts stay/,
    );
    assert.equal(window.person.told.at(-1), `Signed out of ${hostOf(running.baseUrl)}.`);
    assert.equal(drafts.get('a'), 'half a thought');
    assert.equal(machine.settings.baseUrl, running.baseUrl);
    window.person.steps.length = 0;
    window.person.answers('cancel');
    await window.connection.commands.signIn();
    assert.equal(window.person.steps[0]?.value, running.baseUrl);
    await window.connection.commands.signOut();
    assert.equal(window.person.told.at(-1), 'You are not signed in.');
  });

  it('works while the storage folder cannot be written', async () => {
    const running = await service();
    const machine = new Machine();
    fs.writeFileSync(path.join(machine.root, 'storage'), 'in the way');
    const window = machine.window();
    await signIn(window, running);
    assert.equal(window.connection.state.current.kind, 'signedIn');
    running.fail({ kind: 'status', status: 401 });
    await window.connection.api?.computers.list().catch(() => undefined);
    assert.equal(window.connection.state.current.kind, 'keyRejected');
    assert.equal(window.person.told.filter(text => text.includes('not accepted')).length, 1);
  });
});
