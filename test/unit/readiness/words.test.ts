import assert from 'node:assert/strict';
import { marked } from 'marked';
import { Uri, type WebviewPanel } from 'vscode';
import type { ReadinessReport } from '../../../src/api';
import { fixMessage } from '../../../src/readiness/commands';
import type { Repository, ShownReport } from '../../../src/readiness/model';
import { missingParts, pageParts } from '../../../src/readiness/page';
import { markdownOf, rationaleOf, type ReportFacts } from '../../../src/readiness/sections';
import { LocalGit } from '../../../src/readiness/git';
import { ReportPanel, type ReportPanelDeps } from '../../../src/readiness/panel';
import { isPageState, reportProtocol, type PageState } from '../../../src/readiness/protocol';
import { reportNotes, stalenessText } from '../../../src/readiness/text';
import { Emitter } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';

const EVIL = [
  '[x](command:workbench.action.quit)',
  '<img src=x onerror=alert(1)>',
  '| a | b |\n| - | - |',
  '\u202Egnp.exe\u2066',
  '$(zap) `code` **bold** ![p](https://evil.example/p.png)',
  'https://evil.example/auto www.evil.example WWW.evil.example me@evil.example <https://evil.example>',
  '\u0000\u001b[31m\u0007',
  '# heading\n- item\n\n---',
  '&lt;script&gt;',
].join(' ');

function hostile(): ShownReport {
  const evaluation = { numerator: 1, denominator: 2, rationale: EVIL };
  const report: ReadinessReport = {
    reportId: EVIL,
    createdAt: 9e18,
    repoUrl: EVIL,
    apps: { [EVIL]: { description: EVIL }, '../../etc': { description: 'x' } },
    report: { [EVIL]: evaluation, plain: evaluation },
    commitHash: EVIL,
    branch: EVIL,
    hasLocalChanges: true,
    hasNonRemoteCommits: true,
    modelUsed: { id: EVIL, reasoningEffort: EVIL },
    agentVersion: EVIL,
  };
  const base = { ...report, reportId: 'base', createdAt: 5, report: { gone: evaluation } };
  const repository: Repository = { key: EVIL, name: EVIL, url: EVIL, reports: [report, base] };
  return { repository, report, base, isPartial: false };
}

function pageOf(
  shown: ShownReport,
  { look, ...facts }: Partial<ReportFacts> & Pick<PageState, 'look'> = {},
): Readonly<Record<string, string>> {
  const state = { key: 'k', reportId: 'r', look };
  return pageParts(shown, {
    state,
    staleness: 'unknown',
    commits: 'asked',
    ...facts,
  });
}

describe('the panel of a report', () => {
  /** A panel whose page is built anew by `show`, which tells what it was sent then. */
  function panelOf() {
    const { repository, report, base } = hostile();
    const received = new Emitter<unknown>();
    const sent: { readonly name: string; readonly payload: { readonly state: PageState } }[] = [];
    const webview = {
      ...{ html: '', cspSource: '', options: {}, asWebviewUri: (uri: Uri) => uri },
      onDidReceiveMessage: received.event,
      postMessage: (message: (typeof sent)[number]) => sent.push(message),
    };
    const never = new Emitter<void>().event;
    const panel = { webview, visible: true, title: '', onDidDispose: never, onDidChangeViewState: never };
    const made = new ReportPanel(
      panel as unknown as WebviewPanel,
      { key: 'k', reportId: 'a' },
      {
        ...{ extensionUri: Uri.file('/extension'), log: silentLog() },
        reports: {
          git: new LocalGit(),
          shown: () => ({ repository, report, base, isPartial: false }),
          commits: () => Promise.resolve(undefined),
          missing: undefined,
        },
        commands: {} as ReportPanelDeps['commands'],
      },
    );
    const tell = (name: string, params: object): void => received.fire({ name, params });
    const show = (): PageState | undefined => {
      sent.length = 0;
      tell('ready', {});
      return sent[0]?.payload.state;
    };
    return { made, tell, show };
  }

  it('shows the same report where it was read, and anything else from its beginning', () => {
    const { made, tell, show } = panelOf();
    show();
    const look = { filter: 'failing', words: 'x', scroll: 900 } as const;
    tell('look', look);
    made.show({ key: 'k', reportId: 'a' });
    assert.deepEqual(show()?.look, look);
    for (const state of [
      { key: 'k', reportId: 'a', baseId: 'b' },
      { key: 'k', reportId: 'b' },
    ]) {
      tell('look', look);
      made.show(state);
      assert.deepEqual(show(), { ...state, look: { ...look, scroll: 0 } });
    }
    made.show({ key: 'k', reportId: 'b' }, 'plain');
    assert.equal(show()?.look, undefined);
    made.dispose();
  });
});

