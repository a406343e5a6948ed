import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureVsCode } from './vscode/install';
import { type Tally } from './vscode/mochaRun';
import { removeFolder, root, temporaryFolder, testOutput } from './vscode/paths';
import { runProgram, start } from './vscode/processes';

/** `npm test [-- STEP… [NAME…]] [--grep TEXT]`: all steps, or those named, of unit and ui the files with a NAME; `changed`: what a change can break. */
const steps = ['lint', 'types', 'unit', 'host', 'ui'] as const;
type Step = (typeof steps)[number];

/** Programs that say nothing where all is well, one after the other. */
const checks = (files: readonly string[]): Partial<Record<Step, readonly (readonly string[])[]>> => {
  const eslint = ['node_modules/eslint/bin/eslint.js', '--no-warn-ignored', '--pass-on-no-patterns'];
  const prettier = ['node_modules/prettier/bin/prettier.cjs', '--check', '--cache', '--ignore-unknown'];
  const code = files.filter(file => file === '.' || /\.(?:[mc]?js|tsx?)$/.test(file));
  const lint = [eslint.concat(code), prettier.concat(files)];
  const types = ['.', 'media'].map(project => ['node_modules/typescript/bin/tsc', '-p', project]);
  return { lint: files.length === 0 ? [] : lint, types };
};
/** The extension as it ships, and the tests. */
const builds = ['--production', '--tests'].map(what => ['esbuild.js', what]);
const builtProgram: Partial<Record<Step, readonly string[]>> = {
  unit: ['vscode/mochaMain.js', 'unit'],
  host: ['vscode/hostTests.js'],
  ui: ['vscode/mochaMain.js', 'ui'],
};

const nothing: Tally = { passed: 0, failed: 0, skipped: 0, failures: [] };

async function main(): Promise<number> {
  const { chosen, changed, names } = parse();
  for (const name of ['AGENT_CONSOLE_API_KEY', 'AGENT_CONSOLE_BASE_URL', 'AGENT_CONSOLE_APP_URL'])
    Reflect.deleteProperty(process.env, name);
  const programs = chosen.filter(step => builtProgram[step] !== undefined);
  // The first installation waits for the network most of the time: it runs beside lint and types.
  const installed = (): Promise<string | undefined> =>
    ensureVsCode().then(
      () => undefined,
      (error: unknown) => `VS Code for tests could not be installed. ${String(error)}`,
    );
  const missing = !changed && programs.some(step => step !== 'unit') ? installed() : undefined;
  const there = changed?.filter(file => fs.existsSync(path.join(root, file)));
  const check = checks(there ?? ['.']);
  const checking = async (step: Step): Promise<Tally> =>
    (await runAll(check[step] ?? [])) === 0 ? { ...nothing, passed: 1 } : { ...nothing, failed: 1 };
  const checked = chosen.filter(step => step in check);
  const rows = await Promise.all(checked.map(step => timed(step, () => checking(step))));
  const unbuilt = programs.length > 0 && (await runAll(builds)) !== 0 ? 'The build failed.' : undefined;
  for (const step of programs) {
    const files = changed && unbuilt === undefined ? testsOf(step, changed) : names;
    if (changed && unbuilt === undefined && files.length === 0) continue;
    const problem = unbuilt ?? (step === 'unit' ? undefined : await (missing ?? installed()));
    rows.push(await timed(step, () => (problem === undefined ? runTests(step, files) : failed(problem))));
  }

  // Once more at the end, where a long run is looked at first.
  for (const { step, failures } of rows)
    for (const what of failures) console.log(`\n── failed in ${step}: ${what.slice(0, 2_000)}`);
  console.log('');
  const sum = { passed: 0, failed: 0 };
  for (const { step, passed, failed, skipped, seconds } of rows) {
    const counts = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    console.log(`${step.padEnd(6)} ${counts}  ${seconds.toFixed(1)} s`);
    sum.passed += passed;
    sum.failed += failed;
  }
  console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 ? 0 : 1;
}

async function timed(step: Step, act: () => Tally | Promise<Tally>) {
  console.log(`\n── ${step}`);
  const began = performance.now();
  return { step, ...(await act()), seconds: (performance.now() - began) / 1000 };
}

function failed(problem: string): Tally {
  console.error(problem);
  return { ...nothing, failed: 1, failures: [problem] };
}

