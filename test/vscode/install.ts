import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { installFonts, installedBrowser, unpackBrowser, type Browser } from './browser';
import { withLock } from './installLock';
import { cacheFolder, removeFolder, root } from './paths';
import { end, start } from './processes';

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
const stampFile = path.join(target, 'installed.json');
const lists = path.join(root, 'test', 'vscode');

/** Bump when what is made of the packages changes. */
const layout = 1;

/**
 * Installs VS Code into `.vscode-test/vscode` on first use and finds it there afterwards. An interrupted installation
 * is done again; several processes may ask at once. `say` is told when something takes long.
 */
export async function ensureVsCode(
  say: (line: string) => void = line => console.log(line),
): Promise<Installation> {
  requireNode();
  const key = installationKey();
  const ready = readStamp(key);
  if (ready) return describe(ready);
  const lock = path.join(cacheFolder, 'vscode.lock');
  const waits = () => say('Another run is installing VS Code; waiting for it.');
  return withLock(lock, waits, async () => describe(readStamp(key) ?? (await install(key, say))));
}

function requireNode(): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 24) {
    throw new Error(
      `The VS Code server needs Node 24, this is ${process.version}. npm scripts bring it along: use npm run, after npm ci.`,
    );
  }
}

async function install(key: string, say: (line: string) => void): Promise<Stamp> {
  const began = Date.now();
  say('Installing VS Code into .vscode-test (once, about half a minute).');
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
  say(`Installed VS Code ${stamp.version} in ${Math.round((Date.now() - began) / 1000)} s.`);
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
