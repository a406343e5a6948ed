import { spawn, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import { request } from 'node:http';
import * as path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openGate } from './gate';
import { ensureVsCode, type Installation } from './install';
import { packageExtension } from './package';
import { cacheFolder, root, temporaryFolder } from './paths';
import { endAll, isEnding, onEnd, start } from './processes';
import { makeSampleWorkspace } from './sampleWorkspace';
import { environment, openingLimitMs } from './server';
import { useSample } from './useSample';

interface Options {
  readonly port: number | undefined;
  readonly folder: string | undefined;
  readonly open: boolean;
  readonly signedOut: boolean;
}

const usage = `npm start -- [--port PORT] [--folder DIR] [--no-open] [--signed-out]`;

/** Tried when no port is named, so that the address stays the same from run to run. */
const usualPort = 8439;

/** `npm start`: the packaged extension in a VS Code in the browser, on the sample workspace with sample data. */
async function main(): Promise<void> {
  const options = parse(process.argv.slice(2));
  const folder = options.folder ?? path.join(cacheFolder, 'workspaces', 'shop');
  makeFolder(folder, options.folder !== undefined);
  const installation = await ensureVsCode();
  console.log('Packaging the extension.');
  const vsix = packageExtension();

  const data = temporaryFolder('start');
  if (!options.signedOut) await useSample(path.join(data, 'user'));
  const child = await startCodeServer(installation, vsix, data);
  await answering(socketIn(data), child);
  const gate = await openGate(socketIn(data), options.port === undefined ? [usualPort, 0] : [options.port]);
  onEnd(() => gate.close());
  const url = gate.address(`/?folder=${encodeURIComponent(folder).replaceAll('%2F', '/')}`);
  console.log(`Agent Console is running at ${url}`);
  console.log('Press Ctrl+C to end it.');
  if (options.open) openInBrowser(url);
  await new Promise(resolve => child.once('exit', resolve));
  if (!isEnding()) throw new Error(`VS Code ended.\n${readLog(data)}`);
}

function parse(args: readonly string[]): Options {
  const rest = [...args];
  let port: number | undefined;
  let folder: string | undefined;
  let open = true;
  let signedOut = false;
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [name, value] = arg.split(/=(.*)/s, 2) as [string, string | undefined];
    const word = () => value ?? rest.shift() ?? fail(`${name} needs a value.`);
    if (name === '--port') {
      port = Number(word());
      if (!Number.isInteger(port) || port < 1 || port > 65_535)
        fail('--port takes a number from 1 to 65535.');
    } else if (name === '--folder') {
      folder = path.resolve(word());
    } else if (name === '--no-open') open = false;
    else if (name === '--signed-out') signedOut = true;
    else fail(`Unknown option ${arg}.`);
  }
  return { port, folder, open, signedOut };
}

function fail(reason: string): never {
  throw new Error(`${reason}\nUsage: ${usage}`);
}

function makeFolder(folder: string, own: boolean): void {
  if (!own) makeSampleWorkspace(folder);
  else if (!fs.existsSync(folder)) throw new Error(`The folder ${folder} does not exist.`);
}

async function startCodeServer(
  installation: Installation,
  vsix: string,
  data: string,
): Promise<ChildProcess> {
  const user = path.join(data, 'user');
  fs.mkdirSync(path.join(user, 'User'), { recursive: true });
  fs.writeFileSync(
    path.join(user, 'User', 'settings.json'),
    JSON.stringify({
      'chat.disableAIFeatures': true,
      'telemetry.telemetryLevel': 'off',
      // The one of the editor is not part of what was installed.
      'typescript.tsdk': path.join(root, 'node_modules', 'typescript', 'lib'),
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
      'workbench.startupEditor': 'readme',
    }),
  );
  const config = path.join(data, 'config.yaml');
  fs.writeFileSync(config, '');
  const folders = [
    '--user-data-dir',
    user,
    '--extensions-dir',
    path.join(data, 'extensions'),
    '--config',
    config,
  ];
  const log = fs.openSync(path.join(data, 'code-server.log'), 'w');
  const run = (args: readonly string[]) =>
    start(process.execPath, [installation.codeServer, ...folders, ...args], {
      env: environment(),
      stdio: ['ignore', log, log],
    });

  const installed = await new Promise<number | null>(resolve =>
    run(['--install-extension', vsix]).once('exit', resolve),
  );
  if (installed !== 0) throw new Error(`VS Code did not install ${vsix}.\n${readLog(data)}`);
  return run([
    ...['--auth', 'none', '--socket', socketIn(data), '--socket-mode', '600'],
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-workspace-trust',
    '--disable-getting-started-override',
  ]);
}

function readLog(data: string): string {
  return fs.readFileSync(path.join(data, 'code-server.log'), 'utf8');
}

/** Only this person can reach it: the folder around it is private. */
function socketIn(data: string): string {
  return path.join(data, 'vscode.sock');
}

/** Resolves when the server answers; rejects when it ends before. */
async function answering(socketPath: string, child: ChildProcess): Promise<void> {
  const limit = performance.now() + openingLimitMs;
  while (performance.now() < limit) {
    if (child.exitCode !== null) throw new Error(`VS Code ended with code ${child.exitCode}.`);
    const status = await new Promise<number | undefined>(resolve => {
      request({ socketPath, path: '/healthz' }, answer => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .once('error', () => resolve(undefined))
        .end();
    });
    if (status === 200) return;
    await pause(100);
  }
  throw new Error('VS Code did not answer.');
}

/** Where a person sits before a screen; else they open the address themselves. */
function openInBrowser(url: string): void {
  const { platform, env } = process;
  const [command, ...args] =
    platform === 'darwin'
      ? ['open', url]
      : platform === 'win32'
        ? ['cmd', '/c', 'start', '""', url]
        : env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined
          ? ['xdg-open', url]
          : [];
  if (command === undefined) return;
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return endAll(1);
});
