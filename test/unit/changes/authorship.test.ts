import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { changesOf, contentOf, readRepository } from '../../../src/changes/git/branches';
import { claimOf } from '../../../src/changes/git/evidence';
import type { Changes } from '../../../src/changes/git/model';
import { cleanUp, temporaryFolder } from '../../fakes/cleanUp';
import { git, gitOf, History, type File, type Tree } from './repository';
import { World, type Worked } from './sessions';

const REPOSITORIES = 200;
const LANES = 4;

describe('the work of sessions', () => {
  afterEach(cleanUp);

  it(`in ${REPOSITORIES} repositories is found, never wrong at certain, and shown byte for byte`, async function () {
    this.timeout(300_000);
    const counts = { sessions: 0, found: 0, certain: 0, wrong: [] as string[], missed: [] as string[] };
    const one = async (seed: number): Promise<void> => {
      const world = new World(seed);
      const folder = temporaryFolder();
      await world.history.write(folder, world.config);
      const head = path.join(folder, '.git/refs/remotes/origin/HEAD');
      fs.mkdirSync(path.dirname(head), { recursive: true });
      fs.writeFileSync(head, 'ref: refs/remotes/origin/main\n');
      const mine = gitOf(folder);
      const worked = world.worked(folder);
      const since = Math.min(...worked.map(({ session }) => session.createdAt!)) - 3_600_000;
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
        const { name, remote, tip } = each.before;
        const last = { repository: folder, remote, name, base: each.base.hash, tip: tip.hash };
        const later = await changesOf(mine, last, facts, last);
        const isGone = !facts.branches.some(branch => branch.remote === remote && branch.name === name);
        const isLost = isGone && !each.isStacked && !/^(?:merged|squashed)AndDeleted$/.test(each.fate);
        if (isLost) assert.equal(later?.state, 'gone', told);
        if (isGone && claim.sure === 'unknown')
          assert.equal(claimOf({ ...each.session, last }, [facts]).sure, 'likely', told);
        const isRewritten = ['rebased', 'squashedInPlace', 'overwritten'].includes(each.fate);
        assert.equal(later?.isRewritten, isRewritten, told);
        if (truth === undefined) continue;
        counts.sessions++;
        if (isRight) counts.found++;
        else counts.missed.push(told);
        if (truth.remote === undefined) continue;
        const changes = await changesOf(mine, { repository: folder, ...truth }, facts);
        checkState(changes!, each, told);
        if (seed % 3 === 0) await checkContents(folder, changes!);
      }
    };
    const lanes = Array.from({ length: LANES }, async (_, first) => {
      for (let seed = first; seed < REPOSITORIES; seed += LANES) await one(seed);
    });
    await Promise.all(lanes);
    const { sessions, found, certain, wrong, missed } = counts;
    const share = (found / sessions) * 100;
    process.stdout.write(
      `      ${sessions} sessions, ${share.toFixed(1)} % found, ${certain} certain, ${wrong.length} of these wrong\n`,
    );
    assert.deepEqual(wrong, []);
    assert.ok(share >= 90, missed.join('\n'));
  });
});

function checkState(changes: Changes, { fate, base, isStacked, tip }: Worked, told: string): void {
  const isMerged = ['merged', 'squashed', 'rebasedInto'].includes(fate);
  assert.equal(changes.tip, tip.hash, told);
  if (isStacked) return;
  if (isMerged) assert.equal(changes.state, 'merged', told);
  if (['kept', 'continued', 'rebased'].includes(fate)) assert.equal(changes.state, 'open', told);
  if (isMerged) assert.equal(changes.base, base.hash, told);
}

/** Rebuilds both sides from what is shown: the patch between them is the one that Git itself shows. */
async function checkContents(folder: string, { base, tip, files, added, removed }: Changes): Promise<void> {
  const patch = ['diff', '--binary', '--full-index', '--no-renames'];
  const wanted = await git(folder, [...patch, `${base}...${tip}`]);
  const side = async (commit: string, names: readonly string[]): Promise<Tree> => {
    const listed = (await git(folder, ['ls-tree', '-r', '-z', commit])).toString().split('\0');
    const modes = new Map(
      listed.map(line => [line.slice(line.indexOf('\t') + 1), line.slice(0, 6) as File['mode']]),
    );
    const shown = names.map(async (name): Promise<[string, File]> => {
      const content = await contentOf(gitOf(folder), commit, name);
      return [name, { mode: modes.get(name)!, content }];
    });
    return new Map(await Promise.all(shown));
  };
  const there = files
    .filter(({ status }) => status !== 'added')
    .map(({ path: now, oldPath }) => oldPath ?? now);
  const here = files.filter(({ status }) => status !== 'deleted').map(({ path: now }) => now);
  const history = new History();
  const by = { author: 'Robin Vale <robin@example.com>', at: 1_750_000_000_000, message: '' };
  const [before, after] = [await side(base, there), await side(tip, here)];
  const commits = [before, after].map(tree => history.commit(tree, [], by));
  const rebuilt = temporaryFolder();
  await history.write(rebuilt);
  const shown = await git(rebuilt, [...patch, ...commits.map(({ hash }) => hash)]);
  assert.ok(wanted.equals(shown), `${wanted.toString()} ${shown.toString()}`);
  const stat = (await git(folder, ['diff', '--shortstat', '-M50%', '-l1000', `${base}...${tip}`])).toString();
  const number = (words: string): number => Number(new RegExp(`(\\d+) ${words}`).exec(stat)?.[1] ?? 0);
  assert.deepEqual([added, removed], [number('insertion'), number('deletion')]);
  for (const name of there.filter(old => !here.includes(old)))
    assert.equal((await contentOf(gitOf(folder), tip, name)).length, 0);
}
