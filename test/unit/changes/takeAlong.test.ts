import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type * as vscode from 'vscode';
import { patchOf, uncommitted } from '../../../src/changes/git/patch';
import { Git } from '../../../src/changes/git/run';
import { diffOf, takeAlong } from '../../../src/changes/takeAlong';
import { seeded, type Random } from '../../../src/sample/random';
import { makeSampleRepository } from '../../../src/sample/repository';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { window, workspace } from '../../fakes/vscode';
import { filesOf, forEach, git, History, LANES, putFiles, randomChange, randomTree, run } from './repository';
import type { Made } from './repository';

interface Asked {
  readonly label: string;
  readonly picked?: boolean;
}

const TREES = 300;

describe('changes that are taken along', () => {
  let folder: string;
  /** What was asked before something was attached, and how a person answers. */
  let asked: (readonly string[])[];
  let pick: (items: readonly Asked[], many: boolean) => unknown;
  let agrees: boolean;

  const write = (name: string, content: string | Buffer): void => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), content);
  };
  const open = (root = folder): Git => new Git('git', root);
  /** What is put into a composer; `undefined` when nothing is. */
  const taken = async (target?: unknown, folders = [open()]) => {
    let message: { sessionId: string | undefined; text: string; title: string; patch: string } | undefined;
    const isDone = await takeAlong(target, {
      repositories: () => Promise.resolve(folders),
      prefill: async ({ made: [file], ...rest }) => {
        assert.match(rest.text, new RegExp(`: \`git apply ${file?.name}\`$`), 'the text names the file');
        message = { ...rest, patch: Buffer.from(await file!.read()).toString() };
        return true;
      },
    });
    assert.equal(isDone, message !== undefined);
    return message;
  };

  beforeEach(async () => {
    folder = path.join(temporaryFolder(), 'shop');
    await makeSampleRepository(folder, 'git', Date.now());
    [asked, agrees] = [[], true];
    pick = (items, many) => (many ? items.filter(({ picked }) => picked) : assert.fail('which?'));
    Object.assign(window, {
      showQuickPick: (items: readonly Asked[], { canPickMany = false }: { canPickMany?: boolean }) => {
        asked.push(items.map(({ label, picked = false }) => `${label}${picked ? ' ✓' : ''}`));
        return Promise.resolve(pick(items, canPickMany));
      },
      showWarningMessage: (question: string, { detail }: { detail: string }, act: string) => {
        asked.push([question, ...detail.split('\n\n')]);
        return Promise.resolve(agrees ? act : undefined);
      },
    });
  });

  it('are asked about first where they look like secrets, by name or by content, and none of those is chosen', async () => {
    const secrets = ['.env', 'c/.env.local', 'id_rsa', 'keys/server.pem', 'a.key', 'c/credentials.json'];
    const others = ['.env.example', 'id_rsa.pub', 'keyboard.ts', 'monkey.txt'];
    for (const name of [...secrets, ...others]) write(name, 'x\n');
    write('README.md', 'AUTH_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ\n');
    agrees = false;
    assert.equal(await taken(), undefined);
    assert.deepEqual([...(asked[0] ?? [])].sort(), [...others.map(name => `${name} ✓`), ...secrets].sort());
    assert.equal(asked[1]?.[0], 'Attach the uncommitted changes of shop?');
    assert.match(asked[1][1] ?? '', /^Patch of .* against [\da-f]{8}\.$/);
    assert.deepEqual(asked[1].slice(2), ['These files look like they contain secrets: README.md']);
    agrees = true;
    pick = items => items;
    assert.match((await taken())?.patch ?? '', /\+\+\+ b\/\.env\n/);
    for (const name of ['README.md', ...secrets]) assert.ok(asked.at(-1)?.at(-1)?.includes(name), name);
    assert.ok(!asked.at(-1)?.at(-1)?.includes('monkey'));
  });

  it('become a patch against the newest commit that a remote has; where it has none, that is said first', async () => {
    const base = await run(folder, 'rev-parse HEAD');
    write('README.md', 'Mine\n');
    write('docs/new file.txt', 'no line feed');
    const before = await run(folder, 'status --porcelain');
    const message = await taken({ sessionId: 's1' });
    assert.equal(message?.sessionId, 's1');
    const name = String.raw`shop-[\da-f]{8}\.patch`;
    assert.match(message.text, new RegExp(`^Patch against ${base}\\. Apply it there: \`git apply ${name}`));
    assert.match(message.title, new RegExp(`^Send ${name} \\(.* kB, against ${base.slice(0, 8)}\\) to`));
    assert.deepEqual(asked.splice(0), [['docs/new file.txt ✓']]);
    assert.match(message.patch, /\+Mine\n[^]*\+no line feed\n/);
    assert.equal(await run(folder, 'status --porcelain'), before, 'nothing here has changed');
    fs.rmSync(path.join(folder, 'docs/new file.txt'));
    assert.notEqual((await taken())?.text, message.text, 'another patch, another name');
    await run(folder, 'commit --quiet --allow-empty -m Mine');
    assert.match((await taken())?.text ?? '', new RegExp(`^Patch against ${base}\\.`));
    assert.equal(asked.length, 0);
    await run(folder, 'remote remove origin');
    const head = await run(folder, 'rev-parse HEAD');
    assert.match((await taken())?.text ?? '', new RegExp(`^Patch against ${head}\\. Apply`));
    assert.match(asked.flat().at(-1) ?? '', /^No remote has its base/);
  });

  it('are of the repository that is meant', async () => {
    write('README.md', 'Mine\n');
    const other = open(temporaryFolder());
    assert.ok(await taken({ rootUri: { fsPath: folder } }, [other, open()]));
    const spaced = `${folder} of $mine`;
    fs.cpSync(folder, spaced, { recursive: true });
    assert.match((await taken('s1', [open(spaced)]))?.text ?? '', /git apply shop-of-mine-\w+\.patch/);
    assert.equal((await taken('s2'))?.sessionId, 's2');
    pick = items => items.find(({ label }) => label === 'shop');
    assert.ok(await taken(undefined, [other, open()]));
    pick = () => undefined;
    assert.equal(await taken(undefined, [other, open()]), undefined);
    assert.equal(await taken({ rootUri: { fsPath: '/other' } }), undefined, 'it is not the only one there');
    write('new.txt', 'new');
    assert.equal(await taken(), undefined, 'the person has thought better of it');
  });

  it('are refused with a sentence: none, none chosen, no repository, no program may run', async () => {
    await assert.rejects(taken(), /^Error: There are no uncommitted changes in shop\.$/);
    write('new.txt', 'new');
    pick = () => [];
    await assert.rejects(taken(), /^Error: No files were chosen\.$/);
    await assert.rejects(taken(undefined, []), /^Error: Open a folder with a Git repository first\.$/);
    const never = () => assert.fail('Git was looked for');
    later(() => Object.assign(workspace, { isTrusted: true, workspaceFolders: [] }));
    for (const [state, sentence] of [
      [{ isTrusted: false }, /^Error: Trust this workspace first/],
      [{ workspaceFolders: [{ uri: { scheme: 'vscode-vfs' } }] }, /^Error: Git runs only where/],
    ] as const) {
      Object.assign(workspace, { isTrusted: true, ...state });
      await assert.rejects(takeAlong(undefined, { repositories: never } as never), sentence);
      await assert.rejects(diffOf([], never), sentence);
    }
  });

  it('are one diff of the files that are asked for; of which it cannot be, those go themselves', async () => {
    write('README.md', 'Other words\n');
    write('docs/orders.csv', 'week\n');
    write('new.txt', 'new');
    // Nothing that the repository names runs.
    const canary = path.join(path.dirname(folder), 'canary');
    for (const key of ['diff.external', 'filter.x.clean', 'diff.x.textconv', 'core.fsmonitor', 'core.pager'])
      await git(folder, ['config', key, `touch '${canary}'; cat`]);
    write('.git/info/attributes', '* filter=x diff=x\n');
    await run(folder, 'config diff.noprefix true');
    const file = (name: string) =>
      ({ scheme: 'file', fsPath: path.resolve(folder, name) }) as unknown as vscode.Uri;
    const [readme, made, outside] = ['README.md', 'new.txt', '../README.md'].map(file);
    const away = { scheme: 'other', fsPath: file('README.md').fsPath } as unknown as vscode.Uri;
    const all = [readme!, made!, outside!, away, file('--output=x'), file('.')];
    const { diff, rest } = await diffOf(all, () => Promise.resolve([open()]));
    const shown = Buffer.from(diff).toString();
    assert.match(shown, /^diff --git a\/README\.md b\/README\.md\n[^]*\+Other words\n$/);
    assert.deepEqual(rest, [made, outside, away, all.at(-1)]);
    assert.ok(!fs.existsSync(canary) && !fs.existsSync(path.join(folder, 'x')));
    await run(folder, 'checkout --quiet --orphan other');
    const unborn = await diffOf([readme!, made!], () => Promise.resolve([open()]));
    assert.match(Buffer.from(unborn.diff).toString(), /^diff.*\nnew file[^]*\+Other words\n$/);
    assert.deepEqual(unborn.rest, [made]);
  });

  it(`come back from their patch byte for byte, of ${TREES} random trees`, async () => {
    const [work, clean] = [1, 2].map(() => Array.from({ length: LANES }, () => temporaryFolder()));
    const history = new History();
    for (let n = 0; n < TREES; n++) history.commit(randomTree(seeded('tree', n)));
    for (const folder of work!) await history.write(folder);
    await forEach(TREES, (n, lane) =>
      roundTrip(work![lane]!, clean![lane]!, history.commits[n]!, seeded('change', n)),
    );
  });
});

