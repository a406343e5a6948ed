import { randomBytes } from 'node:crypto';

export interface PageOptions {
  /** `webview.cspSource`. */
  readonly cspSource: string;
  /** Addresses from `webview.asWebviewUri`; without a script the page says its title and nothing else. */
  readonly scriptUri?: string;
  readonly styleUri: string;
  /** Language of the page, such as `vscode.env.language`. */
  readonly language: string;
  readonly title: string;
  /** What the page says where it fails; `{0}` in the sentence is why. */
  readonly broken?: { readonly sentence: string; readonly reload: string; readonly log: string };
}

/** The document of a page: one script, one style sheet, an empty root. A new nonce each time it is made (trust.md 4). */
export function pageHtml({ cspSource, scriptUri, styleUri, language, title, broken }: PageOptions): string {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    `default-src 'none'`,
    ...(scriptUri === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data: blob:`,
  ];
  const texts = Object.entries({ broken: broken?.sentence, reload: broken?.reload, log: broken?.log });
  const data = texts.map(([name, text = '']) => ` data-${name}="${escapeHtml(text)}"`).join('');
  const body =
    scriptUri === undefined
      ? `<main class="loading quiet"><p>${escapeHtml(title)}</p></main>`
      : `<div id="root"${data}></div>\n<script nonce="${nonce}" src="${escapeHtml(scriptUri)}"></script>`;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy.join('; '))}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${escapeHtml(styleUri)}">
</head>
<body>
${body}
</body>
</html>`;
}

/** Text for HTML content and double-quoted attributes. */
export function escapeHtml(value: string): string {
  return value.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}

/** HTML that was made here. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Part = string | number | false | undefined | Markup | readonly Part[];

/** A template of HTML. What is put into it is text, unless it is markup made here, too; the values of attributes stand in quotes. */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const textOf = (part: Part): string => {
    if (part instanceof Markup) return part.text;
    if (part === undefined || part === false) return '';
    return typeof part === 'object' ? part.map(textOf).join('') : escapeHtml(String(part));
  };
  return new Markup(String.raw(template, ...parts.map(textOf)));
}
