import * as vscode from 'vscode';
import { inMarkdown, joined, knownFacts } from '../ui/text';
import { oneLine, plain } from '../util/text';
import { escapeHtml, html, Markup, type Part } from '../webview/page';
import type { Params } from '../webview/ipc';
import type { Commits, Staleness } from './git';
import { criteriaOf, fails, passes, percentOf, share, type CriterionRow, type ShownReport } from './model';
import type { PageState, ReportProtocol } from './protocol';
import * as words from './rows';

/** Rows of a long table that the page draws. */
const MOST_ROWS = 500;

/** What is told besides the report. */
export interface ReportFacts {
  readonly staleness: Staleness;
  /** Between the report and its base; a promise until Git has answered. */
  readonly commits: Commits | Promise<Commits>;
  readonly state?: PageState;
  /** The criterion a person came for. */
  readonly wanted?: string | undefined;
}

/** What a cell says, and how the page draws it where that is more. */
type Cell = string | readonly [text: string, drawn: Part];

interface Table<T> {
  readonly id: string;
  readonly title: string;
  /** In its heading. */
  readonly count?: number;
  /** A line above it. */
  readonly note?: string | undefined;
  /** The name of each column and the class of its cells; those with `acts` are for the page alone. */
  readonly columns: readonly (readonly [name: string, kind?: string])[];
  readonly items: readonly T[];
  /** Attributes of a row, then its cells. */
  readonly row: (item: T) => readonly [mark: Part, ...cells: Cell[]];
  /** What says that the page does not draw all items. */
  readonly more?: (drawn: number, all: number) => string;
}

/** A part of a report, on the page and as lines of a document. */
type Section = ReturnType<typeof sectionOf>;

function sectionOf<T>({ id, title, count, note, columns, items, row, more }: Table<T>) {
  const draw = (cell: Cell | undefined): Part => (typeof cell === 'object' ? cell[1] : cell);
  const drawnRow = (item: T): Markup => {
    const [mark, name, ...others] = row(item);
    const cells = others.map((cell, at) => html`<td class="${columns[at + 1]?.[1]}">${draw(cell)}</td>`);
    return html`<tr ${mark}>
      <th scope="row" class="${columns[0]?.[1]}">${draw(name)}</th>
      ${cells}
    </tr>`;
  };
  const body = (): Markup => {
    const drawn = more === undefined ? items : items.slice(0, MOST_ROWS);
    const table = html`<table aria-labelledby="${id}-title">
      <thead>
        <tr>
          ${columns.map(([name]) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${drawn.map(drawnRow)}
      </tbody>
    </table>`;
    const rest = items.length > drawn.length ? more?.(drawn.length, items.length) : undefined;
    return html`${quiet(note)}${items.length > 0 && table}${quiet(rest)}`;
  };
  const lines = (): readonly string[] => {
    const isSaid = columns.map(([, kind]) => kind !== 'acts');
    const rows = items.map(item => {
      const [, ...cells] = row(item);
      return cells.map(cell => inMarkdown(typeof cell === 'object' ? cell[0] : cell));
    });
    const table = [columns.map(([name]) => name), columns.map(() => '---'), ...rows].map(
      cells => `| ${cells.filter((_, at) => isSaid[at]).join(' | ')} |`,
    );
    return [`## ${title}`, '', ...(note ? [note, ''] : []), ...(rows.length > 0 ? [...table, ''] : [])];
  };
  return { heading: heading(id, title, count), body, lines };
}

export function heading(id: string, title: string, count?: number): Markup {
  return html`<h2 id="${id}-title">${title} <span class="count">${count}</span></h2>`;
}

function quiet(text: string | undefined): Part {
  return text !== undefined && html`<p class="quiet">${text}</p>`;
}

/** A button that tells the panel something; `label` says in full what it does. */
export function button<K extends keyof ReportProtocol['requests']>(
  act: readonly [name: K, params: Params<ReportProtocol, K>],
  text: string,
  { label = text, kind = 'link', isOff = false } = {},
): Markup {
  const off = isOff && html`disabled`;
  return html`<button class="${kind}" data-act="${JSON.stringify(act)}" aria-label="${label}" ${off}>
    ${text}
  </button>`;
}

/** Every table of a report, by the parts of the page that hold them, in their order. */
export function sectionsOf(shown: ShownReport, facts: ReportFacts, rows: readonly CriterionRow[]) {
  const { report, base } = shown;
  const { commits } = facts;
  return {
    criteria: criteriaSection(shown, rows, facts.wanted),
    ...(Object.keys(report.apps ?? {}).length > 0 && { applications: applicationsSection(shown) }),
    trend: trendSection(shown),
    ...(base !== undefined && !(commits instanceof Promise) && { commits: commitsSection(commits) }),
  };
}

