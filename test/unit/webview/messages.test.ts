import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { chatProtocol, isPageState as chatState } from '../../../src/chat/protocol';
import { isPageState as reportState, reportProtocol } from '../../../src/readiness/protocol';
import { firstState, pageState as usageState, usageProtocol } from '../../../src/usage/show/protocol';
import type { Guard } from '../../../src/webview/guards';
import { panelSide, type Params, type Protocol } from '../../../src/webview/ipc';

/** For each message, one that is right and has all its fields. */
type Samples<P extends Protocol> = { readonly [K in keyof P['requests']]: Required<Params<P, K>> };

const [id, key, code, none] = [{ id: 'e1' }, { key: 'k' }, { text: 'let a;' }, {}];
const kept = { scroll: { key: 'm1', offset: 12 }, opened: ['m1 2'] };
const look = { filter: 'all', words: 'w', scroll: 1 } as const;
const range = { start: '2026-01-14', end: '2026-02-28' };
const query = { tab: 'tokens', compare: true, folded: true, pseudonyms: false, person: 'p', range } as const;

const chat: Samples<typeof chatProtocol> = {
  ...{ history: none, attach: none, chooseTarget: none, stop: none, refresh: none, readEarlier: none },
  ...{ addAgain: none, ready: none, openWebApp: none, explainGap: none },
  ...{ takeBack: id, discard: id, sendAgain: id, insertCode: code, compareDiff: code, applyDiff: code },
  ...{ copy: code, picture: key, detach: key, openAttachment: key, copyMessage: key, openMessage: key },
  send: { text: 'Hi', sendId: 's-1', seen: 1 },
  attachBytes: { name: 'a.png', size: 1, bytes: new Uint8Array(1), replaces: 'k' },
  attachUris: { uris: ['file:///a'] },
  openPath: { path: 'src/a.ts:1' },
  draft: { text: 'H', seen: 1, version: 2 },
  unsaved: { text: 'H', at: 1, sendId: 's-1', next: 'more' },
  openLink: { href: 'https://a.example' },
  kept,
};
const readiness: Samples<typeof reportProtocol> = {
  ...{ ready: none, export: none, look, show: { reportId: 'r' }, compare: { reportId: 'r' } },
  ...{ fix: { criteria: ['c'] }, reveal: { path: 'a.md' } },
};
const usage: Samples<typeof usageProtocol> = {
  ...{ ready: none, situation: none, cancel: none, signIn: none, copy: code },
  ...{ report: query, fetch: { query, again: true }, save: { name: 'usage-a.csv', text: 't' } },
};
const state = { ...firstState, person: 'p', custom: range, tables: true, scroll: 1 };

/** Fields of these that may be missing. */
const optionals = new Set(
  `attachBytes.replaces unsaved.at unsaved.sendId unsaved.next kept.scroll kept.opened compare.reportId
   report.person fetch.query.person chat.kept chat.kept.scroll chat.kept.opened readiness.baseId readiness.look
   usage.person usage.custom usage.tables usage.scroll`.split(/\s+/),
);

/** A value with one place in it spoilt, where that is, and whether the field is missing there. */
function* spoilt(
  value: unknown,
  path: string,
): Generator<readonly [wrong: unknown, path: string, isGone?: true]> {
  const wrongs =
    value instanceof Uint8Array
      ? [[1], new Uint16Array(1), {}]
      : Array.isArray(value)
        ? [{ length: 0 }, 'x', Array(10_001).fill(value[0])]
        : typeof value === 'object'
          ? [[], 'x', { ...value, extra: 1 }]
          : typeof value === 'string'
            ? [1, true, [value], {}, 'x'.repeat(200_000_001)]
            : typeof value === 'number'
              ? [String(value), true, NaN, Infinity, -1e10]
              : [0, 'true', {}];
  for (const wrong of [null, ...wrongs]) yield [wrong, path];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  for (const [name, inner] of Object.entries(value)) {
    const at = `${path}.${name}`;
    if (!Array.isArray(value))
      yield [Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)), at, true];
    for (const [wrong, ...where] of spoilt(inner, at))
      yield [Array.isArray(value) ? value.with(Number(name), wrong) : { ...value, [name]: wrong }, ...where];
  }
}

describe('wrong messages of a page', () => {
  const params = fc.anything().filter(value => JSON.stringify(value) !== '{}');
  const protocols: Readonly<Record<string, Protocol>> = { chatProtocol, usageProtocol, reportProtocol };
  for (const [title, { requests }] of Object.entries(protocols))
    it(`that are noise reach no handler of ${title}, throw nothing, and each that waits is refused once`, async () => {
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

  it('and states of one are refused whichever field is wrong, or missing', () => {
    const of = ({ requests }: Protocol, samples: Readonly<Record<string, unknown>>) =>
      Object.entries(samples).map(([name, sample]) => [name, requests[name]!.params, sample] as const);
    const all: readonly (readonly [string, Guard<unknown>, unknown])[] = [
      ...of(chatProtocol, chat),
      ...of(reportProtocol, readiness),
      ...of(usageProtocol, usage),
      ['chat', chatState, { sessionId: 's', serviceId: 'v', title: 't', kept }],
      ['readiness', reportState, { key: 'k', reportId: 'r', baseId: 'b', look }],
      ['usage', usageState, state],
    ];
    for (const [name, guard, sample] of all) {
      assert.ok(guard(sample), name);
      for (const [wrong, path, isGone] of spoilt(sample, name))
        assert.equal(guard(wrong), isGone === true && optionals.has(path), path);
    }
  });
});
