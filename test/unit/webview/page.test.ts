import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { mock } from 'node:test';
import { Uri, type WebviewOptions } from 'vscode';
import { PagePanel } from '../../../src/ui/pagePanel';
import { pageHtml, pageOptions, type Place } from '../../../src/webview/page';
import { silentLog } from '../../fakes/log';
import { env } from '../../fakes/vscode';
import { RefusedByPanel, act, event, number, object, pageSide } from '../../../src/webview/ipc';
import { panelSide, request, text, type Params, type Protocol } from '../../../src/webview/ipc';
import { chatProtocol, isPageState as chatState } from '../../../src/chat/protocol';
import { isPageState as reportState, reportProtocol } from '../../../src/readiness/protocol';
import { firstState, pageState as usageState, usageProtocol } from '../../../src/usage/protocol';
import { pageOf } from '../chat/support';

const extensionUri = Uri.file('/extension');

/** What a panel has noted. */
const noted: string[] = [];
const note = (what: string) => (): unknown => noted.push(what);

class NotingPanel extends PagePanel<Place> {
  override onGone = note('gone');
  override onMissing = note('missing');
}

describe('a page in a webview', () => {
  let [log, place] = [silentLog(), pageOf('panel')];
  let page: NotingPanel;
  const times = (what: string): number => noted.filter(each => each === what).length;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    noted.length = 0;
    [log, place] = [silentLog(), pageOf('panel')];
    page = new NotingPanel(place.place, { extensionUri, name: 'usage', log });
    page.connect({
      protocol: { requests: { ready: act(object({})), note: act(object({})) }, events: {} },
      handlers: { ready: note('ready'), note: note('note') },
    });
    page.load();
  });
  afterEach(() => {
    page.dispose();
    mock.timers.reset();
  });
  const sayOfItself = (act: string, words?: string): void =>
    place.said.fire({ kind: 'page', act, ...(words === undefined ? {} : { words }) });

  it('that says why it is broken is not called missing, and is loaded anew when the person asks for that', () => {
    sayOfItself('broken', 'RangeError: en-US@posix');
    mock.timers.tick(60_000);
    assert.deepEqual(noted, []);
    assert.match(log.lines.join('\n'), /The usage page could not be drawn: RangeError: en-US@posix/);
    sayOfItself('reload');
    assert.deepEqual([place.written.length, noted], [2, ['gone']]);
    mock.timers.tick(10_000);
    assert.deepEqual(noted, ['gone', 'missing'], 'the page loaded anew has its own ten seconds');
    const say = (): void => place.said.fire({ name: 'note', params: {} });
    say();
    assert.equal(noted.length, 2, 'a page that has not said that it listens is one that was here before');
    place.begun();
    say();
    assert.deepEqual(noted.slice(2), ['ready', 'note']);
    sayOfItself('other');
    assert.match(log.lines.at(-1) ?? '', /dropped: wrong shape/);
  });

  it('is missing when it is not heard within ten seconds of being looked at, once for each loading', () => {
    const isMissing = (): unknown[] => [times('missing'), page.isMissing];
    mock.timers.tick(9_999);
    assert.deepEqual([...isMissing(), page.isReady], [0, true, false]);
    mock.timers.tick(60_000);
    assert.deepEqual([times('missing'), log.lines], [1, ['The usage page did not load within 10 s']]);
    page.load();
    mock.timers.tick(10_000);
    assert.deepEqual([...isMissing(), place.written.length], [2, true, 2]);
    place.begun();
    assert.deepEqual(isMissing(), [2, false], 'it came late');
    place.show(false);
    mock.timers.tick(60_000);
    assert.deepEqual(isMissing(), [2, false]);
    place.show(true);
    mock.timers.tick(10_000);
    assert.deepEqual(isMissing(), [3, true]);
  });

  it('is written anew each time it is hidden, with a nonce of its own', () => {
    place.begun();
    for (let round = 0; round < 5; round++) {
      for (const isShown of [false, false, true, true]) place.show(isShown);
      assert.equal(page.isReady, false);
      place.begun();
    }
    assert.deepEqual([times('gone'), place.written.length], [5, 6]);
    assert.equal(new Set(place.written.map(html => /nonce="([^"]+)"/.exec(html)?.[1])).size, 6);
    for (const html of place.written) assert.match(html, /\/extension\/dist\/pages\/usage\.js/);
  });
});

