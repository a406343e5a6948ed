import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { changesOf, readRepository } from '../../../src/changes/git/branches';
import type { Changes } from '../../../src/changes/git/model';
import { Git } from '../../../src/changes/git/run';
import type { Random } from '../../../src/sample/random';
import { temporaryFolder } from '../../fakes/cleanUp';

interface File {
  readonly mode: '100644' | '100755' | '120000';
  readonly content: Buffer;
}
export type Tree = ReadonlyMap<string, File>;
export const file = (text: string, mode: File['mode'] = '100644') => ({ mode, content: Buffer.from(text) });

/** Files by name, plain ones by their text. */
export const treeOf = (files: Readonly<Record<string, string | File>>): Tree =>
  new Map(Object.entries(files).map(([name, each]) => [name, typeof each === 'string' ? file(each) : each]));

const [author, message] = ['Robin Vale <robin@example.com>', 'x\n\nCo-authored-by: A <a@b.c>'];
const USUAL = { author, at: 1_750_000_000_000, message };
export interface Made extends Readonly<typeof USUAL> {
  readonly mark: number;
  readonly tree: Tree;
  readonly parents: readonly Made[];
  readonly committedAt: number;
  hash: string;
}

export class History {
  readonly commits: Made[] = [];
  readonly refs = new Map<string, Made>();

  commit(tree: Tree, parents: readonly Made[] = [], by: Partial<Made> = {}): Made {
    const known = { ...USUAL, committedAt: by.at ?? USUAL.at, ...by };
    const made = { ...known, mark: this.commits.length + 1, tree, parents, hash: '' };
    this.commits.push(made);
    return made;
  }

  put(name: string, made: Made, remote = 'origin'): unknown {
    return this.refs.set(`refs/remotes/${remote}/${name}`, made);
  }

  /** Makes a repository of it, with nothing checked out. */
  async write(folder: string, config = '[receive]\n\tdenyCurrentBranch = ignore\n'): Promise<void> {
    const own = path.join(folder, '.git');
    for (const each of ['objects', 'refs/remotes/origin'])
      fs.mkdirSync(path.join(own, each), { recursive: true });
    fs.writeFileSync(path.join(own, 'HEAD'), 'ref: refs/heads/main\n');
    fs.writeFileSync(path.join(own, 'config'), `[core]\n\tbare = false\n${config}`);
    const parts: Buffer[] = [];
    const add = (text: string): unknown => parts.push(Buffer.from(text));
    const data = (content: Buffer): unknown =>
      parts.push(Buffer.from(`data ${content.length}\n`), content, Buffer.from('\n'));
    const timeOf = (at: number): string => `${Math.floor(at / 1000)} +0000`;
    for (const { mark, tree, parents, author, at, committedAt, message } of this.commits) {
      if (parents.length === 0) add('reset refs/made\n');
      add(`commit refs/made\nmark :${mark}\nauthor ${author} ${timeOf(at)}\n`);
      add(`committer ${author} ${timeOf(committedAt)}\n`);
      data(Buffer.from(message));
      parents.forEach((parent, n) => add(`${n === 0 ? 'from' : 'merge'} :${parent.mark}\n`));
      add('deleteall\n');
      for (const [name, { mode, content }] of tree) {
        add(`M ${mode} inline ${JSON.stringify(name)}\n`);
        data(content);
      }
    }
    for (const [ref, made] of this.refs) add(`reset ${ref}\nfrom :${made.mark}\n\n`);
    const marks = path.join(own, 'marks');
    await git(folder, ['fast-import', '--quiet', '--force', `--export-marks=${marks}`], Buffer.concat(parts));
    for (const line of fs.readFileSync(marks, 'utf8').trim().split('\n')) {
      const [mark = '', hash = ''] = line.split(' ');
      this.commits[Number(mark.slice(1)) - 1]!.hash = hash;
    }
  }

  /** A checkout of it in a folder called shop, where `main` is the one branch that is not of a remote. */
  async checkOut(main: Made, config = ''): Promise<{ readonly folder: string; readonly mine: Git }> {
    const folder = path.join(temporaryFolder(), 'shop');
    this.put('main', main);
    this.refs.set('refs/heads/main', main);
    await this.write(folder, remoteAt('https://git.example.com/acme/shop.git') + config);
    await run(folder, 'checkout -q --force main');
    return { folder, mine: new Git('git', folder) };
  }
}

export const remoteAt = (url: string, name = 'origin'): string =>
  `[remote "${name}"]\n\turl = ${url}\n\tfetch = +refs/heads/*:refs/remotes/${name}/*\n`;

/** Git as tests use it: with none of the person's own settings. */
export function git(folder: string, args: readonly string[], input: string | Buffer = ''): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    const who = ['-c', 'user.name=Robin Vale', '-c', 'user.email=robin@example.com', '-c', 'gc.auto=0'];
    const options = { cwd: folder, env, encoding: 'buffer' as const, maxBuffer: 1e9 };
    const child = execFile('git', [...who, ...args], options, (error, output, said) =>
      error === null
        ? resolve(output)
        : reject(new Error(`git ${args.join(' ')}: ${said.toString()}`, { cause: error })),
    );
    child.stdin!.on('error', () => undefined);
    child.stdin!.end(input);
  });
}

