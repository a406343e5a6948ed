// Builds the extension: dist/extension.js (all that activation loads), one CommonJS bundle a room of src/ (loaded when first
// needed), dist/ground.js (what all rooms stand on), and the pages of media/. `--production` minifies, `--watch` rebuilds, `--dist DIR` writes elsewhere, `--tests`
// builds the test files instead (`--only PART` of their paths, into `--out DIR`).
const fs = require('node:fs');
const path = require('node:path');
const esbuild = require('esbuild');

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');
const tests = process.argv.includes('--tests');
const root = __dirname;
const src = path.join(root, 'src');
const dist = path.resolve(root, argument('--dist') ?? 'dist');
const testOut = path.resolve(root, argument('--out') ?? '.test-out');
const onlyTests = argument('--only') ?? '';

/** The word after `name` on the command line. */
function argument(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

/** Rooms with a bundle of their own. */
const rooms = [
  'parts',
  'api',
  'connection',
  'storage',
  'console',
  'computers',
  'sessions',
  'chat',
  'organization',
  'readiness',
  'usage',
  'hooks',
  'sample',
].filter(room => fs.existsSync(path.join(src, room, 'index.ts')));

/** Browser pages: one script and one style sheet each. */
const pages = ['chat', 'readiness', 'usage'];

/** What rooms stand on (names, settings, log, util, messages of pages) is one bundle of its own. */
const ground = {
  files: () =>
    filesBelow(src, '.ts')
      .map(file => path.relative(src, file).split(path.sep).join('/').slice(0, -3))
      .filter(file => ground.has(file.split('/'))),
  /** `api` also runs in a worker, where there is no `vscode`. */
  isUnder: room => rooms.includes(room) && room !== 'api',
  has: ([first, ...below]) =>
    below.length === 0
      ? ['contributions', 'settings', 'log'].includes(first)
      : ['util', 'webview'].includes(first),
};

/**
 * An import of another room becomes `require('./room.js')`: each room exists once, whoever asks for it first. So does what rooms
 * stand on, except in what is loaded without it: activation and workers have their own copy of the little they need.
 */
const roomBoundaries = onGround => ({
  name: 'room-boundaries',
  setup(build) {
    build.onResolve({ filter: /^ground$/ }, () => ({ path: 'ground', namespace: 'ground' }));
    build.onLoad({ filter: /^ground$/, namespace: 'ground' }, () => ({
      contents: ground
        .files()
        .map(file => `export * from './${file}';`)
        .join('\n'),
      resolveDir: src,
    }));
    build.onResolve({ filter: /^\.\.?\// }, args => {
      if (args.kind === 'entry-point' || args.namespace === 'ground') return undefined;
      const target = path.relative(src, path.resolve(args.resolveDir, args.path)).split(path.sep);
      const importer = path.relative(src, args.importer).split(path.sep);
      const room = target[0];
      if (onGround && ground.isUnder(importer[0]) && ground.has(target))
        return { path: './ground.js', external: true };
      if (!rooms.includes(room) || importer[0] === room) return undefined;
      if (target.length > 1 && !(target.length === 2 && target[1] === 'index')) {
        return {
          errors: [{ text: `Import "${args.path}" reaches into room "${room}"; import its index instead.` }],
        };
      }
      return { path: `./${room}.js`, external: true };
    });
  },
});

/**
 * esbuild copies every member of a namespace import into an object of its own. For `vscode` that is hundreds of members in each
 * bundle, and milliseconds at activation, and for rooms and their ground it is the same; nothing here uses a default import of
 * them, so the module itself will do.
 */
const plainModules = {
  name: 'plain-modules',
  setup(build) {
    build.initialOptions.write = false;
    build.onEnd(({ outputFiles = [] }) => {
      for (const { path: file, contents, text } of outputFiles) {
        fs.mkdirSync(path.dirname(file), { recursive: true });
        const isScript = file.endsWith('.js');
        fs.writeFileSync(
          file,
          isScript ? text.replace(/[\w$]+\((require\("(?:vscode|\.\/\w+\.js)"\))\)/g, '$1') : contents,
        );
      }
    });
  },
};

/** @type {import('esbuild').BuildOptions} */
const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  sourcesContent: false,
  logLevel: 'warning',
  metafile: true,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': JSON.stringify(production ? 'production' : 'development') },
};

