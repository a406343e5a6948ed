import * as vscode from 'vscode';
import type { ShownWork } from '../shared';
import { format, joined } from '../ui/text';
import { forNotification, oneLine } from '../util/text';
import type { ChangedFile, Changes, Claim } from './git/model';
import type { Work } from './work';

const MOST_COMMITS = 10;

/** A session's work in words; `undefined` where nothing is known of it. */
export function shownWork({ claim, changes, fetchedAt }: Work): ShownWork | undefined {
  if (claim.sure === 'unknown') return undefined;
  const name = oneLine(claim.branch.name, 80);
  const short = joined([
    claim.sure === 'likely' ? vscode.l10n.t('likely {0}', name) : name,
    changes === undefined ? vscode.l10n.t('not in this window') : figures(changes.files),
    changes && stateWord(changes),
  ]);
  const commits = changes?.commits ?? [];
  const listed = commits.slice(0, MOST_COMMITS).map(({ subject }) => `• ${oneLine(subject, 120)}`);
  const lines = [
    reasonOf(claim),
    changes && fetchedWords(changes.branch.remote, fetchedAt),
    changes?.isRewritten === true && vscode.l10n.t('The branch was rewritten since it was last seen here.'),
    ...listed,
    commits.length > MOST_COMMITS && '…',
  ];
  return { short, lines: lines.filter(line => typeof line === 'string') };
}

const MOST_LISTED = 10;

/** Names of files, such as `a.ts, b.ts and 3 more`. */
export function listed(files: readonly string[]): string {
  const some = files.slice(0, MOST_LISTED).map(file => forNotification(file, 100));
  const more = files.length - some.length;
  return more > 0 ? vscode.l10n.t('{0} and {1} more', some.join(', '), format.number(more)) : some.join(', ');
}

/** Such as `3 files +42 −7`. */
export function figures(files: readonly ChangedFile[]): string {
  const { length } = files;
  const count = length === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', format.number(length));
  return joined([count, lineFigures(files)], ' ');
}

/** Such as `+42 −7`; nothing of binary files. */
export function lineFigures(files: readonly ChangedFile[]): string {
  if (files.every(({ added }) => added === undefined)) return '';
  const sum = (side: 'added' | 'removed') => files.reduce((total, file) => total + (file[side] ?? 0), 0);
  return `+${format.number(sum('added'))} −${format.number(sum('removed'))}`;
}

function stateWord({ state, behind }: Changes): string {
  if (state === 'merged') return vscode.l10n.t('merged');
  if (state === 'gone') return vscode.l10n.t('branch deleted');
  return behind === 0 ? '' : vscode.l10n.t('{0} behind', format.number(behind));
}

function fetchedWords(remote: string | undefined, at: number | undefined): string {
  if (remote === undefined) return vscode.l10n.t('A branch of this repository.');
  const name = oneLine(remote, 60);
  if (at === undefined) return vscode.l10n.t('A branch of {0}.', name);
  return vscode.l10n.t('Fetched from {0} {1} ago.', name, ageOf(at));
}

/** Such as `3 min`. */
export function ageOf(at: number): string {
  return format.span(Math.max(0, Date.now() - at));
}

/** Why this branch is taken for the session's. */
export function reasonOf(claim: Claim): string {
  if (claim.sure === 'unknown')
    return vscode.l10n.t('No branch in this window is known to be this session’s.');
  const detail = oneLine((claim.detail ?? '').replace(/^([0-9a-f]{8})[0-9a-f]{32,56}$/, '$1'), 80);
  return {
    named: vscode.l10n.t('You chose this branch.'),
    branchInTranscript:
      claim.sure === 'certain'
        ? vscode.l10n.t('In the transcript, Git confirms a commit or push to this branch.')
        : vscode.l10n.t('The transcript names this branch.'),
    commitInTranscript: vscode.l10n.t('The transcript names its commit {0}.', detail),
    pullRequestInTranscript: vscode.l10n.t('The transcript names its pull request {0}.', detail),
    sessionIdInBranch: vscode.l10n.t('The branch has the session’s id in its name.'),
    sessionIdInCommit: vscode.l10n.t('The commit {0} names the session.', detail),
    coAuthor: vscode.l10n.t('{0} committed to it while the session was at work.', detail),
    lastSeen: vscode.l10n.t('It was the session’s branch when it was last seen here.'),
    checkedOut: vscode.l10n.t('It was checked out here when the agent finished.'),
  }[claim.evidence];
}
