import * as path from 'node:path';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { pageHtml } from '../../src/webview/html';
import { patience } from '../until';
import { root } from '../vscode/paths';

/** Where the files of a page are; no server listens there. */
export const origin = 'http://page.test';

export interface OpenOptions {
  /** The build it is of. */
  readonly dist?: string;
  readonly context?: BrowserContextOptions;
  /** What VS Code gives to the page: classes of its body, and style. */
  readonly theme?: string;
  readonly css?: string;
  /** What it has kept; that outlives a reload, as in VS Code. */
  readonly state?: unknown;
  /** Runs before its own script. */
  readonly before?: string;
  /** Where what goes wrong in it is written. */
  readonly problems?: string[];
  /** Hears what the page tells; without it, that is in `said`. */
  readonly onMessage?: (message: unknown, page: Page) => unknown;
}

export interface OpenPage {
  readonly page: Page;
  /** What went wrong in it. */
  readonly problems: string[];
  /** Addresses it asked for. */
  readonly requests: string[];
}

/**
 * A page by itself in a browser of its own session, without a panel. In it, `tell(name, payload)` is what a panel would send, and
 * `drawn()` resolves when all that was told is on the screen.
 */
export async function openPage(
  browser: Browser,
  name: 'chat' | 'readiness' | 'usage',
  { dist = path.join(root, 'dist'), theme = '', css = '', before = '', ...options }: OpenOptions = {},
): Promise<OpenPage> {
  const page = await browser.newPage({ viewport: { width: 900, height: 800 }, ...options.context });
  page.setDefaultTimeout(patience());
  const html = pageHtml({
    cspSource: origin,
    scriptUri: `/${name}.js`,
    styleUri: `/${name}.css`,
    language: 'en',
    title: name,
    broken: { sentence: 'This page could not be drawn: {0}', reload: 'Reload', log: 'Show log' },
  })
    .replace('<link', '<link rel="stylesheet" href="/theme.css"><link')
    .replace('<body>', `<body class="${theme}">`);
  await page.route(`${origin}/**`, (route, request) => {
    const file = path.basename(new URL(request.url()).pathname);
    if (file === '') return route.fulfill({ contentType: 'text/html', body: html });
    if (file === 'theme.css') return route.fulfill({ contentType: 'text/css', body: css });
    return route.fulfill({ path: path.join(dist, 'pages', file) });
  });
  const opened: OpenPage = { page, problems: options.problems ?? [], requests: [] };
  page.on('pageerror', error => opened.problems.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error') opened.problems.push(message.text());
  });
  page.on('request', request => opened.requests.push(request.url()));
  const { onMessage } = options;
  if (onMessage) await page.exposeFunction('toPanel', (message: unknown) => onMessage(message, page));
  const state = JSON.stringify(JSON.stringify(options.state ?? null));
  await page.addInitScript(`
    window.said = [];
    window.tell = (name, payload) => window.postMessage({ kind: 'event', name, payload }, '*');
    window.drawn = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    window.acquireVsCodeApi = (storage => () => ({
      postMessage: message => (window.toPanel ? toPanel(message) : void said.push(message)),
      getState: () => JSON.parse(storage.getItem('state') ?? ${state}) ?? undefined,
      setState: state => storage.setItem('state', JSON.stringify(state)),
    }))(sessionStorage);`);
  await page.addInitScript(before);
  await page.goto(`${origin}/`);
  return opened;
}
