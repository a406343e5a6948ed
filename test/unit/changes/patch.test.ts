import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { patchOf, uncommitted } from '../../../src/changes/git/patch';
import { cleanUp, temporaryFolder } from '../../fakes/cleanUp';
import {
  filesOf,
  git,
  gitOf,
  History,
  putFiles,
  Random,
  randomChange,
  randomTree,
  type Made,
} from './repository';

const TREES = 300;
const LANES = 3;

describe('uncommitted changes', () => {
  afterEach(cleanUp);

  it(`of ${TREES} random trees come back from their patch byte for byte`, async function () {
    this.timeout(300_000);
    const lanes = Array.from({ length: LANES }, async (_, lane) => {
      const history = new History();
      const by = { author: 'Robin Vale <robin@example.com>', at: 1_750_000_000_000, message: 'Files' };
      const random = new Random(lane + 1);
      const trees = Array.from({ length: TREES / LANES }, () => randomTree(random));
      const bases = trees.map(tree => history.commit(tree, [], by));
      const folder = temporaryFolder();
      await history.write(folder);
      for (const base of bases) await roundTrip(folder, temporaryFolder(), base, random);
    });
    await Promise.all(lanes);
  });
});

async function roundTrip(work: string, clean: string, base: Made, random: Random): Promise<void> {
  fs.writeFileSync(path.join(work, '.git/HEAD'), `${base.hash}\n`);
  await git(work, ['read-tree', '--reset', '-u', base.hash]);
  const wanted = randomChange(random, random.chance(0.7) ? base.tree : randomTree(random));
  putFiles(work, wanted);
  const isStaged = random.chance(0.3);
  if (isStaged) await git(work, ['add', '--all']);
  const index = fs.readFileSync(path.join(work, '.git/index'));
  let untracked = isStaged ? [] : [...wanted.keys()].filter(file => !base.tree.has(file));
  if (random.chance(0.2)) {
    const foreign = Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0xe4])]);
    // Other systems have no such names.
    if (process.platform === 'linux') fs.writeFileSync(foreign, 'a name that is no UTF-8');
    const found = await uncommitted(gitOf(work));
    fs.rmSync(foreign, { force: true });
    const sizes = new Map(found.untracked.map(({ path: file, size }) => [file, size]));
    assert.deepEqual(sizes, new Map(untracked.map(file => [file, wanted.get(file)!.content.length])));
    const same = (file: string): boolean =>
      wanted.get(file)?.content.equals(base.tree.get(file)!.content) ?? false;
    const isMode = (file: string): boolean => wanted.get(file)?.mode === base.tree.get(file)?.mode;
    const changed = [...base.tree.keys()].filter(file => !same(file) || !isMode(file));
    const told = found.files.flatMap(({ path: file, oldPath }) => [file, oldPath ?? file]);
    assert.deepEqual(
      changed.filter(file => !told.includes(file)),
      [],
    );
    untracked = found.untracked.map(file => file.path);
  }
  const patch = await patchOf(gitOf(work), base.hash, untracked);
  assert.deepEqual(fs.readFileSync(path.join(work, '.git/index')), index);
  assert.deepEqual(filesOf(work), wanted);
  putFiles(clean, base.tree);
  if (patch.length > 0) await git(clean, ['apply', '--whitespace=nowarn', '-'], patch);
  assert.deepEqual(filesOf(clean), wanted);
}
