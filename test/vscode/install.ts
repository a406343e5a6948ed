import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createBrotliDecompress } from 'node:zlib';
import { cacheFolder, removeFolder, root } from './paths';
import { end, start } from './processes';

/** The VS Code that tests, pictures and `npm start` use, from the npm registry alone. */
export interface Installation {
  /** Of VS Code, such as `1.139.1`. */
  readonly version: string;
  readonly serverMain: string;
  readonly browser: Browser;
}

/** A Chromium to show VS Code in. */
interface Browser {
  readonly executable: string;
  /** Environment it needs beyond ours. */
  readonly env: Readonly<Record<string, string>>;
}

interface Stamp {
  readonly key: string;
  readonly version: string;
  readonly browser: Browser | undefined;
  readonly fonts: Readonly<Record<string, string>>;
}

const target = path.join(cacheFolder, 'vscode');
const stampFile = path.join(target, 'installed.json');
const lists = path.join(root, 'test', 'vscode');

/** Bump when what is made of the packages changes. */
const layout = 1;

/**
 * Installs VS Code into `.vscode-test/vscode` on first use and finds it there afterwards. An interrupted installation
 * is done again; several processes may ask at once.
 */
export async function ensureVsCode(): Promise<Installation> {
  requireNode();
  const key = installationKey();
  const ready = readStamp(key);
  return describe(ready ?? (await locked(async () => readStamp(key) ?? (await install(key)))));
}

function requireNode(): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 24) {
    throw new Error(
      `The VS Code server needs Node 24, this is ${process.version}. npm scripts bring it along: use npm run, after npm ci.`,
    );
  }
}

async function install(key: string): Promise<Stamp> {
  const began = Date.now();
  console.log('Installing VS Code into .vscode-test (once, about half a minute).');
  removeFolder(target);
  const server = path.join(target, 'server');
  for (const [from, to] of [
    [lists, target],
    [path.join(lists, 'server'), server],
  ] as const) {
    fs.mkdirSync(to, { recursive: true });
    for (const file of ['package.json', 'package-lock.json'])
      fs.copyFileSync(path.join(from, file), path.join(to, file));
  }
  // Without build scripts. Two parts are compiled where the machine can: log files, and hosts that end with their server.
  const ci = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  await Promise.all([npm(ci, target), npm(ci, server)]);
  await npm(['rebuild', '@vscode/spdlog', '@vscode/native-watchdog'], server, 90_000).catch(
    (error: unknown) => {
      fs.writeFileSync(path.join(target, 'not-compiled.txt'), String(error));
    },
  );
  fs.renameSync(path.join(server, 'node_modules'), path.join(vscodeFolder(), 'node_modules'));

  const modules = path.join(target, 'node_modules');
  const chromium = path.join(modules, '@sparticuz', 'chromium');
  const stamp: Stamp = {
    key,
    version: packageVersion(path.join(vscodeFolder(), 'package.json')),
    browser:
      installedBrowser() === undefined
        ? await unpackBrowser(chromium, path.join(target, 'browser'))
        : undefined,
    fonts: await installFonts(chromium, path.join(modules, 'dejavu-fonts-ttf'), path.join(target, 'browser')),
  };
  fs.writeFileSync(`${stampFile}.new`, JSON.stringify(stamp, null, 2));
  fs.renameSync(`${stampFile}.new`, stampFile);
  console.log(`Installed VS Code ${stamp.version} in ${Math.round((Date.now() - began) / 1000)} s.`);
  return stamp;
}

/** Runs npm with the Node of this process; its output goes into the error when it fails. */
async function npm(args: readonly string[], cwd: string, timeoutMs = 600_000): Promise<void> {
  const script = process.env['npm_execpath'];
  const [command, first] = script?.endsWith('.js') === true ? [process.execPath, [script]] : ['npm', []];
  const child = start(command, [...first, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...cleanNpmEnvironment(), PATH: withOwnNode() },
  });
  let output = '';
  child.stdout?.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (output += data.toString()));
  const timer = setTimeout(() => void end(child), timeoutMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearTimeout(timer));
  if (code === 0) return;
  const unreachable = /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ECONNRESET|network/i.test(output);
  const why = unreachable
    ? 'The npm registry cannot be reached. VS Code for tests comes from there, once; connect and run this again.'
    : `npm ${args.join(' ')} failed in ${cwd}.`;
  throw new Error(`${why}\n${output.trim()}`);
}

/** npm hands its own settings to what it runs; the inner npm is to read them afresh. */
function cleanNpmEnvironment(): NodeJS.ProcessEnv {
  const keep =
    /^npm_config_(registry|cache|offline|prefer_offline|userconfig|cafile|proxy|https_proxy|noproxy|nodedir)$/;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || keep.test(name.toLowerCase())),
  );
}

function withOwnNode(): string {
  return [path.dirname(process.execPath), process.env['PATH']].filter(Boolean).join(path.delimiter);
}

function describe(stamp: Stamp): Installation {
  const installed = installedBrowser();
  const browser = installed === undefined ? stamp.browser : { executable: installed, env: {} };
  if (!browser) throw new Error('The browser that was used before is gone. Run this again to install one.');
  return {
    version: stamp.version,
    serverMain: path.join(vscodeFolder(), 'out', 'server-main.js'),
    browser: { executable: browser.executable, env: { ...browser.env, ...stamp.fonts } },
  };
}

function readStamp(key: string): Stamp | undefined {
  try {
    const stamp = JSON.parse(fs.readFileSync(stampFile, 'utf8')) as Stamp;
    return stamp.key === key && (stamp.browser ?? installedBrowser()) !== undefined ? stamp : undefined;
  } catch {
    return undefined;
  }
}

