import type { Said, SessionFacts } from '../../../src/changes/git/model';
import { file, History, Random, randomChange, randomTree, type Made, type Tree } from './repository';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const [ROBIN, KIM] = ['Robin Vale <robin@example.com>', 'Kim Sol <kim@example.com>'];
const AGENT = 'Agent <agent@example.com>';
const URLS = { origin: 'https://git.example.com/acme/shop.git', fork: 'git@git.example.com:kim/shop.git' };
type Remote = keyof typeof URLS;
const SLUGS = ['refund', 'cart-total', 'retry', 'tax', 'search-index', 'login'];
const MAIN = 'refs/remotes/origin/main';

const FATES = [
  'kept kept kept kept continued merged mergedAndDeleted forwarded squashed squashedAndDeleted rebasedInto rebased',
  'squashedInPlace renamed renamedAndContinued deleted overwritten picked pickedAndDeleted stackedAndDeleted',
  'integrated copied backedUp absorbed',
].flatMap(line => line.split(' '));
const MANNERS = 'full full full full full full unsaid quiet quiet prose hash link none'.split(' ');

interface Working {
  readonly fate: string;
  readonly manner: string;
  /** Where its branch began and ends, while it is there. */
  readonly base: Made;
  tip: Made;
  /** It shares commits with another session's branch. */
  isStacked: boolean;
  readonly id: string;
  readonly n: number;
  readonly from: number;
  readonly to: number;
  readonly said: Said[];
  readonly isTimed: boolean;
  readonly remote: Remote;
  readonly commits: readonly Made[];
  /** Of its branch, and as its session left it. */
  name: string;
  readonly firstName: string;
  isHere: boolean;
}

export type Worked = ReturnType<World['worked']>[number];

/** A repository with one to four sessions, by turns alone and at once, and others' work; `worked` when its hashes are known. */
export class World {
  readonly history = new History();
  readonly config: string;
  readonly #random: Random;
  readonly #sessions: Working[] = [];
  readonly #late: (() => void)[] = [];
  readonly #hasFork: boolean;
  #main: Made;
  #now = 1_750_000_000_000;

