import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import * as path from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { LoopbackServer } from '../fakes/faultServer';
import { until } from '../until';
import { ensureVsCode } from './install';
import { cacheFolder, removeFolder, root, temporaryFolder } from './paths';
import { end, start } from './processes';

export interface ServerOptions {
  /** Extensions run from these folders. */
  readonly extensions?: readonly string[];
  /** Packaged extensions installed before the start. */
  readonly vsix?: readonly string[];
  /** Environment of the extension host beyond ours; `AGENT_CONSOLE_*` of ours is taken out first. */
  readonly env?: Readonly<Record<string, string>>;
  /** User settings beyond the quiet ones below. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The person's own keys, as in `keybindings.json`. */
  readonly keybindings?: readonly object[];
  /** Which of VS Code's own extensions there are beside those that it always has in a browser; without it all of them. */
  readonly builtIn?: readonly string[] | undefined;
  /** With it, a folder opens in Restricted Mode; without it every folder is trusted. */
  readonly workspaceTrust?: boolean;
  /** For a person rather than a test: at this port, for who has the token alone, in the time zone there is. */
  readonly person?: { readonly port: number; readonly token: string };
  /** An empty folder for everything it keeps; without it, one that goes when it is closed. */
  readonly data?: string;
}

export interface PageOptions {
  /** Entries of the workbench's payload beyond the extensions, such as `['extensionTestsPath', '/abs/file']`. */
  readonly payload?: readonly (readonly [string, string])[];
  /** A window in the browser session of another page: it shares storage and secrets with it. */
  readonly context?: BrowserContext;
  readonly contextOptions?: {
    readonly bypassCSP?: true;
    readonly viewport?: { width: number; height: number };
  };
  /** Called with the page before it loads anything. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Longest time for a window to stand, in ms: it ends what never will. */
export const openingLimitMs = 5 * 60_000;

/** A running VS Code server. Each page is one window with an extension host of its own. */
export type Server = Awaited<ReturnType<typeof startServer>>;

/** Quiet, and without anything that asks the network. */
const quietSettings = {
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
  'telemetry.telemetryLevel': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/** The same whatever the machine prefers. */
const testSettings = {
  // A file that opens late would take the selection of the Explorer to itself.
  'explorer.autoReveal': false,
  'window.autoDetectColorScheme': false,
  'window.autoDetectHighContrast': false,
  'window.dialogStyle': 'custom',
  'workbench.reduceMotion': 'on',
};

/** Starts a VS Code server on a free loopback port with empty data folders. */
export async function startServer(options: ServerOptions = {}) {
  const { serverMain, version } = await ensureVsCode();
  const { data = temporaryFolder('vscode'), person, builtIn, vsix = [], keybindings = [] } = options;
  const userDataFolder = path.join(data, 'user');
  fs.mkdirSync(path.join(userDataFolder, 'User'), { recursive: true });
  const settings = { ...quietSettings, ...(person ? {} : testSettings), ...options.settings };
  for (const [name, content] of Object.entries({ settings, keybindings }))
    fs.writeFileSync(path.join(userDataFolder, 'User', `${name}.json`), JSON.stringify(content));
  const ownExtensions = path.join(data, 'built-in');
  if (builtIn !== undefined)
    linkExtensions(path.join(path.dirname(serverMain), '..', 'extensions'), builtIn, ownExtensions);
  const folders = [
    ...['--user-data-dir', userDataFolder],
    ...['--extensions-dir', path.join(data, 'extensions')],
    ...['--server-data-dir', path.join(data, 'server')],
    ...(builtIn === undefined ? [] : ['--builtin-extensions-dir', ownExtensions]),
  ];
  const tokenFile = path.join(data, 'token');
  if (person) fs.writeFileSync(tokenFile, person.token, { mode: 0o600 });
  const compiled = { NODE_COMPILE_CACHE: path.join(cacheFolder, 'compiled') };
  const env = { ...environment(), ...(person ? {} : { ...atNoon(), ...compiled }), ...options.env };
  const run = (...args: readonly string[]) => {
    const all = [serverMain, ...folders, '--accept-server-license-terms', ...args];
    const child = start(process.execPath, all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    return { child, output };
  };
  if (vsix.length > 0) {
    const { child, output } = run(...vsix.flatMap(file => ['--install-extension', file]));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`VS Code did not install ${vsix.join(', ')}:\n${output.join('')}`);
  }
  const { child, output } = run(
    ...['--host', '127.0.0.1'],
    ...['--port', String(person?.port ?? (await freePort(shared.port)) ?? 0)],
    // Anyone else on this machine can reach a loopback port and read command lines, and an editor is as good as a shell.
    ...(person
      ? ['--connection-token-file', tokenFile]
      : ['--without-connection-token', '--enable-smoke-test-driver']),
    ...['--force-disable-user-env', '--disable-telemetry', '--disable-experiments'],
    ...(options.workspaceTrust === true ? [] : ['--disable-workspace-trust']),
  );
  const port = (): string | undefined => /agent listening on (\d+)/.exec(output.join(''))?.[1];
  await until(() => port() !== undefined || child.exitCode !== null);
  if (port() === undefined) throw new Error(`The VS Code server did not start:\n${output.join('')}`);
  shared.port ||= Number(port());
  const authority = `localhost:${port()}`;
  const origin = `http://${authority}`;
  const pages = new Set<Page>();

  /** Opens a folder (or none) in a new window and resolves when the workbench stands. */
  async function openPage(folder: string | undefined, options: PageOptions = {}): Promise<Page> {
    const { viewport = options.context?.pages()[0]?.viewportSize(), ...special } =
      options.contextOptions ?? {};
    const context = options.context ?? (await contextOf(special));
    const page = await context.newPage();
    pages.add(page);
    // What the person of the server before has left at this address goes; the code of VS Code stays compiled.
    if (pages.size === 1 && context === shared.context) {
      const session = await context.newCDPSession(page);
      const storageTypes = 'cookies,local_storage,indexeddb,service_workers,cache_storage';
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes });
      await session.detach();
    }
    if (viewport) await page.setViewportSize(viewport);
    await options.prepare?.(page);
    await page.goto(addressOf(folder, options), { timeout: openingLimitMs });
    await page.locator('.monaco-workbench').waitFor({ timeout: openingLimitMs });
    return page;
  }

