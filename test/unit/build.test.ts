import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { isBuiltin } from 'node:module';
import * as path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { house, product } from '../house';
import { root } from '../vscode/paths';

/** What esbuild tells of a file it has made. */
interface Output {
  readonly inputs: object;
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
}

describe('the production build', () => {
  // Built by the run of these tests.
  const dist = path.join(root, 'dist');
  const hostFiles = (): readonly string[] => fs.readdirSync(dist).filter(file => /\.m?js$/.test(file));

  const made = JSON.parse(fs.readFileSync(path.join(dist, 'meta.json'), 'utf8')) as Record<string, Output>;
  const outputs = new Map(Object.entries(made).map(([file, output]) => [path.basename(file), output]));
  const output = (file: string): Output => {
    const found = outputs.get(file);
    assert.ok(found, file);
    return found;
  };
  /** Names of what is loaded with a file, its own among them. */
  const loadedWith = (file: string, loaded = new Set<string>()): ReadonlySet<string> => {
    if (loaded.has(file)) return loaded;
    loaded.add(file);
    for (const { path: target, kind, external } of output(file).imports) {
      if (external === true) loaded.add(target);
      else if (kind !== 'dynamic-import') loadedWith(path.basename(target), loaded);
    }
    return loaded;
  };

  it('loads one file at activation', () => {
    const outside = output('extension.js').imports.map(each => `${each.kind} ${each.path}`);
    assert.deepEqual([...new Set(outside)].sort(), ['dynamic-import ./compose.mjs', 'require-call vscode']);
  });

  it('needs nothing but Node, VS Code and its own files', () => {
    for (const file of hostFiles())
      for (const { path: name, external, kind } of output(file).imports)
        if (external === true)
          assert.ok(
            name === 'vscode' || isBuiltin(name) || (name === './compose.mjs' && kind === 'dynamic-import'),
            `${file}: ${name}`,
          );
  });

  it('carries no HTTP client: all requests go by the fetch that knows the proxy and the certificates of VS Code', () => {
    const inputs = [...outputs.values()].flatMap(each => Object.keys(each.inputs));
    assert.ok(inputs.length > 200, 'the parts of all files are known');
    const clients = /node_modules\/(?:undici|node-fetch|cross-fetch|axios|got|request|follow-redirects)\//;
    assert.deepEqual(
      inputs.filter(input => clients.test(input)),
      [],
    );
    for (const file of hostFiles()) {
      assert.doesNotMatch(fs.readFileSync(path.join(dist, file), 'utf8'), /undici|setGlobalDispatcher/, file);
      for (const { path: name } of output(file).imports)
        assert.doesNotMatch(name, /^(?:node:)?(?:https?|http2|tls)$/, file);
    }
  });

  it('gives workers, and other programs, nothing that only a window has', () => {
    for (const worker of ['answerWorker.mjs', 'storageWorker.mjs', 'mcpStdio.js'])
      assert.ok(!loadedWith(worker).has('vscode'), worker);
  });

  it('has no file that needs itself', async () => {
    const { metafile } = await esbuild.build({
      entryPoints: ['src/compose.ts', ...fs.globSync('media/*/main.ts*', { cwd: root })],
      ...{
        absWorkingDir: root,
        outdir: dist,
        bundle: true,
        write: false,
        metafile: true,
        logLevel: 'silent',
      },
      ...{ platform: 'node', packages: 'external', loader: { '.ttf': 'empty' }, external: ['vscode'] },
      ...{ format: 'esm', jsx: 'automatic', jsxImportSource: 'preact', define: { __dirname: '""' } },
    });
    const { inputs } = metafile;
    assert.ok(Object.keys(inputs).length > 150, 'the parts of all files are known');
    const done = new Set<string>();
    const follow = (file: string, above: readonly string[]): void => {
      const at = above.indexOf(file);
      assert.equal(at, -1, [...above.slice(at), file].join(' > '));
      if (done.has(file)) return;
      for (const { path: next } of inputs[file]?.imports ?? [])
        if (next in inputs) follow(next, [...above, file]);
      done.add(file);
    };
    for (const file of Object.keys(inputs)) follow(file, []);
  });

  /** What may not grow. A limit is what stands today, next to the target; whoever makes something smaller lowers its limit. */
  describe('the size of', () => {
    const KB = 1024;
    const text = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
    const bytes = (...names: string[]): number =>
      names.reduce((sum, name) => sum + fs.statSync(path.join(dist, name)).size, 0);
    /** About the bytes of the .vsix: each file that `.vscodeignore` lets in, compressed, with its entry in the archive. */
    const packed = (): number => {
      const wanted = [...text('.vscodeignore').matchAll(/^!(.+)$/gm)].map(([, pattern]) => pattern ?? '');
      const shipped = wanted.flatMap(pattern =>
        pattern.startsWith('dist/')
          ? fs.globSync(pattern.slice('dist/'.length), { cwd: dist }).map(file => path.join(dist, file))
          : fs.globSync(pattern, { cwd: root }).map(file => path.join(root, file)),
      );
      assert.ok(shipped.length > 40, `${shipped.length} files are shipped`);
      return shipped.reduce((sum, file) => sum + deflateRawSync(fs.readFileSync(file)).length + 150, 0);
    };
    /** Where errors are dropped. */
    const silences = (): number =>
      product.flatMap(file => [
        ...text(file).matchAll(/\.catch\(\(\) => (?:undefined|\{\}|false)\)|catch \{\s*\}/g),
      ]).length;
    const limits = [34_542, 26_000, 423, 15, 53, 25, 6, 17, 2];

    const table: readonly (readonly [what: string, figure: () => number, limit: number, target: number])[] = [
      ...house().map(([what, figure, target], n) => [what, () => figure, limits[n] ?? 0, target] as const),
      ['what activation loads, bytes', () => bytes('extension.js'), 6_900, 15 * KB],
      ['the code of the extension host, bytes', () => bytes(...hostFiles()), 591_467, 450 * KB],
      ['the page of a chat, bytes', () => bytes('pages/chat.js', 'pages/chat.css'), 213_837, 220 * KB],
      ['the page of usage, bytes', () => bytes('pages/usage.js', 'pages/usage.css'), 61_382, 75 * KB],
      [
        'the page of a report, bytes',
        () => bytes('pages/readiness.js', 'pages/readiness.css'),
        9_424,
        40 * KB,
      ],
      ['the package, bytes', packed, 389_000, 390 * KB],
      ['silences', silences, 11, 0],
    ];
    for (const [what, figure, limit, target] of table) {
      it(`${what}: at most ${String(limit)}, to become ${String(target)}`, () => {
        const now = figure();
        assert.ok(now <= limit, `${String(now)} now`);
      });
    }
  });
});