function parse() {
  const { positionals: given, values } = parseArgs({
    allowPositionals: true,
    options: { grep: { type: 'string' } },
  });
  if (values.grep !== undefined) process.env['AGENT_CONSOLE_TEST_GREP'] = values.grep;
  if (given.join() === 'changed')
    return { chosen: steps.filter(step => step !== 'host'), changed: changedFiles(), names: [] };
  const chosen = steps.filter(step => given.length === 0 || given.includes(step));
  if (chosen.length === 0) throw new Error(`Steps are ${steps.join(', ')}, or changed.`);
  return { chosen, names: given.filter(name => !steps.some(step => step === name)) };
}

/** Runs programs one after the other; resolves with the code of the last one that failed, else 0. */
async function runAll(programs: readonly (readonly string[])[]): Promise<number> {
  let code = 0;
  for (const args of programs) code = (await run(args)) || code;
  return code;
}

/** A step that reports its own tally; one that ends without, or without a test, has failed. */
async function runTests(step: Step, files: readonly string[]): Promise<Tally> {
  const [program = '', ...args] = builtProgram[step] ?? [];
  const folder = temporaryFolder('result');
  const resultFile = path.join(folder, 'result.json');
  const running = path.join(folder, 'running');
  fs.mkdirSync(running);
  const env = { AGENT_CONSOLE_TEST_RESULT: resultFile, AGENT_CONSOLE_TEST_RUNNING: running };
  const code = await run(['--enable-source-maps', path.join(testOutput, program), ...args, ...files], env);
  try {
    if (!fs.existsSync(resultFile)) {
      const at = fs.readdirSync(running).map(name => fs.readFileSync(path.join(running, name), 'utf8'));
      const during = at.join('; ') || 'no test';
      return failed(`${step} ended with code ${code} before all tests had run, during: ${during}`);
    }
    const tally = JSON.parse(fs.readFileSync(resultFile, 'utf8')) as Tally;
    if (tally.failed > 0 || (tally.passed > 0 && code === 0)) return tally;
    const problem = code === 0 ? `${step}: no test ran.` : `${step} ended with code ${code}.`;
    return { ...tally, ...failed(problem), passed: tally.passed };
  } finally {
    removeFolder(folder);
  }
}

/** Runs a Node program with its output shown; resolves with its exit code, 1 when it was ended from outside. */
async function run(args: readonly string[], env: Record<string, string> = {}): Promise<number> {
  const child = start(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // It ends what hangs; no step is expected to be done in any time.
    timeout: 60 * 60_000,
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** The files that are not as where this branch left main; on main, as in its last commit. */
function changedFiles(): readonly string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  const [base = 'HEAD'] = git('branch', '--list', 'main').length > 0 ? git('merge-base', 'HEAD', 'main') : [];
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
}

/** Of the built tests, those that a change can break: their bundles hold one of the files, or they are about its feature. */
function testsOf(step: Step, changed: readonly string[]): readonly string[] {
  const meta = fs.readFileSync(path.join(testOutput, 'meta.json'), 'utf8');
  const outputs = Object.entries(JSON.parse(meta) as Record<string, { readonly inputs: object }>);
  const built = outputs.map(([output, { inputs }]) => ({
    file: path.relative(testOutput, path.join(root, output)).replaceAll(path.sep, '/'),
    isAffected: changed.some(file => file in inputs),
  }));
  const pages = changed.flatMap(file => /^media\/([^/]+)\//.exec(file)?.[1] ?? []);
  // Programs that a test starts, and files that are part of no bundle, concern all tests of their folder.
  const started = built.filter(({ file, isAffected }) => isAffected && /[.C]hild\.js$/.test(file));
  const folders = [...pages.map(page => `unit/${page}`), ...started.map(({ file }) => path.dirname(file))];
  const tests = built.filter(({ file }) => file.startsWith(`${step}/`) && file.endsWith('.test.js'));
  const chosen = tests.filter(({ file, isAffected }) => {
    // Windows take their time: only the tests that changed themselves, and those of a page that did.
    if (step === 'ui')
      return (
        changed.includes(`test/${file.replace(/js$/, 'ts')}`) ||
        pages.some(page => file.startsWith(`ui/${page}`))
      );
    // What stands above the folders looks at the whole checkout.
    return isAffected || ['unit', ...folders].includes(path.dirname(file));
  });
  return chosen.map(({ file }) => path.join(testOutput, file));
}

runProgram(main);