/** Every criterion with its score, change and rationale; the page narrows them down by what is marked here. */
function criteriaSection(
  { base }: ShownReport,
  rows: readonly CriterionRow[],
  wanted: string | undefined,
): Section {
  const compared = [[vscode.l10n.t('Before'), 'figure'], [vscode.l10n.t('Change')]] as const;
  return sectionOf({
    ...{ id: 'criteria', title: vscode.l10n.t('Criteria') },
    count: rows.filter(({ now }) => now !== undefined).length,
    columns: [
      [vscode.l10n.t('Criterion')],
      [vscode.l10n.t('Score'), 'figure'],
      ...(base === undefined ? [] : compared),
      [vscode.l10n.t('Rationale'), 'text rationale'],
      [vscode.l10n.t('Fix'), 'acts'],
    ],
    items: rows,
    row: row => {
      const { id, now, before, change = 'same' } = row;
      const name = oneLine(row.name, 120);
      const score =
        now &&
        html`<span class="${!passes(now) && 'bad'}">${words.scoreText(now)}</span>
          <span class="quiet">${share([now])}%</span>
          <span class="unseen">${words.passingText(now)}</span>`;
      const changed = words.changeText(change);
      const rationale = plain(now?.rationale ?? '', 4_000);
      const is = ['all', fails(row) && 'failing', change !== 'same' && 'changed'].filter(Boolean).join(' ');
      const searched = plain(`${row.name}\n${id}\n${(now ?? before)?.rationale ?? ''}`).toLowerCase();
      const label = vscode.l10n.t('Fix {0}', name);
      const fix = fails(row) && button(['fix', { criteria: [id] }], vscode.l10n.t('Fix'), { label });
      return [
        html`data-is="${is}" data-words="${searched}" ${id === wanted && html`class="wanted" tabindex="-1"`}`,
        [row.name === id ? id : `${row.name} (${id})`, html`<span title="${oneLine(id)}">${name}</span>`],
        [words.scoreText(now), score],
        ...(base === undefined
          ? []
          : [
              words.scoreText(before),
              [changed, html`<span class="change ${change}">${changed}</span>`] as const,
            ]),
        [rationale, rationaleOf(rationale)],
        ['', fix],
      ];
    },
  });
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

function applicationsSection({ report }: ShownReport): Section {
  const items = Object.entries(report.apps ?? {});
  return sectionOf({
    ...{ id: 'applications', title: vscode.l10n.t('Applications'), count: items.length, items },
    columns: [[vscode.l10n.t('Application')], [vscode.l10n.t('Description'), 'text']],
    row: ([path, { description = '' }]) => [undefined, words.appLabel(path), plain(description, 2_000)],
  });
}

/** The figures of the chart, the newest first. */
function trendSection({ repository: { reports }, report: shown, base }: ShownReport): Section {
  const still = (text: string): Markup => html`<span class="quiet">${text}</span>`;
  return sectionOf({
    ...{ id: 'trend', title: vscode.l10n.t('Trend'), count: reports.length, items: reports },
    columns: [
      [vscode.l10n.t('Day')],
      [vscode.l10n.t('Score'), 'figure'],
      [vscode.l10n.t('Branch')],
      [vscode.l10n.t('Commit'), 'mono'],
      [vscode.l10n.t('Actions'), 'acts'],
    ],
    row: report => {
      const { reportId, branch = '', commitHash, createdAt } = report;
      const day = words.dayText(createdAt);
      const open = { label: vscode.l10n.t('Open the report of {0}', day) };
      const compare = { label: vscode.l10n.t('Compare with the report of {0}', day) };
      const isShown = report === shown;
      const acts = isShown
        ? still(vscode.l10n.t('shown'))
        : [
            button(['show', { reportId }], vscode.l10n.t('Open'), open),
            report === base
              ? still(vscode.l10n.t('compared with'))
              : button(['compare', { reportId }], vscode.l10n.t('Compare'), compare),
          ];
      const score = words.percentText(percentOf(report));
      const mark = isShown && html`aria-current="true"`;
      return [mark, day, score, oneLine(branch, 60), words.commitText(commitHash), ['', acts]];
    },
    more: (drawn, all) => vscode.l10n.t('The newest {0} of {1} are shown.', drawn, all),
  });
}

/** Commits of the newer of the two reports that the older one does not have, or why they are not known. */
function commitsSection(commits: Commits): Section {
  const note =
    commits === undefined
      ? vscode.l10n.t(
          'Not known: the repository must be open in this window, and Git must know the commits of both reports.',
        )
      : vscode.l10n.t(
          'The newer report has {0} that the older one does not.',
          words.commitsText(commits.length),
        );
  return sectionOf({
    ...{ id: 'commits', title: vscode.l10n.t('Commits between the two reports'), note },
    columns: [
      [vscode.l10n.t('Commit'), 'mono'],
      [vscode.l10n.t('Subject'), 'text'],
      [vscode.l10n.t('Author')],
      [vscode.l10n.t('Day')],
    ],
    items: commits ?? [],
    row: ({ hash, message, authorName = '', authorDate }) => [
      undefined,
      hash.slice(0, 8),
      oneLine(message.split('\n', 1)[0] ?? ''),
      oneLine(authorName, 80),
      authorDate === undefined ? '' : words.dayText(authorDate.getTime()),
    ],
  });
}

/** The report, and how it stands against the base, as a Markdown document. Foreign text is escaped: it holds no markup. */
export function markdownOf(shown: ShownReport, facts: ReportFacts): string {
  const { repository, report, base, isPartial } = shown;
  const delta =
    base && ` (${joined([words.deltaText(report, base), inMarkdown(words.reportLabel(base))], ', ')})`;
  const list = (lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [...lines.map(line => `- ${line}`), ''];
  const sections = Object.values(sectionsOf(shown, facts, criteriaOf(report, base)));
  return [
    `# ${vscode.l10n.t('Readiness of {0}', inMarkdown(oneLine(repository.name, 100)))}`,
    '',
    `${inMarkdown(words.reportLabel(report, words.commitText(report.commitHash)))}: ${words.percentText(percentOf(report))}${delta ?? ''}`,
    '',
    ...list(words.reportNotes(report, facts.staleness, isPartial).map(inMarkdown)),
    ...sections.flatMap(({ lines }) => lines()),
    `## ${vscode.l10n.t('About this report')}`,
    '',
    ...list(knownFacts(words.reportFacts(report)).map(([name, value]) => `${name}: ${inMarkdown(value)}`)),
  ].join('\n');
}
