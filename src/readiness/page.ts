import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { oneLine, plain } from '../util/text';
import { escapeHtml, html, Markup, type Part } from '../webview/page';
import type { Params } from '../webview/ipc';
import type { GitCommit } from '../util/git';
import { appFolder, type Staleness } from './git';
import { criteriaOf, passes, percentOf, share, type CriterionRow, type ShownReport } from './model';
import type { PageState, ReportProtocol } from './protocol';
import * as words from './text';

/** Rows of a long table that are drawn. */
const MOST_ROWS = 500;

/** What is drawn besides the report. */
export interface PageFacts {
  readonly state: PageState;
  /** The criterion a person came for. */
  readonly wanted: string | undefined;
  readonly staleness: Staleness;
  /** Between the report and its base; 'asked' until Git has answered, `undefined` where it cannot tell. */
  readonly commits: readonly GitCommit[] | 'asked' | undefined;
  readonly format: Formatter;
}

/** The parts of a report's page, each by its id, in their order. */
export function pageParts(shown: ShownReport, facts: PageFacts): Readonly<Record<string, string>> {
  const rows = criteriaOf(shown.report, shown.base);
  const { state, commits, format } = facts;
  return partsOf({
    head: head(shown, rows, facts.staleness),
    changes: changes(shown, rows, state.baseId !== undefined),
    counted: counted(rows),
    tools: tools(),
    criteria: criteria(shown, rows, facts),
    applications: applications(shown),
    trend: trend(shown),
    commits: shown.base !== undefined && commits !== 'asked' && commitsBetween(commits),
    about: about(shown, format),
  });
}

/** The page where there is nothing to show, and why. */
export function missingParts(sentence: string): Readonly<Record<string, string>> {
  return partsOf({ head: html`<p role="status">${oneLine(sentence, 1_000)}</p>` });
}

function partsOf(some: Readonly<Record<string, Part>>): Readonly<Record<string, string>> {
  const ids = [
    'head',
    'changes',
    'counted',
    'tools',
    'criteria',
    'applications',
    'trend',
    'commits',
    'about',
  ];
  return Object.fromEntries(ids.map(id => [id, html`${some[id]}`.text]));
}

/** A button that tells the panel something; `label` says in full what it does. */
function button<K extends keyof ReportProtocol['requests']>(
  act: readonly [name: K, params: Params<ReportProtocol, K>],
  text: string,
  { label = text, kind = 'link', isOff = false } = {},
): Markup {
  const off = isOff && html`disabled`;
  return html`<button class="${kind}" data-act="${JSON.stringify(act)}" aria-label="${label}" ${off}>
    ${text}
  </button>`;
}

function heading(id: string, title: string, count?: number): Markup {
  return html`<h2 id="${id}-title">${title} <span class="count">${count}</span></h2>`;
}

