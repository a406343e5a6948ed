import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { chatProtocol } from '../../../src/chat/protocol';
import { reportProtocol } from '../../../src/readiness/protocol';
import { usageProtocol } from '../../../src/usage/show/protocol';
import { boolean, listOf, number, object, oneOf, optional, text } from '../../../src/webview/guards';
import {
  act,
  event,
  pageSide,
  panelSide,
  RefusedByPanel,
  request,
  type Protocol,
} from '../../../src/webview/ipc';

const protocol = {
  requests: {
    add: request(object({ a: number(0, 100), b: number(0, 100) }))<number>(),
    fail: request(object({}))<null>(),
    note: act(object({ words: listOf(text(10), 3), loud: optional(boolean), tone: oneOf('a', 'b') })),
  },
  events: { told: event<{ readonly value: string }>() },
};

interface Wire {
  readonly calls: string[];
  readonly problems: string[];
  readonly told: string[];
  readonly panel: ReturnType<typeof panelSide<typeof protocol>>;
  readonly page: ReturnType<typeof pageSide<typeof protocol>>;
}

/** Both ends joined; what is sent is cloned on the way, as between two documents. */
function join(): Wire {
  const calls: string[] = [];
  const problems: string[] = [];
  const told: string[] = [];
  const panel = panelSide({
    protocol,
    handlers: {
      add: ({ a, b }) => {
        calls.push('add');
        return a + b;
      },
      fail: () => Promise.reject(new Error('It rained.')),
      note: ({ words, tone }) => {
        calls.push(`note ${words.join()} ${tone}`);
        if (tone === 'b') throw new Error('Too loud.');
      },
    },
    post: message => page.receive(structuredClone(message)),
    describe: error => (error as Error).message,
    onProblem: problem => problems.push(problem),
  });
  const page = pageSide<typeof protocol>({ told: ({ value }) => told.push(value) }, message =>
    panel.receive(structuredClone(message)),
  );
  return { calls, problems, told, panel, page };
}

describe('messages between panel and page', () => {
  it('answers requests with their own answers', async () => {
    const { page } = join();
    const sums = await Promise.all([
      page.request('add', { a: 1, b: 2 }),
      page.request('add', { a: 3, b: 4 }),
    ]);
    assert.deepEqual(sums, [3, 7]);
  });

  it('refuses with the sentence of a handler that fails', async () => {
    const { page, problems } = join();
    await assert.rejects(page.request('fail', {}), (error: Error) => {
      assert.ok(error instanceof RefusedByPanel);
      assert.equal(error.message, 'It rained.');
      return true;
    });
    assert.equal(problems.length, 1);
  });

  it('refuses wrong parameters without calling the handler', async () => {
    const { page, calls, problems } = join();
    await assert.rejects(page.request('add', { a: 1, b: 101 }), RefusedByPanel);
    await assert.rejects(page.request('add', { a: 1 } as never), RefusedByPanel);
    await assert.rejects(page.request('add', { a: 1, b: 2, c: 3 } as never), RefusedByPanel);
    await assert.rejects(page.request('constructor' as never, {}), RefusedByPanel);
    assert.deepEqual(calls, []);
    assert.equal(problems.length, 4);
  });

  it('delivers notifications and events, and drops wrong ones', () => {
    const { page, panel, calls, told, problems } = join();
    page.notify('note', { words: ['x'], tone: 'a' });
    page.notify('note', { words: ['much too long a word'], tone: 'a' });
    page.notify('note', { words: [], tone: 'c' } as never);
    panel.send('told', { value: 'hello' });
    assert.deepEqual(told, ['hello']);
    return Promise.resolve().then(() => {
      assert.deepEqual(calls, ['note x a']);
      assert.equal(problems.length, 2);
    });
  });

  it('reports a notification whose handler throws', async () => {
    const { page, problems } = join();
    page.notify('note', { words: [], tone: 'b' });
    await new Promise(resolve => setImmediate(resolve));
    assert.match(problems.join(), /"note"/);
  });
});

describe('10,000 wrong messages of a page', () => {
  const field = fc.constantFrom(
    ...'text id key href path reportId range tab again view __proto__'.split(' '),
  );
  const params = fc.oneof(
    fc.dictionary(field, fc.oneof(fc.string(), fc.anything())).map(fields => ({ ...fields, extra: 1 })),
    fc.anything().filter(value => JSON.stringify(value) !== '{}'),
  );
  const protocols: Readonly<Record<string, Protocol>> = { chatProtocol, usageProtocol, reportProtocol };
  for (const [title, { requests }] of Object.entries(protocols))
    it(`reach no handler of ${title}, throw nothing, and each that waits is refused once`, async () => {
      const names = Object.keys(requests);
      const called = new Set<string>();
      const [asked, refused]: number[][] = [[], []];
      const panel = panelSide({
        protocol: { requests, events: {} },
        handlers: Object.fromEntries(names.map(name => [name, () => called.add(name)])),
        post: message => refused!.push((message as { readonly id: number }).id),
        describe: String,
        onProblem: (_, error) => assert.equal(error, undefined),
      });
      const name = fc.constantFrom(...names, '__proto__', 'constructor', 'toString');
      const message = fc.record({ id: fc.nat(), name, params });
      fc.assert(
        fc.property(message, fc.anything(), (wrong, noise) => {
          asked!.push(wrong.id);
          panel.receive(wrong);
          panel.receive(noise);
        }),
        { numRuns: 5_000 },
      );
      await new Promise(setImmediate);
      assert.deepEqual([...called], []);
      assert.deepEqual(refused, asked);
    });
});