  constructor(seed: number) {
    this.#random = new Random(seed);
    const random = this.#random;
    const tree = new Map([0, 1, 2, 3].flatMap(n => [...below(`s${n}`, randomTree(random))]));
    this.#main = this.history.commit(tree, [], { author: ROBIN, at: this.#now, message: 'Begin' });
    this.#advance();
    const section = (remote: Remote): string =>
      `[remote "${remote}"]\n\turl = ${URLS[remote]}\n\tfetch = +refs/heads/*:refs/remotes/${remote}/*\n`;
    this.#hasFork = this.#random.chance(0.6);
    this.config = section('origin') + (this.#hasFork ? section('fork') : '');
    this.#person(`kim/${random.of(SLUGS)}`);
    const count = random.below(4) + 1;
    for (let n = 0; n < count; n++) this.#work(n);
    for (const session of this.#sessions) this.#decoys(session);
    for (const session of this.#sessions) this.#end(session);
    this.history.refs.set(MAIN, this.#main);
  }

  /** Once the history is written: with the branches of a remote that hold its work, none where all are gone, and as its session left it. */
  worked(repository: string) {
    for (const tell of this.#late) tell();
    return this.#sessions.map(working => {
      const { id, from, to, said, isTimed, remote, name, isHere, fate, commits, firstName } = working;
      const stopped = this.#random.chance(0.3)
        ? { repository, branch: this.#random.chance(0.8) ? name : 'main', at: to }
        : undefined;
      const timed = isTimed ? said : said.map(({ text, by }) => ({ text, by }));
      const session: SessionFacts = { sessionId: id, createdAt: from, lastAt: to, stopped, said: timed };
      const isLocal = this.history.refs.has(`refs/heads/${name}`) && fate !== 'overwritten';
      const branches: readonly { readonly remote?: string; readonly name: string }[] = [
        ...(isHere ? [{ remote, name }] : []),
        ...(isLocal ? [{ name }] : []),
      ];
      return { ...working, session, branches, before: { remote, name: firstName, tip: commits.at(-1)! } };
    });
  }

  #set({ remote, name }: { remote: string; name: string }, made: Made): void {
    this.history.refs.set(`refs/remotes/${remote}/${name}`, made);
  }

  #advance(): void {
    const random = this.#random;
    for (let n = random.below(3) + 1; n > 0; n--) {
      this.#now += HOUR;
      const tree = new Map(this.#main.tree).set('main.txt', file(random.hex(9)));
      const by = { author: random.of([ROBIN, KIM]), at: this.#now, message: `Main ${random.hex(4)}` };
      this.#main = this.history.commit(tree, [this.#main], by);
    }
  }

  #person(name: string, remote: Remote = 'origin', author = KIM): Made {
    const made = this.#commit(this.#main, 3, author, this.#now + HOUR, 'Work of a person');
    this.#set({ remote, name }, made);
    return made;
  }

  #commit(parent: Made, n: number, author: string, at: number, message: string): Made {
    const isOwn = (name: string): boolean => name.startsWith(`s${n}/`);
    const own = [...parent.tree].filter(([name]) => isOwn(name));
    const before = new Map(own.map(([name, content]) => [name.slice(3), content]));
    const changed = new Map(randomChange(this.#random, before));
    changed.set(`new-${this.#random.hex(4)}`, file(`${this.#random.hex(20)}\n`));
    const others = [...parent.tree].filter(([name]) => !isOwn(name));
    const tree = new Map([...others, ...below(`s${n}`, changed)]);
    return this.history.commit(tree, [parent], { author, at, message });
  }

  #work(n: number): void {
    const random = this.#random;
    if (random.chance(0.7)) this.#advance();
    const id = `${random.hex(8)}-${random.hex(4)}-${random.hex(12)}`;
    const others = this.#sessions.filter(({ isHere }) => isHere);
    // Some begin while another still works.
    const from = this.#now + (random.chance(0.4) ? -30 : 30) * MINUTE;
    const to = from + random.below(180) * MINUTE + 20 * MINUTE;
    this.#now = Math.max(this.#now, to);
    const isStacked = others.length > 0 && random.chance(0.12);
    const under = isStacked ? random.of(others) : undefined;
    if (under !== undefined) under.isStacked = true;
    const fate = random.of(FATES);
    const develop = { author: KIM, at: from - HOUR, message: 'On develop' };
    const ground =
      fate === 'absorbed' ? this.history.commit(this.#main.tree, [this.#main], develop) : this.#main;
    const base = under?.tip ?? ground;
    const slug = `${random.of(SLUGS)}${n}`;
    const single = ['hotfix', 'test', 'docs', 'update'][n]!;
    const own = `agent/${slug}`;
    const name = random.of([own, own, `fix/issue-${n}`, single, `agent/${id}`, `feature/${slug}/part-2`]);
    const remote = random.chance(0.8) || !this.#hasFork ? 'origin' : 'fork';
    const manner = random.of(MANNERS);
    const author = random.chance(0.4) ? AGENT : ROBIN;
    const trailers = [
      ...(random.chance(0.5) || manner === 'none' ? [`Co-authored-by: ${AGENT}`] : []),
      ...(random.chance(0.25) ? [`Agent-Session: https://app.example.com/sessions/${id}`] : []),
    ];
    const commits: Made[] = [];
    const count = random.below(3) + 1;
    for (let k = 1; k <= count; k++) {
      const at = from + Math.floor(((to - from) * k) / (count + 1) / 1_000) * 1_000;
      const message = [`Step ${k} of ${slug}`, ...(trailers.length > 0 ? ['', ...trailers] : [])].join('\n');
      commits.push(this.#commit(commits.at(-1) ?? base, n, author, at, message));
    }
    const session: Working = {
      ...{ id, n, from, to, said: [], isTimed: random.chance(0.9), remote, base, name, manner },
      ...{ firstName: name, tip: commits.at(-1)!, isStacked, fate, isHere: true, commits },
    };
    this.#sessions.push(session);
    this.#set(session, session.tip);
    // A fork has a branch of that name, too: of a person, or the same.
    const other = remote === 'origin' ? 'fork' : 'origin';
    if (this.#hasFork && random.chance(0.15)) this.#person(name, other);
    else if (this.#hasFork && random.chance(0.15)) {
      const more = this.#commit(session.tip, n, KIM, to + HOUR, 'On a fork');
      this.#set({ remote: other, name }, random.of([commits[0]!, more]));
    }
    if (random.chance(0.25)) this.history.refs.set(`refs/heads/${name}`, random.of(commits));
    this.#late.push(() => this.#tell(session));
    if (manner === 'link') this.history.refs.set(`refs/pull/${n + 10}/head`, session.tip);
  }

  #tell({ said, commits, manner, firstName: named, remote, n, to }: Working): void {
    const random = this.#random;
    const say = (text: string, at: number): unknown =>
      said.push({ text, by: random.of(['agent', undefined]), at });
    const answer = (text: string, at: number): unknown =>
      say(random.chance(0.3) ? JSON.stringify({ output: text }) : text, at + random.below(60) * 1_000);
    if (manner === 'full' || manner === 'quiet')
      say(JSON.stringify({ command: `git checkout -b ${named}` }), commits[0]!.authoredAt - MINUTE);
    commits.forEach((made, k) => {
      const [subject = ''] = made.message.split('\n');
      if (manner !== 'full' && manner !== 'unsaid') return;
      say(JSON.stringify({ command: `git commit -am "${subject}" && git push` }), made.authoredAt);
      const on = random.chance(0.05) ? 'detached HEAD' : named;
      answer(`[${on} ${short(made)}] ${subject}\n 1 file changed`, made.authoredAt);
      if (manner === 'unsaid') return;
      const before = commits[k - 1];
      const moved = before ? `   ${short(before)}..${short(made)} ` : ' * [new branch]     ';
      const page = 'https://git.example.com/acme/shop/pull/new/x';
      const hints = `remote: Create a pull request by visiting:\nremote:   ${page}\n`;
      const pushed = `To ${URLS[remote]}\n${moved} ${named} -> ${named}\nbranch set up`;
      answer(`${random.chance(0.3) ? hints : ''}${pushed}`, made.authoredAt);
    });
    if (manner === 'quiet') say(`git commit -qm x && git push -q -u ${remote} HEAD:${named}`, to - MINUTE);
    if (manner === 'prose') say(`Done. The work is on the branch \`${named}\`; main is as it was.`, to);
    if (manner === 'hash') say(`Committed as ${commits.at(-1)!.hash.slice(0, 8)}.`, to);
    const owner = remote === 'origin' ? 'acme' : 'kim';
    if (manner === 'link') say(`Opened https://git.example.com/${owner}/shop/pull/${n + 10} for review`, to);
  }

  #decoys(session: Working): void {
    const random = this.#random;
    const { said, from, to, id } = session;
    const others = this.#sessions.filter(other => other !== session);
    const say = (by: Said['by'], text: () => string, at = from + random.below(to - from)): void => {
      if (random.chance(0.25)) this.#late.push(() => said.push({ by, text: text(), at }));
    };
    const refs = (): string[] => {
      const all = [...this.history.refs.keys()].filter(ref => !ref.startsWith('refs/pull/'));
      return all.map(ref => ref.replace(/^refs\/(?:heads|remotes)\//, ''));
    };
    const fetched = (ref: string): string => ` * [new branch]      ${ref.replace(/^\w+\//, '')} -> ${ref}`;
    say('me', () => 'Begin from main and keep develop as it is; fix the test, then update the docs.');
    say('agent', () => `$ git branch -a\n  ${refs().join('\n  ')}`);
    say(undefined, () => `From ${URLS.origin}\n${refs().map(fetched).join('\n')}`);
    for (const other of others) {
      const { name } = other;
      const begun = other.commits[0]!;
      const hashes = (): string =>
        other.commits.map(made => `${short(made)} ${made.message.split('\n')[0]}`).join('\n');
      const pushed = `To ${URLS[other.remote]}\n * [new branch]      ${name} -> ${name}\n`;
      const log = (): string => `[${name} ${short(begun)}] Step\n${pushed}`;
      say('me', () => `Look at branch ${name} first:\n${log()}`, Math.max(from, begun.authoredAt));
      say('agent', () => `git checkout ${name} && git log\n${hashes()}`);
      say('agent', () => `Reviewed https://git.example.com/acme/shop/pull/${other.n + 10} of ${other.id}`);
      say('agent', () => `To ${URLS.origin}\n ! [rejected]        ${name} -> ${name} (fetch first)`);
      const late = Math.max(from, other.to + HOUR);
      if (late < to) say('agent', log, late + random.below(to - late));
    }
    // A person's branch that names the session.
    if (random.chance(0.1)) this.#person(`review/${id}`);
  }

  #end(session: Working): void {
    const random = this.#random;
    const { n, remote, base, tip, fate, commits, name } = session;
    this.#now += 2 * HOUR;
    const at = this.#now;
    const put = (branch: string, made: Made): void => this.#set({ remote, name: branch }, made);
    const move = (to: Made): void => {
      session.tip = to;
      put(name, to);
    };
    const more = (): Made => this.#commit(tip, n, KIM, at, 'More by a person');
    const remove = (): void => {
      session.isHere = false;
      this.history.refs.delete(`refs/remotes/${remote}/${name}`);
      if (random.chance(0.8)) this.history.refs.delete(`refs/heads/${name}`);
    };
    const again = (onto: Made): Made =>
      commits.reduce((parent, made) => {
        const tree = overlay(parent.tree, made.parents[0]!.tree, made.tree);
        return this.history.commit(tree, [parent], { ...made, at: made.authoredAt, committedAt: at });
      }, onto);
    const into = (message: string, parents: readonly Made[] = []): void => {
      const tree = overlay(this.#main.tree, base.tree, tip.tree);
      this.#main = this.history.commit(tree, [this.#main, ...parents], { author: KIM, at, message });
    };
    const rename = (): void => {
      remove();
      this.history.refs.delete(`refs/heads/${name}`);
      session.isHere = true;
      session.name = `better/${n}-${random.hex(3)}`;
      put(session.name, session.tip);
    };
    const ends: Readonly<Record<string, () => void>> = {
      continued: () => move(more()),
      merged: () => into(`Merge pull request #${n + 10} from acme/${name}`, [tip]),
      forwarded: () => {
        if (base === this.#main) this.#main = tip;
      },
      squashed: () => into(`Squashed (#${n + 10})`),
      rebasedInto: () => (this.#main = again(this.#main)),
      rebased: () => move(again(this.#main)),
      squashedInPlace: () => move(this.history.commit(tip.tree, [base], { author: KIM, at, message: 'All' })),
      renamed: rename,
      renamedAndContinued: () => {
        session.tip = more();
        rename();
      },
      picked: () => put(`pick/${n}`, again(this.#main)),
      copied: () => put(`copy/${n}`, tip),
      backedUp: () => {
        put(`copy/${n}`, tip);
        move(more());
      },
      absorbed: () => {
        put(`develop-${n}`, tip);
        remove();
      },
      stacked: () => put(`next/${n}`, this.#commit(tip, n, AGENT, session.to - MINUTE, 'Of another session')),
      integrated: () => {
        const tree = overlay(this.#main.tree, base.tree, tip.tree);
        const old = this.#commit(this.#main, 3, KIM, session.from + MINUTE, 'On develop');
        const by = { author: KIM, at, message: 'Merge' };
        const merge = this.history.commit(overlay(tree, this.#main.tree, old.tree), [old, tip], by);
        this.#set({ remote: 'origin', name: `develop-${n}` }, merge);
        remove();
      },
      // Another session has begun under the same name, while this one still lived.
      overwritten: () => {
        move(this.#commit(this.#main, n, AGENT, session.to - MINUTE, 'Of another session'));
        this.history.refs.delete(`refs/heads/${name}`);
        session.isHere = false;
      },
    };
    ends[fate.replace(/AndDeleted$/, '')]?.();
    if (fate === 'deleted' || fate.endsWith('AndDeleted')) remove();
  }
}

const short = ({ hash }: Made): string => hash.slice(0, 7);

function below(folder: string, tree: Tree): Tree {
  return new Map([...tree].map(([file, content]) => [`${folder}/${file}`, content]));
}

/** `onto` with what differs between two others. */
function overlay(onto: Tree, from: Tree, to: Tree): Tree {
  const result = new Map([...onto].filter(([file]) => !from.has(file) || to.has(file)));
  for (const [file, content] of to) if (from.get(file) !== content) result.set(file, content);
  return result;
}
