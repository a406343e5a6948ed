import { availableParallelism } from 'node:os';
import * as path from 'node:path';
import { runMocha, testFiles } from './mochaRun';
import { testOutput } from './paths';
import { runProgram } from './processes';

/** `node mochaMain.js unit|ui [PART...]`: the built tests of one folder, or those with a part in their path, in plain Node. */
runProgram(async () => {
  const [name = 'unit', ...named] = process.argv.slice(2);
  const all = testFiles(path.join(testOutput, name));
  const files = named.length === 0 ? all : all.filter(file => named.some(part => file.includes(part)));
  // A unit test waits for others now and then; a window keeps two cores busy while it opens.
  const most = name === 'ui' ? Math.min(2, availableParallelism()) : Math.min(4, availableParallelism() + 1);
  const { failed } = await runMocha(files, Math.min(most, files.length));
  return failed > 0 ? 1 : 0;
});
