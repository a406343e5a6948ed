import assert from 'node:assert/strict';
import * as path from 'node:path';
import { type BrowserContextOptions, type Locator, type Page } from 'playwright-core';
import { Dashboard } from '../../src/usage/show/dashboard';
import { firstState, type PageState, type UsageQuery } from '../../src/usage/show/protocol';
import { pageHtml } from '../../src/webview/html';
import { FakeUsageSource } from '../fakes/usageSource';
import { root } from '../vscode/paths';
import { patience } from '../until';
import { sharedBrowser } from '../vscode/server';
import { themeVariables, type PageTheme } from './themeVariables';

/** Where the page's files are; no server listens there. */
export const origin = 'http://usage.test';

/** The built usage page in a browser, with a panel and a source that a test holds in its hands. */
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
}

export interface StageOptions {
  readonly theme?: PageTheme;
  readonly context?: BrowserContextOptions;
  readonly source?: FakeUsageSource;
}

/** For the tests of a `describe`: opens the page as it would be with what it has kept. Nothing may go wrong in it. */
export function usagePage() {
  let stage: UsageStage;
  const close = async (): Promise<void> => {
    stage.dashboard.dispose();
    await stage.page.context().close();
  };
  afterEach(async function () {
    await close();
    if (this.currentTest?.state === 'passed') assert.deepEqual(stage.problems, []);
  });
  return {
    close,
    open: async (kept: Partial<PageState> = {}, options?: StageOptions): Promise<UsageStage> => {
      stage = await openStage({ ...firstState, ...kept }, options);
      await stage.page.locator('h1').waitFor({ state: 'attached' });
      return stage;
    },
    tab: (name: string): Locator => stage.page.getByRole('tab', { name }),
    section: (name: string): Locator => stage.page.getByRole('region', { name, exact: true }),
    chart: (name: string): Locator => stage.page.getByRole('application', { name: `Chart: ${name}` }),
    range: (name: string): Locator => stage.page.getByRole('radio', { name, exact: true }),
    check: (name: string): Locator => stage.page.getByRole('checkbox', { name }),
    lastAsked: (): UsageQuery => stage.source.asked.at(-1)!,
    setTheme: async (theme: PageTheme): Promise<void> => {
      await stage.page.evaluate(
        `(() => {
          const variables = ${JSON.stringify(themeVariables[theme])};
          for (const [name, value] of Object.entries(variables)) document.documentElement.style.setProperty(name, value);
          document.body.className = ${JSON.stringify(bodyClass(theme))};
          return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        })()`,
      );
    },
  };
}

/** VS Code marks light high contrast with both classes. */
function bodyClass(theme: PageTheme): string {
  return theme === 'vscode-high-contrast-light' ? `vscode-high-contrast ${theme}` : theme;
}

async function openStage(kept: PageState, options: StageOptions = {}): Promise<UsageStage> {
  const { theme = 'vscode-dark', source = new FakeUsageSource() } = options;
  const browser = await sharedBrowser();
  const viewport = { width: 1100, height: 800 };
  const context = await browser.newContext({ viewport, locale: 'en-US', ...options.context });
  const page = await context.newPage();
  page.setDefaultTimeout(patience());
  const variables = Object.entries(themeVariables[theme]).map(([name, value]) => `${name}: ${value};`);
  const html = pageHtml({
    cspSource: origin,
    scriptUri: '/usage.js',
    styleUri: '/usage.css',
    language: 'en',
    title: 'Usage',
    broken: { sentence: '{0}', reload: 'Reload', log: 'Show log' },
  })
    .replace('<link', '<link rel="stylesheet" href="/theme.css"><link')
    .replace('<body>', `<body class="${bodyClass(theme)}">`);
  await page.route(`${origin}/**`, (route, request) => {
    const name = path.basename(new URL(request.url()).pathname);
    if (name === '') return route.fulfill({ contentType: 'text/html', body: html });
    if (name !== 'theme.css') return route.fulfill({ path: path.join(root, 'dist', 'pages', name) });
    return route.fulfill({ contentType: 'text/css', body: `:root { ${variables.join('\n')} }` });
  });

  const problems: string[] = [];
  const stage = { page, source, signIns: 0, problems, saved: [], copied: [], requests: [] } as Omit<
    UsageStage,
    'dashboard'
  >;
  page.on('pageerror', error => problems.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', request => stage.requests.push(request.url()));
  const dashboard = new Dashboard(source, {
    language: 'en',
    ready: () => undefined,
    texts: undefined,
    post: message =>
      page.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`).catch(() => undefined),
    save: (name, text) => {
      stage.saved.push({ name, text });
      return Promise.resolve(name);
    },
    copy: text => {
      stage.copied.push(text);
      return Promise.resolve();
    },
    signIn: () => stage.signIns++,
    describe: error => (error instanceof Error ? error.message : String(error)),
    onProblem: (problem, error) =>
      problems.push(error instanceof Error ? `${problem}: ${error.message}` : problem),
  });
  await page.exposeFunction('toPanel', (message: unknown) => dashboard.receive(message));
  // State outlives a reload, as in VS Code.
  await page.addInitScript(`
    window.acquireVsCodeApi = () => ({
      postMessage: message => window.toPanel(message),
      getState: () => JSON.parse(sessionStorage.getItem('state') ?? ${JSON.stringify(JSON.stringify(kept))}),
      setState: state => sessionStorage.setItem('state', JSON.stringify(state)),
    });
  `);
  await page.goto(`${origin}/`);
  return Object.assign(stage, { dashboard });
}
