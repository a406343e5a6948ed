import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { temporaryFolder } from '../fakes/cleanUp';

const root = process.env.AGENT_CONSOLE_ROOT ?? process.cwd();

describe('the package', () => {
  it('is the same, byte for byte, from two clones, and holds just what people need', () => {
    const [one, two] = [packaged(), packaged()];
    assert.ok(one.equals(two), 'two clones make two packages');
    const files = entriesOf(one).map(file => file.replace(/\/[\w-]+\.(mjs|css|ttf)$/, '/*.$1'));
    const media = fs.globSync('media/{*.png,*.svg,*/*.svg,hooks/*,skills/*/*}', { cwd: root }).sort();
    assert.deepEqual([...new Set(files)].sort(), [
      '[Content_Types].xml',
      'extension.vsixmanifest',
      'extension/LICENSE.txt',
      'extension/api.d.ts',
      'extension/changelog.md',
      'extension/dist/*.mjs',
      'extension/dist/extension.js',
      'extension/dist/mcpStdio.js',
      'extension/dist/pages/*.css',
      'extension/dist/pages/*.ttf',
      'extension/dist/pages/chat.js',
      'extension/dist/pages/readiness.js',
      'extension/dist/pages/usage.js',
      'extension/dist/third-party-notices.txt',
      ...media.map(file => `extension/${file}`),
      'extension/package.json',
      'extension/package.nls.json',
      'extension/readme.md',
    ]);
  });

  /** What a clone of what stands here makes, links to its README's pictures and files left out. */
  function packaged(): Buffer {
    const clone = path.join(temporaryFolder(), 'clone');
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
    for (const file of listed.toString().trim().split('\n'))
      if (fs.existsSync(path.join(root, file)) && !file.startsWith('test/'))
        fs.cpSync(path.join(root, file), path.join(clone, file));
    fs.symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
    const env = { ...process.env, GIT_COMMITTER_DATE: '2026-11-22T12:00:00Z' };
    const run = (program: string, ...args: readonly string[]): unknown =>
      execFileSync(program, args, { cwd: clone, env, stdio: 'pipe' });
    run('git', 'init', '--quiet');
    const by = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    run('git', ...by, 'commit', '--allow-empty', '--no-gpg-sign', '-m', 'All');
    run(process.execPath, 'scripts/package.js', '--out', 'made.vsix');
    return fs.readFileSync(path.join(clone, 'made.vsix'));
  }

  /** The names in the directory at the end of an archive. */
  function entriesOf(archive: Buffer): readonly string[] {
    const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
    const names: string[] = [];
    for (let at = archive.readUInt32LE(end + 16); archive.readUInt32LE(at) === 0x02014b50;) {
      const lengths = [28, 30, 32].map(offset => archive.readUInt16LE(at + offset));
      names.push(archive.toString('utf8', at + 46, at + 46 + lengths[0]!));
      at += lengths.reduce((sum, length) => sum + length, 46);
    }
    return names;
  }
});
