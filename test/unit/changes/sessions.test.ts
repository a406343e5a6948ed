import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { changesOf, contentOf, readRepository } from '../../../src/changes/git/branches';
import { claimOf } from '../../../src/changes/git/evidence';
import { Mentions } from '../../../src/changes/git/mentions';
import type { Changes, Said, SessionFacts } from '../../../src/changes/git/model';
import { Git } from '../../../src/changes/git/run';
import { seeded, type Random } from '../../../src/sample/random';
import { temporaryFolder } from '../../fakes/cleanUp';
import { file, forEach, git, History, randomChange, randomTree } from './repository';
import { remoteAt, type Made, type Tree } from './repository';

const REPOSITORIES = 200;
/** Git is asked for what is shown in each so many-th repository, in all where `AGENT_CONSOLE_TEST_SEED` says that more is looked for. */
const SHOWN = process.env['AGENT_CONSOLE_TEST_SEED'] === undefined ? 5 : 1;
const [MINUTE, HOUR] = [60_000, 3_600_000];
const [ROBIN, KIM, AGENT] = ['Robin <r@example.com>', 'Kim <k@example.com>', 'Agent <agent@example.com>'];
const URLS = { origin: 'https://git.example.com/acme/shop.git', fork: 'git@git.example.com:kim/shop.git' };
type Remote = keyof typeof URLS;
const SLUGS = ['refund', 'cart-total', 'retry', 'tax', 'search-index', 'login'];
const FATES = [
  'kept kept kept kept continued merged mergedAndDeleted forwarded squashed squashedAndDeleted rebasedInto rebased',
  'squashedInPlace renamed renamedAndContinued deleted overwritten picked pickedAndDeleted stackedAndDeleted',
  'integrated copied',
].flatMap(line => line.split(' '));
const MANNERS = 'full full full full full full unsaid quiet quiet prose hash link none'.split(' ');

/** What a session is about to do, what becomes of its branch, and how it tells of that. */
function planned(random: Random, n: number, now: number, hasFork: boolean) {
  const [id, slug] = [random.uuid(), `${random.pick(SLUGS)}${n}`];
  // Some begin while another still works.
  const from = now + (random.chance(0.4) ? -30 : 30) * MINUTE;
  const single = ['hotfix', 'test', 'docs', 'update'][n]!;
  const names = [`agent/${slug}`, `fix/issue-${n}`, single, `agent/${id}`, `feature/${slug}/part-2`];
  const name = random.pick([`agent/${slug}`, ...names]);
  const manner = random.pick(MANNERS);
  const remote: Remote = random.chance(0.8) || !hasFork ? 'origin' : 'fork';
  const trailers = [
    ...(random.chance(0.5) || manner === 'none' ? [`Co-authored-by: ${AGENT}`] : []),
    ...(random.chance(0.25) ? [`Agent-Session: https://app.example.com/sessions/${id}`] : []),
  ];
  const [to, fate] = [from + random.int(20, 199) * MINUTE, random.pick(FATES)];
  const author = random.chance(0.4) ? AGENT : ROBIN;
  const said: Said[] = [];
  const say = (text: string, by: Said['by'], at: number): unknown =>
    said.push({ text, by, at: isTimed ? at : undefined });
  const isTimed = random.chance(0.9);
  // Whether it shares commits with another session's branch, and whether its own is still there.
  const [isStacked, isHere] = [false, true];
  return {
    ...{ n, id, slug, from, to, fate, manner, remote, author, trailers, said, say },
    ...{ name, firstName: name, isStacked, isHere },
  };
}
/** `base` and `tip`: where its branch began and ends, while it is there. */
type Working = ReturnType<typeof planned> & { base: Made; tip: Made; commits: readonly Made[] };

