// Runs a TypeScript program of this checkout: `node scripts/ts.js test/run.ts unit`. It is bundled first, because Node
// resolves no extensionless imports; packages stay where they are.
const path = require('node:path');
const esbuild = require('esbuild');

const root = path.dirname(__dirname);
const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) {
  process.stderr.write('usage: node scripts/ts.js FILE.ts [arguments]\n');
  process.exit(2);
}
const outfile = path.join(root, '.test-out-scripts', entry.replace(/\.ts$/, '.js'));
try {
  esbuild.buildSync({
    entryPoints: [path.join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
    // The stand-in for `vscode` has only what is used without an editor.
    logOverride: { 'import-is-undefined': 'silent' },
    alias: { vscode: path.join(root, 'test/fakes/vscode.ts') },
    define: { 'process.env.AGENT_CONSOLE_ROOT': JSON.stringify(root) },
  });
} catch {
  // esbuild has said what is wrong.
  process.exit(1);
}
process.setSourceMapsEnabled(true);
process.argv = [process.execPath, outfile, ...rest];
require(outfile);