  function addressOf(folder: string | undefined, page: PageOptions): string {
    const remote = (file: string) => `vscode-remote://${authority}${file}`;
    const payload = [
      ...(options.extensions ?? []).map(extension => ['extensionDevelopmentPath', remote(extension)]),
      ...(page.payload ?? []).map(([key, value]) => [key, remote(value)]),
      ['skipWelcome', 'true'],
    ];
    const kind = folder?.endsWith('.code-workspace') === true ? 'workspace' : 'folder';
    const opened = folder === undefined ? { ew: 'true' } : { [kind]: folder };
    return `${origin}/?${new URLSearchParams({ ...opened, payload: JSON.stringify(payload) }).toString()}`;
  }

  /** Runs the program of `extensionTestsPath` in a window of its own; resolves with its exit code. */
  async function runInside(
    folder: string | undefined,
    payload: NonNullable<PageOptions['payload']>,
    print: (...values: readonly unknown[]) => void = () => undefined,
  ): Promise<number> {
    const ended = Promise.withResolvers<number>();
    const prepare = async (page: Page) => {
      page.once('crash', () => ended.reject(new Error('The window of VS Code crashed.')));
      await page.exposeFunction('codeAutomationLog', (_: string, values: unknown[]) => print(...values));
      await page.exposeFunction('codeAutomationExit', ended.resolve);
    };
    const [page, code] = await Promise.all([openPage(folder, { payload, prepare }), ended.promise]);
    await page.close();
    return code;
  }

