import * as vscode from 'vscode';
import { isTime } from '../../util/format';
import { inMarkdown } from '../../ui/text';
import { fenced, inertMarkdown } from './inertMarkdown';
import {
  withDays,
  type Chip,
  type Header,
  type MessageRow,
  type Part,
  type Row,
  type SendRow,
} from '../protocol';

export interface DocumentOptions {
  readonly header: Pick<Header, 'title' | 'facts' | 'messages' | 'tokens'>;
  /** As shown: hidden messages and fields are not among them. */
  readonly rows: readonly Row[];
  /** BCP 47. */
  readonly language: string;
}

/** A transcript as Markdown that loads nothing from anywhere: a heading a day, a message and a collapsed part, so that editors make an outline of it. */
export function transcriptDocument({ header, rows, language }: DocumentOptions): string {
  const days = new Intl.DateTimeFormat(language, { dateStyle: 'full' });
  const times = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
  const time = (at: number | undefined): string =>
    at !== undefined && isTime(at) ? `, ${times.format(at)}` : '';
  const facts = [
    ...header.facts.map(({ label, value }) => `${label}: ${value}`),
    ...(header.tokens?.detail.split('\n') ?? []),
    ...(header.messages === undefined ? [] : [header.messages]),
  ];
  const blocks = [
    `# ${inMarkdown(header.title)}`,
    ...(facts.length === 0 ? [] : [facts.map(fact => `- ${inMarkdown(fact)}`).join('\n')]),
  ];
  for (const row of withDays(rows)) {
    switch (row.kind) {
      case 'date':
        blocks.push(`## ${days.format(row.at)}`);
        break;
      case 'message':
        blocks.push(`### ${inMarkdown(authorOf(row))}${time(row.at)}`, ...message(row));
        break;
      case 'send':
        blocks.push(`### ${vscode.l10n.t('You')}${time(row.at)} (${stateOf(row)})`, shifted(row.text));
        blocks.push(...chips(row.chips), inMarkdown(row.sentence));
        break;
      case 'break':
      case 'gap':
        blocks.push(`*${inMarkdown(row.sentence)}*`);
    }
  }
  return `${blocks.filter(block => block !== '').join('\n\n')}\n`;
}

function authorOf({ author, role, phase }: MessageRow): string {
  const name =
    author === 'person' ? vscode.l10n.t('You') : author === 'agent' ? vscode.l10n.t('Agent') : role;
  return phase === undefined ? name : `${name} (${phase})`;
}

function stateOf({ state }: SendRow): string {
  return state === 'sending'
    ? vscode.l10n.t('sending')
    : state === 'refused'
      ? vscode.l10n.t('not sent')
      : vscode.l10n.t('outcome unknown');
}

function message({ parts, failed, chips: attached }: MessageRow): string[] {
  return [
    ...(failed ? [`**${vscode.l10n.t('The agent reported an error')}**`] : []),
    ...parts.flatMap(part),
    ...chips(attached),
  ];
}

function chips(attached: readonly Chip[]): string[] {
  return attached.length === 0
    ? []
    : [attached.map(({ name, size }) => `- ${inMarkdown(name)} (${size})`).join('\n')];
}

function part(shown: Part): string[] {
  switch (shown.kind) {
    case 'text':
      return [shifted(shown.text)];
    case 'commentary':
      return [`#### ${vscode.l10n.t('Commentary')}`, shifted(shown.text)];
    case 'system':
      return [`#### ${vscode.l10n.t('System message')}`, shifted(shown.text)];
    case 'reasoning':
      return [`#### ${vscode.l10n.t('Reasoning')}`, shifted(shown.text)];
    case 'withheld':
      return [`*${vscode.l10n.t('Reasoning withheld by the model provider')}*`];
    case 'tool': {
      const [before, subject, after] = shown.words;
      return [`#### ${inMarkdown(before + subject + after)}`, fenced(shown.input), fenced(shown.text)];
    }
    case 'image':
    case 'document':
      return [`*${inMarkdown(shown.label)}*`];
    case 'other':
      return [
        `#### ${vscode.l10n.t('Content of the type "{0}"', inMarkdown(shown.type))}`,
        fenced(shown.text),
      ];
  }
}

/** Headings of a message stand below that of the message itself. */
function shifted(text: string): string {
  return inertMarkdown(text, 4);
}