/** What the installation is made of: other packages, another machine kind or another Node means another one. */
function installationKey(): string {
  const hash = createHash('sha256');
  for (const folder of [lists, path.join(lists, 'server')]) {
    hash.update(fs.readFileSync(path.join(folder, 'package-lock.json')));
  }
  hash.update(JSON.stringify([layout, target, process.platform, process.arch, process.versions.modules]));
  return hash.digest('hex');
}

function vscodeFolder(): string {
  return path.join(target, 'node_modules', 'code-server', 'lib', 'vscode');
}

function packageVersion(file: string): string {
  return (JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string }).version;
}

/** One run at a time; the others wait. The lock is of the system's, which takes it from a process that is gone. */
async function locked<T>(work: () => Promise<T>): Promise<T> {
  const { DatabaseSync } = await import('node:sqlite');
  fs.mkdirSync(cacheFolder, { recursive: true });
  const lock = new DatabaseSync(path.join(cacheFolder, 'install.lock'), { timeout: 0 });
  try {
    for (let waited = false; ; waited = true) {
      try {
        lock.exec('BEGIN EXCLUSIVE');
        return await work();
      } catch (error) {
        if (!String(error).includes('database is locked')) throw error;
      }
      if (!waited) console.log('Another run is installing VS Code; waiting for it.');
      await pause(250);
    }
  } finally {
    lock.close();
  }
}

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

const applications: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
    name => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
    .flatMap(name => process.env[name] ?? [])
    .flatMap(base => ['Google/Chrome', 'Microsoft/Edge'].map(name => path.join(base, name, 'Application')))
    .flatMap(folder => ['chrome.exe', 'msedge.exe'].map(name => path.join(folder, name))),
};

/** The browser of this machine: CHROME_PATH, else an installed one; `undefined` when there is none. */
function installedBrowser(): string | undefined {
  const named = process.env['CHROME_PATH'];
  if (named !== undefined && named !== '') {
    if (!fs.existsSync(named)) throw new Error(`CHROME_PATH names ${named}, which does not exist.`);
    return named;
  }
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const found = commands.flatMap(command => folders.map(folder => path.join(folder, command)));
  return [...(process.platform === 'win32' ? [] : found), ...(applications[process.platform] ?? [])].find(
    file => fs.existsSync(file),
  );
}

/** Unpacks the Chromium of the package `@sparticuz/chromium`; its libraries are used only where this machine lacks them. */
async function unpackBrowser(packageFolder: string, target: string): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'No browser was found. Install Chromium, Chrome or Edge, or set CHROME_PATH to the executable of one.',
    );
  }
  const executable = path.join(target, 'chromium');
  await decompress(packageFolder, 'chromium', executable);
  if (starts(executable, {})) return { executable, env: {} };
  await unpackTar(packageFolder, 'al2023.tar', target);
  const libraries = [path.join(target, 'lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean);
  const env = { LD_LIBRARY_PATH: libraries.join(path.delimiter) };
  if (!starts(executable, env)) {
    throw new Error('The Chromium of the npm registry does not start here. Install one, or set CHROME_PATH.');
  }
  return { executable, env };
}

/**
 * Makes text look the same on every Linux machine, with fonts or without: Open Sans for the interface and DejaVu Sans
 * Mono for code, everything else from the fonts of the machine. Returns the environment that selects it.
 */
async function installFonts(
  openSansPackage: string,
  dejaVuPackage: string,
  target: string,
): Promise<Record<string, string>> {
  if (process.platform !== 'linux') return {};
  await unpackTar(openSansPackage, 'fonts.tar', target);
  const file = path.join(target, 'agent-console-fonts.conf');
  const prefer = (family: string, font: string) =>
    `<match target="pattern"><test name="family"><string>${family}</string></test>` +
    `<edit name="family" mode="prepend" binding="strong"><string>${font}</string></edit></match>`;
  const folders = [path.join(target, 'fonts'), path.join(dejaVuPackage, 'ttf'), '/usr/share/fonts'];
  fs.writeFileSync(
    file,
    [
      '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>',
      ...folders.map(folder => `<dir>${folder}</dir>`),
      `<cachedir>${path.join(target, 'font-cache')}</cachedir>`,
      ...['system-ui', 'sans-serif', 'sans'].map(family => prefer(family, 'Open Sans')),
      ...['monospace'].map(family => prefer(family, 'DejaVu Sans Mono')),
      '</fontconfig>',
      '',
    ].join('\n'),
  );
  return { FONTCONFIG_FILE: file };
}

async function decompress(packageFolder: string, name: string, file: string): Promise<void> {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await pipeline(
    fs.createReadStream(path.join(packageFolder, 'bin', `${name}.br`)),
    createBrotliDecompress(),
    fs.createWriteStream(file, { mode: 0o755 }),
  );
}

async function unpackTar(packageFolder: string, name: string, target: string): Promise<void> {
  const tar = path.join(target, name);
  await decompress(packageFolder, name, tar);
  const result = spawnSync('tar', ['-xf', tar, '--no-same-owner', '-C', target], { encoding: 'utf8' });
  fs.rmSync(tar);
  if (result.status !== 0) {
    throw new Error(`Unpacking ${name} failed: ${result.error?.message ?? result.stderr}`);
  }
}

function starts(executable: string, env: Record<string, string>): boolean {
  const options = { stdio: 'ignore', env: { ...process.env, ...env } } as const;
  return spawnSync(executable, ['--version'], options).status === 0;
}
