import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** Where a page is shown: a panel among the editors, or the view of a side bar. */
export type Place = vscode.WebviewPanel | vscode.WebviewView;

export const isPanel = (place: Place): place is vscode.WebviewPanel => 'onDidChangeViewState' in place;

/** What a page may do: run its script, and load the files of pages (trust.md 7). */
export function pageOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  return { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(extensionUri, 'dist', 'pages')] };
}

/**
 * The document of a page: one script, one style sheet, an empty root. A new nonce each time it is made (trust.md 4). One without a
 * script says its title and nothing else.
 */
export function pageHtml(
  webview: Pick<vscode.Webview, 'cspSource' | 'asWebviewUri'>,
  extensionUri: vscode.Uri,
  name: string,
  title: string,
  hasScript = true,
): string {
  const { cspSource } = webview;
  const uriOf = (ending: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', 'pages', `${name}.${ending}`)).toString();
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    `default-src 'none'`,
    ...(hasScript ? [`script-src 'nonce-${nonce}'`] : []),
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data: blob:`,
  ];
  // What the page says where it fails.
  const broken = vscode.l10n.t('This page could not be drawn: {0}', '{0}');
  const root = html`<div
      id="root"
      data-broken="${broken}"
      data-reload="${vscode.l10n.t('Reload')}"
      data-log="${vscode.l10n.t('Show log')}"
    ></div>
    <script nonce="${nonce}" src="${uriOf('js')}"></script>`;
  return html`<!DOCTYPE html>
    <html lang="${vscode.env.language}">
      <head>
        <meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}" />
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="${uriOf('css')}" />
      </head>
      <body>
        ${hasScript ? root : html`<main class="loading late quiet"><p>${title}</p></main>`}
      </body>
    </html>`.text;
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
