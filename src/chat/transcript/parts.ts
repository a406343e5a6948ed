import * as vscode from 'vscode';
import type { Formatter } from '../../util/format';
import { oneLine, plain } from '../../util/text';
import { isHidden, type StoredItem, type StoredMessage } from './messages';
import type { Cut, Part } from '../protocol';

/** Longest text of one part that a page is given, and of all parts of a message, in UTF-16 units; the rest is counted. */
const MAX_PART = 200_000;
const MAX_MESSAGE = 400_000;
/** As much as this is shown of each part, however long those before it are. */
const LEAST = 2_000;

/** Names of tools by the id of their use, over all known messages. */
export type ToolNames = ReadonlyMap<string, string>;

/** Collects the names that tool results refer to. */
export function toolNames(messages: Iterable<StoredMessage>): ToolNames {
  const names = new Map<string, string>();
  for (const message of messages) {
    for (const item of message.content) {
      const { id, name } = item;
      if (item.type === 'tool_use' && typeof id === 'string' && typeof name === 'string') names.set(id, name);
    }
  }
  return names;
}

/** The ids of the tool uses whose results this message holds. */
export function toolUseIds(message: StoredMessage): string[] {
  return message.content.flatMap(item => {
    const id = item['toolUseId'] ?? item['tool_use_id'];
    return item.type === 'tool_result' && typeof id === 'string' ? [id] : [];
  });
}

/** A message whose every item is a tool's result speaks for the agent, whatever its role. */
export function isToolResult(message: StoredMessage): boolean {
  return message.content.length > 0 && message.content.every(item => item.type === 'tool_result');
}

/** The blocks of a message in order, the reasoning first. Hidden messages have none. */
export function partsOf(message: StoredMessage, names: ToolNames, format: Formatter, whole: boolean): Part[] {
  if (isHidden(message)) return [];
  const clip = clipper(format, whole);
  const reasoning = [message.providerAReasoningSummary, message.chatCompletionReasoningContent]
    .filter(text => text !== undefined)
    .map((text): Part => ({ kind: 'reasoning', ...clip(text) }));
  const content = message.content.flatMap(
    (item, index) => partOf(item, index, message, names, format, clip) ?? [],
  );
  return [...reasoning, ...content];
}

function partOf(
  item: StoredItem,
  index: number,
  message: StoredMessage,
  names: ToolNames,
  format: Formatter,
  clip: Clip,
): Part | undefined {
  switch (item.type) {
    case 'text': {
      const text = asText(item['text']);
      if (text.trim() === '') return undefined;
      const isCommentary = message.providerAPhase === 'commentary';
      return {
        kind: message.role === 'system' ? 'system' : isCommentary ? 'commentary' : 'text',
        ...clip(text),
      };
    }
    case 'thinking': {
      const text = asText(item['thinking'] ?? item['text']);
      return text.trim() === '' ? undefined : { kind: 'reasoning', ...clip(text) };
    }
    case 'redacted_thinking':
      return { kind: 'withheld' };
    case 'tool_use': {
      const { text: input, ...cut } = clip(asJson(item['input']));
      return { kind: 'toolUse', name: oneLine(asText(item['name'])), input, ...cut };
    }
    case 'tool_result': {
      const id = item['toolUseId'] ?? item['tool_use_id'];
      return {
        kind: 'toolResult',
        name: oneLine((typeof id === 'string' ? names.get(id) : undefined) ?? ''),
        ...clip(resultText(item['content'])),
        failed: item['isError'] === true || item['is_error'] === true,
      };
    }
    case 'image': {
      const picture = pictureOf(item);
      const label = labelOf(item, vscode.l10n.t('Image'), format);
      return picture === undefined ? { kind: 'image', label } : { kind: 'image', label, index };
    }
    case 'document':
      return { kind: 'document', label: labelOf(item, vscode.l10n.t('Document'), format) };
    default:
      return { kind: 'other', type: oneLine(item.type, 100), ...clip(otherText(item)) };
  }
}

/** The picture an image item holds, still encoded; `undefined` for one that lives elsewhere. */
export function pictureOf(
  item: StoredItem,
): { readonly data: string; readonly mediaType: string } | undefined {
  const source = record(item['source']) ?? item;
  const data = source['data'];
  const mediaType = source['mediaType'] ?? source['media_type'];
  return item.type === 'image' && typeof data === 'string' && typeof mediaType === 'string'
    ? { data, mediaType }
    : undefined;
}

function labelOf(item: StoredItem, what: string, format: Formatter): string {
  const source = record(item['source']) ?? item;
  const name = source['name'] ?? item['name'] ?? item['title'];
  const mediaType = source['mediaType'] ?? source['media_type'];
  const data = source['data'];
  const size = typeof data === 'string' ? format.bytes(decodedSize(data)) : undefined;
  return [typeof name === 'string' && name !== '' ? name : what, mediaType, size]
    .filter(fact => typeof fact === 'string')
    .map(fact => oneLine(fact, 100))
    .join(' · ');
}

/** Text of a tool's result: a string, or items of which the text ones are joined and the others named. */
function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : asJson(content);
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

type Clip = (text: string) => { readonly text: string } & Cut;

/** Makes the texts of one message such as a page shows them: the beginning of each that is very long, unless `whole`. */
export function clipper(format: Formatter, whole: boolean): Clip {
  let left = MAX_MESSAGE;
  return text => {
    const most = whole ? Infinity : Math.min(MAX_PART, Math.max(LEAST, left));
    left -= text.length;
    if (text.length <= most) return { text: plain(text, Infinity) };
    // Never half a character.
    const to = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
    const rest = text.length - to;
    const cut =
      rest === 1
        ? vscode.l10n.t('1 more character is not shown here.')
        : vscode.l10n.t('{0} more characters are not shown here.', format.number(rest));
    return { text: plain(text.slice(0, to), Infinity), cut };
  };
}

/** How many bytes base64 stands for. */
function decodedSize(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.floor((data.length * 3) / 4) - padding;
}
