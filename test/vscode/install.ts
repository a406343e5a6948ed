import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { LaunchOptions } from 'playwright-core';
import { cacheFolder, removeFolder, root } from './paths';
import { start } from './processes';

/** The VS Code that tests, pictures and `npm start` use, from the npm registry alone. */
export interface Installation {
  /** Of VS Code, such as `1.139.1`. */
  readonly version: string;
  readonly serverMain: string;
  /** A Chromium to show it in, and the environment that needs beyond ours. */
  readonly browser: Pick<LaunchOptions, 'channel' | 'executablePath'>;
  readonly browserEnv: Readonly<Record<string, string>>;
}

const target = path.join(cacheFolder, 'vscode');
const vscodeFolder = path.join(target, 'node_modules', 'code-server', 'lib', 'vscode');
const stampFile = path.join(target, 'installed.json');
/** Where packages are listed, and where they are installed. */
const lists = [
  [path.join(root, 'test', 'vscode'), target],
  [path.join(root, 'test', 'vscode', 'server'), path.join(target, 'server')],
] as const;

/** Bump when what is made of the packages changes. */
const layout = 2;

/** Installs VS Code into `.vscode-test/vscode` on first use, anew where that was interrupted; several processes may ask at once. */
export async function ensureVsCode(): Promise<Installation> {
  const key = installationKey();
  const installed = installationOf(key) ?? (await locked(() => installationOf(key) ?? install(key)));
  return { ...installed, browser: browserOfMachine() ?? installed.browser };
}

async function install(key: string): Promise<Installation> {
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
  await Promise.all(lists.map(([, folder]) => npm(folder, ci)));
  const server = path.join(target, 'server');
  await npm(server, ['rebuild', '@vscode/spdlog', '@vscode/native-watchdog'], 90_000).catch(
    (error: unknown) => fs.writeFileSync(path.join(target, 'not-compiled.txt'), String(error)),
  );
  fs.renameSync(path.join(server, 'node_modules'), path.join(vscodeFolder, 'node_modules'));
  const manifest = fs.readFileSync(path.join(vscodeFolder, 'package.json'), 'utf8');
  const installation: Installation = {
    version: (JSON.parse(manifest) as { version: string }).version,
    serverMain: path.join(vscodeFolder, 'out', 'server-main.js'),
    ...unpackBrowser(),
  };
  fs.writeFileSync(`${stampFile}.new`, JSON.stringify({ key, installation }, null, 2));
  fs.renameSync(`${stampFile}.new`, stampFile);
  console.log(`Installed VS Code ${installation.version} in ${Math.round((Date.now() - began) / 1000)} s.`);
  return installation;
}

/** Runs npm with the Node of this process; its output goes into the error when it fails. */
async function npm(folder: string, args: readonly string[], timeout = 600_000): Promise<void> {
  const script = process.env['npm_execpath'];
  const [command, first] = script?.endsWith('.js') === true ? [process.execPath, [script]] : ['npm', []];
  // npm hands its settings, its folder among them, to what it runs: the inner one is told another folder.
  const child = start(command, [...first, ...args, '--prefix', folder], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
  });
  const said = Promise.all([text(child.stdout!), text(child.stderr!)]);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  const output = (await said).join('\n').trim();
  const unreachable = /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ECONNRESET|network/i.test(output);
  const why = unreachable
    ? 'The npm registry cannot be reached. VS Code for tests comes from there, once; connect and run this again.'
    : `npm ${args.join(' ')} failed in ${folder}.`;
  throw new Error(`${why}\n${output}`);
}

function installationOf(key: string): Installation | undefined {
  try {
    const stamp = JSON.parse(fs.readFileSync(stampFile, 'utf8')) as {
      key: string;
      installation: Installation;
    };
    return stamp.key === key ? stamp.installation : undefined;
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
async function locked<T>(work: () => T): Promise<Awaited<T>> {
  fs.mkdirSync(cacheFolder, { recursive: true });
  using lock = new DatabaseSync(path.join(cacheFolder, 'install.lock'), { timeout: 0 });
  for (let tries = 0; ; tries++) {
    try {
      lock.exec('BEGIN EXCLUSIVE');
      return await work();
    } catch (error) {
      if (!String(error).includes('database is locked')) throw error;
    }
    if (tries === 0) console.log('Another run is installing VS Code; waiting for it.');
    await pause(250);
  }
}

/** What CHROME_PATH names, else a Chromium or Chrome on PATH; elsewhere than on Linux, the browser that there is. */
function browserOfMachine(): Installation['browser'] | undefined {
  const { CHROME_PATH: named = '', PATH = '' } = process.env;
  if (named !== '' && !fs.existsSync(named))
    throw new Error(`CHROME_PATH names ${named}, which does not exist.`);
  if (named !== '') return { executablePath: named };
  if (process.platform !== 'linux') return { channel: process.platform === 'win32' ? 'msedge' : 'chrome' };
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
  const files = PATH.split(path.delimiter).flatMap(folder => names.map(name => path.join(folder, name)));
  const executablePath = files.find(file => fs.existsSync(file));
  return executablePath === undefined ? undefined : { executablePath };
}

/** Unpacks Chromium, its libraries, used only where this machine lacks them, and fonts, by which text looks the same on every Linux machine. */
function unpackBrowser(): Pick<Installation, 'browser' | 'browserEnv'> {
  if (process.platform !== 'linux') return { browser: {}, browserEnv: {} };
  const folder = path.join(target, 'browser');
  fs.mkdirSync(folder);
  const script = `import { inflate } from '@sparticuz/chromium';
    for (const name of ['chromium', 'fonts.tar', 'al2023.tar'])
      await inflate('node_modules/@sparticuz/chromium/bin/' + name + '.br');`;
  // It unpacks into the folder for temporary files.
  const options = { cwd: target, env: { ...process.env, TMPDIR: folder }, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], options);
  if (status !== 0) throw new Error(`Chromium could not be unpacked: ${stderr}`);
  const prefer = (family: string, font: string) =>
    `<match target="pattern"><test name="family"><string>${family}</string></test>` +
    `<edit name="family" mode="prepend" binding="strong"><string>${font}</string></edit></match>`;
  const dejaVu = path.join(target, 'node_modules', 'dejavu-fonts-ttf', 'ttf');
  const fonts = [
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>',
    ...[path.join(folder, 'fonts'), dejaVu, '/usr/share/fonts'].map(each => `<dir>${each}</dir>`),
    `<cachedir>${path.join(folder, 'font-cache')}</cachedir>`,
    ...['system-ui', 'sans-serif', 'sans'].map(family => prefer(family, 'Open Sans')),
    prefer('monospace', 'DejaVu Sans Mono'),
    '</fontconfig>\n',
  ];
  const fontFile = path.join(folder, 'agent-console-fonts.conf');
  fs.writeFileSync(fontFile, fonts.join('\n'));
  const executablePath = path.join(folder, 'chromium');
  const libraries = [path.join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']];
  const needed = { LD_LIBRARY_PATH: libraries.filter(Boolean).join(path.delimiter) };
  const starts = (each: object): boolean =>
    spawnSync(executablePath, ['--version'], { env: { ...process.env, ...each } }).status === 0;
  const env = browserOfMachine() === undefined ? [{}, needed].find(starts) : {};
  if (env === undefined)
    throw new Error('The Chromium of the npm registry does not start here. Install one, or set CHROME_PATH.');
  return { browser: { executablePath }, browserEnv: { FONTCONFIG_FILE: fontFile, ...env } };
}
