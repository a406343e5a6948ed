import { randomBytes } from 'node:crypto';

export interface PageOptions {
  /** `webview.cspSource`. */
  readonly cspSource: string;
  /** Addresses from `webview.asWebviewUri`. */
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Language of the page, such as `vscode.env.language`. */
  readonly language: string;
  readonly title: string;
  /** What the page says where it fails; `{0}` in the sentence is why. */
  readonly broken: { readonly sentence: string; readonly reload: string; readonly log: string };
}

/** The policy of every page: only the script with this nonce runs, nothing is fetched by script (trust.md 4). */
function contentSecurityPolicy(cspSource: string, nonce: string): string {
  return [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data: blob:`,
  ].join('; ');
}

/** The document of a page: one script, one style sheet, an empty root. A new nonce each time it is made. */
export function pageHtml(options: PageOptions): string {
  const { broken } = options;
  const nonce = randomBytes(16).toString('base64');
  const csp = contentSecurityPolicy(options.cspSource, nonce);
  return `<!DOCTYPE html>
<html lang="${escapeHtml(options.language)}">
<head>
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(csp)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(options.title)}</title>
<link rel="stylesheet" href="${escapeHtml(options.styleUri)}">
</head>
<body>
<div id="root" data-broken="${escapeHtml(broken.sentence)}" data-reload="${escapeHtml(broken.reload)}" data-log="${escapeHtml(broken.log)}"></div>
<script nonce="${nonce}" src="${escapeHtml(options.scriptUri)}"></script>
</body>
</html>`;
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
