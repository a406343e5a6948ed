import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type Mocha from 'mocha';
import { runMocha } from './mochaRun';
import { testOutput } from './paths';
import { endAll } from './processes';

/** `node mochaMain.js unit|ui`: the built tests of one folder in plain Node; `rootHooks.js` there is used when it exists. */
async function main(): Promise<number> {
  const name = process.argv[2] ?? 'unit';
  // Each test file is a bundle of its own, with its own clearing up at the end of the process.
  process.setMaxListeners(100);
  const folder = path.join(testOutput, name);
  const hooks = path.join(folder, 'rootHooks.js');
  const { failed } = await runMocha({
    folder,
    timeoutMs: name === 'ui' ? 120_000 : 60_000,
    secondTry: true,
    grep: process.env['AGENT_CONSOLE_TEST_GREP'],
    resultFile: process.env['AGENT_CONSOLE_TEST_RESULT'],
    rootHooks: fs.existsSync(hooks) ? await rootHooks(hooks) : undefined,
  });
  return failed > 0 ? 1 : 0;
}

async function rootHooks(file: string): Promise<Mocha.RootHookObject> {
  const module = (await import(pathToFileURL(file).href)) as { readonly rootHooks: Mocha.RootHookObject };
  return module.rootHooks;
}

main().then(
  code => endAll(code),
  (error: unknown) => {
    console.error(error);
    return endAll(1);
  },
);
