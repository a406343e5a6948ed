import * as vscode from 'vscode';

/** Every text of the page, in the display language. `{0}` is filled in by the page. */
export type ReportStrings = Readonly<Record<keyof ReturnType<typeof reportStrings>, string>>;

/** Makes the texts of the page. */
export function reportStrings() {
  const { t } = vscode.l10n;
  return {
    actions: t('Actions'),
    fix: t('Fix failing criteria…'),
    fixOne: t('Fix {0}', '{0}'),
    markdown: t('Export Markdown'),
    json: t('Export JSON'),
    compareWith: t('Compare with'),
    previous: t('the previous report of this branch'),
    changes: t('Changes since {0}', '{0}'),
    noBase: t('There is no earlier report of this branch. Choose a report below to compare with.'),
    noChanges: t('No criterion changed.'),
    counts: t('{0} worse, {1} better, {2} new, {3} gone', '{0}', '{1}', '{2}', '{3}'),
    criteria: t('Criteria'),
    show: t('Show'),
    all: t('All'),
    failing: t('Failing'),
    changed: t('Changed'),
    filter: t('Filter by text'),
    none: t('No criterion matches.'),
    criterion: t('Criterion'),
    score: t('Score'),
    before: t('Before'),
    change: t('Change'),
    rationale: t('Rationale'),
    passing: t('passes'),
    notPassing: t('fails'),
    fixColumn: t('Fix'),
    more: t('Show {0} more', '{0}'),
    applications: t('Applications'),
    application: t('Application'),
    description: t('Description'),
    named: t('Named by failing criteria'),
    namedHint: t(
      'The service says how many applications pass a criterion, not which. Named are those that a rationale mentions.',
    ),
    reveal: t('Show {0} in the Explorer', '{0}'),
    trend: t('Trend'),
    trendChart: t('Score over {0} reports, from {1} to {2}', '{0}', '{1}', '{2}'),
    trendLegend: t('Line: reports of this branch. Dots: other branches.'),
    day: t('Day'),
    branch: t('Branch'),
    commit: t('Commit'),
    open: t('Open'),
    openReport: t('Open the report of {0}', '{0}'),
    compareReport: t('Compare with the report of {0}', '{0}'),
    compare: t('Compare'),
    shown: t('shown'),
    baseMark: t('compared with'),
    commits: t('Commits between the two reports'),
    subject: t('Subject'),
    author: t('Author'),
    about: t('About this report'),
  };
}
