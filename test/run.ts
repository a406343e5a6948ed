import * as fs from 'node:fs';
import * as path from 'node:path';
import { changedFiles, testsOf } from './vscode/changed';
import { ensureVsCode } from './vscode/install';
import { type Tally } from './vscode/mochaRun';
import { removeFolder, root, temporaryFolder, testOutput } from './vscode/paths';
import { end, endAll, start } from './vscode/processes';
import { runningTests } from './vscode/runningTest';

/**
 * `npm test [-- STEP...] [--grep TEXT]`: lint, types, unit, host and ui, or the steps named; `changed` is of lint, types, unit
 * and ui what a change can break. Each counts its tests, lint and types count as one. The last line is `N passed, N failed`.
 */
const steps = ['lint', 'types', 'unit', 'host', 'ui'] as const;
type Step = (typeof steps)[number];

/** Ends a step that hangs, in ms; no step is expected to be done in any time. */
const stepLimitMs = 60 * 60_000;

const builtProgram: Partial<Record<Step, readonly string[]>> = {
  unit: ['vscode/mochaMain.js', 'unit'],
  host: ['vscode/hostTests.js'],
  ui: ['vscode/mochaMain.js', 'ui'],
};

async function main(): Promise<number> {
  const { chosen, grep, isChanged } = parse(process.argv.slice(2));
  const changed = isChanged ? changedFiles() : undefined;
  for (const name of ['AGENT_CONSOLE_API_KEY', 'AGENT_CONSOLE_BASE_URL', 'AGENT_CONSOLE_APP_URL']) {
    Reflect.deleteProperty(process.env, name);
  }
  if (grep !== undefined) process.env['AGENT_CONSOLE_TEST_GREP'] = grep;

  // The first installation waits for the network most of the time: it runs beside lint and types.
  const vscode = once(installed);
  if (!isChanged && (chosen.includes('host') || chosen.includes('ui'))) void vscode();
  const built = once(build);
  const isBuilt = chosen.some(step => builtProgram[step] !== undefined);
  const rows = await check(chosen, changed, isBuilt ? built : () => undefined);
  for (const step of chosen) {
    const program = builtProgram[step];
    if (program === undefined) continue;
    let problem = await built();
    const isAll = changed === undefined || problem !== undefined;
    const files = isAll ? [] : testsOf(changed)[step === 'ui' ? 'ui' : 'unit'];
    if (!isAll && files.length === 0) continue;
    if (step !== 'unit') problem ??= await vscode();
    if (problem !== undefined) console.error(problem);
    console.log(`\n── ${step}`);
    const began = performance.now();
    const tally = problem === undefined ? await runTests([...program, ...files], step) : failure;
    rows.push({ step, tally, ...since(began) });
  }

  // Once more at the end, where a long run is looked at first.
  for (const { step, tally } of rows) {
    for (const what of tally.failures) console.log(`\n── failed in ${step}: ${what.slice(0, 2_000)}`);
  }
  console.log('');
  for (const { step, tally, seconds } of rows) {
    const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
    console.log(
      `${step.padEnd(6)} ${tally.passed} passed, ${tally.failed} failed${skipped}  ${seconds.toFixed(1)} s`,
    );
  }
  const passed = sum(rows.map(row => row.tally.passed));
  const failed = sum(rows.map(row => row.tally.failed));
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

interface Row {
  readonly step: Step;
  readonly tally: Tally;
  readonly seconds: number;
}

const failure: Tally = {
  passed: 0,
  failed: 1,
  skipped: 0,
  failures: [],
  took: { files: {}, tests: {} },
};

const since = (began: number) => ({ seconds: (performance.now() - began) / 1000 });

function parse(args: readonly string[]): {
  readonly chosen: readonly Step[];
  readonly grep: string | undefined;
  readonly isChanged: boolean;
} {
  const at = args.indexOf('--grep');
  const grep = at < 0 ? undefined : args[at + 1];
  const names = args.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  if (names.length === 1 && names[0] === 'changed')
    return { chosen: steps.filter(step => step !== 'host'), grep, isChanged: true };
  const unknown = names.filter(name => !steps.some(step => step === name));
  if (unknown.length > 0)
    throw new Error(`Unknown: ${unknown.join(' ')}. Steps are ${steps.join(', ')}, or changed.`);
  const chosen = names.length === 0 ? steps : steps.filter(step => names.includes(step));
  return { chosen, grep, isChanged: false };
}

/** Resolves with what went wrong, if something did. */
async function installed(): Promise<string | undefined> {
  return ensureVsCode().then(
    () => undefined,
    (error: unknown) => `VS Code for tests could not be installed. ${String(error)}`,
  );
}

/** Builds the extension as it ships, and the tests. Resolves with what went wrong, if something did. */
async function build(): Promise<string | undefined> {
  const code =
    (await run(process.execPath, ['esbuild.js', '--production'])) ||
    (await run(process.execPath, ['esbuild.js', '--tests']));
  return code === 0 ? undefined : 'The build failed.';
}

/**
 * Lint and types: programs that say nothing where all is well, two at a time and the longest first. `idle` is called when one of the
 * two has nothing left to do.
 */
async function check(chosen: readonly Step[], changed: readonly string[] | undefined, idle: () => unknown) {
  const there = changed?.filter(file => fs.existsSync(path.join(root, file)));
  const code = there?.filter(file => /\.(?:[mc]?js|tsx?)$/.test(file));
  const all: readonly (readonly [step: Step, program: string, options: string[], files?: string[]])[] = [
    ['lint', 'eslint/bin/eslint.js', ['--no-warn-ignored'], code ?? ['.']],
    ['types', 'typescript/bin/tsc', ['-p', '.']],
    ['lint', 'prettier/bin/prettier.cjs', ['--check', '--cache', '--ignore-unknown'], there ?? ['.']],
    ['types', 'typescript/bin/tsc', ['-p', 'media']],
  ];
  const left = all.filter(([step, , , files]) => chosen.includes(step) && files?.length !== 0);
  const rows = new Map<Step, Row>();
  if (left.length > 0) console.log(`\n── ${[...new Set(left.map(([step]) => step))].join(', ')}`);
  const began = performance.now();
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [step, program, options, files = []] = next;
      const code = await run(process.execPath, [`node_modules/${program}`, ...options, ...files]);
      const isWell = code === 0 && rows.get(step)?.tally.failed !== 1;
      const tally = isWell ? { ...failure, passed: 1, failed: 0 } : failure;
      rows.set(step, { step, tally, ...since(began) });
    }
    idle();
  };
  await Promise.all([work(), work()]);
  return steps.flatMap(step => rows.get(step) ?? []);
}