/** Of the icon font only what the style sheets of the pages name is shipped, a few KB instead of 125. */
const usedCodicons = {
  name: 'used-codicons',
  setup(build) {
    build.onLoad({ filter: /codicon\.ttf$/ }, async ({ path: file }) => {
      const { default: subsetFont } = await import('subset-font');
      const media = path.join(root, 'media');
      const styles = fs.readdirSync(media, { recursive: true }).filter(name => name.endsWith('.css'));
      const text = styles.map(name => fs.readFileSync(path.join(media, name), 'utf8')).join('\n');
      const used = [...text.matchAll(/content: '\\(e[\da-f]{3})'/g)].map(([, code]) =>
        String.fromCodePoint(parseInt(code, 16)),
      );
      return {
        contents: await subsetFont(fs.readFileSync(file), used.join(''), { targetFormat: 'truetype' }),
        loader: 'file',
      };
    });
  },
};

/** Rooms on their common ground, and what is loaded without it. */
function hostBuilds() {
  const common = {
    ...shared,
    outdir: dist,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode'],
    // Its other form loads its parts in a way that cannot be bundled.
    alias: { 'jsonc-parser': path.join(root, 'node_modules/jsonc-parser/lib/esm/main.js') },
    supported: { 'dynamic-import': false },
  };
  const indexOf = room => path.join(src, room, 'index.ts');
  return [
    {
      ...common,
      entryPoints: { ground: 'ground', ...Object.fromEntries(rooms.map(room => [room, indexOf(room)])) },
      plugins: [roomBoundaries(true), plainModules],
    },
    {
      ...common,
      entryPoints: {
        extension: path.join(src, 'extension.ts'),
        bodyWorker: path.join(src, 'chat', 'bodyWorker.ts'),
      },
      plugins: [roomBoundaries(false), plainModules],
    },
  ];
}

function pageBuild() {
  const entryPoints = Object.fromEntries(
    pages
      .map(page => [`pages/${page}`, path.join(root, 'media', page, 'main.tsx')])
      .filter(([, file]) => fs.existsSync(file)),
  );
  return {
    ...shared,
    entryPoints,
    outdir: dist,
    platform: 'browser',
    format: 'iife',
    target: 'chrome128',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The inner names of virtua, spelled out in its package; only this page's own code says them.
    mangleProps: /^\$(dispose|effect|find|get|is|observe|relayout|scroll|set|snapshot|subscribe|update)/,
    plugins: [usedCodicons],
    assetNames: 'pages/[name]',
  };
}

/** Every file below `dir` whose name ends with `ending`. */
function filesBelow(dir, ending) {
  if (!fs.existsSync(dir)) return [];
  return fs
    .readdirSync(dir, { recursive: true })
    .map(String)
    .filter(file => file.endsWith(ending) && !file.includes('node_modules'))
    .map(file => path.join(dir, file))
    .filter(file => file.includes(onlyTests));
}

/** Tests are bundled too: unit tests against a small stand-in for `vscode.l10n`, the rest as they are. */
function testBuilds() {
  const common = {
    ...shared,
    minify: false,
    sourcemap: 'inline',
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    packages: 'external',
    // The stand-in for `vscode` has only what the tested parts use.
    logOverride: { 'import-is-undefined': 'silent' },
    outbase: path.join(root, 'test'),
    outdir: testOut,
    // Bundled files move: what a test needs from the checkout it finds from here.
    define: { 'process.env.AGENT_CONSOLE_ROOT': JSON.stringify(root) },
  };
  const unit = filesBelow(path.join(root, 'test/unit'), '.ts');
  const host = filesBelow(path.join(root, 'test/host'), '.ts');
  const node = ['ui', 'vscode'].flatMap(dir => filesBelow(path.join(root, 'test', dir), '.ts'));
  return [
    { ...common, entryPoints: unit, alias: { vscode: path.join(root, 'test/fakes/vscode.ts') } },
    { ...common, entryPoints: host, external: ['vscode'] },
    { ...common, entryPoints: node, alias: { vscode: path.join(root, 'test/fakes/vscode.ts') } },
  ].filter(build => build.entryPoints.length > 0);
}

async function main() {
  const builds = tests
    ? testBuilds()
    : [...hostBuilds(), pageBuild()].filter(b => Object.keys(b.entryPoints).length > 0);
  fs.rmSync(tests ? testOut : dist, { recursive: true, force: true });
  if (watch) {
    for (const build of builds) await (await esbuild.context({ ...build, logLevel: 'info' })).watch();
    return;
  }
  const results = await Promise.all(builds.map(build => esbuild.build(build)));
  if (!tests) {
    const outputs = Object.assign({}, ...results.map(result => result.metafile.outputs));
    fs.writeFileSync(path.join(dist, 'meta.json'), JSON.stringify(outputs));
  }
}

main().catch(() => process.exit(1));
