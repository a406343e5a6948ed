import * as vscode from 'vscode';
import { amountText, type Amount } from '../util/amount';
import { Formatter } from '../util/format';
import { oneLine, plain } from '../util/text';

/** Numbers and times in the language of the window. */
export const format = new Formatter(vscode.env.language);

/** A codicon, with a theme colour. */
export interface Icon {
  readonly id: string;
  readonly color?: string;
}

/** Name and value of something known. Values may be foreign; one that is empty or missing is left out. */
export type Fact = readonly [name: string, value: string | undefined];

export function themeIcon({ id, color }: Icon): vscode.ThemeIcon {
  return color === undefined
    ? new vscode.ThemeIcon(id)
    : new vscode.ThemeIcon(id, new vscode.ThemeColor(color));
}

/** A tooltip: a bold title, then one line each. All texts may be foreign and are never Markdown (trust.md 3). */
export function card(title: string, lines: readonly (string | undefined)[]): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  const name = oneLine(title, 300);
  if (name !== '') {
    tooltip.value += '**';
    tooltip.appendText(breakable(name));
    tooltip.value += '**';
  }
  for (const line of lines) {
    if (line === undefined || line === '') continue;
    tooltip.appendText(`${tooltip.value === '' ? '' : '\n'}${breakable(plain(line, 2_000))}`);
  }
  return tooltip;
}

/** Facts as the lines of a card. */
export function factLines(facts: readonly Fact[]): readonly string[] {
  return knownFacts(facts).map(([name, value]) => `${name}: ${value}`);
}

/** A line of a tooltip that may be broken at its spaces: VS Code makes them such that do not break, and breaks within words. */
function breakable(line: string): string {
  return line.replace(/ /g, ' \u200b');
}

/** Parts that are there, in one line: `active · cloud`. */
export function joined(parts: readonly (string | false | undefined)[], separator = ' · '): string {
  return parts.filter(Boolean).join(separator);
}

/** Tokens of several days and, where that is not all of these, of how many; empty where nothing is known. */
export function tokensText(tokens: Amount, numberText: (value: number) => string): string {
  return amountText(tokens, numberText, (known, of) => vscode.l10n.t('{0} of {1} days', known, of));
}

/** Foreign text on one line of a Markdown document: it holds no markup and no link (trust.md 41), and reads well as it is, too. */
export function inMarkdown(text: string): string {
  return (
    oneLine(text, 4_000)
      .replace(/[\\`*[\]|~$]|(?<!\w)_|_(?!\w)|(?<=\])\(|&(?=#?\w+;)|:(?=\/)|\/(?=\/)|^[-+#>]/g, '\\$&')
      // VS Code finds HTML behind a backslash too.
      .replaceAll('<', '&lt;')
      .replace(/\b(www)\./gi, '$1\\.')
      .replace(/^(\d+)\./, '$1\\.')
  );
}

/** A document of facts: a title, sections with their facts or lines, and last the service's own answer where there is one. */
export function factsDocument(
  title: string,
  sections: readonly (readonly [heading: string, facts: readonly Fact[]])[],
  answer?: unknown,
): string {
  const lines = sections.flatMap(([heading, facts]) => {
    const items = knownFacts(facts).map(([name, value]) =>
      name === '' ? `- ${inMarkdown(value)}` : `- **${inMarkdown(name)}**: ${inMarkdown(value)}`,
    );
    if (items.length === 0) return [];
    return [...(heading === '' ? [] : [`## ${inMarkdown(heading)}`, '']), ...items, ''];
  });
  // Every line of JSON begins with a brace, a space or a quote: none of them ends the block.
  const code =
    answer === undefined ? [] : ['```json', plain(JSON.stringify(answer, undefined, 2), 200_000), '```', ''];
  const answered = code.length === 0 ? code : [`## ${vscode.l10n.t('Service response')}`, '', ...code];
  return [`# ${inMarkdown(title)}`, '', ...lines, ...answered].join('\n');
}

/** Facts with a value. */
export function knownFacts(facts: readonly Fact[]): readonly (readonly [string, string])[] {
  return facts.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  );
}
