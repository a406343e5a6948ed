import * as vscode from 'vscode';
import { format, joined } from '../../ui/text';
import { oneLine, plain } from '../../util/text';
import { MAX_SHOWN, type Cut, type Fold, type Part } from '../protocol';
import { isHidden, type StoredItem, type StoredMessage } from './messages';

/** The icon of what an agent says while it works. */
export const COMMENTARY = 'comment';

export function partsOf(message: StoredMessage, tools: Tools, whole: boolean): Part[] {
  if (isHidden(message)) return [];
  const clip = (text: string) => clipped(text, whole);
  const folded = (icon: string, label: string, all: string): Part[] => {
    const { text, ...cut } = clip(all);
    const preview = oneLine(text.slice(0, 200).replace(/`|\*\*|^#+ /gm, ''));
    return all.trim() === '' ? [] : [fold(icon, label, { preview, texts: [text], ...cut })];
  };
  const reasoning = (text: string): Part[] => folded('lightbulb', vscode.l10n.t('Reasoning'), text);

  const toolPart = (use: StoredItem | undefined, result: StoredItem | undefined): Part => {
    const name = oneLine(asText(use?.['name'] ?? ''), 100);
    const output = result === undefined ? undefined : resultText(result['content']);
    const failed = result !== undefined && tools.failed.has(toolId(result) ?? '');
    const { icon, label, isOpen } = toolWords(name, use?.['input'], output, failed);
    const { text: input, cut: cutInput } = clip(asJson(use?.['input']));
    const { text, cut: cutOutput } = clip(output ?? '');
    const cut = joined([cutInput, cutOutput], ' ');
    const preview = isOpen ? oneLine(text.trim().slice(0, 200)) : '';
    const texts = [`${name} ${input}`.trim(), text].filter(each => each !== '');
    return { ...fold(icon, ''), label, preview, texts, isCode: true, failed, ...(cut !== '' && { cut }) };
  };

  const partsAt = (item: StoredItem, index: number): Part[] => {
    switch (item.type) {
      case 'text': {
        const text = asText(item['text']);
        if (message.role === 'system') return folded('info', vscode.l10n.t('System message'), text);
        if (message.providerAPhase === 'commentary')
          return folded(COMMENTARY, vscode.l10n.t('Commentary'), text);
        return text.trim() === '' ? [] : [{ kind: 'text', ...clip(text) }];
      }
      case 'thinking':
        return reasoning(asText(item['thinking'] ?? item['text']));
      case 'redacted_thinking':
        return [fold('lightbulb', vscode.l10n.t('Reasoning withheld by the model provider'))];
      case 'tool_use':
        return [toolPart(item, tools.results.get(toolId(item) ?? ''))];
      case 'tool_result':
        // It stands with its use, where that is known.
        return tools.uses.has(toolId(item) ?? '') ? [] : [toolPart(undefined, item)];
      case 'image':
      case 'document': {
        const { name, mediaType, size, ...picture } = fileOf(message, item, index);
        return [{ kind: 'file', label: joined([name, mediaType, size]), ...picture }];
      }
      default: {
        const { text, ...cut } = clip(otherText(item));
        const label =
          item.type === ''
            ? vscode.l10n.t('Content without a type')
            : vscode.l10n.t('Content of the type "{0}"', oneLine(item.type, 100));
        return [fold('symbol-misc', label, { texts: [text], isCode: true, ...cut })];
      }
    }
  };
  return [
    ...reasoning(message.providerAReasoningSummary ?? ''),
    ...reasoning(message.chatCompletionReasoningContent ?? ''),
    ...message.content.flatMap(partsAt),
  ];
}

function fold(icon: string, label: string, more: Partial<Fold> = {}): Fold {
  const line = { kind: 'fold', icon, label: [label], preview: '', texts: [], isCode: false, failed: false };
  return { ...line, kind: 'fold', ...more };
}

/** The picture an image item holds, in base64; `undefined` for one that lives elsewhere. */
export function pictureOf(item: StoredItem): string | undefined {
  const data = (record(item['source']) ?? item)['data'];
  return item.type === 'image' && typeof data === 'string' ? data : undefined;
}

/** What is known of a picture or document of a message, in words, and the key of a picture that can be shown. */
export function fileOf({ id }: StoredMessage, item: StoredItem, index: number) {
  const source = record(item['source']) ?? item;
  const what = item.type === 'image' ? vscode.l10n.t('Image') : vscode.l10n.t('Document');
  const name = source['name'] ?? item['name'] ?? item['title'];
  const mediaType = source['mediaType'] ?? source['media_type'];
  const data = source['data'];
  return {
    name: oneLine(typeof name === 'string' && name !== '' ? name : what, 100),
    mediaType: typeof mediaType === 'string' ? oneLine(mediaType, 100) : '',
    size: typeof data === 'string' ? format.bytes(Buffer.byteLength(data, 'base64')) : '',
    ...(pictureOf(item) !== undefined && { picture: `${id}\n${index}` }),
  };
}

/** Text of a tool's result: a string, or items of which the text ones are joined and the others named. */
function resultText(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  return content
    .map((item: unknown) => {
      const fields = record(item);
      if (fields === undefined) return asText(item);
      return typeof fields['text'] === 'string' ? fields['text'] : `[${asText(fields['type'])}]`;
    })
    .join('\n');
}

function otherText(item: StoredItem): string {
  if (typeof item['text'] === 'string') return item['text'];
  return asJson(Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'type')));
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : value === null ? '' : asJson(value);
}

function asJson(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

export function messagesInWords(count: number): string {
  return count === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', format.number(count));
}

/** The beginning of a text that is too long for a page, and how much more there is; all of it where `whole`. */
export function clipped(text: string, whole: boolean): { readonly text: string } & Cut {
  if (whole || text.length <= MAX_SHOWN) return { text: plain(text, Infinity) };
  // Never half a character.
  const to = /[\ud800-\udbff]/.test(text.charAt(MAX_SHOWN - 1)) ? MAX_SHOWN - 1 : MAX_SHOWN;
  const rest = format.number(text.length - to);
  const cut = vscode.l10n.t('{0} more characters are not shown here.', rest);
  return { text: plain(text.slice(0, to), Infinity), cut };
}

export type Tools = ReturnType<typeof toolsIn>;

/** Uses of tools and their results, which mostly stand in messages of their own, by the id of the use. */
export function toolsIn(messages: Iterable<StoredMessage>) {
  const uses = new Set<string>();
  const results = new Map<string, StoredItem>();
  const failed = new Set<string>();
  for (const { content, isError } of messages)
    for (const item of content) {
      const id = toolId(item);
      if (id === undefined) continue;
      if (item.type === 'tool_use') uses.add(id);
      else {
        results.set(id, item);
        if ([isError, item['isError'], item['is_error']].includes(true)) failed.add(id);
      }
    }
  return { uses, results, failed };
}

export function toolId(item: StoredItem): string | undefined {
  const result = item.type === 'tool_result' ? (item['toolUseId'] ?? item['tool_use_id']) : undefined;
  const id = item.type === 'tool_use' ? item['id'] : result;
  return typeof id === 'string' ? id : undefined;
}

const PATHS = ['path', 'file_path', 'filePath', 'file', 'filename'];
const QUERIES = ['pattern', 'query', 'regex', 'q'];
const SCRIPTS = ['command', 'cmd', 'script'];

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
      SCRIPTS,
      vscode.l10n.t('Ran {0}', MARK),
    ],
    [/^(?:fetch|web|browse|open)$/, 'link', ['url', 'uri'], vscode.l10n.t('Fetched {0}', MARK)],
  ];

/** A tool's use in words, such as ``Searched for `checkout total`, 1 match``. */
function toolWords(name: string, input: unknown, result: string | undefined, failed: boolean) {
  const given = record(input) ?? {};
  // An editor that also reads and writes says so in its command.
  const { command } = given;
  const step = /^str_replace/.test(name) && (command === 'view' || command === 'create') ? command : name;
  const first = /[A-Z]?[a-z]+|[A-Z]+/.exec(step)?.[0].toLowerCase() ?? '';
  for (const [names, icon, subjects, words] of KINDS) {
    const subject = subjects.map(key => given[key]).find(value => typeof value === 'string' && value !== '');
    if (!names.test(first) || typeof subject !== 'string') continue;
    const count = icon === 'search' && !failed && result !== undefined ? matchesIn(result) : undefined;
    return sentence(icon, words, subject, failed, count);
  }
  const used = name === '' ? vscode.l10n.t('Used a tool') : vscode.l10n.t('Used {0}', MARK);
  return sentence('tools', used, name, failed);
}

function sentence(icon: string, words: string, subject: string, failed: boolean, count?: number) {
  let said = words;
  if (failed) said = vscode.l10n.t('{0}, failed', words);
  else if (count === 1) said = vscode.l10n.t('{0}, 1 match', words);
  else if (count !== undefined) said = vscode.l10n.t('{0}, {1} matches', words, count);
  const [before = '', after = ''] = said.split(MARK);
  // Its result says more than the words.
  const isOpen = failed || icon === 'terminal' || icon === 'tools';
  return { icon: failed ? 'error' : icon, label: [before, oneLine(subject, 300), after], isOpen };
}

/** Results of searches are a line a match, or begin with how many there are. */
function matchesIn(result: string): number {
  const count = /^\D{0,20}(\d{1,9}) (?:match|result|file|hit)/i.exec(result)?.[1];
  if (count !== undefined) return Number(count);
  if (/^\s*no (?:match|result|file)/i.test(result)) return 0;
  return result.split('\n').filter(line => line.trim() !== '').length;
}
