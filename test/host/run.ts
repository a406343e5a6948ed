import '../vscode/runningTest';
import { runMocha, testFiles } from '../vscode/mochaRun';

/** The entry of `extensionTestsPath`: runs the built host tests inside the extension host; rejects when one fails. */
export async function run(): Promise<void> {
  const { passed, failed } = await runMocha({
    files: testFiles(__dirname),
    grep: process.env['AGENT_CONSOLE_TEST_GREP'],
    marked: process.env['AGENT_CONSOLE_MARKED'] === '1',
    resultFile: process.env['AGENT_CONSOLE_TEST_RESULT'],
  });
  if (failed > 0) throw new Error(`${failed} of ${passed + failed} host tests failed.`);
}
