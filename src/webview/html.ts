import { randomBytes } from 'node:crypto';

export interface PageOptions {
  /** `webview.cspSource`. */
  readonly cspSource: string;
  /** Addresses from `webview.asWebviewUri`. */
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Script and style sheet themselves, for a page that need not ask for them and begins sooner. */
  readonly inline?: { readonly script: string; readonly style: string } | undefined;
  /** Language of the page, such as `vscode.env.language`. */
  readonly language: string;
  readonly title: string;
}

/** A fresh nonce of 128 bits. */
export function freshNonce(): string {
  return randomBytes(16).toString('base64');
}

/** The policy of every page: only the script with this nonce runs, nothing is fetched by script (trust.md 4). */
export function contentSecurityPolicy(cspSource: string, nonce: string, isInline: boolean): string {
  return [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}${isInline ? ` 'nonce-${nonce}'` : ''}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data: blob:`,
  ].join('; ');
}

/** The document of a page: one script, one style sheet, an empty root. A new nonce each time it is made. */
export function pageHtml(options: PageOptions): string {
  const nonce = freshNonce();
  const { inline } = options;
  const csp = contentSecurityPolicy(options.cspSource, nonce, inline !== undefined);
  const style =
    inline === undefined
      ? `<link rel="stylesheet" href="${escapeHtml(options.styleUri)}">`
      : `<style nonce="${nonce}">${inline.style.replace(/<\/(?=style)/gi, '<\\/')}</style>`;
  const script =
    inline === undefined
      ? `<script nonce="${nonce}" src="${escapeHtml(options.scriptUri)}"></script>`
      : `<script nonce="${nonce}">${inElement(inline.script)}</script>`;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(options.language)}">
<head>
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(csp)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(options.title)}</title>
${style}
</head>
<body>
<div id="root"></div>
${script}
</body>
</html>`;
}

/** A script as the content of an element: what would end it, or begin another in it, stands only in its strings and patterns. */
function inElement(script: string): string {
  return script.replace(/<(?=!--|\/script)/gi, '\\x3c');
}

/** A document without a script that says one thing. */
export function noticeHtml({
  cspSource,
  styleUri,
  language,
  text,
}: Pick<PageOptions, 'cspSource' | 'styleUri' | 'language'> & { readonly text: string }): string {
  const csp = `default-src 'none'; style-src ${cspSource}`;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(csp)}">
<meta charset="utf-8">
<title>${escapeHtml(text)}</title>
<link rel="stylesheet" href="${escapeHtml(styleUri)}">
</head>
<body>
<main class="loading"><p>${escapeHtml(text)}</p></main>
</body>
</html>`;
}

/** Text for HTML content and double-quoted attributes. */
export function escapeHtml(value: string): string {
  return value.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
