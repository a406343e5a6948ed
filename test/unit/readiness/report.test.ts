import assert from 'node:assert/strict';
import { marked } from 'marked';
import type { ReadinessReport } from '../../../src/api';
import { fixMessage, ReadinessCommands } from '../../../src/readiness/commands';
import { LocalGit, Matches } from '../../../src/readiness/git';
import { groupReports, type ShownReport } from '../../../src/readiness/model';
import { missingParts, pageParts, ReportPanel } from '../../../src/readiness/panel';
import type { PageState } from '../../../src/readiness/protocol';
import { Reports } from '../../../src/readiness/reports';
import { readinessRows } from '../../../src/readiness/rows';
import { markdownOf, rationaleOf, type ReportFacts } from '../../../src/readiness/sections';
import { Tree } from '../../../src/ui/tree';
import type { GitRepository } from '../../../src/util/git';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { FakeConnection } from '../../fakes/connection';
import { silentLog } from '../../fakes/log';
import { drawnRows, fakeView, textOf } from '../../fakes/view';
import { opened, Uri, window } from '../../fakes/vscode';
import { clientOf } from '../api/support';
import { until } from '../../until';
import { pageOf as placeOf } from '../chat/support';
import { openWindow } from '../storage/support';
import { report, score, startReports } from './support';

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
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

const shownOf = (shown: ReadinessReport, base?: ReadinessReport): ShownReport => {
  const repository = { key: 'h.x/acme/shop', name: 'acme/shop', url: 'x', reports: [shown] } as const;
  return { repository, report: shown, base, isPartial: false };
};
const pageOf = (shown: ShownReport, facts: Partial<ReportFacts> = {}): Readonly<Record<string, string>> =>
  pageParts(shown, { staleness: 'unknown', commits: Promise.resolve(undefined), ...facts });

const bad = score(1, 2, EVIL);
const hostile = report(
  { [EVIL]: bad, plain: bad },
  {
    ...{ reportId: EVIL, createdAt: 9e18, repoUrl: EVIL, commitHash: EVIL, branch: EVIL },
    apps: { [EVIL]: { description: EVIL }, '../../etc': { description: 'x' } },
    ...{ hasLocalChanges: true, hasNonRemoteCommits: true, agentVersion: EVIL },
    modelUsed: { id: EVIL, reasoningEffort: EVIL },
  },
);
const older = { ...hostile, reportId: 'base', createdAt: 5, report: { gone: bad } };
const evil: ShownReport = {
  ...shownOf(hostile, older),
  repository: { key: EVIL, name: EVIL, url: EVIL, reports: [hostile, older] },
};
const commits = [{ hash: EVIL, message: EVIL, authorName: EVIL }];

