import { availableParallelism } from 'node:os';
import * as path from 'node:path';
import { runMocha, tellSlowest, testFiles } from './mochaRun';
import { testOutput } from './paths';
import { endAll } from './processes';

/** `node mochaMain.js unit|ui [FILE...]`: the built tests of one folder, or some of its files, in plain Node. */
async function main(): Promise<number> {
  const [name = 'unit', ...named] = process.argv.slice(2);
  const files = named.length === 0 ? testFiles(path.join(testOutput, name)) : named;
  // A unit test waits for others now and then; a window keeps two cores busy while it opens.
  const most = name === 'ui' ? 2 : 4;
  const tally = await runMocha({
    files,
    jobs: Math.min(most, availableParallelism() + (name === 'ui' ? 0 : 1), files.length),
    grep: process.env['AGENT_CONSOLE_TEST_GREP'],
    resultFile: process.env['AGENT_CONSOLE_TEST_RESULT'],
    hooks: path.join(testOutput, name === 'ui' ? 'ui/rootHooks.js' : 'vscode/runningTest.js'),
  });
  if (files.length > 1) tellSlowest(tally);
  return tally.failed > 0 ? 1 : 0;
}

main().then(
  code => endAll(code),
  (error: unknown) => {
    console.error(error);
    return endAll(1);
  },
);
