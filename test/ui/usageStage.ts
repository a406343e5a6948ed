import assert from 'node:assert/strict';
import { type BrowserContextOptions, type Locator, type Page } from 'playwright-core';
import { firstState, type PageState, type UsageQuery } from '../../src/usage/protocol';
import { FakeDashboard, type FakeUsageSource } from '../fakes/usage';
import { openPage, type OpenPage } from './page';
import { themes } from './stage';
import themeVariables from './themeVariables.json';

/** Their colours and fonts stand in `themeVariables.json`, those of VS Code 1.139 that the page reads. */
export const pageThemes = Object.values(themes).map(({ page }) => page);
export type PageTheme = (typeof pageThemes)[number];

type UsageStage = FakeDashboard & OpenPage;

type StageOptions = Readonly<{ context?: BrowserContextOptions; source?: FakeUsageSource }>;

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
    sees: async (...texts: readonly (string | RegExp)[]): Promise<void> => {
      for (const text of texts) await stage.page.getByText(text).waitFor();
    },
    gone: (text: string): Promise<void> => stage.page.getByText(text).waitFor({ state: 'detached' }),
    /** The figures of what is chosen are there. */
    isDrawn: (): Promise<void> => stage.page.locator('.drawing:not(.waits) section').first().waitFor(),
    press: (name: string | RegExp): Promise<void> => stage.page.getByRole('button', { name }).click(),
    tab: (name: string): Locator => stage.page.getByRole('navigation').getByRole('button', { name }),
    chosenTab: (): Locator => stage.page.locator('nav [aria-current]'),
    section: (name: string): Locator => stage.page.getByRole('region', { name, exact: true }),
    chart: (name: string): Locator => stage.page.getByRole('slider', { name: `Chart: ${name}` }),
    range: (name: string) =>
      stage.page.getByRole('combobox', { name: 'Range' }).selectOption({ label: name }),
    check: (name: string): Locator => stage.page.getByRole('checkbox', { name }),
    lastAsked: (): UsageQuery => stage.source.asked.at(-1)!,
    setTheme: async (theme: PageTheme): Promise<void> => {
      // VS Code marks light high contrast with both classes.
      const classes = theme === 'vscode-high-contrast-light' ? `vscode-high-contrast ${theme}` : theme;
      await stage.page.evaluate(`(() => {
        for (const [name, value] of ${JSON.stringify(variablesOf(theme))}) document.documentElement.style.setProperty(name, value);
        document.body.className = ${JSON.stringify(classes)};
        return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
      })()`);
    },
  };
}

function variablesOf(theme: PageTheme): (readonly [name: string, value: string])[] {
  const values = Object.entries(themeVariables).map(
    ([name, each]) => [`--vscode-${name}`, each[pageThemes.indexOf(theme)] ?? ''] as const,
  );
  return values.filter(([, value]) => value !== '');
}

const usual = { viewport: { width: 1100, height: 800 }, locale: 'en-US', bypassCSP: false };

async function openStage(kept: PageState, { context, source }: StageOptions = {}): Promise<UsageStage> {
  let shown: Page | undefined;
  const post = (message: unknown) =>
    shown?.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`).catch(() => undefined);
  const made = new FakeDashboard(post, source);
  const variables = variablesOf('vscode-dark').map(([name, value]) => `${name}: ${value};`);
  const opened = await openPage('usage', {
    context: { ...usual, ...context },
    theme: 'vscode-dark',
    css: `:root { ${variables.join('\n')} }`,
    state: kept,
    problems: made.problems,
    onMessage: (message, page) => {
      shown = page;
      made.panel?.receive(message);
    },
  });
  return Object.assign(made, opened);
}
