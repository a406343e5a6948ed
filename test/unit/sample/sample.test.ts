import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type * as vscode from 'vscode';
import { ApiClient, type Message, type Session } from '../../../src/api';
import { endpoints, type EndpointName } from '../../../src/api/endpoints';
import { openSampleWorkspace } from '../../../src/changes';
import { readRepository } from '../../../src/changes/git/branches';
import { claimOf } from '../../../src/changes/git/evidence';
import { Mentions } from '../../../src/changes/git/mentions';
import type { SessionFacts } from '../../../src/changes/git/model';
import { Git } from '../../../src/changes/git/run';
import { demoFacts, sampleFetch, sampleRecord, type SampleOptions } from '../../../src/sample';
import { makeSampleRepository, SHOP, SHOP_REMOTE } from '../../../src/sample/repository';
import { idOf, STORIES } from '../../../src/sample/sessions';
import type { Storage } from '../../../src/storage';
import { temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { sampleRecords } from '../../fakes/sampleService';
import { executed } from '../../fakes/vscode';
import { until } from '../../until';
import { storageIn } from '../sessions/support';

/** A fixed moment: the data of 45 control revisions and of analytics through 20 November 2026. */
const NOW = Date.UTC(2026, 10, 21, 9, 30);
const RANGE = { startDate: '2026-01-14', endDate: '2026-11-20' };
const MINUTE = 60_000;
const [baseUrl, appUrl] = ['https://api.sample.invalid', 'https://app.sample.invalid'];

/** The sample as one window has it, with a clock that stands still until it is moved. */
class Sample {
  time = NOW;
  /** All that was answered. */
  readonly answers: unknown[] = [];
  readonly log = silentLog();
  readonly api: ApiClient;

  constructor(options: Partial<SampleOptions> = {}) {
    const answer = sampleFetch({ now: () => this.time, records: sampleRecords(), ...options });
    const fetch: typeof answer = async (...asked) => {
      const response = await answer(...asked);
      this.answers.push(await response.clone().json());
      return response;
    };
    const key = () => Promise.resolve('any-key');
    this.api = new ApiClient({ baseUrl, appUrl, key, redactionKey: 'k', log: this.log, fetch });
  }

  async newSession(): Promise<string> {
    const { items } = await this.api.list('computers');
    const computer = items.find(({ name }) => name === 'atlas');
    return (await this.api.createSession({ computerId: computer?.id ?? '' })).sessionId;
  }

  session(sessionId: string): Promise<Session> {
    return this.api.one('session', { ids: { sessionId } });
  }

  sessions(): Promise<readonly Session[]> {
    return all(this.api.pages('sessions'));
  }

  messages(sessionId: string): Promise<readonly Message[]> {
    return all(this.api.pages('messages', { ids: { sessionId } }));
  }

  send(sessionId: string, body: object | string) {
    const content = typeof body === 'string' ? { text: body } : body;
    return this.api.one('sendMessage', { ids: { sessionId }, body: JSON.stringify(content) });
  }
}

async function all<T>(pages: AsyncIterable<{ readonly items: readonly T[] }>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const { items } of pages) found.push(...items);
  return found;
}

const recordsOf = (storage: Storage) =>
  storage.collection({ path: 'sample', version: 1, schema: sampleRecord });

const base64 = (content: string): string => Buffer.from(content).toString('base64');

describe('the sample and the interface', () => {
  /**
   * The fields of interface section 2 by endpoint, all of which the sample has and no others; `*` names what varies. Of the last
   * ones of `settings` only that they are there.
   */
  const OPEN =
    /(\.settings\.(?:mcpAutonomyOverrides|userModelPolicies|enabledPlugins|extraKnownMarketplaces)|\.customModels\.(?:extraHeaders|extraArgs))\..*/;

  /** The names of all values in an answer; those of an application or a criterion are `*`, lists have none. */
  function namesIn(value: unknown, place = ''): string[] {
    if (Array.isArray(value)) return value.flatMap(item => namesIn(item, place));
    if (typeof value !== 'object' || value === null) return [place];
    return Object.entries(value).flatMap(([name, inner]) => {
      const varies = place.endsWith('.apps') || place.endsWith('.report');
      return namesIn(inner, `${place}${place === '' ? '' : '.'}${varies ? '*' : name}`);
    });
  }

  const list = path.join(process.env['AGENT_CONSOLE_ROOT']!, 'test/unit/sample/fields.txt');
  for (const block of fs.readFileSync(list, 'utf8').split(/\n(?=\/)/)) {
    const [asked = '', ...fields] = block.trim().split(/\s+/);
    it(`${asked} has the fields of section 2, and a client reads it without a complaint`, async () => {
      const names = Object.keys(endpoints) as EndpointName[];
      const name = names.find(each => endpoints[each].path === asked)!;
      const { api, answers } = new Sample();
      for await (const { problems } of api.pages(name, asked.includes('analytics') ? { query: RANGE } : {}))
        assert.deepEqual(problems, []);
      const found = namesIn(answers).map(each => each.replace(OPEN, '$1'));
      assert.deepEqual([...new Set(found)].sort(), [...fields].sort());
    });
  }
});

