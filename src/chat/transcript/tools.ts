import * as vscode from 'vscode';
import { oneLine } from '../../util/text';
import type { StoredItem, StoredMessage } from './messages';

/** What the messages of a session say of each other's tools, by the id of the use. */
export interface Tools {
  readonly uses: ReadonlySet<string>;
  readonly results: ReadonlyMap<string, StoredItem>;
  readonly failed: ReadonlySet<string>;
}

/** Collects uses and results, which mostly stand in messages of their own. */
export function toolsIn(messages: Iterable<StoredMessage>): Tools {
  const uses = new Set<string>();
  const results = new Map<string, StoredItem>();
  const failed = new Set<string>();
  for (const { content, isError } of messages) {
    for (const item of content) {
      const id = toolId(item);
      if (id === undefined) continue;
      if (item.type === 'tool_use') uses.add(id);
      else results.set(id, item);
      if (
        item.type === 'tool_result' &&
        (isError === true || item['isError'] === true || item['is_error'] === true)
      )
        failed.add(id);
    }
  }
  return { uses, results, failed };
}

/** The id of the use that an item is, or is the result of. */
export function toolId(item: StoredItem): string | undefined {
  const id =
    item.type === 'tool_use'
      ? item['id']
      : item.type === 'tool_result'
        ? (item['toolUseId'] ?? item['tool_use_id'])
        : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** A message whose every item is a tool's result speaks for the agent, whatever its role. */
export function isToolResult(message: StoredMessage): boolean {
  return message.content.length > 0 && message.content.every(item => item.type === 'tool_result');
}

/** What was done, what it was done to, and the words after that. */
export interface ToolWords {
  readonly icon: string;
  readonly label: readonly string[];
  /** Its result says more than the words. */
  readonly isOpen: boolean;
}

const PATHS = ['path', 'file_path', 'filePath', 'file', 'filename'];
const QUERIES = ['pattern', 'query', 'regex', 'q'];

/** Where the subject stands in a sentence. */
const MARK = '\u0000';

/** By the first word of a tool's name. Tools are the agent's own: one that is not known here is named. */
const KINDS: readonly (readonly [names: RegExp, icon: string, subjects: readonly string[], words: string])[] =
  [
    [/^(?:read|view|cat)$/, 'file', PATHS, vscode.l10n.t('Read {0}', MARK)],
    [/^(?:edit|multi|str|apply|patch|replace)$/, 'edit', PATHS, vscode.l10n.t('Edited {0}', MARK)],
    [/^(?:write|create)$/, 'edit', PATHS, vscode.l10n.t('Wrote {0}', MARK)],
    [/^(?:grep|search|find|rg|web)$/, 'search', QUERIES, vscode.l10n.t('Searched for {0}', MARK)],
    [/^(?:glob|list|ls)$/, 'search', [...PATHS, ...QUERIES], vscode.l10n.t('Listed {0}', MARK)],
    [
      /^(?:execute|exec|run|bash|shell|terminal|command)$/,
      'terminal',
      ['command', 'cmd', 'script'],
      vscode.l10n.t('Ran {0}', MARK),
    ],
    [/^(?:fetch|web|browse|open)$/, 'link', ['url', 'uri'], vscode.l10n.t('Fetched {0}', MARK)],
  ];

/** A tool's use in words, such as ``Searched for `checkout total`, 1 match``. */
export function toolWords(
  name: string,
  input: unknown,
  result: string | undefined,
  failed: boolean,
): ToolWords {
  const given = (typeof input === 'object' && input !== null ? input : {}) as Readonly<
    Record<string, unknown>
  >;
  // An editor that also reads and writes says so in its command.
  const { command } = given;
  const told = /^str_replace/.test(name) && (command === 'view' || command === 'create') ? command : name;
  const first = /[A-Z]?[a-z]+|[A-Z]+/.exec(told)?.[0].toLowerCase() ?? '';
  for (const [names, icon, subjects, words] of KINDS) {
    const subject = subjects.map(key => given[key]).find(value => typeof value === 'string' && value !== '');
    if (!names.test(first) || typeof subject !== 'string') continue;
    const count = icon === 'search' && !failed && result !== undefined ? matchesIn(result) : undefined;
    return sentence(icon, words, subject, failed, count);
  }
  const used = name === '' ? vscode.l10n.t('Used a tool') : vscode.l10n.t('Used {0}', MARK);
  return sentence('tools', used, name, failed);
}

function sentence(icon: string, words: string, subject: string, failed: boolean, count?: number): ToolWords {
  let said = words;
  if (failed) said = vscode.l10n.t('{0}, failed', words);
  else if (count === 1) said = vscode.l10n.t('{0}, 1 match', words);
  else if (count !== undefined) said = vscode.l10n.t('{0}, {1} matches', words, count);
  const [before = '', after = ''] = said.split(MARK);
  const isOpen = failed || icon === 'terminal' || icon === 'tools';
  return { icon: failed ? 'error' : icon, label: [before, oneLine(subject, 300), after], isOpen };
}

/** Results of searches are a line a match, or begin with how many there are. */
function matchesIn(result: string): number {
  const told = /^\D{0,20}(\d{1,9}) (?:match|result|file|hit)/i.exec(result)?.[1];
  if (told !== undefined) return Number(told);
  if (/^\s*no (?:match|result|file)/i.test(result)) return 0;
  return result.split('\n').filter(line => line.trim() !== '').length;
}
