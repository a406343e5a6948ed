import * as fs from 'node:fs';
import * as path from 'node:path';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { startServer, type Server } from '../vscode/server';
import type { Activation, Failure } from './probe';
import { atMost, bundled, median, megabytes, times, type Row } from './rows';
import { stageVariants, variants, type Variant } from './samples';

const rounds = 7;

/** Activation of the three variants, interleaved, each time in a window and an extension host of its own. */
export async function activationRows(): Promise<Row[]> {
  const folder = temporaryFolder('bench');
  const staged = stageVariants(folder);
  const probe = bundled('test/bench/probe.ts').replace(/\.js$/, '');
  const resultFile = path.join(folder, 'result.json');
  const server = await startServer({
    env: { AGENT_CONSOLE_BENCH_STAGE: folder, AGENT_CONSOLE_BENCH_RESULT: resultFile },
  });
  const samples: Record<Variant, Activation[]> = { ours: [], empty: [], 'ui only': [] };
  try {
    // The first host pays for what the server caches; it is not counted.
    await activate(server, staged.empty, probe, resultFile);
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < variants.length; turn++) {
        const variant = variants[(round + turn) % variants.length] ?? 'ours';
        samples[variant].push(await activate(server, staged[variant], probe, resultFile));
      }
    }
  } finally {
    await server.close();
    removeFolder(folder);
  }
  for (const variant of variants) console.log(describe(variant, samples[variant]));
  return rows(samples);
}

/** Opens a window with one extension, activates it there, and ends that extension host. */
async function activate(
  server: Server,
  extension: string,
  probe: string,
  resultFile: string,
): Promise<Activation> {
  fs.rmSync(resultFile, { force: true });
  let exited: (code: number) => void = () => undefined;
  const exit = new Promise<number>(resolve => (exited = resolve));
  const page = await server.openPage(undefined, {
    payload: [
      ['extensionDevelopmentPath', extension],
      ['extensionTestsPath', probe],
    ],
    prepare: async prepared => {
      await prepared.exposeFunction('codeAutomationLog', () => undefined);
      await prepared.exposeFunction('codeAutomationExit', exited);
    },
  });
  const code = await exit;
  await page.close();
  const activation = fs.existsSync(resultFile)
    ? (JSON.parse(fs.readFileSync(resultFile, 'utf8')) as Activation | Failure)
    : { error: `it ended with code ${code}` };
  if ('error' in activation) throw new Error(`The probe of ${extension} failed: ${activation.error}`);
  try {
    // Where it is still there: the server keeps a host for a window that may come back.
    process.kill(activation.pid, 'SIGKILL');
  } catch {
    // It has ended with its window.
  }
  return activation;
}

function rows(samples: Record<Variant, Activation[]>): Row[] {
  // Round by round, so that what else the machine does meets both sides.
  const against = (other: Variant) =>
    median(samples.ours.map((ours, round) => cold(ours) / cold(samples[other][round] ?? ours)));
  const all = (of: keyof Activation, variant: Variant = 'ours') => samples[variant].map(sample => sample[of]);
  const added = (of: keyof Activation) => (median(all(of)) - median(all(of, 'empty'))) / 1024 / 1024;
  const most = (of: keyof Activation) => Math.max(...all(of));
  return [
    atMost('activation, load and call, against an empty extension', against('empty'), 8, times),
    atMost('activation, load and call, against the same UI alone', against('ui only'), 1.4, times),
    atMost('heap added by activation', added('heap'), 0.5, megabytes),
    atMost('resident memory added by activation', added('rss'), 2, megabytes),
    atMost('connections during activation', most('connections'), 0, String),
    atMost('secrets read during activation', most('secretsRead'), 0, String),
    atMost('files read during activation', most('filesRead'), 0, String),
  ];
}

function cold(sample: Activation): number {
  return sample.loadMs + sample.callMs;
}

function describe(variant: Variant, samples: readonly Activation[]): string {
  const range = (of: 'loadMs' | 'callMs' | 'resolvedMs') => {
    const values = samples.map(sample => sample[of]);
    return [Math.min(...values), median(values), Math.max(...values)]
      .map(value => value.toFixed(2))
      .join('/');
  };
  const told = `load ${range('loadMs')} ms, call ${range('callMs')} ms, resolved ${range('resolvedMs')} ms`;
  return `${variant.padEnd(8)} ${told} (least/median/most of ${samples.length})`;
}
