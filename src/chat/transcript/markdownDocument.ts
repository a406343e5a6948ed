import * as vscode from 'vscode';
import { isTime } from '../../util/format';
import { inMarkdown } from '../../ui/text';
import { fenced, inertMarkdown } from './inertMarkdown';
import { withDays, type Chip, type Header, type MessageRow, type Part, type Row } from '../protocol';

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
  const { title, tokens, messages = [] } = header;
  const known = header.facts.map(({ label, value }) => `${label}: ${value}`);
  const facts = known.concat(tokens?.detail.split('\n') ?? [], messages);
  const blocks = [`# ${inMarkdown(title)}`, facts.map(fact => `- ${inMarkdown(fact)}`).join('\n')];
  for (const row of withDays(rows)) {
    switch (row.kind) {
      case 'date':
        blocks.push(`## ${days.format(row.at)}`);
        break;
      case 'message':
        blocks.push(`### ${inMarkdown(authorOf(row))}${time(row.at)}${stateOf(row)}`);
        if (row.failed) blocks.push(`**${vscode.l10n.t('The agent reported an error')}**`);
        blocks.push(...row.parts.flatMap(part), chips(row.chips));
        if (row.send !== undefined) blocks.push(inMarkdown(row.send.sentence));
        break;
      case 'gap':
        blocks.push(`*${inMarkdown(row.sentence)}*`);
    }
  }
  return `${blocks.filter(block => block !== '').join('\n\n')}\n`;
}

function authorOf({ author, role, phase }: MessageRow): string {
  const name = { person: vscode.l10n.t('You'), agent: vscode.l10n.t('Agent'), other: role }[author];
  return phase === undefined ? name : `${name} (${phase})`;
}

function stateOf({ send }: MessageRow): string {
  const states = {
    sending: vscode.l10n.t('sending'),
    unknown: vscode.l10n.t('outcome unknown'),
  };
  return send === undefined ? '' : ` (${states[send.state]})`;
}

function chips(attached: readonly Chip[]): string {
  return attached.map(({ name, size }) => `- ${inMarkdown(name)} (${size})`).join('\n');
}

function part(shown: Part): string[] {
  if (shown.kind === 'text') return [shifted(shown.text)];
  if (shown.kind === 'file') return [`*${inMarkdown(shown.label)}*`];
  const label = inMarkdown(shown.label.join(''));
  if (shown.texts.length === 0) return [`*${label}*`];
  return [`#### ${label}`, ...shown.texts.map(text => (shown.isCode ? fenced(text) : shifted(text)))];
}

/** Headings of a message stand below that of the message itself. */
function shifted(text: string): string {
  return inertMarkdown(text, 4);
}