/** A repository with one to four sessions, by turns alone and at once, and others' work. */
async function worldOf(seed: number, folder: string) {
  const random = seeded('world', seed);
  const history = new History();
  const { refs } = history;
  const sessions: Working[] = [];
  const late: (() => unknown)[] = [];
  const hasFork = random.chance(0.6);
  let now = 1_750_000_000_000;
  const begun = [0, 1, 2, 3].reduce<Tree>((tree, n) => randomTree(random, `s${n}/`, tree), new Map());
  let main = history.commit(begun, [], { author: ROBIN, at: now });

  const advance = (): void => {
    for (let n = random.int(1, 3); n > 0; n--) {
      now += HOUR;
      const tree = new Map(main.tree).set('main.txt', file(random.hex(9)));
      const message = `Main ${random.hex(4)}`;
      main = history.commit(tree, [main], { author: random.pick([ROBIN, KIM]), at: now, message });
    }
  };
  const commit = (parent: Made, n: number, author: string, at: number, message: string): Made => {
    const tree = new Map(randomChange(random, parent.tree, `s${n}/`));
    tree.set(`s${n}/new-${random.hex(4)}`, file(`${random.hex(20)}\n`));
    return history.commit(tree, [parent], { author, at, message });
  };
  const person = (name: string, remote?: Remote): unknown =>
    history.put(name, commit(main, 3, KIM, now + HOUR, 'Work of a person'), remote);

  const work = (n: number): void => {
    if (random.chance(0.7)) advance();
    const plan = planned(random, n, now, hasFork);
    const { from, to, slug, name, remote, manner, author, trailers } = plan;
    now = Math.max(now, to);
    const others = sessions.filter(({ isHere }) => isHere);
    const under = others.length > 0 && random.chance(0.12) ? random.pick(others) : undefined;
    if (under !== undefined) under.isStacked = true;
    const base = under?.tip ?? main;
    const commits: Made[] = [];
    const count = random.int(1, 3);
    for (let k = 1; k <= count; k++) {
      const at = from + Math.floor(((to - from) * k) / (count + 1) / 1_000) * 1_000;
      const message = [`Step ${k} of ${slug}`, '', ...trailers].join('\n').trim();
      commits.push(commit(commits.at(-1) ?? base, n, author, at, message));
    }
    const tip = commits.at(-1)!;
    const session: Working = { ...plan, isStacked: under !== undefined, base, tip, commits };
    sessions.push(session);
    history.put(name, tip, remote);
    // A fork has a branch of that name, too: of a person, or the same.
    const other = remote === 'origin' ? 'fork' : 'origin';
    if (hasFork && random.chance(0.15)) person(name, other);
    else if (hasFork && random.chance(0.15))
      history.put(name, random.pick([commits[0]!, commit(tip, n, KIM, to + HOUR, 'On a fork')]), other);
    if (random.chance(0.25)) refs.set(`refs/heads/${name}`, random.pick(commits));
    late.push(() => tell(session));
    if (manner === 'link') refs.set(`refs/pull/${n + 10}/head`, tip);
  };

  /** What the session's own work leaves in its transcript. */
  const tell = ({ say: write, commits, manner, firstName: named, remote, n, to }: Working): void => {
    const say = (text: string, at: number): unknown =>
      write(text, random.chance(0.5) ? 'agent' : undefined, at);
    const answer = (text: string, at: number): unknown =>
      say(random.chance(0.3) ? JSON.stringify({ output: text }) : text, at + random.int(0, 59) * 1_000);
    if (manner === 'full' || manner === 'quiet')
      say(JSON.stringify({ command: `git checkout -b ${named}` }), commits[0]!.at - MINUTE);
    for (const [k, made] of (manner === 'full' || manner === 'unsaid' ? commits : []).entries()) {
      const [subject = ''] = made.message.split('\n');
      say(JSON.stringify({ command: `git commit -am "${subject}" && git push` }), made.at);
      const on = random.chance(0.05) ? 'detached HEAD' : named;
      answer(`[${on} ${short(made)}] ${subject}\n 1 file changed`, made.at);
      if (manner === 'unsaid') continue;
      const before = commits[k - 1];
      const moved = before ? `   ${short(before)}..${short(made)} ` : ' * [new branch]     ';
      const hint = 'remote: Visit:\nremote:   https://git.example.com/acme/shop/pull/new/x\n';
      const pushed = `To ${URLS[remote]}\n${moved} ${named} -> ${named}\nbranch set up`;
      answer(`${random.chance(0.3) ? hint : ''}${pushed}`, made.at);
    }
    const words: Readonly<Record<string, string>> = {
      quiet: `git commit -qm x && git push -q -u ${remote} HEAD:${named}`,
      prose: `Done. The work is on the branch \`${named}\`; main is as it was.`,
      hash: `Committed as ${commits.at(-1)!.hash.slice(0, 8)}.`,
      link: `Opened https://git.example.com/${remote === 'origin' ? 'acme' : 'kim'}/shop/pull/${n + 10} for review`,
    };
    if (words[manner] !== undefined) say(words[manner], manner === 'quiet' ? to - MINUTE : to);
  };

  /** What else is in its transcript: all branches, and the work of others. */
  const decoys = (session: Working): void => {
    const { from, to, id } = session;
    const say = (by: Said['by'], text: () => string, at = random.int(from, to)): void => {
      if (random.chance(0.25)) late.push(() => session.say(text(), by, at));
    };
    const names = (): string[] =>
      [...refs.keys()].flatMap(ref => /^refs\/(?:heads|remotes)\/(.*)/.exec(ref)?.[1] ?? []);
    const fetched = (name: string): string => ` * [new branch]      ${name.replace(/^\w+\//, '')} -> ${name}`;
    say('me', () => 'Begin from main and keep develop as it is; fix the test, then update the docs.');
    say('agent', () => `$ git branch -a\n  ${names().join('\n  ')}`);
    say(undefined, () => `From ${URLS.origin}\n${names().map(fetched).join('\n')}`);
    for (const other of sessions.filter(each => each !== session)) {
      const { name, commits } = other;
      const begun = commits[0]!;
      const logged = (): string =>
        commits.map(made => `${short(made)} ${made.message.split('\n')[0]}`).join('\n');
      const pushed = `To ${URLS[other.remote]}\n * [new branch]      ${name} -> ${name}\n`;
      const answered = (): string => `[${name} ${short(begun)}] Step\n${pushed}`;
      say('me', () => `Look at branch ${name} first:\n${answered()}`, Math.max(from, begun.at));
      say('agent', () => `git checkout ${name} && git log\n${logged()}`);
      say('agent', () => `Reviewed https://git.example.com/acme/shop/pull/${other.n + 10} of ${other.id}`);
      say('agent', () => `To ${URLS.origin}\n ! [rejected]        ${name} -> ${name} (fetch first)`);
      const after = Math.max(from, other.to + HOUR);
      if (after < to) say('agent', answered, random.int(after, to));
    }
    // A person's branch that names the session.
    if (random.chance(0.1)) person(`review/${id}`);
  };

  /** What becomes of its branch. */
  const end = (session: Working): void => {
    const { n, remote, base, tip, fate, commits, name } = session;
    const at = (now += 2 * HOUR);
    const put = (branch: string, made: Made): unknown => history.put(branch, made, remote);
    const move = (to: Made): unknown => put(name, (session.tip = to));
    const more = (): Made => commit(tip, n, KIM, at, 'More by a person');
    const another = (parent: Made): Made =>
      commit(parent, n, AGENT, session.to - MINUTE, 'Of another session');
    const remove = (always = false): void => {
      session.isHere = false;
      refs.delete(`refs/remotes/${remote}/${name}`);
      if (always || random.chance(0.8)) refs.delete(`refs/heads/${name}`);
    };
    const again = (onto: Made): Made =>
      commits.reduce((parent, made) => {
        const tree = overlay(parent.tree, made.parents[0]!.tree, made.tree);
        return history.commit(tree, [parent], { ...made, committedAt: at });
      }, onto);
    const into = (message: string, parents: readonly Made[] = []): unknown =>
      (main = history.commit(overlay(main.tree, base.tree, tip.tree), [main, ...parents], {
        author: KIM,
        at,
        message,
      }));
    const rename = (made: Made): void => {
      remove(true);
      session.name = `better/${n}-${random.hex(3)}`;
      session.isHere = true;
      put(session.name, (session.tip = made));
    };
    const ends: Readonly<Record<string, () => unknown>> = {
      continued: () => move(more()),
      merged: () => into(`Merge pull request #${n + 10} from acme/${name}`, [tip]),
      forwarded: () => (main = base === main ? tip : main),
      squashed: () => into(`Squashed (#${n + 10})`),
      rebasedInto: () => (main = again(main)),
      rebased: () => move(again(main)),
      squashedInPlace: () => move(history.commit(tip.tree, [base], { author: KIM, at, message: 'All' })),
      renamed: () => rename(tip),
      renamedAndContinued: () => rename(more()),
      picked: () => put(`pick/${n}`, again(main)),
      copied: () => put(`copy/${n}`, tip),
      stacked: () => put(`next/${n}`, another(tip)),
      integrated: () => {
        const old = commit(main, 3, KIM, session.from + MINUTE, 'On develop');
        const tree = overlay(overlay(main.tree, base.tree, tip.tree), main.tree, old.tree);
        history.put(`develop-${n}`, history.commit(tree, [old, tip], { author: KIM, at, message: 'Merge' }));
        remove();
      },
      // Another session has begun under the same name, while this one still lived.
      overwritten: () => {
        remove(true);
        move(another(main));
      },
    };
    ends[fate.replace(/AndDeleted$/, '')]?.();
    if (/deleted$/i.test(fate)) remove();
  };

  advance();
  person(`kim/${random.pick(SLUGS)}`);
  for (let n = 0, count = random.int(1, 4); n < count; n++) work(n);
  sessions.forEach(decoys);
  sessions.forEach(end);
  history.put('main', main);

  await history.write(folder, remoteAt(URLS.origin) + (hasFork ? remoteAt(URLS.fork, 'fork') : ''));
  // What speaks of commits can be written now.
  for (const each of late) each();
  const worked = sessions.map(working => {
    const { id, from, to, remote, name, isHere, fate } = working;
    const branch = random.chance(0.8) ? name : 'main';
    const stopped = random.chance(0.3) ? { repository: folder, branch, at: to } : undefined;
    const session: SessionFacts = { sessionId: id, createdAt: from, lastAt: to, stopped };
    const isLocal = refs.has(`refs/heads/${name}`) && fate !== 'overwritten';
    /** Those that hold its work, that of the remote first. */
    const branches = [
      ...(isHere ? [{ remote, name }] : []),
      ...(isLocal ? [{ remote: undefined, name }] : []),
    ];
    return { ...working, session, branches };
  });
  return { commits: history.commits, worked };
}