describe('the sessions of the sample', () => {
  let sample: Sample;
  beforeEach(() => (sample = new Sample()));

  const working = async () => (await sample.sessions()).find(({ status }) => status === 'running');

  it('are varied: a question each, calls of tools, a failed one, a diff, tables, a picture, and an answer; a client reads each without a complaint', async () => {
    const sessions = await sample.sessions();
    assert.equal(new Set(sessions.map(({ title }) => title)).size, 8);
    assert.equal(sessions.filter(({ status }) => status !== 'idle').length, 1);
    const bodies = await Promise.all(sessions.map(({ sessionId }) => sample.messages(sessionId)));
    for (const [at, body] of bodies.entries()) {
      assert.deepEqual([body[0]?.role, body.length], ['user', sessions[at]?.messageCount]);
      assert.ok(body.every((message, at) => message.parentId === body[at - 1]?.id));
    }
    const text = JSON.stringify(bodies);
    for (const kind of ['```diff', '| ---', '"type":"image"', '"type":"tool_use"', '"isError":true'])
      assert.ok(text.includes(kind), kind);
    assert.ok(!sample.log.lines.some(line => line.includes('left out')));
  });

  it('name only files and lines that the shop has', () => {
    const texts = JSON.stringify(STORIES);
    const named = [...texts.matchAll(/\b((?:apps|services|packages|docs)\/[\w./]*\.\w+)(?::(\d+))?/g)];
    assert.ok(named.length > 20);
    for (const [, file = '', line = '1'] of named) {
      // Of tests, also those the agent makes.
      if (file.endsWith('.test.ts') && line === '1') continue;
      assert.ok(Number(line) <= (SHOP.get(file)?.toString().split('\n').length ?? 0), `${file}:${line}`);
    }
  });

  it('have one that works on for minutes, message by message, and stops when it is interrupted', async () => {
    const { sessionId, messageCount = 0 } = (await working()) ?? assert.fail();
    const began = sample.time;
    for (let count = messageCount; sample.time - began < 2 * MINUTE; sample.time += 1_000) {
      const now = await sample.session(sessionId);
      assert.ok(now.status === 'running' && now.messageCount! - count <= 1, 'one thing after another');
      count = now.messageCount!;
    }
    const reached = (await sample.session(sessionId)).messageCount!;
    assert.ok(reached - messageCount > 10, `${reached - messageCount} messages`);
    for (let times = 0; times < 2; times++) await sample.api.one('interrupt', { ids: { sessionId } });
    assert.equal(await working(), undefined);
    sample.time += MINUTE;
    assert.equal((await sample.session(sessionId)).messageCount, reached);
    assert.equal((await sample.send(sessionId, 'Go on')).status, 'pending');
  });

  it('are what hooks and people on this machine are said to have told about', async () => {
    const facts = demoFacts();
    const sessions = await sample.sessions();
    const known = new Map(sessions.map(({ sessionId, messageCount = 0 }) => [sessionId, messageCount]));
    assert.deepEqual(new Set(facts.map(({ sessionId }) => sessionId)), new Set(known.keys()));
    const kinds: ((fact: (typeof facts)[number]) => unknown)[] = [
      ({ signal }) => signal?.kind === 'waiting',
      ({ signal }) => signal?.reason === 'error',
      ({ pinned }) => pinned,
      ({ archived }) => archived,
      ({ sessionId, read = 0, signal }) => signal?.kind === 'finished' && read < known.get(sessionId)!,
      ({ sessionId, read = 0 }) => read > known.get(sessionId)!,
    ];
    const counts = kinds.map(is => facts.filter(is).length);
    assert.deepEqual(counts, [1, 1, 1, 1, 2, 0]);
  });

  it('go from pending over running to idle, take up what came meanwhile, and are read back from the last message', async () => {
    const sessionId = await sample.newSession();
    const file = { type: 'base64', mediaType: 'text/markdown', name: 'no`tes.md', data: base64('# Notes') };
    const images = [{ type: 'base64', data: base64('bytes'), mediaType: 'image/png' }];
    const text = 'Explain the billing job';
    const first = await sample.send(sessionId, { text, files: [file] });
    assert.equal(first.status, 'pending');
    sample.time += 2_500;
    const second = await sample.send(sessionId, { text: 'And the tests', images });
    assert.equal(second.status, 'running');
    sample.time += 10_500;
    assert.equal((await sample.session(sessionId)).status, 'running');
    sample.time += 10_500;
    const { status, title, completedAt, updatedAt, messageCount } = await sample.session(sessionId);
    assert.deepEqual([status, title, completedAt], ['idle', text, updatedAt]);
    const chain: Message[] = [];
    let messageId: string | undefined = (await sample.send(sessionId, 'Thanks')).messageId;
    for (; messageId !== undefined; messageId = chain[0]?.parentId)
      chain.unshift(await sample.api.one('message', { ids: { sessionId, messageId } }));
    assert.deepEqual([chain.length, chain[0]?.id], [messageCount! + 1, first.messageId]);
    const phases = chain.flatMap(({ providerAPhase }) => providerAPhase ?? []);
    assert.equal(phases.join(' '), 'commentary final_answer commentary final_answer', 'one after the other');
    const said = JSON.stringify(chain);
    for (const part of [
      "I have read `no'tes.md`.",
      '"type":"image"',
      '"type":"tool_use"',
      '```diff',
      '| ---',
    ])
      assert.ok(said.includes(part), part);
  });

  it('are the same in windows that share the store of one machine, with the same ids, while agents work, and at the next start', async () => {
    const root = temporaryFolder();
    const window = (): Sample => new Sample({ records: recordsOf(storageIn(root)) });
    const [one, two] = [window(), window()];
    const session = await one.newSession();
    const { messageId } = await one.send(session, 'Explain this');
    one.time = two.time += 3_600;
    assert.deepEqual(await two.session(session), await one.session(session));
    assert.deepEqual(await two.messages(session), await one.messages(session));
    assert.equal((await two.messages(session))[0]?.id, messageId);
    assert.equal((await two.send(session, 'And now')).status, 'running');
    await until(async () => (await one.messages(session)).at(-1)?.role === 'user');
    const next = window();
    next.time = one.time;
    assert.deepEqual(await next.session(session), await one.session(session));
    assert.deepEqual(await next.api.list('computers'), await one.api.list('computers'));
    one.time = two.time = next.time += 60_000;
    for (const each of [two, next]) {
      assert.deepEqual(await each.messages(session), await one.messages(session));
      assert.deepEqual(await each.sessions(), await one.sessions());
    }
    assert.equal((await next.session(session)).status, 'idle');
    assert.equal((await one.sessions()).length, 9, 'those of the sample once');
  });
});

