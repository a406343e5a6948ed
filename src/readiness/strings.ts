import * as vscode from 'vscode';

/** Every text of the page, in the display language. `{0}` is filled in by the page. */
export type ReportStrings = Readonly<Record<keyof ReturnType<typeof reportStrings>, string>>;

/** Makes the texts of the page. */
export function reportStrings() {
  return {
    actions: vscode.l10n.t('Actions'),
    fix: vscode.l10n.t('Fix failing criteria…'),
    fixOne: vscode.l10n.t('Fix {0}', '{0}'),
    markdown: vscode.l10n.t('Export Markdown'),
    json: vscode.l10n.t('Export JSON'),
    compareWith: vscode.l10n.t('Compare with'),
    previous: vscode.l10n.t('the previous report of this branch'),
    changes: vscode.l10n.t('Changes since {0}', '{0}'),
    noBase: vscode.l10n.t(
      'There is no earlier report of this branch. Choose a report below to compare with.',
    ),
    noChanges: vscode.l10n.t('No criterion changed.'),
    counts: vscode.l10n.t('{0} worse, {1} better, {2} new, {3} gone', '{0}', '{1}', '{2}', '{3}'),
    criteria: vscode.l10n.t('Criteria'),
    show: vscode.l10n.t('Show'),
    all: vscode.l10n.t('All'),
    failing: vscode.l10n.t('Failing'),
    changed: vscode.l10n.t('Changed'),
    filter: vscode.l10n.t('Filter by text'),
    none: vscode.l10n.t('No criterion matches.'),
    criterion: vscode.l10n.t('Criterion'),
    score: vscode.l10n.t('Score'),
    before: vscode.l10n.t('Before'),
    change: vscode.l10n.t('Change'),
    rationale: vscode.l10n.t('Rationale'),
    passing: vscode.l10n.t('passes'),
    notPassing: vscode.l10n.t('fails'),
    fixColumn: vscode.l10n.t('Fix'),
    more: vscode.l10n.t('Show {0} more', '{0}'),
    applications: vscode.l10n.t('Applications'),
    application: vscode.l10n.t('Application'),
    description: vscode.l10n.t('Description'),
    named: vscode.l10n.t('Failing criteria'),
    namedHint: vscode.l10n.t(
      'The service says how many applications pass a criterion, not which. Listed are the criteria that count every application and that none passes, and those whose rationale names this one.',
    ),
    reveal: vscode.l10n.t('Show {0} in the Explorer', '{0}'),
    trend: vscode.l10n.t('Trend'),
    trendChartOne: vscode.l10n.t('Score of 1 report: {0}', '{0}'),
    trendChart: vscode.l10n.t('Score over {0} reports, from {1} to {2}', '{0}', '{1}', '{2}'),
    trendLegend: vscode.l10n.t('Line: reports of this branch. Dots: other branches.'),
    day: vscode.l10n.t('Day'),
    branch: vscode.l10n.t('Branch'),
    commit: vscode.l10n.t('Commit'),
    open: vscode.l10n.t('Open'),
    openReport: vscode.l10n.t('Open the report of {0}', '{0}'),
    compareReport: vscode.l10n.t('Compare with the report of {0}', '{0}'),
    compare: vscode.l10n.t('Compare'),
    shown: vscode.l10n.t('shown'),
    baseMark: vscode.l10n.t('compared with'),
    commits: vscode.l10n.t('Commits between the two reports'),
    subject: vscode.l10n.t('Subject'),
    author: vscode.l10n.t('Author'),
    about: vscode.l10n.t('About this report'),
  };
}
