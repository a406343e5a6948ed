import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { buildSync } from 'esbuild';

/** Bundles the reader of answers as the build does, which workers are started with; remove its folder afterwards. */
export function buildApiScript(): { readonly folder: string; readonly script: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-console-api-'));
  const script = path.join(folder, 'answerWorker.js');
  buildSync({
    entryPoints: [path.join(process.env['AGENT_CONSOLE_ROOT']!, 'src', 'api', 'worker.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    supported: { 'dynamic-import': false },
    external: ['vscode'],
  });
  return { folder, script };
}
