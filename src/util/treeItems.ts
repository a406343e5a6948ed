import * as vscode from 'vscode';
import { plain } from './text';

/** A theme icon from a model's choice. */
export function themeIcon(icon: { readonly id: string; readonly color?: string }): vscode.ThemeIcon {
  return icon.color === undefined
    ? new vscode.ThemeIcon(icon.id)
    : new vscode.ThemeIcon(icon.id, new vscode.ThemeColor(icon.color));
}

/** The row that stands where a list could not be read; the reason stands above it, in the view's message. */
export function retryItem(command: string): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Try again'));
  item.id = `retry/${command}`;
  item.iconPath = new vscode.ThemeIcon('refresh');
  item.command = { command, title: vscode.l10n.t('Try again') };
  return item;
}

/** A tooltip of one fact a line. Values are foreign text and never Markdown (trust.md 3). */
export function factsTooltip(
  facts: readonly (readonly [name: string, value: string | undefined])[],
): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  const known = facts.filter(
    (fact): fact is readonly [string, string] => fact[1] !== undefined && fact[1] !== '',
  );
  known.forEach(([name, value], index) => {
    tooltip.appendText(`${index === 0 ? '' : '\n'}${name}: ${plain(value, 2_000)}`);
  });
  return tooltip;
}
