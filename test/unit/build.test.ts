import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { isBuiltin } from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';

const root = process.env.AGENT_CONSOLE_ROOT ?? process.cwd();

describe('the production build', () => {
  let dist = '';
  before(function () {
    dist = fs.mkdtempSync(path.join(os.tmpdir(), 'ac-dist-'));
    execFileSync(process.execPath, ['esbuild.js', '--production', '--dist', dist], { cwd: root });
  });
  after(() => fs.rmSync(dist, { recursive: true, force: true }));

  it('loads at most 15 KB at activation', () => {
    const { size } = fs.statSync(path.join(dist, 'extension.js'));
    assert.ok(size <= 15 * 1024, `dist/extension.js has ${size} bytes`);
  });

  for (const [page, kilobytes] of [
    ['chat', 240],
    ['usage', 130],
    ['readiness', 40],
  ] as const) {
    it(`ships a ${page} page of at most ${String(kilobytes)} KB`, () => {
      const sizes = [`${page}.js`, `${page}.css`].map(
        file => fs.statSync(path.join(dist, 'pages', file)).size,
      );
      assert.ok(sizes.reduce((sum, size) => sum + size) <= kilobytes * 1024, sizes.join());
    });
  }

  it('requires nothing but Node, VS Code and its own files', () => {
    for (const file of hostFiles()) {
      const code = fs.readFileSync(path.join(dist, file), 'utf8');
      const foreign = [...code.matchAll(/\brequire\("([^"]+)"\)/g)]
        .map(match => match[1] ?? '')
        .filter(
          name => name !== 'vscode' && !isBuiltin(name) && !hostFiles().includes(name.replace(/^\.\//, '')),
        );
      assert.deepEqual(foreign, [], file);
    }
  });

  it('carries no HTTP client: all requests go by the fetch that knows the proxy and the certificates of VS Code', () => {
    const outputs = JSON.parse(fs.readFileSync(path.join(dist, 'meta.json'), 'utf8')) as Record<
      string,
      { readonly inputs: object }
    >;
    const inputs = Object.values(outputs).flatMap(output => Object.keys(output.inputs));
    assert.ok(inputs.length > 300, 'the parts of all files are known');
    const clients = /node_modules\/(?:undici|node-fetch|cross-fetch|axios|got|request|follow-redirects)\//;
    assert.deepEqual(
      inputs.filter(input => clients.test(input)),
      [],
    );
    for (const file of hostFiles()) {
      const code = fs.readFileSync(path.join(dist, file), 'utf8');
      assert.doesNotMatch(code, /undici|setGlobalDispatcher/, file);
      // The sample service is a server.
      if (file !== 'sample.js')
        assert.doesNotMatch(code, /require\("(?:node:)?(?:https?|http2|tls)"\)/, file);
    }
  });

  it('gives workers nothing that only a window has', () => {
    for (const file of ['api.js', 'bodyWorker.js']) {
      const code = fs.readFileSync(path.join(dist, file), 'utf8');
      assert.doesNotMatch(code, /require\("(vscode|\.\/)/, file);
    }
  });

  function hostFiles(): string[] {
    return fs.readdirSync(dist).filter(file => file.endsWith('.js'));
  }
});
