import * as vscode from 'vscode';
import type { UserDay } from '../api';
import { Sum, type Amount } from '../util/amount';

/** A day's rows of section 2.6, one a person. */
export type People = readonly UserDay[];

/** Counts of section 2.6 that add up over days and people, in the order they are shown. */
export const counted = [
  'billable_tokens',
  'tool_calls',
  'sessions',
  'messages',
  'user_messages',
  'assistant_messages',
  'files_created',
  'files_edited',
  'git_commits',
  'git_prs_created',
  'mcp_calls',
  'skill_calls',
  'slash_commands',
  'hooks',
] as const satisfies readonly (keyof UserDay)[];
export type Counted = (typeof counted)[number];

/** Shown only when asked for. */
export const quiet: ReadonlySet<Counted> = new Set<Counted>([
  'user_messages',
  'assistant_messages',
  'mcp_calls',
  'skill_calls',
  'slash_commands',
  'hooks',
]);

export function countLabels(): Readonly<Record<Counted, string>> {
  return {
    billable_tokens: vscode.l10n.t('Billable tokens'),
    tool_calls: vscode.l10n.t('Tool calls'),
    sessions: vscode.l10n.t('Sessions'),
    messages: vscode.l10n.t('Messages'),
    user_messages: vscode.l10n.t('Messages of people'),
    assistant_messages: vscode.l10n.t('Messages of agents'),
    files_created: vscode.l10n.t('Files created'),
    files_edited: vscode.l10n.t('Files edited'),
    git_commits: vscode.l10n.t('Commits'),
    git_prs_created: vscode.l10n.t('Pull requests'),
    mcp_calls: vscode.l10n.t('MCP calls'),
    skill_calls: vscode.l10n.t('Skills used'),
    slash_commands: vscode.l10n.t('Slash commands used'),
    hooks: vscode.l10n.t('Hooks run'),
  };
}

/** Read one by one: these run for every row of every person. */
const picks: readonly ((row: UserDay) => number | undefined)[] = [
  row => row.billable_tokens,
  row => row.tool_calls,
  row => row.sessions,
  row => row.messages,
  row => row.user_messages,
  row => row.assistant_messages,
  row => row.files_created,
  row => row.files_edited,
  row => row.git_commits,
  row => row.git_prs_created,
  row => row.mcp_calls,
  row => row.skill_calls,
  row => row.slash_commands,
  row => row.hooks,
];

/** The counts of several rows, in the order of `counted`. */
export function sumsOf(rows: People): Amount[] {
  return picks.map(pick => {
    const sum = new Sum();
    for (const row of rows) sum.add(pick(row));
    return sum.amount;
  });
}
