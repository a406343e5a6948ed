import * as fs from 'node:fs';
import * as path from 'node:path';
import { type BrowserContextOptions, type Frame, type Page } from 'playwright-core';
import { Uri } from 'vscode';
import type { Composer, Kept, PanelState, Row } from '../../src/chat/protocol';
import { pageHtml } from '../../src/webview/page';
import { patience } from '../until';
import { root } from '../vscode/paths';
import { sharedBrowser } from '../vscode/server';
import { themes, type Theme } from './stage';
import themeVariables from './themeVariables.json';

/** Where the files of a page are; no server listens there. */
export const origin = 'http://page.test';

export interface OpenOptions {
  readonly dist?: string;
  readonly context?: BrowserContextOptions;
  /** What VS Code gives to the page: classes of its body, and style. */
  readonly theme?: string;
  readonly css?: string;
  /** What it has kept; that outlives a reload, as in VS Code. */
  readonly state?: unknown;
  readonly before?: string;
  readonly problems?: string[];
  /** Hears what the page tells; without it, that is in `said`. */
  readonly onMessage?: (message: unknown, page: Page) => unknown;
}

export interface OpenPage {
  readonly page: Page;
  readonly problems: string[];
  readonly requests: string[];
}

/** A page by itself. In it, `tell(name, payload)` is what a panel would send; `drawn()` waits until that is on the screen. */
export async function openPage(
  name: 'chat' | 'readiness' | 'usage',
  { dist = path.join(root, 'dist'), theme = '', css = '', before = '', ...options }: OpenOptions = {},
): Promise<OpenPage> {
  const browser = await sharedBrowser();
  const page = await browser.newPage({
    viewport: { width: 900, height: 800 },
    bypassCSP: true,
    ...options.context,
  });
  page.setDefaultTimeout(patience());
  const webview = {
    cspSource: origin,
    asWebviewUri: (uri: Uri) => `/${path.basename(uri.path)}` as unknown as Uri,
  };
  const html = pageHtml(webview, Uri.file(''), name, name)
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
    // What is told has arrived and its frame is drawn: messages and frames come in turns of their own.
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

/** The chat page by itself, begun, for what needs exact timing or exact rows. */
export async function openChatPage(dist?: string, kept: Kept = {}, before = ''): Promise<Page> {
  const css = 'html, body { height: 100%; }';
  const { page } = await openPage('chat', { ...(dist !== undefined && { dist }), css, before });
  await page.evaluate(`tell('start', ${JSON.stringify(startOf({ kept }))})`);
  return page;
}

export function startOf(fields: { readonly kept?: Kept } = {}): object {
  const identity = { sessionId: 's', serviceId: 's', title: 't' };
  return { identity, draft: '', kept: {}, focus: true, ...fields };
}

/** A message with code and a file's name in it; every fourth is the person's. */
export function messageRow(index: number): Row {
  const agent = index % 4 !== 0;
  const code = Array.from(
    { length: 12 },
    (_, line) => `const line${line} = work(${index}, 'line ${line} of the code'); // ${index}`,
  ).join('\n');
  const words = `Number ${index}. **Some** words about \`src/file${index}.ts:${index % 90}\` and more of them.`;
  const text = agent
    ? `${words}\n\n- one\n- two\n\n\`\`\`ts\n${code}\n\`\`\`\n`
    : `Number ${index}. Please look at this.`;
  const read = { kind: 'fold', icon: 'file', label: ['Read ', 'a.ts', ''], preview: '' } as const;
  const result = { ...read, texts: [code], isCode: true, failed: false } as const;
  return {
    kind: 'message',
    key: `message:${index}`,
    id: String(index),
    author: agent ? 'agent' : 'person',
    role: agent ? 'assistant' : 'user',
    at: 1_700_000_000_000 + index * 60_000,
    failed: false,
    parts: [...(index % 3 === 1 ? [result] : []), { kind: 'text', text }],
    chips: [],
    accepted: false,
  };
}

/** What the panel of an idle session tells of its composer. */
export function stateOf(composer: Partial<Composer> = {}): PanelState {
  const status = { word: 'idle', icon: 'circle', spin: false };
  return {
    header: { title: 'A session', facts: [], status, refreshing: false, about: '{}' },
    composer: {
      ...{
        chips: [],
        total: '',
        sending: false,
        canStop: false,
        target: '',
        sendKey: 'enter',
        fileLimit: 100,
      },
      ...{ queues: false, queue: [], queueNote: '', queueStopped: false },
      ...composer,
    },
    removed: false,
  };
}

/** What VS Code 1.139 gives to a page in a theme: classes of its body, and the colours and fonts that the page reads. */
export function themed(theme: Theme): { readonly classes: string; readonly variables: string } {
  const at = Object.keys(themes).indexOf(theme);
  const values = Object.entries(themeVariables).map(([name, each]) => [name, each[at]]);
  const known = values.filter(([, value]) => value);
  return {
    classes: theme === 'hc-light' ? `vscode-high-contrast ${themes[theme].page}` : themes[theme].page,
    variables: known.map(([name, value]) => `--vscode-${name}: ${value};`).join('\n'),
  };
}

const axe = fs.readFileSync(path.join(root, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

type Broken = Readonly<{ html: string; failureSummary?: string }>;
type Rule = Readonly<{ id: string; help: string; nodes: readonly Broken[] }>;
type Results = Readonly<Record<'violations' | 'passes', readonly Rule[]>>;

/** What the page breaks of every rule axe-core has, or of some, one line an element; empty when all is well. */
export async function violations(frame: Frame, rules?: readonly string[]): Promise<string[]> {
  if (!(await frame.evaluate<boolean>(`typeof axe === 'object'`))) await frame.evaluate(axe);
  const options = { resultTypes: ['violations', 'passes'], ...(rules && { runOnly: rules }) };
  const script = `axe.run(document, ${JSON.stringify(options)})`;
  const { violations: found, passes } = await frame.evaluate<Results>(script);
  if (passes.length === 0) throw new Error('axe-core has looked at nothing.');
  const line = ({ html, failureSummary = '' }: Broken) => `${html.slice(0, 300)}\n  ${failureSummary}`;
  return found.flatMap(({ id, help, nodes }) => nodes.map(node => `${id} (${help}): ${line(node)}`));
}
