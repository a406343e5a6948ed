import * as fs from 'node:fs';
import * as http from 'node:http';
import { type AddressInfo } from 'node:net';
import * as path from 'node:path';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { Dashboard } from '../../src/usage/show/dashboard';
import { pageHtml } from '../../src/webview/html';
import { FakeUsageSource } from '../fakes/usageSource';
import { root } from '../vscode/paths';
import { patience } from '../until';
import { sharedBrowser } from '../vscode/server';
import { themeVariables, type PageTheme } from './themeVariables';

/** The built usage page in a browser of its own, with a panel and a source that a test holds in its hands. */
export interface UsageStage {
  readonly page: Page;
  readonly source: FakeUsageSource;
  readonly dashboard: Dashboard;
  /** What the panel was asked to save and copy. */
  readonly saved: { readonly name: string; readonly text: string }[];
  readonly copied: string[];
  /** What went wrong in the page or was refused by the panel. */
  readonly problems: string[];
  /** Addresses the page asked for. */
  readonly requests: string[];
  signIns: number;
  setTheme(theme: PageTheme): Promise<void>;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly theme?: PageTheme;
  readonly context?: BrowserContextOptions;
  /** What the page kept before. */
  readonly kept?: unknown;
  readonly source?: FakeUsageSource;
}

/** Starts the browser and a server of the page's files. */
export async function openTheatre(): Promise<{
  stage(options?: StageOptions): Promise<UsageStage>;
  close(): Promise<void>;
}> {
  const browser = await sharedBrowser();
  const server = http.createServer(answer).listen(0, '127.0.0.1');
  await new Promise(listening => server.once('listening', listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    stage: options => openStage(browser, origin, options),
    close: async () => {
      await new Promise(closed => server.close(closed));
    },
  };
}

function answer(request: http.IncomingMessage, response: http.ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const theme = (url.searchParams.get('theme') ?? 'vscode-dark') as PageTheme;
  const origin = `http://${request.headers.host ?? ''}`;
  if (url.pathname === '/') {
    const html = pageHtml({
      cspSource: origin,
      scriptUri: '/usage.js',
      styleUri: '/usage.css',
      language: 'en',
      title: 'Usage',
      broken: { sentence: '{0}', reload: 'Reload', log: 'Show log' },
    })
      .replace('<link', `<link rel="stylesheet" href="/theme.css?theme=${theme}"><link`)
      .replace('<body>', `<body class="${bodyClass(theme)}">`);
    response.setHeader('content-type', 'text/html').end(html);
  } else if (url.pathname === '/theme.css') {
    const variables = Object.entries(themeVariables[theme]).map(([name, value]) => `${name}: ${value};`);
    response.setHeader('content-type', 'text/css').end(`:root { ${variables.join('\n')} }`);
  } else {
    const file = path.join(root, 'dist', 'pages', path.basename(url.pathname));
    const type = file.endsWith('.css') ? 'text/css' : file.endsWith('.ttf') ? 'font/ttf' : 'text/javascript';
    if (fs.existsSync(file)) response.setHeader('content-type', type).end(fs.readFileSync(file));
    else response.writeHead(404).end();
  }
}

/** VS Code marks light high contrast with both classes. */
function bodyClass(theme: PageTheme): string {
  return theme === 'vscode-high-contrast-light' ? `vscode-high-contrast ${theme}` : theme;
}

async function openStage(browser: Browser, origin: string, options: StageOptions = {}): Promise<UsageStage> {
  const { theme = 'vscode-dark', context: contextOptions, kept, source = new FakeUsageSource() } = options;
  const context = await browser.newContext({
    viewport: { width: 1100, height: 800 },
    locale: 'en-US',
    ...contextOptions,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patience());
  const problems: string[] = [];
  const requests: string[] = [];
  const saved: { name: string; text: string }[] = [];
  const copied: string[] = [];
  page.on('pageerror', error => problems.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', request => requests.push(request.url()));

  const dashboard = new Dashboard(
    source,
    {
      language: 'en',
      ready: () => undefined,
      texts: undefined,
      post: message =>
        page.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`).catch(() => undefined),
      save: (name, text) => {
        saved.push({ name, text });
        return Promise.resolve(name);
      },
      copy: text => {
        copied.push(text);
        return Promise.resolve();
      },
      signIn: () => stage.signIns++,
      describe: error => (error instanceof Error ? error.message : String(error)),
      onProblem: (problem, error) =>
        problems.push(error instanceof Error ? `${problem}: ${error.message}` : problem),
    },
    kept,
  );
  await page.exposeFunction('toPanel', (message: unknown) => dashboard.receive(message));
  // State outlives a reload, as in VS Code.
  await page.addInitScript(`
    window.acquireVsCodeApi = () => ({
      postMessage: message => window.toPanel(message),
      getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
      setState: state => sessionStorage.setItem('state', JSON.stringify(state)),
    });
  `);
  await page.goto(`${origin}/?theme=${theme}`);

  const stage: UsageStage = {
    ...{ page, source, dashboard, saved, copied, problems, requests, signIns: 0 },
    async setTheme(next) {
      await page.evaluate(
        `(() => {
          const variables = ${JSON.stringify(themeVariables[next])};
          for (const [name, value] of Object.entries(variables)) document.documentElement.style.setProperty(name, value);
          document.body.className = ${JSON.stringify(bodyClass(next))};
          return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        })()`,
      );
    },
    async close() {
      dashboard.dispose();
      await context.close();
    },
  };
  return stage;
}
