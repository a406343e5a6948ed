import { availableParallelism } from 'node:os';
import * as path from 'node:path';
import { runMocha, testFiles } from './mochaRun';
import { testOutput } from './paths';
import { runProgram } from './processes';

/** `node mochaMain.js unit|ui [FILE...]`: the built tests of one folder, or some of its files, in plain Node. */
runProgram(async () => {
  const [name = 'unit', ...named] = process.argv.slice(2);
  const files = named.length === 0 ? testFiles(path.join(testOutput, name)) : named;
  // A unit test waits for others now and then; a window keeps two cores busy while it opens.
  const most = name === 'ui' ? Math.min(2, availableParallelism()) : Math.min(4, availableParallelism() + 1);
  const { failed, tookMs } = await runMocha(files, Math.min(most, files.length));
  const slowest = Object.entries(tookMs).sort(([, a], [, b]) => b - a);
  const told = slowest.slice(0, 12).map(([file, ms]) => `${file} ${(ms / 1000).toFixed(1)} s`);
  if (files.length > 1) console.log(`\n  slowest: ${told.join(', ')}`);
  return failed > 0 ? 1 : 0;
});
