import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { isBuiltin } from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';
import * as esbuild from 'esbuild';

const root = process.env.AGENT_CONSOLE_ROOT ?? process.cwd();

/** What esbuild tells of a file it has made. */
interface Output {
  readonly inputs: object;
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
}

describe('the production build', () => {
  let dist = '';
  let outputs: ReadonlyMap<string, Output>;
  before(() => {
    dist = fs.mkdtempSync(path.join(os.tmpdir(), 'ac-dist-'));
    execFileSync(process.execPath, ['esbuild.js', '--production', '--dist', dist], { cwd: root });
    const made = JSON.parse(fs.readFileSync(path.join(dist, 'meta.json'), 'utf8')) as Record<string, Output>;
    outputs = new Map(Object.entries(made).map(([file, output]) => [path.basename(file), output]));
  });
  after(() => fs.rmSync(dist, { recursive: true, force: true }));

  const output = (file: string): Output => {
    const found = outputs.get(file);
    assert.ok(found, file);
    return found;
  };
  const hostFiles = (): readonly string[] => fs.readdirSync(dist).filter(file => /\.m?js$/.test(file));
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

  /** Built by themselves, and loaded when they are first needed. */
  const isOwn = /^\.\/(?:compose|mcpServer)\.mjs$/;

  it('needs nothing but Node, VS Code and its own files', () => {
    for (const file of hostFiles())
      for (const { path: name, external, kind } of output(file).imports)
        if (external === true)
          assert.ok(
            name === 'vscode' || isBuiltin(name) || (isOwn.test(name) && kind === 'dynamic-import'),
            `${file}: ${name}`,
          );
  });

  it('carries no HTTP client: all requests go by the fetch that knows the proxy and the certificates of VS Code', () => {
    const inputs = [...outputs.values()].flatMap(each => Object.keys(each.inputs));
    assert.ok(inputs.length > 300, 'the parts of all files are known');
    const clients = /node_modules\/(?:undici|node-fetch|cross-fetch|axios|got|request|follow-redirects)\//;
    assert.deepEqual(
      inputs.filter(input => clients.test(input)),
      [],
    );
    for (const file of hostFiles()) {
      assert.doesNotMatch(fs.readFileSync(path.join(dist, file), 'utf8'), /undici|setGlobalDispatcher/, file);
      // The sample service is a server.
      if (Object.keys(output(file).inputs).includes('src/sample/service.ts')) continue;
      for (const { path: name } of output(file).imports)
        assert.doesNotMatch(name, /^(?:node:)?(?:https?|http2|tls)$/, file);
    }
  });

  it('gives workers, and other programs, nothing that only a window has', () => {
    for (const worker of ['answerWorker.mjs', 'bodyWorker.mjs', 'storageWorker.mjs', 'mcpStdio.js'])
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
    assert.ok(Object.keys(inputs).length > 200, 'the parts of all files are known');
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
});
