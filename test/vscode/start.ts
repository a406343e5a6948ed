import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { ConnectionRecords } from '../../src/connection/records';
import { makeSampleRepository } from '../../src/sample/repository';
import { silentLog } from '../fakes/log';
import { openStorage } from '../fakes/storage';
import { cacheFolder, root, temporaryFolder } from './paths';
import { runProgram } from './processes';
import { environment, freePort, packageExtension, startServer } from './server';

/** Tried when no port is named, so that the address stays the same from run to run. */
const usualPort = 8439;
const shop = path.join(cacheFolder, 'workspaces', 'shop');

const flag = { type: 'boolean', default: false } as const;
const text = { type: 'string' } as const;
const options = { port: text, folder: text, desktop: flag, 'no-open': flag, 'signed-out': flag };

/** `npm start`: the packaged extension on the sample workspace, in a VS Code in the browser; `npm run start:desktop`: in that of `code` on PATH. */
async function main(): Promise<undefined> {
  const { desktop, port: named, folder = shop, ...wish } = parseArgs({ options }).values;
  if (desktop) return startDesktop();
  if (folder === shop) await makeWorkspace();
  if (!fs.existsSync(folder)) throw new Error(`The folder ${folder} does not exist.`);
  const port =
    (await freePort(Number(named ?? usualPort))) ?? (named === undefined ? await freePort(0) : named);
  if (typeof port !== 'number') throw new Error(`Port ${port} cannot be had. Name another one with --port.`);
  console.log('Packaging the extension.');
  const vsix = [packageExtension()];
  const data = temporaryFolder('start');
  if (!wish['signed-out']) await useSample(path.join(data, 'user'));
  const person = { port, token: randomBytes(18).toString('base64url') };
  const settings = {
    // The one of the editor is not part of what was installed.
    'typescript.tsdk': path.join(root, 'node_modules', 'typescript', 'lib'),
    'workbench.startupEditor': 'readme',
  };
  const server = await startServer({ data, vsix, person, settings });
  const where = encodeURIComponent(path.resolve(folder)).replaceAll('%2F', '/');
  const url = `http://127.0.0.1:${port}/?folder=${where}&tkn=${person.token}`;
  console.log(`Agent Console is running at ${url}\nPress Ctrl+C to end it.`);
  if (!wish['no-open']) openInBrowser(url);
  await server.exited;
  throw new Error(`VS Code ended.\n${server.logs()}`);
}

async function startDesktop(): Promise<undefined> {
  const shell = process.platform === 'win32';
  if (spawnSync('code', ['--version'], { stdio: 'ignore', shell }).status !== 0)
    throw new Error(
      '`code` is not on PATH: install VS Code and its shell command, or use npm start, which needs neither.',
    );
  const vsix = packageExtension();
  // A profile of its own: a VS Code that runs already would keep the environment it was started with.
  const data = path.join(cacheFolder, 'desktop');
  const user = path.join(data, 'user');
  const folders = ['--user-data-dir', user, '--extensions-dir', path.join(data, 'extensions')];
  const install = [...folders, '--install-extension', vsix, '--force'];
  if (spawnSync('code', install, { stdio: 'inherit', shell }).status !== 0)
    throw new Error('`code` did not install the extension.');
  await makeWorkspace();
  await useSample(user);
  const options = { env: environment(), stdio: 'ignore', shell } as const;
  const editor = spawn('code', [...folders, '--new-window', '--wait', shop], options);
  console.log(
    'VS Code opens with the sample workspace and sample data. Close its window or press Ctrl+C to end.',
  );
  await once(editor, 'exit');
}

/** The sample workspace anew, as its sessions are: what agents have pushed is as old as they say. */
async function makeWorkspace(): Promise<void> {
  fs.rmSync(shop, { recursive: true, force: true });
  await makeSampleRepository(shop, 'git', Date.now());
}

/** Chooses the extension's own sample, as *Try with sample data* does, for an editor with this user data that is yet to start. */
async function useSample(userDataFolder: string): Promise<void> {
  const root = path.join(userDataFolder, 'User', 'globalStorage', 'agent-console.agent-console');
  const storage = openStorage({ root, log: silentLog() });
  await new ConnectionRecords(storage, silentLog()).chooseSample(true);
  await storage.settled();
  storage.dispose();
}

/** Where a person sits before a screen; else they open the address themselves. */
function openInBrowser(url: string): void {
  const { platform, env } = process;
  const own: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' };
  const hasScreen = (env['DISPLAY'] ?? env['WAYLAND_DISPLAY']) !== undefined;
  const command = own[platform] ?? (hasScreen ? 'xdg-open' : undefined);
  if (command === undefined) return;
  const child = spawn(command, [url], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined).unref();
}

runProgram(main);
