import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { packageExtension } from './package';
import { cacheFolder, root, temporaryFolder } from './paths';
import { endAll, isEnding } from './processes';
import { makeSampleWorkspace } from './sampleWorkspace';
import { freePort, startServer } from './server';
import { useSample } from './useSample';

const usage = 'Usage: npm start -- [--port PORT] [--folder DIR] [--no-open] [--signed-out]';

/** Tried when no port is named, so that the address stays the same from run to run. */
const usualPort = 8439;

/** `npm start`: the packaged extension in a VS Code in the browser, on the sample workspace with sample data. */
async function main(): Promise<void> {
  const { port: named, folder: own, ...options } = parse();
  const folder = path.resolve(own ?? path.join(cacheFolder, 'workspaces', 'shop'));
  if (own === undefined) makeSampleWorkspace(folder);
  else if (!fs.existsSync(folder)) throw new Error(`The folder ${folder} does not exist.`);
  const port =
    named === undefined
      ? ((await freePort(usualPort)) ?? (await freePort(0)))
      : await freePort(Number(named));
  if (port === undefined)
    throw new Error(`Port ${named ?? usualPort} is taken. Name another one with --port.`);
  console.log('Packaging the extension.');
  const vsix = packageExtension();

  const data = temporaryFolder('start');
  if (!options['signed-out']) await useSample(path.join(data, 'user'));
  const token = randomBytes(18).toString('base64url');
  const server = await startServer({
    data,
    vsix: [vsix],
    person: { port, token },
    settings: {
      // The one of the editor is not part of what was installed.
      'typescript.tsdk': path.join(root, 'node_modules', 'typescript', 'lib'),
      'workbench.startupEditor': 'readme',
    },
  });
  const url = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder).replaceAll('%2F', '/')}&tkn=${token}`;
  console.log(`Agent Console is running at ${url}`);
  console.log('Press Ctrl+C to end it.');
  if (!options['no-open']) openInBrowser(url);
  await server.exited;
  if (!isEnding()) throw new Error(`VS Code ended.\n${server.logs()}`);
}

function parse() {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const text = { type: 'string' } as const;
    const options = { port: text, folder: text, 'no-open': flag, 'signed-out': flag };
    const { values } = parseArgs({ options });
    if (values.port !== undefined && !(Number(values.port) >= 1 && Number(values.port) <= 65_535))
      throw new Error('--port takes a number from 1 to 65535.');
    return values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error });
  }
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