describe('words of readiness', () => {
  const facts: ReportFacts = { staleness: undefined, commits: [] };
  const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

  it('show the page no control or bidi characters, whatever a report holds', () => {
    const commits = [{ hash: EVIL, message: EVIL, authorName: EVIL }];
    const all = Object.values({ ...pageOf(hostile(), { commits }), none: missingParts(EVIL)['head'] }).join(
      '',
    );
    // Ids go back to the panel as they came and are never shown.
    const shown = all.replace(/ data-act="[^"]*"/g, '');
    assert.equal(control.exec(shown), null);
    const tags = new Set([...shown.matchAll(/<\/?(\w+)[^<>]*>/g)].map(([, name]) => name));
    const own =
      'button code dd div dl dt em figcaption figure h1 h2 input label li option p path select span strong';
    const known = [...own.split(' '), ...'svg table tbody td th thead tr ul'.split(' ')];
    assert.deepEqual(
      [...tags].filter(name => !known.includes(name ?? '')),
      [],
    );
    assert.doesNotMatch(shown.replace(/="[^"]*"/g, '='), /<[^>]*\bon\w+=/);
    assert.doesNotMatch(all, /in the Explorer/, 'no path leads out of a repository');
  });

  it('draw what a criterion’s rationale marks, and nothing else of its Markdown', () => {
    for (const [given, drawn] of [
      [
        'None in `a*b*c`:\n- no **runner**\n- no *script*',
        'None in <code>a*b*c</code>:\n<ul><li>no <strong>runner</strong></li><li>no <em>script</em></li></ul>',
      ],
      ['1. one\n2) two\n* a\n3 * 4 * 5', '<ol><li>one</li><li>two</li></ol><ul><li>a</li></ul>3 * 4 * 5'],
      ['<b>[x](command:y) & _z_', '&#60;b&#62;[x](command:y) &#38; _z_'],
    ])
      assert.equal(rationaleOf(given!).text, drawn);
  });

  it('draw the criteria that are wanted: all, those that fail or changed, those with a word, 500 at most', () => {
    const of = (numerator: number) => ({ numerator, denominator: 2, rationale: `has ${numerator}` });
    const { repository, report } = hostile();
    const now = { ...report, report: { good: of(2), bad: of(1), late: of(0) } };
    const base = { ...report, report: { good: of(1), bad: of(1), gone: of(2) } };
    const rows = (look: PageState['look']): unknown =>
      [
        ...(pageOf({ repository, report: now, base, isPartial: false }, { look })['criteria'] ?? '').matchAll(
          /title="(\w+)"/g,
        ),
      ].map(([, id]) => id);
    const look = { filter: 'all', words: '', scroll: 0 } as const;
    assert.deepEqual(rows(undefined), ['late', 'bad', 'good', 'gone']);
    assert.deepEqual(rows({ ...look, filter: 'failing' }), ['late', 'bad']);
    assert.deepEqual(rows({ ...look, filter: 'changed' }), ['late', 'good', 'gone']);
    assert.deepEqual(rows({ ...look, words: ' HAS 1' }), ['bad']);
    assert.deepEqual(rows({ ...look, words: 'nothing' }), []);
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`c${at}`, of(1)]));
    const whole = { repository, report: { ...report, report: many }, isPartial: false };
    const drawn = pageOf(whole)['criteria'] ?? '';
    assert.equal(drawn.match(/<tr/g)?.length, 501);
    assert.match(drawn, /The first 500 of 501 are shown/);
    const last = pageOf(whole, { wanted: 'c99' })['criteria'] ?? '';
    assert.match(last, /<tr class="wanted" tabindex="-1">\s*<th[^>]*><span title="c99">/);
  });

  it('draw every application and commit', () => {
    const many = Array.from({ length: 501 }, (_, at) => String(at));
    const { repository, report, base } = hostile();
    const apps = Object.fromEntries(many.map(path => [`apps/${path}`, { description: '' }]));
    const commits = many.map(hash => ({ hash, message: hash }));
    const shown = { repository, report: { ...report, apps }, base, isPartial: false };
    const { applications, commits: drawn } = pageOf(shown, { commits });
    for (const part of [applications, drawn]) assert.equal(part?.match(/<tr/g)?.length, 502);
  });

  it('name criterion, rationale, applications and commit in the message to an agent, without control characters', () => {
    const evil = hostile();
    const asked = [EVIL, 'plain', 'not there', 'constructor'];
    const message = fixMessage(evil.repository, evil.report, asked);
    assert.equal(control.exec(message), null);
    assert.equal(message.match(/1\/2 pass/g)?.length, 2);
    const report: ReadinessReport = {
      reportId: 'r',
      createdAt: new Date(2026, 10, 12, 12).getTime(),
      repoUrl: 'x',
      apps: { 'apps/web': { description: 'Shop' } },
      report: { type_check: { numerator: 1, denominator: 2, rationale: 'Not strict.' } },
      commitHash: 'abc1234',
      branch: 'main',
    };
    const repository: Repository = { key: 'h/acme/shop', name: 'acme/shop', url: 'x', reports: [report] };
    assert.equal(
      fixMessage(repository, report, ['type_check']),
      [
        'Please fix the readiness of acme/shop, branch main, commit abc1234. The report of Nov 12, 2026 says:',
        '',
        '- type_check: 1/2 pass',
        '  Not strict.',
        '',
        'Applications:',
        '- apps/web: Shop',
        '',
      ].join('\n'),
    );
  });

  it('export Markdown that holds no markup of a report', () => {
    const html = marked.parse(markdownOf(hostile(), facts), {
      async: false,
      gfm: true,
    });
    assert.doesNotMatch(html, /<(?:img|a (?!href="mailto:)|script|code|strong|em|hr)\b/);
    assert.equal(html.match(/<table>/g)?.length, 3);
    assert.equal(html.match(/<h1>/g)?.length, 1);
  });

  it('export Markdown that names criteria as people do', () => {
    const { repository, report } = hostile();
    const criteria = {
      type_check: { numerator: 1, denominator: 2 },
      Plain: { numerator: 2, denominator: 2 },
    };
    const shown = { repository, report: { ...report, report: criteria }, isPartial: false };
    const text = markdownOf(shown, { ...facts, staleness: { behind: 0, isInHead: true } });
    assert.match(text, /^- The report is of the commit you have checked out/m);
    assert.match(text, /^\| Type check \(type_check\) \| 1\/2 \|/m);
    assert.match(text, /^\| Plain \| 2\/2 \|/m);
  });

  it('say of a report that could not be read whole that parts are left out', () => {
    const text = markdownOf({ ...hostile(), isPartial: true }, facts);
    assert.match(text, /^- Parts of the report could not be read and are left out/m);
  });

  it('explain age and flags in sentences', () => {
    const { report } = hostile();
    const notes = reportNotes(report, { behind: 3, isInHead: true });
    assert.match(notes[0]!, /HEAD has 3 commits/);
    assert.match(notes[1]!, /uncommitted/);
    assert.match(notes[2]!, /unpushed/);
    for (const [behind, isInHead, text] of [
      [0, true, ''],
      [3, true, '3 commits behind'],
      [1000, true, '1000+ commits behind'],
      [0, false, 'not in HEAD'],
      [1, false, 'not in HEAD · 1 commit behind'],
    ] as const)
      assert.equal(stalenessText({ behind, isInHead }), text);
    assert.equal(stalenessText('unnamed'), '');
  });

  it('take from the page and its kept state only what they know', () => {
    assert.ok(isPageState({ key: 'k', reportId: 'r' }));
    const look = { filter: 'failing', words: 'lint', scroll: 1200.5 };
    assert.ok(isPageState({ key: 'k', reportId: 'r', baseId: 'b', look }));
    for (const bad of [
      { ...look, filter: 'x' },
      { ...look, scroll: -1 },
      { ...look, scroll: Infinity },
      {},
    ]) {
      assert.equal(isPageState({ key: 'k', reportId: 'r', look: bad }), false);
    }
    for (const bad of [
      null,
      7,
      {},
      { key: 'k' },
      { key: 'k', reportId: 'r', more: 1 },
      { key: 1, reportId: 'r' },
    ]) {
      assert.equal(isPageState(bad), false);
    }
    const { fix, compare } = reportProtocol.requests;
    assert.equal(fix.params({ criteria: ['a', 1] }), false);
    assert.equal(compare.params({ reportId: null }), false);
  });
});
