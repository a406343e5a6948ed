import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { changesOf, readRepository } from '../../../src/changes/git/branches';
import type { Changes } from '../../../src/changes/git/model';
import { Git } from '../../../src/changes/git/run';

export class Random {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  chance(share: number): boolean {
    return this.below(1_000) < share * 1_000;
  }

  hex(length: number): string {
    return Array.from({ length }, () => this.below(16).toString(16)).join('');
  }
}

export interface File {
  readonly mode: '100644' | '100755' | '120000';
  readonly content: Buffer;
}
export type Tree = ReadonlyMap<string, File>;
export const file = (text: string, mode: File['mode'] = '100644'): File => ({
  mode,
  content: Buffer.from(text),
});

export const isSame = (one?: File, other?: File): boolean =>
  one?.mode === other?.mode && (one?.content.equals(other?.content ?? Buffer.alloc(0)) ?? true);

export interface Made {
  readonly mark: number;
  readonly tree: Tree;
  readonly parents: readonly Made[];
  readonly author: string;
  readonly authoredAt: number;
  readonly committedAt: number;
  readonly message: string;
  hash: string;
}

export class History {
  readonly commits: Made[] = [];
  readonly refs = new Map<string, Made>();

  commit(
    tree: Tree,
    parents: readonly Made[],
    by: { author: string; at: number; committedAt?: number; message: string },
  ): Made {
    const { author, at, committedAt = at, message } = by;
    const mark = this.commits.length + 1;
    const made = { mark, tree, parents, author, authoredAt: at, committedAt, message, hash: '' };
    this.commits.push(made);
    return made;
  }

  /** Makes a repository of it, with nothing checked out. */
  async write(folder: string, config = ''): Promise<void> {
    const own = path.join(folder, '.git');
    for (const each of ['objects', 'refs/remotes/origin'])
      fs.mkdirSync(path.join(own, each), { recursive: true });
    fs.writeFileSync(path.join(own, 'HEAD'), 'ref: refs/heads/main\n');
    fs.writeFileSync(path.join(own, 'config'), `[core]\n\tbare = false\n${config}`);
    const parts: Buffer[] = [];
    const add = (text: string): unknown => parts.push(Buffer.from(text));
    const data = (content: Buffer): unknown =>
      parts.push(Buffer.from(`data ${content.length}\n`), content, Buffer.from('\n'));
    for (const { mark, tree, parents, author, authoredAt, committedAt, message } of this.commits) {
      if (parents.length === 0) add('reset refs/made\n');
      add(`commit refs/made\nmark :${mark}\nauthor ${author} ${authoredAt / 1000} +0000\n`);
      add(`committer ${author} ${committedAt / 1000} +0000\n`);
      data(Buffer.from(message));
      parents.forEach((parent, n) => add(`${n === 0 ? 'from' : 'merge'} :${parent.mark}\n`));
      add('deleteall\n');
      for (const [file, { mode, content }] of tree) {
        add(`M ${mode} inline ${JSON.stringify(file)}\n`);
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
}

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

export const gitOf = (folder: string): Git => new Git('git', folder);

const NAMES = [
  ...['a', 'ü', 'name with space', 'quo"te', 'tab\tbed', 'back\\slash', '-x', '--upload-pack=x', '日本'],
  ...['line\nbreak', '#h', ':(top)x', '*', 'e\u0301'],
];
const CONTENTS = [
  ...['', 'one\n', 'no end', 'a\r\nb\r\n', 'a\r\nb\nc\r', '\u00e4\u00f6\n', 'x\n'.repeat(200), ' \t \n\n\n'],
  ...['\ufeffbom\n', '-- \n+++ b/x\n@@ -1 +1 @@\n'],
];

export function randomFile(random: Random): File {
  const kind = random.below(10);
  if (kind === 0)
    return { mode: '120000', content: Buffer.from(random.of(['a', '../elsewhere', 'no\u00efve/ü'])) };
  const lines = Array.from({ length: random.below(30) }, () => `${random.hex(6)}\n`).join('');
  const binary = Buffer.from(Array.from({ length: random.below(400) }, () => random.below(256)));
  const content =
    kind < 3 ? Buffer.concat([Buffer.from([0]), binary]) : Buffer.from(random.of(CONTENTS) + lines);
  return { mode: random.chance(0.2) ? '100755' : '100644', content };
}

/** Some files are gone, renamed, changed in a line, of another mode or kind, and some new. */
export function randomChange(random: Random, tree: Tree): Tree {
  const changed = new Map(tree);
  for (let n = random.below(8) + 1; n > 0; n--) {
    const [file, old] = random.of([...changed, ['', undefined] as const]);
    const act = old === undefined ? 9 : random.below(10);
    if (act < 2) changed.delete(file);
    else if (act < 4) {
      changed.delete(file);
      put(changed, `${random.of(NAMES)}${random.hex(3)}`, old!);
    } else if (act < 6 && old!.mode !== '120000') {
      const lines = old!.content.toString('latin1').split('\n');
      lines.splice(random.below(lines.length), random.below(2), random.hex(5));
      put(changed, file, { ...old!, content: Buffer.from(lines.join('\n'), 'latin1') });
    } else if (act < 7 && old!.mode !== '120000')
      put(changed, file, { ...old!, mode: old!.mode === '100644' ? '100755' : '100644' });
    else if (act < 8) put(changed, file, randomFile(random));
    else {
      const depth = Array.from(
        { length: random.below(3) + 1 },
        () => `${random.of(NAMES)}${random.chance(0.5) ? random.hex(2) : ''}`,
      );
      put(changed, depth.join('/'), randomFile(random));
    }
  }
  return changed;
}

export function randomTree(random: Random): Tree {
  let tree: Tree = new Map();
  for (let n = 0; n < 4; n++) tree = randomChange(random, tree);
  return tree;
}

function put(tree: Map<string, File>, file: string, content: File): void {
  for (const other of [...tree.keys()])
    if (other.startsWith(`${file}/`) || file.startsWith(`${other}/`)) tree.delete(other);
  tree.set(file, content);
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