/** A column is its name and the class of its cells; a row is its attributes, then its cells. */
function table<T>(
  id: string,
  columns: readonly (readonly [name: string, kind?: string])[],
  items: readonly T[],
  row: (item: T) => readonly [mark: Part, ...cells: Part[]],
): Markup {
  const rows = items.map(item => {
    const [mark, name, ...cells] = row(item);
    const others = cells.map((cell, at) => html`<td class="${columns[at + 1]?.[1]}">${cell}</td>`);
    return html`<tr ${mark}>
      <th scope="row" class="${columns[0]?.[1]}">${name}</th>
      ${others}
    </tr>`;
  });
  const names = columns.map(([name]) => html`<th scope="col">${name}</th>`);
  return html`<table aria-labelledby="${id}-title">
    <thead>
      <tr>
        ${names}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** A line above or below a table. */
function quiet(text: string | false): Part {
  return text !== false && html`<p class="quiet">${text}</p>`;
}

function head(shown: ShownReport, rows: readonly CriterionRow[], staleness: Staleness): Markup {
  const { repository, report, base, isPartial } = shown;
  const isOff = !rows.some(({ now, change }) => !passes(now) && change !== 'gone');
  const notes = words.reportNotes(report, staleness, isPartial).map(note => html`<li>${note}</li>`);
  return html`<div class="title">
      <h1 tabindex="-1" aria-describedby="subtitle">${oneLine(repository.name, 100)}</h1>
      <span id="subtitle" class="quiet">${words.subtitle(report)}</span>
    </div>
    <div class="summary">
      <p class="score">
        ${words.percentText(percentOf(report))} <span class="delta">${words.deltaText(report, base)}</span>
      </p>
      ${chart(shown)}
    </div>
    <div class="actions" role="group" aria-label="${vscode.l10n.t('Actions')}">
      ${button(['fix', { criteria: [] }], vscode.l10n.t('Fix failing criteria…'), { kind: 'primary', isOff })}
      ${button(['export', {}], vscode.l10n.t('Export Markdown'), { kind: 'secondary' })}
    </div>
    ${
      notes.length > 0 &&
      html`<ul class="notes">
        ${notes}
      </ul>`
    }`;
}

/** Scores over time: a line for the shown branch, dots for other branches. The table of the trend holds the same figures. */
function chart({ repository, report: shown, base }: ShownReport): Part {
  const points = repository.reports.toReversed().flatMap(report => {
    const [at, percent] = [report.createdAt, percentOf(report)];
    return at === undefined || percent === undefined ? [] : [{ report, at, percent }];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  type Point = typeof first;
  const span = last.at - first.at;
  const place = ({ at, percent }: Point): string =>
    `${(span === 0 ? 500 : (1000 * (at - first.at)) / span).toFixed(1)} ${1000 - 10 * percent}`;
  // A line of no length with round ends is a dot that keeps its shape however wide the chart is.
  const dots = (chosen: readonly Point[]): string => chosen.map(point => `M${place(point)}h0`).join('');
  const marked = (of: unknown): string => dots(points.filter(({ report }) => report === of));
  const isOfLine = ({ report }: Point): boolean => report.branch === shown.branch;
  const [line, others] = [points.filter(isOfLine), points.filter(point => !isOfLine(point))];
  const said = ({ at, percent }: Point): string => `${words.dayText(at)} ${percent}%`;
  const label =
    points.length === 1
      ? vscode.l10n.t('Score of 1 report: {0}', said(first))
      : vscode.l10n.t('Score over {0} reports, from {1} to {2}', points.length, said(first), said(last));
  const ends = span === 0 ? [first] : [first, last];
  return html`<figure class="chart-box">
    <div class="chart">
      <div class="scale" aria-hidden="true">
        <span>100%</span><span>50%</span><span>0%</span><span class="widest">100%</span>
      </div>
      <div class="plot">
        <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label="${label}">
          <path class="grid" d="M0 0H1000M0 500H1000M0 1000H1000" />
          <path class="others" d="${dots(others)}" />
          <path class="line" d="${line.length > 0 && `M${line.map(place).join('L')}`}" />
          <path class="dots" d="${line.length <= 200 && dots(line)}" />
          <path class="base" d="${marked(base)}" />
          <path class="shown" d="${marked(shown)}" />
        </svg>
      </div>
      <div class="days" aria-hidden="true">
        ${ends.map(({ at }) => html`<span>${words.dayText(at)}</span>`)}
      </div>
    </div>
    <figcaption class="quiet">
      ${others.length > 0 && vscode.l10n.t('Line: reports of this branch. Dots: other branches.')}
    </figcaption>
  </figure>`;
}

/** What changed since the report compared with; which report that is can be changed here. */
function changes({ base }: ShownReport, rows: readonly CriterionRow[], isChosen: boolean): Markup {
  const counts = (['worse', 'better', 'new', 'gone'] as const).map(
    kind => rows.filter(({ change }) => change === kind).length,
  );
  const [title, said] =
    base === undefined
      ? [
          vscode.l10n.t('Compare with'),
          vscode.l10n.t('This branch has no earlier report. Choose a report below to compare with.'),
        ]
      : [
          vscode.l10n.t('Changes since {0}', words.reportLabel(base)),
          counts.every(each => each === 0)
            ? vscode.l10n.t('No criterion changed.')
            : vscode.l10n.t('{0} worse, {1} better, {2} new, {3} gone', ...counts),
        ];
  const usual = vscode.l10n.t('Compare with the previous report of this branch');
  return html`${heading('changes', title)}
    <p>${said}</p>
    ${isChosen && button(['compare', {}], usual)}`;
}

function counted(rows: readonly CriterionRow[]): Markup {
  const count = rows.filter(({ change }) => change !== 'gone').length;
  return heading('criteria', vscode.l10n.t('Criteria'), count);
}

/** What narrows the criteria down; the page fills in what is chosen. Always the same, so that the focus stays in it. */
function tools(): Markup {
  const filters = [
    ['all', vscode.l10n.t('All')],
    ['failing', vscode.l10n.t('Failing')],
    ['changed', vscode.l10n.t('Changed')],
  ].map(([value, label]) => html`<option value="${value}">${label}</option>`);
  const byText = vscode.l10n.t('Filter by text');
  return html`<div class="tools">
    <label
      >${vscode.l10n.t('Show')}
      <select>
        ${filters}
      </select></label
    >
    <input type="search" placeholder="${byText}" aria-label="${byText}" maxlength="1000" />
  </div>`;
}

/** Every criterion with its score, change and rationale. */
function criteria(
  { base }: ShownReport,
  rows: readonly CriterionRow[],
  { state: { look }, wanted }: PageFacts,
): Markup {
  const text = (look?.words ?? '').trim().toLowerCase();
  const chosen = rows.filter(({ id, name, now, change }) => {
    if (look?.filter === 'failing' && (passes(now) || change === 'gone')) return false;
    if (look?.filter === 'changed' && (change === undefined || change === 'same')) return false;
    return text === '' || `${name}\n${id}\n${now.rationale ?? ''}`.toLowerCase().includes(text);
  });
  if (chosen.length === 0) return html`<p class="quiet">${vscode.l10n.t('No matching criteria.')}</p>`;
  const isCompared = base !== undefined;
  const columns = [
    [vscode.l10n.t('Criterion')],
    [vscode.l10n.t('Score'), 'figure'],
    ...(isCompared ? ([[vscode.l10n.t('Before'), 'figure'], [vscode.l10n.t('Change')]] as const) : []),
    [vscode.l10n.t('Rationale'), 'text rationale'],
    [vscode.l10n.t('Fix')],
  ] as const;
  // What a person came for is drawn, however many there are.
  const late = chosen.slice(MOST_ROWS).filter(({ id }) => id === wanted);
  const drawn = table('criteria', columns, [...late, ...chosen].slice(0, MOST_ROWS), row => {
    const { id, now, before, change } = row;
    const [isGone, isPassing] = [change === 'gone', passes(now)];
    const name = oneLine(row.name, 120);
    const score = html`<span class="${isPassing ? 'good' : 'bad'}">${words.scoreText(now)}</span>
      <span class="quiet">${share(now)}%</span>
      <span class="unseen">${isPassing ? vscode.l10n.t('passes') : vscode.l10n.t('fails')}</span>`;
    const label = vscode.l10n.t('Fix {0}', name);
    const compared = [
      before && words.scoreText(before),
      html`<span class="change ${change}">${words.changeText(change)}</span>`,
    ];
    return [
      id === wanted && html`class="wanted" tabindex="-1"`,
      html`<span title="${oneLine(id)}">${name}</span>`,
      !isGone && score,
      ...(isCompared ? compared : []),
      !isGone && rationaleOf(plain(now.rationale ?? '', 4_000)),
      !isGone && !isPassing && button(['fix', { criteria: [id] }], vscode.l10n.t('Fix'), { label }),
    ];
  });
  const more =
    chosen.length > MOST_ROWS &&
    vscode.l10n.t('The first {0} of {1} are shown. Filter by text to see others.', MOST_ROWS, chosen.length);
  return html`${drawn}${quiet(more)}`;
}

/** Foreign text with the Markdown rationales use: lists, code, strong and emphasis. All else stays text (trust.md 4-6). */
export function rationaleOf(text: string): Markup {
  const inline = escapeHtml(text).replace(
    /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*/g,
    (_, code?: string, strong?: string, emphasis = '') => {
      if (code !== undefined) return `<code>${code}</code>`;
      return strong === undefined ? `<em>${emphasis}</em>` : `<strong>${strong}</strong>`;
    },
  );
  const lists = inline.replace(/(?:^ *[-*+] +\S.*\n?)+|(?:^ *\d+[.)] +\S.*\n?)+/gm, list => {
    const kind = /^ *\d/.test(list) ? 'ol' : 'ul';
    return `<${kind}>${list.replace(/^ *\S+ +(.*)\n?/gm, '<li>$1</li>')}</${kind}>`;
  });
  return new Markup(lists);
}

function applications({ report, local }: ShownReport): Part {
  const apps = Object.entries(report.apps ?? {});
  if (apps.length === 0) return undefined;
  const columns = [[vscode.l10n.t('Application')], [vscode.l10n.t('Description'), 'text']] as const;
  const drawn = table('applications', columns, apps, ([path, { description = '' }]) => {
    const name = words.appLabel(path);
    const label = vscode.l10n.t('Show {0} in the Explorer', name);
    const isHere = appFolder(local, path) !== undefined;
    return [
      undefined,
      isHere ? button(['reveal', { path }], name, { label }) : name,
      plain(description, 2_000),
    ];
  });
  return html`${heading('applications', vscode.l10n.t('Applications'), apps.length)}${drawn}`;
}

/** The figures of the chart as a table, the newest first. */
function trend({ repository: { reports }, report: shown, base }: ShownReport): Markup {
  const columns = [
    [vscode.l10n.t('Day')],
    [vscode.l10n.t('Score'), 'figure'],
    [vscode.l10n.t('Branch')],
    [vscode.l10n.t('Commit'), 'mono'],
    [vscode.l10n.t('Actions'), 'acts'],
  ] as const;
  const still = (text: string): Markup => html`<span class="quiet">${text}</span>`;
  const drawn = table('trend', columns, reports.slice(0, MOST_ROWS), report => {
    const { reportId, branch = '', commitHash, createdAt } = report;
    const day = words.dayText(createdAt);
    const open = { label: vscode.l10n.t('Open the report of {0}', day) };
    const compare = { label: vscode.l10n.t('Compare with the report of {0}', day) };
    const isShown = report === shown;
    return [
      isShown && html`aria-current="true"`,
      day,
      words.percentText(percentOf(report)),
      oneLine(branch, 60),
      words.commitText(commitHash),
      isShown
        ? still(vscode.l10n.t('shown'))
        : [
            button(['show', { reportId }], vscode.l10n.t('Open'), open),
            report === base
              ? still(vscode.l10n.t('compared with'))
              : button(['compare', { reportId }], vscode.l10n.t('Compare'), compare),
          ],
    ];
  });
  const more =
    reports.length > MOST_ROWS &&
    vscode.l10n.t('The newest {0} of {1} are shown.', MOST_ROWS, reports.length);
  return html`${heading('trend', vscode.l10n.t('Trend'), reports.length)}${drawn}${quiet(more)}`;
}

/** Commits of the newer of the two reports that the older one does not have, or why they are not known. */
function commitsBetween(commits: readonly GitCommit[] | undefined): Markup {
  const note =
    commits === undefined
      ? vscode.l10n.t(
          'Not known: the repository must be open in this window, and Git must know the commits of both reports.',
        )
      : commits.length === 1
        ? vscode.l10n.t('The newer report has 1 commit that the older one does not.')
        : vscode.l10n.t(
            'The newer report has {0} commits that the older one does not.',
            words.commitsText(commits.length),
          );
  const columns = [
    [vscode.l10n.t('Commit'), 'mono'],
    [vscode.l10n.t('Subject'), 'text'],
    [vscode.l10n.t('Author')],
    [vscode.l10n.t('Day')],
  ] as const;
  const drawn = table('commits', columns, commits ?? [], ({ hash, message, authorName = '', authorDate }) => [
    undefined,
    hash.slice(0, 8),
    oneLine(message.split('\n', 1)[0] ?? '', 200),
    oneLine(authorName, 80),
    authorDate && words.dayText(authorDate.getTime()),
  ]);
  const title = heading('commits', vscode.l10n.t('Commits between the two reports'));
  return html`${title}${quiet(note)}${commits !== undefined && commits.length > 0 && drawn}`;
}

function about({ report }: ShownReport, format: Formatter): Markup {
  const facts = words.reportFacts(report, format).map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  );
  return html`${heading('about', vscode.l10n.t('About this report'))}
    <dl>${facts}</dl>`;
}
