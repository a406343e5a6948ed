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

/** A tooltip of one fact a line. */
export function factsTooltip(
  facts: readonly (readonly [name: string, value: string | undefined])[],
): vscode.MarkdownString {
  return linesTooltip(facts.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])));
}

/** A line of a tooltip that may be broken at its spaces: VS Code makes them such that do not break, and breaks within words. */
export function breakable(line: string): string {
  return line.replace(/ /g, ' \u200b');
}

/** A tooltip of these lines. They hold foreign text and are never Markdown (trust.md 3). */
export function linesTooltip(lines: readonly string[]): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  lines.forEach((line, index) => tooltip.appendText(`${index === 0 ? '' : '\n'}${plain(line, 2_000)}`));
  return tooltip;
}