/** The same for a command of words without spaces in them, and what it says. */
export const run = async (folder: string, command: string): Promise<string> =>
  (await git(folder, command.split(' '))).toString().trim();

export async function changesIn(mine: Git, name: string): Promise<Changes> {
  const branch = { repository: mine.folder, remote: 'origin', name };
  return (await changesOf(mine, branch, await readRepository(mine)))!;
}

export const LANES = 4;
/** Does something so many times, in lanes beside each other. */
export async function forEach(
  count: number,
  work: (n: number, lane: number) => Promise<void>,
): Promise<void> {
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let n = lane; n < count; n += LANES) await work(n, lane);
  });
  await Promise.all(lanes);
}

const NAMES = [
  ...['a', 'ü', 'name with space', 'quo"te', 'tab\tbed', 'back\\slash', '-x', '--upload-pack=x', '日本'],
  ...['line\nbreak', '#h', ':(top)x', '*', 'e\u0301'],
];
const CONTENTS = [
  ...['', 'one\n', 'no end', 'a\r\nb\r\n', 'a\r\nb\nc\r', '\u00e4\u00f6\n', 'x\n'.repeat(200), ' \t \n\n\n'],
  ...['\ufeffbom\n', '-- \n+++ b/x\n@@ -1 +1 @@\n'],
];

function randomFile(random: Random): File {
  const kind = random.int(0, 9);
  if (kind === 0) return file(random.pick(['a', '../elsewhere', 'no\u00efve/ü']), '120000');
  const lines = Array.from({ length: random.int(0, 29) }, () => `${random.hex(6)}\n`).join('');
  const binary = Buffer.from([0, ...Buffer.from(random.hex(2 * random.int(0, 400)), 'hex')]);
  const content = kind < 3 ? binary : Buffer.from(random.pick(CONTENTS) + lines);
  return { mode: random.chance(0.2) ? '100755' : '100644', content };
}

/** Some files below a folder are gone, renamed, changed in a line, of another mode or kind, and some new. */
export function randomChange(random: Random, tree: Tree, below = ''): Tree {
  const changed = new Map(tree);
  const put = (name: string, content: File): void => {
    for (const other of [...changed.keys()])
      if (other.startsWith(`${name}/`) || name.startsWith(`${other}/`)) changed.delete(other);
    changed.set(name, content);
  };
  for (let n = random.int(1, 8); n > 0; n--) {
    const own = [...changed].filter(([name]) => name.startsWith(below));
    const [was, old] = random.pick([...own, ['', undefined] as const]);
    const act = old === undefined ? 9 : random.int(0, 9);
    if (act < 4) changed.delete(was);
    if (act < 2) continue;
    const part = (): string => `${random.pick(NAMES)}${random.chance(0.5) ? random.hex(2) : ''}`;
    const name = below + Array.from({ length: random.int(1, 3) }, part).join('/');
    const canChange = old?.mode !== '120000';
    if (act < 4) put(name, old!);
    else if (act < 6 && canChange) {
      const lines = old!.content.toString('latin1').split('\n');
      lines.splice(random.int(0, lines.length - 1), random.int(0, 1), random.hex(5));
      put(was, { ...old!, content: Buffer.from(lines.join('\n'), 'latin1') });
    } else if (act < 7 && canChange)
      put(was, { ...old!, mode: old!.mode === '100644' ? '100755' : '100644' });
    else put(act < 8 ? was : name, randomFile(random));
  }
  return changed;
}

export function randomTree(random: Random, below = '', tree: Tree = new Map()): Tree {
  return [1, 2, 3, 4].reduce(made => randomChange(random, made, below), tree);
}

export function filesOf(folder: string, below = ''): Tree {
  const found = fs.readdirSync(path.join(folder, below)).flatMap((name): [string, File][] => {
    const [file, full] = [path.join(below, name), path.join(folder, below, name)];
    const stat = fs.lstatSync(full);
    if (file === '.git') return [];
    if (stat.isDirectory()) return [...filesOf(folder, file)];
    if (stat.isSymbolicLink()) return [[file, { mode: '120000', content: fs.readlinkSync(full, 'buffer') }]];
    return [[file, { mode: stat.mode & 0o100 ? '100755' : '100644', content: fs.readFileSync(full) }]];
  });
  return new Map(found);
}

export function putFiles(folder: string, tree: Tree): void {
  for (const name of fs.readdirSync(folder))
    if (name !== '.git') fs.rmSync(path.join(folder, name), { recursive: true });
  for (const [file, { mode, content }] of tree) {
    const full = path.join(folder, file);
    fs.mkdirSync(path.dirname(full), { recursive: true });
    if (mode === '120000') fs.symlinkSync(content.toString(), full);
    else fs.writeFileSync(full, content, { mode: mode === '100755' ? 0o755 : 0o644 });
  }
}