describe('a report', () => {
  it('shows the page no control or bidi characters, whatever it holds', () => {
    const parts = { ...pageOf(evil, { commits }), none: missingParts(EVIL)['head'] };
    const all = Object.values(parts).join('');
    // Ids go back to the panel as they came and are never shown.
    const shown = all.replace(/ data-act="[^"]*"/g, '');
    assert.equal(CONTROL.exec(shown), null);
    const own =
      'button code dd div dl dt em figcaption figure h1 h2 input label li option p path select span strong';
    const known = new Set([...own.split(' '), ...'svg table tbody td th thead tr ul'.split(' ')]);
    const tags = [...shown.matchAll(/<\/?(\w+)[^<>]*>/g)].map(([, name = '']) => name);
    for (const name of tags) assert.ok(known.has(name), name);
    assert.doesNotMatch(shown.replace(/="[^"]*"/g, '='), /<[^>]*\bon\w+=/);
  });

  it('draws what a criterion’s rationale marks, and nothing else of its Markdown', () => {
    for (const [given, drawn] of [
      [
        'None in `a*b*c`:\n- no **runner**\n- no *script*',
        'None in <code>a*b*c</code>:\n<ul><li>no <strong>runner</strong></li><li>no <em>script</em></li></ul>',
      ],
      ['1. one\n2) two\n* a\n3 * 4 * 5', '<ol><li>one</li><li>two</li></ol><ul><li>a</li></ul>3 * 4 * 5'],
      ['<b>[x](command:y) & _z_', '&#60;b&#62;[x](command:y) &#38; _z_'],
    ] as const)
      assert.equal(rationaleOf(given).text, drawn);
  });

  it('marks which criteria fail and have changed, by what words they are found, and the one a person came for', () => {
    const base = report({ good: score(1), bad: score(1), gone: score(2, 2, 'Was HERE') });
    const compared = shownOf(report({ good: score(2), bad: score(1), late: score(0) }), base);
    const drawn = pageOf(compared, { wanted: 'good' })['criteria'] ?? '';
    const marks = [...drawn.matchAll(/<tr data-is="(.*?)" data-words="([^"]*)" (.*?)>/g)];
    const said = marks.map(([, is, words, wanted]) => [is, words, wanted].join('|').replaceAll('\n', ' '));
    assert.deepEqual(said, [
      'all failing changed|late late because.|',
      'all failing|bad bad because.|',
      'all changed|good good because.|class="wanted" tabindex="-1"',
      'all changed|gone gone was here|',
    ]);
    const alone = pageOf(shownOf(report({ good: score(2) })));
    assert.match(alone['criteria'] ?? '', /data-is="all"/, 'without an earlier report nothing has changed');
  });

  it('asks an agent without control characters', () => {
    const message = fixMessage(evil.repository, evil.report, [EVIL, 'plain', 'not there', 'constructor']);
    assert.equal(CONTROL.exec(message), null);
    assert.equal(message.match(/1\/2 pass/g)?.length, 2);
  });

  it('is exported as Markdown that holds nothing of its markup, and all the tables of its page', () => {
    const staleness = { behind: 1000, isInHead: false };
    const text = markdownOf({ ...evil, isPartial: true }, { staleness, commits });
    const html = marked.parse(text, { async: false, gfm: true });
    assert.doesNotMatch(html, /<(?:img|a (?!href="mailto:)|script|code|strong|em|hr)\b/);
    assert.equal(html.match(/<table>/g)?.length, 4);
    assert.equal(html.match(/<h1>/g)?.length, 1);
    const notes = [
      'Parts .* could not be read',
      "The report's commit is not",
      'HEAD is 1000\\+ commits ahead',
    ];
    for (const note of [...notes, '.* uncommitted', '.* unpushed'])
      assert.match(text, new RegExp(`^- ${note}`, 'm'));
    const named = markdownOf(shownOf(report({ type_check: score(1), Plain: score(2) })), {
      staleness: { behind: 0, isInHead: true },
      commits: undefined,
    });
    assert.match(named, /^- The report is for the commit you have checked out/m);
    assert.match(named, /^\| Type check \(type_check\) \| 1\/2 \| Because\. \|$/m);
    assert.match(named, /^\| Plain \| 2\/2 \|/m);
    assert.match(named, /^- Created: .*\n- Repository: .*\n- Report id: r\d+\n$/m);
  });
});

describe('kept readiness reports', () => {
  const open = async () => {
    const server = await startReports({ count: 7 });
    later(() => server.close());
    const { origin, reports } = server;
    const [log, storage] = [silentLog(), openWindow(temporaryFolder())];
    const connection = new FakeConnection(clientOf(server).api, { baseUrl: origin, appUrl: origin });
    const kept = new Reports({ connection, storage, log });
    later(() => {
      kept.dispose();
      return storage.settled();
    });
    await kept.list.open();
    kept.list.state.onDidChange(() => kept.changed());
    return { kept, log, reports };
  };

  it('stay when they are no longer listed, and say while parts of them, or of what they are compared with, cannot be read', async () => {
    const { kept, reports } = await open();
    const ids = ['report-7', 'report-4', 'report-6', 'report-1'];
    const shown = async (): Promise<unknown> => {
      await kept.list.refresh();
      return ids.map(reportId => kept.shown({ key: '', reportId })?.isPartial);
    };
    Object.assign(reports.at(-1)!.report, { none: score(0, 0) });
    assert.deepEqual(await shown(), [false, true, false, true]);
    const problems = kept.list.state.current.problems.map(({ id, field }) => `${id} ${field}`);
    assert.deepEqual(problems, ['report-1 report.none']);
    Object.assign(reports.at(-1)!.report, { none: score(1) });
    reports.splice(1, 1);
    assert.deepEqual(await shown(), [false, false, false, false]);
  });

  it('are compared the older with the newer, whichever of them is shown; what their page cannot do is logged', async () => {
    const { kept, log } = await open();
    await kept.list.refresh();
    const { place, said, begun, told } = placeOf('panel');
    const fail = () => Promise.reject(new Error('The disk is full.'));
    const deps = { extensionUri: Uri.file('/x') as never, log, reports: kept };
    const commands = { export: fail, fix: fail };
    const panel = new ReportPanel(place as never, { key: '', reportId: 'report-4' }, { ...deps, commands });
    later(() => panel.dispose());
    begun();
    const compared = ['report-7', 'report-1'].map(reportId => {
      said.fire({ name: 'compare', params: { reportId } });
      const { state } = told('draw') as { readonly state: PageState };
      return `${state.reportId} ${state.baseId}`;
    });
    assert.deepEqual(compared, ['report-7 report-4', 'report-7 report-1']);
    said.fire({ name: 'export', params: {} });
    await until(() => log.lines.some(line => line.includes('The disk is full.')));
  });
});

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];
const madeOn = (day: number, repo: string, criteria: ReadinessReport['report']): ReadinessReport =>
  report(criteria, {
    ...{ createdAt: new Date(2025, 10, day, 12).getTime(), repoUrl: `https://h.x/acme/${repo}` },
    ...{ apps: { 'apps/web': { description: 'Shop' } }, branch: 'main', commitHash: A },
  });
const reports = [
  madeOn(12, 'shop', { lint: score(2), type_check: score(1, 3) }),
  madeOn(14, 'shop', { lint: score(1), type_check: score(3, 3), ci_pipeline: score(0, 1) }),
  { ...madeOn(13, 'shop', { lint: score(0), type_check: score(2, 3) }), branch: 'other' },
  madeOn(13, 'billing', { lint: score(2) }),
];
const open = (path: string, ...urls: string[]): GitRepository =>
  ({
    rootUri: Uri.file(path),
    state: { remotes: urls.map(fetchUrl => ({ name: 'origin', fetchUrl })) },
  }) as unknown as GitRepository;
const local = open('/w/shop', 'git@h.x:acme/shop.git');

describe('the rows of readiness', () => {
  const treeOf = (repositoriesHere = [local], known = groupReports(reports)): Tree => {
    const window = new Matches(known, repositoriesHere);
    const git = { staleness: () => ({ behind: 1, isInHead: true }) };
    const roots = () => readinessRows({ known, window, git });
    const tree = new Tree({ view: fakeView(), ready: () => Promise.resolve(), roots });
    later(() => tree.dispose());
    return tree;
  };
  const tooltipOf = async (tree: Tree, start: string) => {
    const row = (await drawnRows(tree)).find(({ text }) => text.startsWith(start))!;
    const { value } = tree.resolveTreeItem(row.item, row.node).tooltip as { readonly value: string };
    return { ...row, tooltip: value };
  };

  it('are this window’s repositories with what fails first, or why they have no report, then all others; and hold what commands need', async () => {
    const unread = open('/w/other', 'https://me:secret@h.x/acme/other');
    const tree = treeOf([open('/w/alone'), local, unread]);
    const rows = await textOf(tree);
    const end = rows.indexOf('Other repositories | 1');
    assert.deepEqual(rows.slice(0, 8), [
      'acme/shop | 67% · 1 commit behind · +7 since Nov 12, 2025',
      '  Lint | 1/2 · 50% · was 2/2',
      '  CI pipeline | 0/1 · 0% · new',
      '  Passing | 1',
      '    Type check | 3/3 · 100% · was 1/3',
      '  Applications | 1',
      '    apps/web | Shop',
      '  Reports | 3',
    ]);
    assert.ok(rows.includes('    Nov 14, 2025 | 67% · +7 · main'));
    assert.deepEqual(rows.slice(end - 2, end), ['alone | no remote', 'other | no report']);
    assert.ok(rows[end + 1]?.startsWith('  acme/billing | 100%'));
    const { tooltip: without } = await tooltipOf(tree, 'other');
    assert.ok(without.includes('acme/other') && !without.includes('secret'), without);
    const [none] = await drawnRows(treeOf([]));
    assert.match(none?.item.accessibilityInformation?.label ?? '', /^No repository is known here\. Open a/);
    assert.deepEqual(await textOf(treeOf(undefined, new Map())), []);
    const { item } = await tooltipOf(tree, 'Lint');
    const given = (item.command?.arguments ?? []) as unknown as readonly { key: string; criterion: string }[];
    assert.deepEqual([given[0]?.key, given[0]?.criterion], ['h.x/acme/shop', 'lint']);
    assert.equal(item.accessibilityInformation?.label, 'Lint, fails, 1/2 · 50% · was 2/2, worse');
    const { tooltip } = await tooltipOf(tree, 'Type check');
    assert.match(tooltip, /^\*\*Type.*check\*\*[^]*Because\.[^]*type_check$/);
    assert.match((await tooltipOf(tree, 'acme/shop')).tooltip, /Failing .criteria: .2[^]*Got .worse: .1/);
    const ids = (await drawnRows(tree)).map(each => each.item.id);
    assert.equal(new Set(ids).size, ids.length, 'no two rows have one id');
  });
});

it('the repository that the status bar tells of is the innermost around the file in front, without one the first', () => {
  const here = [open('/w/shop/billing', 'https://h.x/acme/billing'), local, open('/w/alone')];
  const matches = new Matches(groupReports(reports), here);
  later(() => Object.assign(window, { activeTextEditor: undefined }));
  for (const [file, name] of [
    [undefined, 'acme/shop'],
    ['/w/shop/billing/a.ts', 'acme/billing'],
    ['/w/shop/billings/a.ts', 'acme/shop'],
    ['/w/alone/a.ts', undefined],
    ['/elsewhere/a.ts', 'acme/shop'],
  ] as const) {
    const activeTextEditor = file && { document: { uri: Uri.file(file) } };
    Object.assign(window, { activeTextEditor });
    assert.equal(matches.here?.repository.name, name, file);
  }
});

describe('the commands of readiness', () => {
  const commandsOf = (of: readonly ReadinessReport[], here: GitRepository, written: string[] = []) => {
    const known = groupReports(of);
    return new ReadinessCommands({
      reports: {
        ...{ ready: () => Promise.resolve(), known, git: new LocalGit() },
        window: { here: { repository: known.get('h.x/acme/shop')!, local: here } },
        shown: ({ key }) => {
          const repository = known.get(key)!;
          return { repository, report: repository.reports[0], local: here, isPartial: false };
        },
        commits: () => Promise.resolve(undefined),
      },
      open: ({ key, reportId, baseId }) => written.push([key, reportId, baseId].join(' ')),
      prefill: ({ text }) => Promise.resolve(written.push(text) > 0),
    }).handlers;
  };

  it('ask an agent to fix what fails of the chosen criteria of one repository', async () => {
    const written: string[] = [];
    const { fix } = commandsOf(reports, local, written);
    const [billing, shop] = ['billing', 'shop'].map(name => ({ key: `h.x/acme/${name}`, criterion: 'lint' }));
    const named = 'lint lint ci_pipeline type_check not-there'.split(' ');
    const rows = named.map(criterion => ({ ...shop, criterion }));
    await fix(rows[0], [billing, ...rows]);
    assert.deepEqual(written.join().split('\n'), [
      `Please improve the readiness of acme/shop, branch main, commit ${A}. The report of Nov 14, 2025 says:`,
      '',
      ...['- ci_pipeline: 0/1 pass', '  Because.', '- lint: 1/2 pass', '  Because.', ''],
      ...['Applications:', '- apps/web: Shop', ''],
    ]);
    await fix(rows[3], [rows[3]]);
    assert.equal(written.length, 1, 'a person chooses, here none, where nothing that is named fails');
  });

  it('compare two reports of one repository, whatever else is selected', async () => {
    const written: string[] = [];
    const { compare } = commandsOf(reports, local, written);
    const known = groupReports(reports);
    const [[newest, older], [other]] = ['shop', 'billing'].map(name => {
      const { key, reports: all } = known.get(`h.x/acme/${name}`)!;
      return all.map(({ reportId }) => ({ key, reportId }));
    }) as [object[], object[]];
    await compare(newest, [newest, other]);
    assert.deepEqual(written, [], 'the person is asked which, and says none');
    await compare(newest, [newest, other, older]);
    assert.equal(written.length, 1);
  });

  it('export a report with how it stands against HEAD, also before Git has been asked', async () => {
    const log = ({ range = '' }) => Promise.resolve(Array(range.startsWith('a') ? 3 : 1) as []);
    const git = { ...local, state: { ...local.state, HEAD: { commit: B } }, log };
    opened.length = 0;
    await commandsOf(reports, git).exportReport();
    const notes = ["- The report's commit is not in HEAD.", '- HEAD is 3 commits ahead of the report.'];
    assert.deepEqual(opened.join().match(/^- .*(?:HEAD).*$/gm), notes);
  });
});
