import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { buildSync } from 'esbuild';

/** Bundles `src/api` as the build does and returns the script, which workers are started with; remove its folder afterwards. */
export function buildApiScript(): { readonly folder: string; readonly script: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-console-api-'));
  const script = path.join(folder, 'api.js');
  buildSync({
    entryPoints: [path.join(process.env['AGENT_CONSOLE_ROOT']!, 'src', 'api', 'index.ts')],
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