const short = ({ hash }: Made): string => hash.slice(0, 7);

/** `onto` with what differs between two others. */
function overlay(onto: Tree, from: Tree, to: Tree): Tree {
  const result = new Map([...onto].filter(([name]) => !from.has(name) || to.has(name)));
  for (const [name, content] of to) if (from.get(name) !== content) result.set(name, content);
  return result;
}

describe('the work of sessions', () => {
  it(`in ${REPOSITORIES} repositories is found, never wrong at certain, and shown byte for byte`, async () => {
    const counts = { sessions: 0, found: 0, certain: 0 };
    const [wrong, missed]: [string[], string[]] = [[], []];
    await forEach(REPOSITORIES, async seed => {
      const folder = temporaryFolder();
      const { commits, worked } = await worldOf(seed, folder);
      fs.writeFileSync(path.join(folder, '.git/refs/remotes/origin/HEAD'), 'ref: refs/remotes/origin/main\n');
      const mine = new Git('git', folder);
      const facts = await readRepository(mine, Math.min(...worked.map(({ from }) => from)) - HOUR);
      for (const each of worked) {
        const mentions = new Mentions(each.said);
        const claim = claimOf(each.session, [facts], mentions);
        const [truth] = each.branches;
        const told = `seed ${seed}, ${each.fate}, ${each.manner}: ${JSON.stringify(truth)} ${JSON.stringify(claim)}`;
        const { remote: at, name: called } = claim.sure === 'unknown' ? {} : claim.branch;
        const isRight = each.branches.some(branch => branch.remote === at && branch.name === called);
        if (claim.sure === 'certain') {
          counts.certain++;
          if (!isRight) wrong.push(told);
        }
        if (truth !== undefined) {
          counts.sessions++;
          if (isRight) counts.found++;
          else missed.push(told);
        }
        const { remote, firstName: name } = each;
        const tip = each.commits.at(-1)!.hash;
        const last = { repository: folder, remote, name, base: each.base.hash, tip };
        const isGone = !facts.branches.some(branch => branch.remote === remote && branch.name === name);
        if (isGone && claim.sure === 'unknown')
          assert.equal(claimOf({ ...each.session, last }, [facts], mentions).sure, 'likely', told);
        if (seed % SHOWN > 0) continue;
        const later = await changesOf(mine, last, facts, last);
        const isLost = isGone && !each.isStacked && !/^(?:merged|squashed)AndDeleted$/.test(each.fate);
        if (isLost) assert.equal(later?.state, 'gone', told);
        const isRewritten = ['rebased', 'squashedInPlace', 'overwritten'].includes(each.fate);
        assert.equal(later?.isRewritten, isRewritten, told);
        if (truth?.remote === undefined) continue;
        const changes = (await changesOf(mine, { repository: folder, ...truth }, facts))!;
        assert.equal(changes.tip, each.tip.hash, told);
        const { state, base } = changes;
        if (!each.isStacked && ['merged', 'squashed', 'rebasedInto'].includes(each.fate))
          assert.deepEqual([state, base], ['merged', each.base.hash], told);
        if (!each.isStacked && ['kept', 'continued', 'rebased'].includes(each.fate))
          assert.equal(state, 'open', told);
        await checkContents(mine, commits, changes);
      }
    });
    const { sessions, found, certain } = counts;
    const share = `${((found / sessions) * 100).toFixed(1)} % found`;
    const figures = `${sessions} sessions, ${share}, ${certain} certain, ${wrong.length} of these wrong`;
    process.stdout.write(`      ${figures}\n`);
    assert.deepEqual(wrong, []);
    assert.ok(found / sessions >= 0.9, missed.join('\n'));
  });
});

