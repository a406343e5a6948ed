import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder, removeFolder, root } from './paths';
import { end, start } from './processes';

/** A Chromium to show VS Code in, and the environment it needs beyond ours. */
interface Browser {
  readonly executable: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The VS Code that tests, pictures and `npm start` use, from the npm registry alone. */
export interface Installation {
  /** Of VS Code, such as `1.139.1`. */
  readonly version: string;
  readonly serverMain: string;
  readonly browser: Browser;
}

interface Stamp {
  readonly key: string;
  readonly version: string;
  readonly browser: Browser | undefined;
  readonly fonts: Readonly<Record<string, string>>;
}

const target = path.join(cacheFolder, 'vscode');
const browserFolder = path.join(target, 'browser');
const vscodeFolder = path.join(target, 'node_modules', 'code-server', 'lib', 'vscode');
const stampFile = path.join(target, 'installed.json');
/** Where packages are listed, and where they are installed. */
const lists = [
  [path.join(root, 'test', 'vscode'), target],
  [path.join(root, 'test', 'vscode', 'server'), path.join(target, 'server')],
] as const;

/** Bump when what is made of the packages changes. */
const layout = 1;

/** Installs VS Code into `.vscode-test/vscode` on first use, anew where that was interrupted; several processes may ask at once. */
export async function ensureVsCode(): Promise<Installation> {
  if (Number(process.versions.node.split('.')[0]) < 24)
    throw new Error(
      `The VS Code server needs Node 24, this is ${process.version}. npm scripts bring it along: use npm run, after npm ci.`,
    );
  const key = installationKey();
  const stamp = readStamp(key) ?? (await locked(async () => readStamp(key) ?? (await install(key))));
  const installed = installedBrowser();
  const browser = installed === undefined ? stamp.browser : { executable: installed, env: {} };
  if (!browser) throw new Error('The browser that was used before is gone. Run this again to install one.');
  return {
    version: stamp.version,
    serverMain: path.join(vscodeFolder, 'out', 'server-main.js'),
    browser: { executable: browser.executable, env: { ...browser.env, ...stamp.fonts } },
  };
}

async function install(key: string): Promise<Stamp> {
  const began = Date.now();
  console.log('Installing VS Code into .vscode-test (once, about half a minute).');
  removeFolder(target);
  for (const [from, to] of lists) {
    fs.mkdirSync(to, { recursive: true });
    for (const file of ['package.json', 'package-lock.json'])
      fs.copyFileSync(path.join(from, file), path.join(to, file));
  }
  // Without build scripts. Two parts are compiled where the machine can: log files, and hosts that end with their server.
  const ci = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  await Promise.all(lists.map(([, folder]) => npm(ci, folder)));
  const server = path.join(target, 'server');
  await npm(['rebuild', '@vscode/spdlog', '@vscode/native-watchdog'], server, 90_000).catch(
    (error: unknown) => fs.writeFileSync(path.join(target, 'not-compiled.txt'), String(error)),
  );
  fs.renameSync(path.join(server, 'node_modules'), path.join(vscodeFolder, 'node_modules'));
  const manifest = fs.readFileSync(path.join(vscodeFolder, 'package.json'), 'utf8');
  const stamp: Stamp = {
    key,
    version: (JSON.parse(manifest) as { version: string }).version,
    browser: installedBrowser() === undefined ? unpackBrowser() : undefined,
    fonts: installFonts(),
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
    env: npmEnvironment(),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data: Buffer) => (output += data.toString()));
  const timer = setTimeout(() => void end(child), timeoutMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  }).finally(() => clearTimeout(timer));
  if (code === 0) return;
  const unreachable = /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ECONNRESET|network/i.test(output);
  const why = unreachable
    ? 'The npm registry cannot be reached. VS Code for tests comes from there, once; connect and run this again.'
    : `npm ${args.join(' ')} failed in ${cwd}.`;
  throw new Error(`${why}\n${output.trim()}`);
}

