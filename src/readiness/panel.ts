import * as vscode from 'vscode';
import { errorSentence } from '../connection';
import type { Logger } from '../log';
import { PagePanel } from '../ui/pagePanel';
import { knownFacts } from '../ui/text';
import { forNotification, oneLine } from '../util/text';
import { html, type Markup, type Part } from '../webview/page';
import type { PanelSide } from '../webview/ipc';
import type { ReadinessCommands } from './commands';
import { criteriaOf, fails, percentOf, type CriterionRow, type ShownReport } from './model';
import { reportProtocol, type PageState, type ReportProtocol } from './protocol';
import { compared, type Reports } from './reports';
import { button, heading, sectionsOf, type ReportFacts } from './sections';
import * as words from './rows';

export interface ReportPanelDeps {
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
  readonly reports: Pick<Reports, 'shown' | 'missing' | 'commits' | 'git'>;
  readonly commands: Pick<ReadinessCommands, 'fix' | 'export'>;
}

/** One report at a time, with what it is compared with; stays where it is when newer reports come. */
export class ReportPanel extends PagePanel {
  readonly #deps: ReportPanelDeps;
  readonly #side: Pick<PanelSide<ReportProtocol>, 'send'>;
  #state: PageState;
  #wanted: string | undefined;
  /** The wanted criterion has not been brought into view yet. */
  #isWanted = false;
  /** The page as it was drawn. */
  #drawn: Readonly<Record<string, string>> = {};

  constructor(panel: vscode.WebviewPanel, state: PageState, deps: ReportPanelDeps) {
    super(panel, { ...deps, name: 'readiness' });
    this.#state = state;
    this.#deps = deps;
    const { commands, reports } = deps;
    this.#side = this.connect({
      protocol: reportProtocol,
      handlers: {
        ready: () => {
          this.#drawn = {};
          this.update();
        },
        show: ({ reportId }) => this.show({ ...this.#state, reportId, baseId: undefined }),
        compare: ({ reportId }) => this.show(compared(reports, { ...this.#state, reportId }, this.#state)),
        fix: ({ criteria }) => this.#act(shown => commands.fix(shown, criteria)),
        export: () => this.#act(shown => commands.export(shown)),
      },
    });
    this.load();
  }

  /** Shows another report, or another comparison; `wanted` is the criterion to bring into view. */
  show(state: PageState, wanted?: string): void {
    this.#state = state;
    this.#wanted = wanted;
    this.#isWanted = wanted !== undefined;
    this.update();
  }

  /** Sends the page what of it says something else now. */
  update(): void {
    const { reports } = this.#deps;
    const [state, wanted] = [this.#state, this.#wanted];
    const shown = reports.shown(state);
    if (!this.isReady) return;
    let parts = missingParts(reports.missing);
    if (shown !== undefined) {
      this.panel.title = vscode.l10n.t('Readiness: {0}', oneLine(shown.repository.name, 50));
      const staleness = reports.git.staleness(shown.report.commitHash, shown.local);
      const commits = reports.commits(shown);
      parts = pageParts(shown, { state, wanted, commits, staleness });
    }
    const changed = Object.entries(parts).filter(([id, part]) => this.#drawn[id] !== part);
    const isWanted = shown !== undefined && this.#isWanted;
    if (changed.length === 0 && !isWanted) return;
    this.#drawn = parts;
    this.#side.send('draw', { parts: Object.fromEntries(changed), state, isWanted });
    if (isWanted) this.#isWanted = false;
  }

  async #act(act: (shown: ShownReport) => Promise<void>): Promise<void> {
    const shown = this.#deps.reports.shown(this.#state);
    if (shown === undefined) return;
    await act(shown).catch((error: unknown) => {
      this.#deps.log.error('What a report page offers could not be done', error);
      void vscode.window.showErrorMessage(forNotification(errorSentence(error), 1_000));
    });
  }
}

/** What changed since the report compared with, in a title and a sentence. */
function changesText({ base }: ShownReport, rows: readonly CriterionRow[]): readonly [string, string] {
  if (base === undefined)
    return [
      vscode.l10n.t('Compare with'),
      vscode.l10n.t('This branch has no earlier report. Choose a report below to compare with.'),
    ];
  const counts = (['worse', 'better', 'new', 'gone'] as const).map(
    kind => rows.filter(({ change }) => change === kind).length,
  );
  return [
    vscode.l10n.t('Changes since {0}', words.reportLabel(base)),
    counts.every(each => each === 0)
      ? vscode.l10n.t('No criterion changed.')
      : vscode.l10n.t('{0} worse, {1} better, {2} new, {3} gone', ...counts),
  ];
}

/** The parts of a report's page, each by its id, in their order. */
export function pageParts(shown: ShownReport, facts: ReportFacts): Readonly<Record<string, string>> {
  const rows = criteriaOf(shown.report, shown.base);
  const { criteria, ...others } = sectionsOf(shown, facts, rows);
  const [title, said] = changesText(shown, rows);
  const usual = vscode.l10n.t('Compare with the previous report of this branch');
  return partsOf({
    ...Object.fromEntries(
      Object.entries(others).map(([id, { heading: top, body }]) => [id, html`${top}${body()}`]),
    ),
    head: head(shown, facts, rows),
    changes: html`${heading('changes', title)}
      <p>${said}</p>
      ${facts.state?.baseId !== undefined && button(['show', { reportId: shown.report.reportId }], usual)}`,
    counted: criteria.heading,
    tools: tools(),
    criteria: html`${criteria.body()}
      <p id="none" class="quiet" role="status" hidden>${vscode.l10n.t('No matching criteria.')}</p>`,
    about: about(shown),
  });
}

/** The page where there is nothing to show, and why. */
export function missingParts(sentence: string): Readonly<Record<string, string>> {
  return partsOf({ head: html`<p role="status">${oneLine(sentence, 1_000)}</p>` });
}

const PARTS = 'head changes counted tools criteria applications trend commits about'.split(' ');

function partsOf(some: Readonly<Record<string, Part>>): Readonly<Record<string, string>> {
  return Object.fromEntries(PARTS.map(id => [id, html`${some[id]}`.text]));
}

function head(shown: ShownReport, { staleness }: ReportFacts, rows: readonly CriterionRow[]): Markup {
  const { repository, report, base, isPartial } = shown;
  const isOff = !rows.some(fails);
  const notes = words.reportNotes(report, staleness, isPartial).map(note => html`<li>${note}</li>`);
  return html`<div class="title">
      <h1 tabindex="-1" aria-describedby="subtitle">${oneLine(repository.name, 100)}</h1>
      <span id="subtitle" class="quiet"
        >${words.reportLabel(report, words.commitText(report.commitHash))}</span
      >
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

function about({ report }: ShownReport): Markup {
  const facts = knownFacts(words.reportFacts(report)).map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${oneLine(value, 500)}</dd>
      </div>`,
  );
  return html`${heading('about', vscode.l10n.t('About this report'))}
    <dl>${facts}</dl>`;
}