/** How long a session lasted. */
const factsOf = ({ title, minutesAgo }: (typeof STORIES)[number]): SessionFacts => ({
  sessionId: idOf({ title }),
  createdAt: NOW - minutesAgo * MINUTE,
  lastAt: NOW - (minutesAgo - 2) * MINUTE,
});

/** What its transcript says. */
const mentionsOf = ({ exchanges }: (typeof STORIES)[number]): Mentions =>
  new Mentions(
    exchanges.flatMap(({ ask, lines }) => [
      { text: ask, by: 'me' },
      ...lines.map(line => {
        const text = line.kind === 'use' ? `${JSON.stringify(line.input)}\n${line.result}` : line.text;
        return { text, by: 'agent' } as const;
      }),
    ]),
  );

describe('the sample repository', () => {
  let folder: string;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();

  beforeEach(async () => {
    folder = path.join(temporaryFolder(), 'a shop');
    await makeSampleRepository(folder, 'git', NOW);
  });

  it('has the files of the shop, a clean tree, and the branches that the sessions speak of, made while they lasted, one merged, one in conflict', () => {
    for (const [name, content] of SHOP)
      assert.deepEqual(fs.readFileSync(path.join(folder, name)), Buffer.from(content), name);
    assert.equal(git('status', '--porcelain=v2', '--branch', '--untracked-files=all').match(/^[^#]/m), null);
    const format = '--format=%(refname:lstrip=3) %(committerdate:unix)';
    const branches = git('for-each-ref', format, 'refs/remotes').split('\n');
    const talk = JSON.stringify(STORIES);
    for (const line of branches.filter(each => !/^(HEAD|main) /.test(each))) {
      const [name = '', seconds] = line.split(' ');
      assert.equal(talk.includes(`Pushed to \`${name}\``), name.startsWith('agent/'), name);
      const minutes = (NOW / 1000 - Number(seconds)) / 60;
      assert.ok(
        STORIES.some(({ minutesAgo }) => minutes < minutesAgo && minutes > minutesAgo - 2),
        `${name} is of no session`,
      );
    }
    assert.equal(branches.length, 6);
    assert.match(git('branch', '--remotes', '--merged', 'HEAD'), /agent\/extract-button/);
    const conflicts = ['confirm-timeout', 'flaky-total-test'].map(branch => {
      const merge = ['merge-tree', '--write-tree', '--name-only', 'HEAD', `origin/agent/${branch}`];
      return spawnSync('git', merge, { cwd: folder, encoding: 'utf8' });
    });
    const found = conflicts.map(({ status, stdout }) => status && stdout.split('\n')[1]);
    assert.deepEqual(found, ['services/checkout/src/total.ts', 0]);
  });

  it('shows whose work its branches are: certain, only likely, or nobody can tell', async () => {
    const facts = await readRepository(new Git('git', folder));
    const claims = STORIES.map(story => {
      const claim = claimOf(factsOf(story), [facts], mentionsOf(story));
      const why = claim.sure === 'unknown' ? [] : [claim.branch.name, claim.evidence];
      return [story.title, claim.sure, ...why];
    });
    assert.deepEqual(claims.sort(), [
      ['Are returns really going up?', 'likely', 'returns-rate', 'coAuthor'],
      ['Cover the checkout with tests', 'unknown'],
      ['Extract the button into packages/ui', 'likely', 'agent/extract-button', 'branchInTranscript'],
      ['Find out why the total test is flaky', 'certain', 'agent/flaky-total-test', 'sessionIdInCommit'],
      ['How a checkout works, end to end', 'unknown'],
      ['Move the workspace to TypeScript 5.9', 'unknown'],
      ['Review of the price check', 'certain', 'agent/confirm-timeout', 'sessionIdInCommit'],
      ['Round the tax once per cart', 'unknown'],
    ]);
  });

  it('is the same for the same moment, is fetched without a network, stays as a person leaves it, and leaves nothing where it cannot be made', async () => {
    const tips = git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/remotes');
    assert.equal(git('config', 'remote.origin.url'), SHOP_REMOTE);
    execFileSync('git', ['-C', path.join(folder, '.git/pushed.git'), 'branch', 'pushed-later', 'main']);
    assert.match(git('ls-remote', 'origin'), /pushed-later/);
    fs.writeFileSync(path.join(folder, 'mine.txt'), 'mine');
    await makeSampleRepository(folder, 'git', NOW + 1);
    assert.equal(git('status', '--porcelain'), '?? mine.txt');

    await assert.rejects(makeSampleRepository(`${folder} 2`, 'no-such-git', NOW), /ENOENT/);
    fs.rmSync(folder, { recursive: true });
    // Nothing of the person's settings counts.
    const hostile = path.join(path.dirname(folder), 'gitconfig');
    const settings = '[init]\n\ttemplateDir = /none\n[commit]\n\tgpgSign = true\n[core]\n\tautocrlf = true\n';
    fs.writeFileSync(hostile, settings);
    process.env['GIT_CONFIG_GLOBAL'] = hostile;
    try {
      await Promise.all([NOW, NOW].map(now => makeSampleRepository(folder, 'git', now)));
    } finally {
      delete process.env['GIT_CONFIG_GLOBAL'];
    }
    assert.equal(git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/remotes'), tips);
    assert.deepEqual(fs.readdirSync(path.dirname(folder)).sort(), ['a shop', 'gitconfig']);
  });

  it('is made once, when the sample was first used, and opened in a window of its own', async () => {
    const root = temporaryFolder();
    const storage = storageIn(root);
    await recordsOf(storage).put('used', { kind: 'first', at: NOW });
    const uri = { fsPath: root } as unknown as vscode.Uri;
    const needsGit = /^Error: The sample workspace needs Git/;
    await assert.rejects(openSampleWorkspace(uri, undefined, storage), needsGit);
    const tip = git('rev-parse', 'origin/agent/flaky-total-test');
    folder = path.join(root, 'sample/shop');
    for (const times of [1, 2]) {
      await openSampleWorkspace(uri, 'git', storage);
      assert.deepEqual(executed, Array(times).fill(`vscode.openFolder file://${folder} [object Object]`));
      assert.equal(git('rev-parse', 'origin/agent/flaky-total-test'), tip);
    }
  });
});
