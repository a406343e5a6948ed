// Builds the extension into dist/: extension.js (CommonJS, all that activation loads), the ES modules it imports when they are
// first needed (esbuild splits them), the workers, and the pages of media/. `--production` minifies, `--watch` rebuilds,
// `--dist DIR` writes elsewhere, `--tests` builds the test files instead (`--only PART` of their paths, into `--out DIR`).
const fs = require('node:fs');
const path = require('node:path');
const esbuild = require('esbuild');

const root = __dirname;
const { production, tests, watch, dist, only, out } = require('node:util').parseArgs({
  options: {
    production: { type: 'boolean' },
    tests: { type: 'boolean' },
    watch: { type: 'boolean' },
    dist: { type: 'string', default: path.join(root, 'dist') },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: path.join(root, '.test-out') },
  },
}).values;

/** @type {import('esbuild').BuildOptions} */
const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  sourcesContent: false,
  logLevel: watch ? 'info' : 'warning',
  metafile: true,
  legalComments: 'none',
};
const inNode = { ...shared, platform: 'node', target: 'node22' };
const inHost = { ...inNode, outdir: dist, external: ['vscode'] };

/** All that activation does not load is imported by its name. */
const composeOfItsOwn = {
  name: 'compose-of-its-own',
  setup: build =>
    build.onResolve({ filter: /^\.\/compose$/ }, () => ({ path: './compose.mjs', external: true })),
};

/** Of the icon font only what the pages name is shipped, a few KB instead of 125: `@codicons NAME ...;` stands for their rules. */
const usedCodicons = {
  name: 'used-codicons',
  setup(build) {
    const known = fs.readFileSync(require.resolve('@vscode/codicons/dist/codicon.css'), 'utf8');
    const codes = new Map(
      [...known.matchAll(/\.codicon-([\w-]+):before \{ content: "\\(\w+)" \}/g)].map(([, ...code]) => code),
    );
    const read = file =>
      fs.readFileSync(file, 'utf8').replace(/@codicons ([^;]+);/g, (_, names) =>
        names
          .trim()
          .split(/\s+/)
          .map(name => {
            if (!codes.has(name)) throw new Error(`There is no codicon "${name}" (${file}).`);
            return `.codicon-${name}::before { content: '\\${codes.get(name)}'; }`;
          })
          .join('\n'),
      );
    build.onLoad({ filter: /media[\\/].*\.css$/ }, ({ path: file }) => ({
      contents: read(file),
      loader: 'css',
    }));
    build.onLoad({ filter: /codicon\.ttf$/ }, async ({ path: file }) => {
      const { default: subsetFont } = await import('subset-font');
      const text = filesBelow('media', '.css').map(read);
      const used = [...text.join('\n').matchAll(/: '\\(e[\da-f]{3})'/g)].map(([, code]) =>
        String.fromCodePoint(parseInt(code, 16)),
      );
      const options = { targetFormat: 'truetype' };
      return { contents: await subsetFont(fs.readFileSync(file), used.join(''), options), loader: 'file' };
    });
  },
};

const extension = [
  { ...inHost, entryPoints: ['src/extension.ts'], format: 'cjs', plugins: [composeOfItsOwn] },
  {
    ...inHost,
    entryPoints: {
      compose: 'src/compose.ts',
      answerWorker: 'src/api/answer.ts',
      storageWorker: 'src/storage/worker.ts',
    },
    format: 'esm',
    splitting: true,
    define: { __dirname: 'import.meta.dirname' },
    mainFields: ['module', 'main'],
    // Its build for Node requires what only reads files.
    alias: { '@vscode/l10n': './node_modules/@vscode/l10n/dist/browser.js' },
    outExtension: { '.js': '.mjs' },
    chunkNames: '[hash]',
  },
  { ...inHost, entryPoints: { mcpStdio: 'src/tools/mcp/stdio.ts' }, format: 'cjs' },
  {
    ...shared,
    entryPoints: {
      'pages/chat': 'media/chat/main.tsx',
      'pages/readiness': 'media/readiness/main.ts',
      'pages/usage': 'media/usage/main.tsx',
    },
    outdir: dist,
    platform: 'browser',
    target: 'chrome128',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [usedCodicons],
    assetNames: 'pages/[name]',
  },
];

/** Files below a folder of the checkout. */
function filesBelow(folder, ending) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true })
    .filter(file => file.endsWith(ending) && !file.includes('node_modules'))
    .map(file => path.join(root, folder, file));
}

/** Tests are bundled, too: those in plain Node see a stand-in for `vscode`, those in the extension host the real one. */
function testBuild(folders, vscode) {
  return {
    ...inNode,
    ...vscode,
    entryPoints: folders
      .flatMap(folder => filesBelow(`test/${folder}`, '.ts'))
      .filter(file => file.includes(only)),
    minify: false,
    sourcemap: 'inline',
    format: 'cjs',
    packages: 'external',
    // The stand-in has only what the tested parts use.
    logOverride: { 'import-is-undefined': 'silent' },
    outbase: 'test',
    outdir: out,
    // Bundled files move: what a test needs from the checkout it finds from here.
    define: { 'process.env.AGENT_CONSOLE_ROOT': JSON.stringify(root) },
  };
}

/** The licenses of the packages that are part of what is built. */
function noticesOf(outputs) {
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const packages = new Set(inputs.flatMap(file => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const notice = folder => {
    const { name, version, license, author } = require(path.join(root, folder, 'package.json'));
    // This license asks for its address, not its text, and for a word about what was changed.
    if (license === 'CC-BY-4.0')
      return `${name} ${version}\n\n${author.name}. A subset of the font.\nhttps://creativecommons.org/licenses/by/4.0/\n`;
    const file = fs.readdirSync(path.join(root, folder)).find(each => /^licen[cs]e/i.test(each));
    const text =
      file === undefined ? `License: ${license}` : fs.readFileSync(path.join(root, folder, file), 'utf8');
    return `${name} ${version}\n\n${text.trim()}\n`;
  };
  return [...packages]
    .sort()
    .map(notice)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

async function main() {
  const standIn = { alias: { vscode: path.join(root, 'test/fakes/vscode.ts') } };
  const builds = tests
    ? [
        testBuild(['unit'], standIn),
        testBuild(['host'], { external: ['vscode'] }),
        testBuild(['ui', 'vscode'], standIn),
      ]
    : extension;
  fs.rmSync(tests ? out : dist, { recursive: true, force: true });
  const wanted = builds.filter(({ entryPoints }) => !Array.isArray(entryPoints) || entryPoints.length > 0);
  if (watch) return Promise.all(wanted.map(async build => (await esbuild.context(build)).watch()));
  const results = await Promise.all(wanted.map(build => esbuild.build(build)));
  const outputs = Object.assign({}, ...results.map(({ metafile }) => metafile.outputs));
  fs.writeFileSync(path.join(tests ? out : dist, 'meta.json'), JSON.stringify(outputs));
  if (production) fs.writeFileSync(path.join(dist, 'third-party-notices.txt'), noticesOf(outputs));
}

main().catch(() => process.exit(1));