it('what a page may do is told anew where it is anything else, and no more where it is as its panel was made', () => {
  const wanted = pageOptions(extensionUri);
  const others = [{}, { enableScripts: true }, { ...wanted, enableScripts: false }];
  const wrong = [...others, pageOptions(Uri.file('/extension-0.1')), { ...wanted, enableCommandUris: true }];
  for (const options of [{ ...wanted, enableForms: undefined }, ...wrong] as readonly WebviewOptions[]) {
    const { place } = pageOf('panel');
    place.webview.options = options;
    new NotingPanel(place, { extensionUri, log: silentLog(), name: 'usage' }).dispose();
    assert.equal(place.webview.options !== options, wrong.includes(options));
    const { enableScripts, localResourceRoots: roots, ...more } = place.webview.options;
    const allowed = [enableScripts, roots?.map(String), JSON.stringify(more)];
    assert.deepEqual(allowed, [true, ['file:///extension/dist/pages'], '{}']);
  }
});

it('the document of a page lets one script run, by a nonce of 128 bits, asks nobody, escapes what it is given, and names its language', () => {
  const csp = "'self' https://*.example";
  const { language } = env;
  env.language = 'd"e';
  const webview = { cspSource: csp, asWebviewUri: (uri: Uri) => uri };
  const html = pageHtml(webview, extensionUri, 'chat', 'A "title" with <b> & ampersand');
  env.language = language;
  const [, nonce = 'none'] = /nonce="([A-Za-z0-9+/]{22}==)"/.exec(html) ?? [];
  const [head, rest = ''] = html.replaceAll(/\s+/g, ' ').split(' <meta charset');
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${csp}; font-src ${csp}; img-src ${csp} data: blob:`;
  const begin = '<!DOCTYPE html> <html lang="d&#34;e"> <head> <meta http-equiv="Content-Security-Policy"';
  assert.equal(head, `${begin} content="${policy}" />`, 'before all it governs');
  const scripts = [`<script nonce="${nonce}" src="file:///extension/dist/pages/chat.js">`];
  assert.deepEqual(rest.match(/<script[^>]*>|http-equiv/g), scripts);
  assert.match(rest, /<title>A &#34;title&#34; with &#60;b&#62; &#38; ampersand<\/title>/);
});

it('messages between panel and page are answered, refused with a sentence, or dropped, and what fails is reported', async () => {
  const protocol = {
    requests: {
      add: request(object({ a: number(0, 100), b: number(0, 100) }))<number>(),
      note: act(object({ words: text(10) })),
    },
    events: { told: event<{ readonly value: string }>() },
  };
  const [noted, problems, told]: string[][] = [[], [], []];
  // What is sent is cloned on the way, as between two documents.
  const panel = panelSide({
    protocol,
    handlers: {
      add: ({ a, b }) => a + b,
      note: ({ words }) => noted!.push(words) && words === 'loud' && assert.fail('It rained.'),
    },
    post: message => page.receive(structuredClone(message)),
    describe: error => (error as Error).message,
    onProblem: problem => problems!.push(problem),
  });
  const hear = { told: ({ value }: { readonly value: string }) => told!.push(value) };
  const page = pageSide<typeof protocol>(hear, message => panel.receive(structuredClone(message)));
  const sums = [page.request('add', { a: 1, b: 2 }), page.request('add', { a: 0, b: 100 })];
  assert.deepEqual(await Promise.all(sums), [3, 100]);
  await assert.rejects(page.request('note', { words: 'loud' }), new RefusedByPanel('It rained.'));
  for (const words of ['loud', 'low', 'much too long a word']) page.notify('note', { words });
  panel.send('told', { value: 'hello' });
  await new Promise(setImmediate);
  assert.deepEqual([told, noted], [['hello'], ['loud', 'loud', 'low']]);
  const failed = '"note" of the page failed';
  const wrong = 'A message of the page was refused: unknown name or wrong parameters';
  assert.deepEqual(problems!.sort(), [failed, failed, wrong]);
});

/** For each message, one that is right and has all its fields. */
type Samples<P extends Protocol> = { readonly [K in keyof P['requests']]: Required<Params<P, K>> };

const [id, key, code, none] = [{ id: 'e1' }, { key: 'k' }, { text: 'let a;' }, {}];
const kept = { scroll: { key: 'm1', offset: 12 }, opened: ['m1 2'] };
const look = { filter: 'all', words: 'w', scroll: 1 } as const;
const range = { start: '2026-01-14', end: '2026-02-28' };
const query = { tab: 'tokens', compare: true, folded: true, pseudonyms: false, person: 'p', range } as const;

const chat: Samples<typeof chatProtocol> = {
  ...{ history: none, attach: none, chooseTarget: none, stop: none, refresh: none, readEarlier: none },
  ...{ addAgain: none, ready: none, openWebApp: none, showChanges: none },
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
  ...{ ready: none, export: none, show: { reportId: 'r' }, compare: { reportId: 'r' } },
  fix: { criteria: ['c'] },
};
const usage: Samples<typeof usageProtocol> = {
  ...{ ready: none, cancel: none, signIn: none, copy: code },
  ...{ report: query, fetch: { query, again: true }, save: { name: 'usage-a.csv', text: 't' } },
};
const states = {
  chat: { sessionId: 's', serviceId: 'v', title: 't', kept },
  readiness: { key: 'k', reportId: 'r', baseId: 'b', look },
  usage: { ...firstState, person: 'p', custom: range, tables: true, scroll: 1 },
};
const stateGuards = { chat: act(chatState), readiness: act(reportState), usage: act(usageState) };

/** Fields of these that may be missing. */
const optionals = new Set(
  `attachBytes.replaces? unsaved.at? unsaved.sendId? unsaved.next? kept.scroll? kept.opened? chat.kept?
   chat.kept.scroll? chat.kept.opened? readiness.baseId? readiness.look? report.person?
   fetch.query.person? usage.person? usage.custom? usage.tables? usage.scroll?`.split(/\s+/),
);

const kindOf = (value: unknown): string =>
  value instanceof Uint8Array ? 'bytes' : Array.isArray(value) ? 'list' : typeof (value ?? undefined);

/** A value with one place in it spoilt, and where that is; with a mark at the end where a field is missing. */
function* spoilt(value: unknown, path: string): Generator<readonly [wrong: unknown, path: string]> {
  const [kind, parts] = [kindOf(value), value as Readonly<Record<string, unknown>>];
  const more: Readonly<Record<string, readonly unknown[]>> = {
    string: ['x'.repeat(200_000_001)],
    number: [NaN, Infinity, -1e10],
    list: [Array(10_001).fill(parts[0])],
    object: [{ ...parts, extra: 1 }],
  };
  const others = [null, 1, 'x', true, [1], {}].filter(other => kindOf(other) !== kind);
  for (const wrong of [...others, ...(more[kind] ?? [])]) yield [wrong, path];
  if (kind === 'list') yield* [...spoilt(parts[0], path)].map(([wrong, at]) => [[wrong], at] as const);
  if (kind !== 'object') return;
  for (const [name, inner] of Object.entries(parts)) {
    yield [{ ...parts, [name]: undefined }, `${path}.${name}?`];
    for (const [wrong, at] of spoilt(inner, `${path}.${name}`)) yield [{ ...parts, [name]: wrong }, at];
  }
}

for (const [title, requests, samples] of [
  ['a chat', chatProtocol.requests, chat],
  ['a report', reportProtocol.requests, readiness],
  ['usage', usageProtocol.requests, usage],
  ['what is kept over a reload', stateGuards, states],
] as const satisfies readonly (readonly [string, Protocol['requests'], Readonly<Record<string, unknown>>])[])
  it(`wrong messages of ${title}, with any place of them spoilt, reach no handler and are refused once`, async () => {
    const protocol: Protocol = { requests, events: {} };
    const names = Object.keys(requests);
    const called: string[] = [];
    const [asked, refused]: number[][] = [[], []];
    const panel = panelSide({
      protocol,
      handlers: Object.fromEntries(names.map(name => [name, () => called.push(name)])),
      post: message => refused!.push((message as { readonly id: number }).id),
      describe: String,
      onProblem: (_, error) => assert.equal(error, undefined),
    });
    const ask = (name: string, params: unknown, path = name): void => {
      panel.receive({ id: asked!.push(asked!.length) - 1, name, params });
      panel.receive(params);
      assert.deepEqual(called, [], path);
    };
    for (const [name, sample] of Object.entries(samples))
      for (const [wrong, path] of spoilt(sample, name))
        if (!optionals.has(path)) ask(name, wrong, path);
        else assert.ok(protocol.requests[name]?.params(wrong), path);
    const noise = fc.anything().filter(value => JSON.stringify(value) !== '{}');
    const name = fc.constantFrom(...names, '__proto__', 'constructor', 'toString');
    const unlike = fc.property(name, noise, (...wrong) => ask(...wrong));
    fc.assert(unlike, { numRuns: 2_500 });
    await new Promise(setImmediate);
    assert.deepEqual(refused, asked);
    for (const [name, params] of Object.entries(samples)) panel.receive({ name, params });
    assert.deepEqual(called, Object.keys(samples));
  });