async function roundTrip(work: string, clean: string, base: Made, random: Random): Promise<void> {
  const mine = new Git('git', work);
  fs.writeFileSync(path.join(work, '.git/HEAD'), `${base.hash}\n`);
  await run(work, `read-tree --reset -u ${base.hash}`);
  const wanted = randomChange(random, random.chance(0.7) ? base.tree : randomTree(random));
  putFiles(work, wanted);
  const isStaged = random.chance(0.3);
  if (isStaged) await run(work, 'add --all');
  const index = fs.readFileSync(path.join(work, '.git/index'));
  const untracked = isStaged ? [] : [...wanted.keys()].filter(file => !base.tree.has(file));
  if (random.chance(0.2)) {
    const foreign = Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0xe4])]);
    // Other systems have no such names.
    if (process.platform === 'linux') fs.writeFileSync(foreign, 'a name that is no UTF-8');
    const found = await uncommitted(mine);
    fs.rmSync(foreign, { force: true });
    const sizes = new Map(found.untracked.map(({ path: file, size }) => [file, size]));
    assert.deepEqual(sizes, new Map(untracked.map(file => [file, wanted.get(file)!.content.length])));
    const told = found.files.flatMap(({ path: file, oldPath }) => [file, oldPath ?? file]);
    for (const [file, was] of base.tree)
      if (!isDeepStrictEqual(was, wanted.get(file))) assert.ok(told.includes(file), file);
  }
  const patch = await patchOf(mine, base.hash, untracked);
  assert.deepEqual(fs.readFileSync(path.join(work, '.git/index')), index);
  assert.deepEqual(filesOf(work), wanted);
  putFiles(clean, base.tree);
  if (patch.length > 0) await git(clean, ['apply', '--whitespace=nowarn', '-'], patch);
  assert.deepEqual(filesOf(clean), wanted);
}