/** npm hands its own settings to what it runs; the inner npm is to read them afresh. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const keep =
    /^npm_config_(registry|cache|offline|prefer_offline|userconfig|cafile|proxy|https_proxy|noproxy|nodedir)$/i;
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || keep.test(name));
  const folders = [path.dirname(process.execPath), process.env['PATH']];
  return { ...Object.fromEntries(kept), PATH: folders.filter(Boolean).join(path.delimiter) };
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
  for (const [folder] of lists) hash.update(fs.readFileSync(path.join(folder, 'package-lock.json')));
  hash.update(JSON.stringify([layout, target, process.platform, process.arch, process.versions.modules]));
  return hash.digest('hex');
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

/** The browser of this machine: CHROME_PATH, else an installed one; `undefined` when there is none. */
function installedBrowser(): string | undefined {
  const { CHROME_PATH: named = '', PATH = '' } = process.env;
  if (named !== '' && !fs.existsSync(named))
    throw new Error(`CHROME_PATH names ${named}, which does not exist.`);
  const everywhere = (folders: readonly (string | undefined)[], names: readonly string[]): string[] =>
    folders.flatMap(folder => (folder ? names.map(name => path.join(folder, name)) : []));
  const { PROGRAMFILES, 'PROGRAMFILES(X86)': x86, LOCALAPPDATA } = process.env;
  const usual: Partial<Record<NodeJS.Platform, readonly string[]>> = {
    darwin: ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
      name => `/Applications/${name}.app/Contents/MacOS/${name}`,
    ),
    win32: everywhere(
      [PROGRAMFILES, x86, LOCALAPPDATA],
      ['Google/Chrome/Application/chrome.exe', 'Microsoft/Edge/Application/msedge.exe'],
    ),
  };
  const commands = [
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'microsoft-edge',
  ];
  const onPath = process.platform === 'win32' ? [] : everywhere(PATH.split(path.delimiter), commands);
  return named || [...onPath, ...(usual[process.platform] ?? [])].find(file => fs.existsSync(file));
}

/** Unpacks the Chromium of the package `@sparticuz/chromium`; its libraries are used only where this machine lacks them. */
function unpackBrowser(): Browser {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      'No browser was found. Install Chromium, Chrome or Edge, or set CHROME_PATH to the executable of one.',
    );
  const executable = path.join(browserFolder, 'chromium');
  inflate('chromium');
  if (starts(executable, {})) return { executable, env: {} };
  inflate('al2023.tar');
  const libraries = [path.join(browserFolder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']];
  const env = { LD_LIBRARY_PATH: libraries.filter(Boolean).join(path.delimiter) };
  if (starts(executable, env)) return { executable, env };
  throw new Error('The Chromium of the npm registry does not start here. Install one, or set CHROME_PATH.');
}

/** Makes text look the same on every Linux machine: Open Sans for the interface, DejaVu Sans Mono for code. Returns the environment for it. */
function installFonts(): Record<string, string> {
  if (process.platform !== 'linux') return {};
  inflate('fonts.tar');
  const file = path.join(browserFolder, 'agent-console-fonts.conf');
  const prefer = (family: string, font: string) =>
    `<match target="pattern"><test name="family"><string>${family}</string></test>` +
    `<edit name="family" mode="prepend" binding="strong"><string>${font}</string></edit></match>`;
  const dejaVu = path.join(target, 'node_modules', 'dejavu-fonts-ttf', 'ttf');
  const lines = [
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>',
    ...[path.join(browserFolder, 'fonts'), dejaVu, '/usr/share/fonts'].map(folder => `<dir>${folder}</dir>`),
    `<cachedir>${path.join(browserFolder, 'font-cache')}</cachedir>`,
    ...['system-ui', 'sans-serif', 'sans'].map(family => prefer(family, 'Open Sans')),
    prefer('monospace', 'DejaVu Sans Mono'),
    '</fontconfig>\n',
  ];
  fs.writeFileSync(file, lines.join('\n'));
  return { FONTCONFIG_FILE: file };
}

/** Has the package of Chromium unpack one of its files, which it does into the folder for temporary files. */
function inflate(name: string): void {
  fs.mkdirSync(browserFolder, { recursive: true });
  const packed = path.join(target, 'node_modules', '@sparticuz', 'chromium', 'bin', `${name}.br`);
  const script = `import { inflate } from '@sparticuz/chromium'; await inflate(${JSON.stringify(packed)});`;
  const options = { cwd: target, env: { ...process.env, TMPDIR: browserFolder }, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], options);
  if (status !== 0) throw new Error(`Unpacking ${name} failed: ${stderr}`);
}

function starts(executable: string, env: Record<string, string>): boolean {
  const options = { stdio: 'ignore', env: { ...process.env, ...env } } as const;
  return spawnSync(executable, ['--version'], options).status === 0;
}
