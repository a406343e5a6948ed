import * as vscode from 'vscode';
import { Formatter } from '../../util/format';
import { partsOfRow, partText, wordsPattern, type MessageRow, type SendRow } from '../protocol';
import { RowBuilder, type RowsInput } from './rows';

/** A message with all its text, where a page has perhaps only the beginning; `undefined` for what is not shown at all. */
export function wholeMessage(
  rows: Omit<RowsInput, 'timeZone'>,
  key: string,
): MessageRow | SendRow | undefined {
  const format = new Formatter(vscode.env.language);
  return new RowBuilder(format, true).one({ ...rows, timeZone: 'UTC' }, key);
}

/** What a message says; of one that says nothing, all it holds. */
export function messageText(row: MessageRow | SendRow): string {
  const parts = partsOfRow(row);
  const said = parts.filter(part => part.kind === 'text' || part.kind === 'commentary');
  return (said.length > 0 ? said : parts).map(partText).join('\n\n');
}

/** How often each part of a message holds these words. */
export function countsIn(row: MessageRow | SendRow, words: string): readonly number[] {
  const wanted = wordsPattern(words);
  return partsOfRow(row).map(part => partText(part).match(wanted)?.length ?? 0);
}
