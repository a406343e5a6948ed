import { type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { ensureVsCode, type Installation } from './install';
import { removeFolder, temporaryFolder } from './paths';
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
}

export interface PageOptions {
  /** Entries of the workbench's payload beyond the extensions, such as `['extensionTestsPath', '/abs/file']`. */
  readonly payload?: readonly (readonly [string, string])[];
  /** A window in the browser session of another page: it shares storage and secrets with it. */
  readonly context?: BrowserContext;
  readonly contextOptions?: BrowserContextOptions;
  /** Called with the page before it loads anything. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Longest time for a server or a window to stand, in ms: it ends what never will. */
export const openingLimitMs = 5 * 60_000;

/** A running VS Code server. Each page is one window with an extension host of its own. */
export interface Server {
  readonly url: string;
  readonly version: string;
  readonly userDataFolder: string;
  /** Opens a folder (or none) in a new window and resolves when the workbench stands. */
  openPage(folder: string | undefined, options?: PageOptions): Promise<Page>;
  /** What the server said, and the log files of its windows. */
  logs(): string;
  close(): Promise<void>;
}

/** Quiet, deterministic, and without anything that asks the network. */
const quietSettings: Readonly<Record<string, unknown>> = {
  'chat.disableAIFeatures': true,
  // A file that opens late would take the selection of the Explorer to itself.
  'explorer.autoReveal': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'window.autoDetectColorScheme': false,
  'window.autoDetectHighContrast': false,
  'window.dialogStyle': 'custom',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a VS Code server on a free loopback port with empty data folders. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const installation = await ensureVsCode();
  const data = temporaryFolder('vscode');
  try {
    return await startIn(data, installation, options);
  } catch (error) {
    removeFolder(data);
    throw error;
  }
}

async function startIn(data: string, installation: Installation, options: ServerOptions): Promise<Server> {
  const userDataFolder = path.join(data, 'user');
  fs.mkdirSync(path.join(userDataFolder, 'User'), { recursive: true });
  const settings = { ...quietSettings, ...options.settings };
  fs.writeFileSync(path.join(userDataFolder, 'User', 'settings.json'), JSON.stringify(settings, null, 2));
  const { keybindings = [] } = options;
  fs.writeFileSync(path.join(userDataFolder, 'User', 'keybindings.json'), JSON.stringify(keybindings));

  const folders = [
    ...['--user-data-dir', userDataFolder],
    ...['--extensions-dir', path.join(data, 'extensions')],
    ...['--server-data-dir', path.join(data, 'server')],
    ...(options.builtIn === undefined ? [] : ['--builtin-extensions-dir', path.join(data, 'built-in')]),
  ];
  if (options.builtIn !== undefined)
    linkExtensions(installation, options.builtIn, path.join(data, 'built-in'));
  const env = { ...environment(), ...atNoon(), ...options.env };
  if (options.vsix && options.vsix.length > 0) {
    await installPackages(installation, options.vsix, folders, env);
  }
  const child = start(
    process.execPath,
    [
      installation.serverMain,
      ...['--host', '127.0.0.1', '--port', '0'],
      ...folders,
      '--without-connection-token',
      '--accept-server-license-terms',
      '--enable-smoke-test-driver',
      '--force-disable-user-env',
      '--disable-telemetry',
      '--disable-experiments',
      ...(options.workspaceTrust === true ? [] : ['--disable-workspace-trust']),
    ],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output: string[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const port = await listening(child, output);
  const authority = `localhost:${port}`;
  let browser: Promise<Browser> | undefined;

  return {
    url: `http://${authority}/`,
    version: installation.version,
    userDataFolder,
    async openPage(folder, page = {}) {
      browser ??= launchBrowser(installation);
      const remote = (file: string) => `vscode-remote://${authority}${file}`;
      const payload = [
        ...(options.extensions ?? []).map(extension => ['extensionDevelopmentPath', remote(extension)]),
        ...(page.payload ?? []).map(([key, value]) => [key, path.isAbsolute(value) ? remote(value) : value]),
        ['skipWelcome', 'true'],
      ];
      const url = new URL(`http://${authority}/`);
      if (folder === undefined) url.searchParams.set('ew', 'true');
      else url.searchParams.set(folder.endsWith('.code-workspace') ? 'workspace' : 'folder', folder);
      url.searchParams.set('payload', JSON.stringify(payload));
      return open(await browser, url.href, page);
    },
    logs: () => [...output, ...logFiles(path.join(userDataFolder, 'logs'))].join('\n'),
    async close() {
      await (await browser?.catch(() => undefined))?.close();
      await end(child);
      removeFolder(data);
    },
  };
}

/** A folder of some of VS Code's own extensions; they load their modules from where they really are. */
function linkExtensions(installation: Installation, names: readonly string[], folder: string): void {
  fs.mkdirSync(folder);
  const all = path.join(path.dirname(installation.serverMain), '..', 'extensions');
  for (const name of fs.readdirSync(all)) {
    const manifest = path.join(all, name, 'package.json');
    if (!fs.existsSync(manifest)) continue;
    const isInBrowser = 'browser' in (JSON.parse(fs.readFileSync(manifest, 'utf8')) as object);
    if (isInBrowser || names.includes(name))
      fs.symlinkSync(path.join(all, name), path.join(folder, name), 'junction');
  }
}

async function open(browser: Browser, url: string, options: PageOptions): Promise<Page> {
  const context =
    options.context ??
    (await browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-US',
      ...options.contextOptions,
    }));
  const page = await context.newPage();
  await options.prepare?.(page);
  await page.goto(url, { timeout: openingLimitMs });
  await page.locator('.monaco-workbench').waitFor({ timeout: openingLimitMs });
  return page;
}

/** Starts the browser that shows the windows of a server; playwright ends it with this process. */
export async function launchBrowser(installation: Installation): Promise<Browser> {
  return chromium.launch({
    executablePath: installation.browser.executable,
    args: chromiumArguments,
    env: { ...environment(), ...atNoon(), ...installation.browser.env },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/** Our environment without what would change the editor or sign the extension in. */
export function environment(): Record<string, string> {
  const foreign = /^(AGENT_CONSOLE_(API_KEY|BASE_URL|APP_URL)|VSCODE_|ELECTRON_|NODE_OPTIONS$|npm_)/i;
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !foreign.test(entry[0]),
    ),
  );
}

/** A time zone in which it is about noon: no day ends while a test looks at something of today. */
function atNoon(): Record<string, string> {
  const behind = new Date().getUTCHours() - 12;
  return { TZ: `Etc/GMT${behind < 0 ? '' : '+'}${behind}` };
}

async function installPackages(
  installation: Installation,
  packages: readonly string[],
  folders: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  const child = start(
    process.execPath,
    [
      installation.serverMain,
      ...folders,
      '--accept-server-license-terms',
      ...packages.flatMap(file => ['--install-extension', file]),
    ],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output: string[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const code = await new Promise<number | null>(resolve => child.once('close', resolve));
  if (code !== 0) throw new Error(`VS Code did not install ${packages.join(', ')}:\n${output.join('')}`);
}

/** Resolves with the port once the server says that it listens. */
async function listening(child: ChildProcess, output: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`The VS Code server ${reason}:\n${output.join('')}`));
    const timer = setTimeout(() => fail(`did not start in ${openingLimitMs} ms`), openingLimitMs);
    const look = () => {
      const port = /Extension host agent listening on (\d+)/.exec(output.join(''))?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    child.stdout?.on('data', look);
    child.once('error', error => fail(`could not be started (${error.message})`));
    child.once('exit', code => {
      clearTimeout(timer);
      fail(`ended with code ${code ?? 'none'}`);
    });
  });
}

function logFiles(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true })
    .map(name => path.join(folder, String(name)))
    .filter(file => file.endsWith('.log') && fs.statSync(file).size > 0)
    .map(file => `\n=== ${path.relative(folder, file)}\n${fs.readFileSync(file, 'utf8')}`);
}
