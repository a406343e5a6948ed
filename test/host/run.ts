import { runMocha, testFiles } from '../vscode/mochaRun';

/** The entry of `extensionTestsPath`: runs the built host tests inside the extension host; rejects when one fails. */
export async function run(): Promise<void> {
  const { passed, failed } = await runMocha(testFiles(__dirname));
  if (failed > 0) throw new Error(`${failed} of ${passed + failed} host tests failed.`);
}
