// Packages the extension: `node scripts/package.js [--out FILE] [further arguments of vsce]`. The same commit gives the same bytes.
// With `repository` in package.json, links and pictures of the README become absolute; without it they are left out.
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const root = path.dirname(__dirname);
const { repository } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/** A README that needs nothing beside it. */
function alone(markdown) {
  return markdown
    .replace(/^## (?:Test it|More)\n[^]*?(?=^## |$(?![^]))/gm, '')
    .replace(/^!\[[^\]]*\]\((?!https:)[^)]*\)\n\n/gm, '')
    .replace(/(?<!!)\[([^\]]*)\]\((?!https:|#)[^)]*\)/g, '$1');
}

/** When the commit was made, s since 1970; for what is not committed the same, so that only content makes a difference. */
function commitTime() {
  return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim();
}

const vsce = require.resolve('@vscode/vsce/vsce');
const readme = 'packaged-readme.md';
const args = ['package', '--no-dependencies', ...process.argv.slice(2)];
if (repository === undefined) {
  fs.writeFileSync(path.join(root, readme), alone(fs.readFileSync(path.join(root, 'README.md'), 'utf8')));
  args.push('--allow-missing-repository', '--no-rewrite-relative-links', '--readme-path', readme);
}
try {
  const env = { SOURCE_DATE_EPOCH: commitTime(), ...process.env, TZ: 'UTC' };
  const { status } = spawnSync(process.execPath, [vsce, ...args], { cwd: root, stdio: 'inherit', env });
  process.exitCode = status ?? 1;
} finally {
  fs.rmSync(path.join(root, readme), { force: true });
}
