import * as fs from 'node:fs';
import { availableParallelism } from 'node:os';
import * as path from 'node:path';
import { runFiles } from './fileRuns';
import { runMocha, tellSlowest, testFiles } from './mochaRun';
import { testOutput } from './paths';
import { endAll } from './processes';

/** `node mochaMain.js unit|ui [FILE...]`: the built tests of one folder, or some of its files, in plain Node. */
async function main(): Promise<number> {
  const [name = 'unit', ...named] = process.argv.slice(2);
  // Each test file is a bundle of its own, with its own clearing up at the end of the process.
  process.setMaxListeners(100);
  const files = named.length === 0 ? testFiles(path.join(testOutput, name)) : named;
  const resultFile = process.env['AGENT_CONSOLE_TEST_RESULT'];
  if (name === 'ui' && files.length > 1) {
    // A window keeps two cores busy while it opens, and waits after that.
    const jobs = Math.min(2, availableParallelism());
    const tally = await runFiles(files, jobs, ['--enable-source-maps', __filename, name]);
    tellSlowest(tally);
    if (resultFile !== undefined) fs.writeFileSync(resultFile, JSON.stringify(tally));
    return tally.failed > 0 ? 1 : 0;
  }
  const tally = await runMocha({
    files,
    jobs: Math.min(4, availableParallelism(), files.length),
    grep: process.env['AGENT_CONSOLE_TEST_GREP'],
    resultFile,
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
