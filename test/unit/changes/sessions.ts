import type { Said, SessionFacts } from '../../../src/changes/git/model';
import { seeded, type Random } from '../../../src/sample/random';
import { file, History, randomChange, randomTree, remoteAt, type Made, type Tree } from './repository';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const [ROBIN, KIM, AGENT] = [
  'Robin Vale <robin@example.com>',
  'Kim Sol <kim@example.com>',
  'Agent <agent@example.com>',
];
const URLS = { origin: 'https://git.example.com/acme/shop.git', fork: 'git@git.example.com:kim/shop.git' };
type Remote = keyof typeof URLS;
const SLUGS = ['refund', 'cart-total', 'retry', 'tax', 'search-index', 'login'];
const FATES = [
  'kept kept kept kept continued merged mergedAndDeleted forwarded squashed squashedAndDeleted rebasedInto rebased',
  'squashedInPlace renamed renamedAndContinued deleted overwritten picked pickedAndDeleted stackedAndDeleted',
  'integrated copied backedUp absorbed',
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
  return {
    ...{
      n,
      id,
      slug,
      from,
      to: from + random.int(20, 199) * MINUTE,
      fate: random.pick(FATES),
      manner,
      remote,
    },
    ...{ name, firstName: name, author: random.chance(0.4) ? AGENT : ROBIN, trailers, said: [] as Said[] },
    ...{ isTimed: random.chance(0.9), isHere: true },
    /** It shares commits with another session's branch. */
    isStacked: false,
  };
}
/** `base` and `tip`: where its branch began and ends, while it is there. */
type Working = ReturnType<typeof planned> & {
  readonly base: Made;
  tip: Made;
  readonly commits: readonly Made[];
};
export type Worked = ReturnType<ReturnType<typeof worldOf>['worked']>[number];

/** A repository with one to four sessions, by turns alone and at once, and others' work; `worked` when its hashes are known. */
export function worldOf(seed: number) {
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
    const develop = { author: KIM, at: from - HOUR, message: 'On develop' };
    const ground = plan.fate === 'absorbed' ? history.commit(main.tree, [main], develop) : main;
    const base = under?.tip ?? ground;
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
  const tell = ({ said, commits, manner, firstName: named, remote, n, to }: Working): void => {
    const say = (text: string, at: number): unknown =>
      said.push({ text, by: random.chance(0.5) ? 'agent' : undefined, at });
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
      const hint =
        'remote: Create one by visiting:\nremote:   https://git.example.com/acme/shop/pull/new/x\n';
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
    const { said, from, to, id } = session;
    const say = (by: Said['by'], text: () => string, at = random.int(from, to)): void => {
      if (random.chance(0.25)) late.push(() => said.push({ by, text: text(), at }));
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
      backedUp: () => {
        put(`copy/${n}`, tip);
        move(more());
      },
      absorbed: () => {
        put(`develop-${n}`, tip);
        remove();
      },
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

  /** With the branches of a remote that hold each session's work, none where all are gone, and as it left them. */
  const worked = (repository: string) => {
    for (const each of late) each();
    return sessions.map(working => {
      const { id, from, to, said, isTimed, remote, name, isHere, fate, commits, firstName } = working;
      const on = random.chance(0.8) ? name : 'main';
      const stopped = random.chance(0.3) ? { repository, branch: on, at: to } : undefined;
      const timed = isTimed ? said : said.map(({ text, by }) => ({ text, by }));
      const session: SessionFacts = { sessionId: id, createdAt: from, lastAt: to, stopped, said: timed };
      const isLocal = refs.has(`refs/heads/${name}`) && fate !== 'overwritten';
      const branches: readonly { readonly remote?: string; readonly name: string }[] = [
        ...(isHere ? [{ remote, name }] : []),
        ...(isLocal ? [{ name }] : []),
      ];
      return { ...working, session, branches, before: { remote, name: firstName, tip: commits.at(-1)! } };
    });
  };
  const config = remoteAt(URLS.origin) + (hasFork ? remoteAt(URLS.fork, 'fork') : '');
  return { history, config, worked };
}

const short = ({ hash }: Made): string => hash.slice(0, 7);

/** `onto` with what differs between two others. */
function overlay(onto: Tree, from: Tree, to: Tree): Tree {
  const result = new Map([...onto].filter(([name]) => !from.has(name) || to.has(name)));
  for (const [name, content] of to) if (from.get(name) !== content) result.set(name, content);
  return result;
}
