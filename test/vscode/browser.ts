import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

/** A Chromium to show VS Code in. */
export interface Browser {
  readonly executable: string;
  /** Environment it needs beyond ours. */
  readonly env: Readonly<Record<string, string>>;
}

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

const applications: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap(name => {
    const base = process.env[name];
    return base === undefined
      ? []
      : [
          path.join(base, 'Google/Chrome/Application/chrome.exe'),
          path.join(base, 'Microsoft/Edge/Application/msedge.exe'),
        ];
  }),
};

/** The browser of this machine: CHROME_PATH, else an installed one; `undefined` when there is none. */
export function installedBrowser(): string | undefined {
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
export async function unpackBrowser(packageFolder: string, target: string): Promise<Browser> {
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
export async function installFonts(
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