  return {
    url: `${origin}/`,
    version,
    userDataFolder,
    openPage,
    runInside,
    /** Resolves when it has ended by itself or otherwise. */
    exited: once(child, 'exit'),
    /** What the server said, and the log files of its windows. */
    logs: () => [...output, ...logFiles(path.join(userDataFolder, 'logs'))].join('\n'),
    async close() {
      for (const page of pages) {
        await page.close();
        if (page.context() !== shared.context) await page.context().close();
      }
      await end(child);
      removeFolder(data);
    },
  };
}

/** A folder of some of VS Code's own extensions; they load their modules from where they really are. */
function linkExtensions(from: string, names: readonly string[], to: string): void {
  fs.mkdirSync(to);
  for (const manifest of fs.globSync('*/package.json', { cwd: from })) {
    const isInBrowser =
      'browser' in (JSON.parse(fs.readFileSync(path.join(from, manifest), 'utf8')) as object);
    const name = path.dirname(manifest);
    if (isInBrowser || names.includes(name))
      fs.symlinkSync(path.join(from, name), path.join(to, name), 'junction');
  }
}

/** What test files share in one process, each being a bundle of its own. */
interface Shared {
  browser?: Promise<Browser>;
  /** Of all windows that need nothing special. */
  context?: BrowserContext;
  /** Of one server after the other: at the same address a browser has VS Code already. */
  port: number;
}
const shared = ((globalThis as { agentConsoleShared?: Shared }).agentConsoleShared ??= { port: 0 });

async function contextOf(special: NonNullable<PageOptions['contextOptions']>): Promise<BrowserContext> {
  const browser = await sharedBrowser();
  const usual = { viewport: { width: 1280, height: 800 }, locale: 'en-US' };
  if (Object.keys(special).length > 0) return browser.newContext({ ...usual, ...special });
  return (shared.context ??= await browser.newContext(usual));
}

/** The browser of this process, for windows and pages of all its test files; playwright ends it with this process. */
export async function sharedBrowser(): Promise<Browser> {
  const known = await shared.browser;
  if (known?.isConnected() === true) return known;
  const { browser, browserEnv } = await ensureVsCode();
  delete shared.context;
  return (shared.browser = chromium.launch({
    ...browser,
    ...{ args: ['--disable-gpu'], env: { ...environment(), ...atNoon(), ...browserEnv } },
    ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
  }));
}

/** A port, or any with 0, when nobody listens there. */
export async function freePort(port: number): Promise<number | undefined> {
  const server = await LoopbackServer.listen(createServer(), port).catch(() => undefined);
  await server?.close();
  return server?.port;
}

/** Our environment without what would change the editor or sign the extension in. */
export function environment(): Record<string, string> {
  const foreign = /^(AGENT_CONSOLE_(API_KEY|BASE_URL|APP_URL)|VSCODE_|ELECTRON_|NODE_OPTIONS$|npm_)/i;
  const ours = Object.entries(process.env as Record<string, string>);
  return Object.fromEntries(ours.filter(([name]) => !foreign.test(name)));
}

/** A time zone in which it is about noon: no day ends while a test looks at something of today. */
function atNoon(): Record<string, string> {
  const behind = new Date().getUTCHours() - 12;
  return { TZ: `Etc/GMT${behind < 0 ? '' : '+'}${behind}` };
}

/** Builds and packages the extension as `npm run package` does, or one in another folder; returns the .vsix file. */
export function packageExtension(cwd = root, ...options: readonly string[]): string {
  const file = path.join(cwd === root ? cacheFolder : cwd, 'agent-console.vsix');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  const usual = ['package', '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  const packager = cwd === root ? [path.join(root, 'scripts', 'package.js')] : [vsce, ...usual];
  const args = [...packager, ...options, '--out', file];
  const result = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${cwd} could not be packaged.\n${result.stdout}${result.stderr}`);
  return file;
}

function logFiles(folder: string): string[] {
  return fs
    .globSync('**/*.log', { cwd: folder })
    .map(name => `\n=== ${name}\n${fs.readFileSync(path.join(folder, name), 'utf8')}`);
}
