import { execFileSync } from 'node:child_process';
import { changesOf, readRepository } from '../../src/changes/git/branches';
import { claimOf } from '../../src/changes/git/evidence';
import { Git } from '../../src/changes/git/run';
import { Mentions } from '../../src/changes/git/mentions';
import type { Said } from '../../src/changes/git/model';
import { temporaryFolder } from '../vscode/paths';
import { atMost, median, ms, stall, timed, type Row } from './rows';

const [FILES, COMMITS, BRANCHES, BEHIND] = [50_000, 20_000, 300, 1_000];
const BEGUN = 1_700_000_000;
const BRANCH = 'agent/150';

/** Which branch holds a session's work and what it changes, in a large repository with a long transcript. */
export async function changesRows(): Promise<Row[]> {
  const folder = temporaryFolder('changes');
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', folder]);
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, input: history() });
  const git = new Git('git', folder);
  const hash = execFileSync('git', ['rev-parse', `refs/remotes/origin/${BRANCH}`], {
    cwd: folder,
  });
  const createdAt = (BEGUN + (COMMITS - BEHIND) * 60) * 1_000;
  const said = Array.from({ length: 2_000 }, (_, n): Said => ({
    by: 'agent',
    at: createdAt + n,
    text: `${'Read src/part/file.ts and changed a line in it. '.repeat(10)}\n[${BRANCH} ${hash.toString().slice(0, 7)}] Step\n`,
  }));
  const session = { sessionId: 'a-session', createdAt, lastAt: createdAt + 3_600_000 };
  const mentions = new Mentions(said);
  const summary = async (): Promise<void> => {
    const facts = await readRepository(git, createdAt - 86_400_000);
    const claim = claimOf(session, [facts], mentions);
    if (claim.sure !== 'certain') throw new Error(`It is ${claim.sure}.`);
    const changes = await changesOf(git, claim.branch, facts);
    if (changes?.files.length !== 3) throw new Error(`${changes?.files.length ?? 0} files were found`);
  };
  const times: number[] = [];
  const { longest } = await stall(async () => {
    for (let round = 0; round < 9; round++) times.push(await timed(summary));
  });
  const what = `${FILES} files, ${COMMITS} commits, ${BRANCHES} branches ${BEHIND} behind`;
  return [
    atMost(`${what}: what a session's branch changes`, median(times), 300, ms),
    atMost(`${what}: longest stall of the host`, longest, 50, ms),
  ];
}

/** For `git fast-import`: each commit changes a file, each branch has three. */
function history(): string {
  const file = (n: number): string => `part${n % 200}/folder${n % 1_000}/file${n}.ts`;
  let mark = 0;
  const commit = (ref: string, n: number, from: string, changes: string): string => {
    mark++;
    return `commit ${ref}\nmark :${mark}\ncommitter A <a@example.com> ${BEGUN + n * 60} +0000\ndata 1\nx\n${from}${changes}`;
  };
  const change = (n: number, text: string): string =>
    `M 100644 inline ${file(n)}\ndata ${text.length}\n${text}\n`;
  const all = Array.from({ length: FILES }, (_, n) => change(n, `file ${n}\n`)).join('');
  const main = Array.from({ length: COMMITS }, (_, n) =>
    commit('refs/remotes/origin/main', n, '', n === 0 ? all : change((n * 7) % FILES, `file ${n} changed\n`)),
  );
  const branches = Array.from({ length: BRANCHES }, (_, b) =>
    [0, 1, 2].map(k => {
      const ref = `refs/remotes/origin/agent/${b}`;
      const from = k === 0 ? `from :${COMMITS - BEHIND - (b % 50)}\n` : '';
      return commit(ref, COMMITS - BEHIND + k, from, change(b * 3 + k, `changed by ${b} ${k}\n`));
    }),
  );
  return [...main, ...branches.flat()].join('');
}