/** A step that reports its own tally; one that ends without, or without a test, has failed. */
async function runTests([program = '', ...args]: readonly string[], step: Step): Promise<Tally> {
  const folder = temporaryFolder('result');
  const resultFile = path.join(folder, 'result.json');
  const running = path.join(folder, 'running');
  fs.mkdirSync(running);
  const code = await run(
    process.execPath,
    ['--enable-source-maps', path.join(testOutput, program), ...args],
    { AGENT_CONSOLE_TEST_RESULT: resultFile, AGENT_CONSOLE_TEST_RUNNING: running },
  );
  let tally = failure;
  if (fs.existsSync(resultFile)) {
    const result = JSON.parse(fs.readFileSync(resultFile, 'utf8')) as Tally;
    const wrong = result.failed === 0 && (code !== 0 || result.passed === 0);
    tally = wrong ? { ...result, failed: 1 } : result;
    if (wrong) console.error(`${step}: ${code === 0 ? 'no test ran' : `ended with code ${code}`}.`);
  } else {
    const [first = 'no test', ...more] = runningTests(running);
    const what = `ended with code ${code} before all tests had run, during: ${[first, ...more].join('; ')}`;
    console.error(`${step}: ${what}`);
    tally = { ...failure, failures: [what] };
  }
  removeFolder(folder);
  return tally;
}

/** Runs a program with its output shown; resolves with its exit code, 1 when it was ended from outside. */
async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<number> {
  const child = start(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    graceMs: 10_000,
  });
  const timer = setTimeout(() => {
    console.error(`Ended after ${stepLimitMs / 60_000} minutes.`);
    void end(child);
  }, stepLimitMs);
  return new Promise<number>(resolve => {
    child.once('error', error => {
      console.error(error.message);
      resolve(1);
    });
    child.once('exit', code => resolve(code ?? 1));
  }).finally(() => clearTimeout(timer));
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

main().then(
  code => endAll(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return endAll(1);
  },
);