/** What is shown is what differs, with both of its sides. */
async function checkContents(mine: Git, commits: readonly Made[], changes: Changes): Promise<void> {
  const { base, tip, files } = changes;
  const treeOf = (commit: string): Tree => commits.find(({ hash }) => hash === commit)!.tree;
  const [before, after] = [treeOf(base), treeOf(tip)];
  const names = [...before.keys(), ...after.keys()];
  const differing = names.filter(name => !isDeepStrictEqual(before.get(name), after.get(name)));
  const told = files.flatMap(({ path: name, oldPath = name }) => [name, oldPath]);
  assert.deepEqual(new Set(told), new Set(differing));
  for (const { path: name, oldPath = name } of files)
    for (const [commit, at, tree] of [
      [base, oldPath, before],
      [tip, name, after],
    ] as const)
      assert.deepEqual(await contentOf(mine, commit, at), tree.get(at)?.content ?? Buffer.alloc(0), at);
  const range = `${base}...${tip}`;
  const stat = String(await git(mine.folder, ['diff', '--shortstat', '-M50%', '-l1000', range]));
  const number = (words: string): number => Number(new RegExp(`(\\d+) ${words}`).exec(stat)?.[1] ?? 0);
  const sum = (side: 'added' | 'removed') => files.reduce((all, each) => all + (each[side] ?? 0), 0);
  assert.deepEqual([sum('added'), sum('removed')], [number('insertion'), number('deletion')]);
}
