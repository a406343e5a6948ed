import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { changesOf, contentOf, readRepository } from '../../../src/changes/git/branches';
import { claimOf } from '../../../src/changes/git/evidence';
import type { Changes } from '../../../src/changes/git/model';
import { patchOf, uncommitted } from '../../../src/changes/git/patch';
import { Git } from '../../../src/changes/git/run';
import { seeded } from '../../../src/sample/random';
import { cleanUp, temporaryFolder } from '../../fakes/cleanUp';
import { filesOf, git, History, putFiles, randomChange, randomTree, type Made } from './repository';
import { worldOf, type Worked } from './sessions';

const [REPOSITORIES, TREES, LANES] = [200, 300, 4];
/** Git is asked for what is shown in each so many-th repository, in all where `AGENT_CONSOLE_TEST_SEED` says that more is looked for. */
const SHOWN = process.env['AGENT_CONSOLE_TEST_SEED'] === undefined ? 5 : 1;

async function forEach(count: number, work: (n: number, lane: number) => Promise<void>): Promise<void> {
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let n = lane; n < count; n += LANES) await work(n, lane);
  });
  await Promise.all(lanes);
}

describe('the work of sessions', () => {
  afterEach(cleanUp);

  it(`in ${REPOSITORIES} repositories is found, never wrong at certain, and shown byte for byte`, async function () {
    this.timeout(300_000);
    const counts = { sessions: 0, found: 0, certain: 0, wrong: [] as string[], missed: [] as string[] };
    await forEach(REPOSITORIES, async seed => {
      const world = worldOf(seed);
      const folder = temporaryFolder();
      await world.history.write(folder, world.config);
      fs.writeFileSync(path.join(folder, '.git/refs/remotes/origin/HEAD'), 'ref: refs/remotes/origin/main\n');
      const mine = new Git('git', folder);
      const worked = world.worked(folder);
      const since = Math.min(...worked.map(({ from }) => from)) - 3_600_000;
      const facts = await readRepository(mine, since);
      for (const each of worked) {
        const claim = claimOf(each.session, [facts]);
        const [truth] = each.branches;
        const told = `seed ${seed}, ${each.fate}, ${each.manner}: ${JSON.stringify(truth)} ${JSON.stringify(claim)}`;
        const { remote: at, name: called } = claim.sure === 'unknown' ? {} : claim.branch;
        const isRight = each.branches.some(branch => branch.remote === at && branch.name === called);
        if (claim.sure === 'certain') {
          counts.certain++;
          if (!isRight) counts.wrong.push(told);
        }
        if (truth !== undefined) {
          counts.sessions++;
          if (isRight) counts.found++;
          else counts.missed.push(told);
        }
        const { name, remote, tip } = each.before;
        const last = { repository: folder, remote, name, base: each.base.hash, tip: tip.hash };
        const isGone = !facts.branches.some(branch => branch.remote === remote && branch.name === name);
        if (isGone && claim.sure === 'unknown')
          assert.equal(claimOf({ ...each.session, last }, [facts]).sure, 'likely', told);
        if (seed % SHOWN > 0) continue;
        const later = await changesOf(mine, last, facts, last);
        const isLost = isGone && !each.isStacked && !/^(?:merged|squashed)AndDeleted$/.test(each.fate);
        if (isLost) assert.equal(later?.state, 'gone', told);
        const isRewritten = ['rebased', 'squashedInPlace', 'overwritten'].includes(each.fate);
        assert.equal(later?.isRewritten, isRewritten, told);
        if (truth?.remote === undefined) continue;
        const changes = (await changesOf(mine, { repository: folder, ...truth }, facts))!;
        checkState(changes, each, told);
        await checkContents(mine, world.history, changes);
      }
    });
    const { sessions, found, certain, wrong, missed } = counts;
    const share = `${((found / sessions) * 100).toFixed(1)} %`;
    process.stdout.write(
      `      ${sessions} sessions, ${share} found, ${certain} certain, ${wrong.length} of these wrong\n`,
    );
    assert.deepEqual(wrong, []);
    assert.ok(found / sessions >= 0.9, missed.join('\n'));
  });
});

function checkState(changes: Changes, { fate, base, isStacked, tip }: Worked, told: string): void {
  assert.equal(changes.tip, tip.hash, told);
  if (isStacked) return;
  const isMerged = ['merged', 'squashed', 'rebasedInto'].includes(fate);
  if (isMerged) assert.deepEqual([changes.state, changes.base], ['merged', base.hash], told);
  if (['kept', 'continued', 'rebased'].includes(fate)) assert.equal(changes.state, 'open', told);
}

/** What is shown is what differs, with both of its sides. */
async function checkContents(mine: Git, { commits }: History, changes: Changes): Promise<void> {
  const { base, tip, files, added, removed } = changes;
  const sides = [base, tip].map(commit => commits.find(({ hash }) => hash === commit)!.tree);
  const names = new Set(sides.flatMap(tree => [...tree.keys()]));
  const [before, after] = sides;
  const differing = [...names].filter(name => !isDeepStrictEqual(before!.get(name), after!.get(name)));
  const told = files.flatMap(({ path: name, oldPath = name }) => [name, oldPath]);
  assert.deepEqual(new Set(told), new Set(differing));
  for (const { path: name, oldPath = name } of files)
    for (const [commit, at, tree] of [
      [base, oldPath, before!],
      [tip, name, after!],
    ] as const)
      assert.deepEqual(await contentOf(mine, commit, at), tree.get(at)?.content ?? Buffer.alloc(0), at);
  const range = `${base}...${tip}`;
  const stat = String(await git(mine.folder, ['diff', '--shortstat', '-M50%', '-l1000', range]));
  const number = (words: string): number => Number(new RegExp(`(\\d+) ${words}`).exec(stat)?.[1] ?? 0);
  assert.deepEqual([added, removed], [number('insertion'), number('deletion')]);
}

describe('uncommitted changes', () => {
  afterEach(cleanUp);

  it(`of ${TREES} random trees come back from their patch byte for byte`, async function () {
    this.timeout(300_000);
    const [work, clean] = [1, 2].map(() => Array.from({ length: LANES }, () => temporaryFolder()));
    const history = new History();
    for (let n = 0; n < TREES; n++) history.commit(randomTree(seeded('tree', n)));
    for (const folder of work!) await history.write(folder);
    await forEach(TREES, (n, lane) => roundTrip(work![lane]!, clean![lane]!, history.commits[n]!, n));
  });
});

async function roundTrip(work: string, clean: string, base: Made, n: number): Promise<void> {
  const [random, mine] = [seeded('change', n), new Git('git', work)];
  fs.writeFileSync(path.join(work, '.git/HEAD'), `${base.hash}\n`);
  await git(work, ['read-tree', '--reset', '-u', base.hash]);
  const wanted = randomChange(random, random.chance(0.7) ? base.tree : randomTree(random));
  putFiles(work, wanted);
  const isStaged = random.chance(0.3);
  if (isStaged) await git(work, ['add', '--all']);
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
