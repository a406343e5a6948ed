import { isBranchName } from './run';
import type { Said } from './model';

/** How a branch is spoken of: an agent was to make or push it, called it a branch, had its name on the lips, or the person did. */
type Manner = 'made' | 'called' | 'said' | 'mine';

/** What Git has answered to a commit or a push. */
export interface Written {
  /** Of the branch; that at the remote for a push. */
  readonly name: string | undefined;
  /** Beginning of a commit's hash. */
  readonly hash: string | undefined;
  /** Address that was pushed to. */
  readonly to: string | undefined;
  readonly at: number | undefined;
}

/** Who said something, and when last. */
export interface Voice {
  readonly isMine: boolean;
  readonly at: number | undefined;
}

interface PullRequest extends Voice {
  /** Of the repository. */
  readonly address: string;
  readonly number: number;
}

/** At least as many characters of a hash are one. */
export const HASH = 7;
/** Names stand between these. */
const TOKEN = /[^\s"'`<>()[\]{},;:*?\\^~|&=$!]{2,400}/g;
const PUSHED =
  /^\s*(?:[*+] +)?(?:\[new (?:branch|reference)\]|[\da-f]{7,64}\.{2,3}([\da-f]{7,64})) +\S+ +-> +(\S+)/;
const COMMITTED = /^\s*\[(detached HEAD|\S+)(?: \(root-commit\))? ([\da-f]{7,64})\] /;
const SWITCHED = /Switched to a new branch '([^'\n]{1,250})'/g;
const CALLED = /\bbranch(?: named| called)?:? ['"`]?([^\s"'`,;:()]{2,250})/gi;
const PULL_REQUEST =
  /^(?:\/\/)?(.+?)(?:\/-)?\/(?:pull|pulls|pull-requests|pullrequest|merge_requests)\/(\d{1,9})(?:\/|$)/;
/** Longer lines are no answers of Git and no commands that name a branch. */
const LINE = 1_000;

/** What a transcript says that branches can be found by; takes time in proportion to the text. */
export class Mentions {
  readonly written: Written[] = [];
  readonly pullRequests: PullRequest[] = [];
  readonly #names = new Map<string, Partial<Record<Manner, number>>>();
  readonly #seen = new Set<string>();
  readonly #hashes = new Map<string, (Voice & { readonly hash: string })[]>();

  constructor(said: readonly Said[] = []) {
    for (const each of said) this.add(each);
  }

  add({ text, by, at }: Said): void {
    const isMine = by === 'me';
    // Output of tools is often quoted in JSON.
    const plain = text.replace(/(?:\\[rnt])+/g, '\n');
    if (!isMine) {
      this.#addWritten(plain, at);
      for (const [, name] of plain.matchAll(SWITCHED)) this.#name(name, 'made', at);
      for (const name of commanded(plain)) this.#name(name, 'made', at);
    }
    for (const [, name = ''] of plain.matchAll(CALLED))
      this.#name(bare(name), isMine ? 'mine' : 'called', at);
    for (const [token] of plain.matchAll(TOKEN)) this.#token(token, isMine, at);
  }

  /** When a branch was last spoken of so, Unix ms (0 where the time is not known); `undefined` where it was not. */
  of(name: string, manner: Manner): number | undefined {
    return this.#names.get(name)?.[manner];
  }

  ofCommit(hash: string): readonly Voice[] {
    return this.#hashes.get(hash.slice(0, HASH))?.filter(said => hash.startsWith(said.hash)) ?? [];
  }

  #addWritten(text: string, at: number | undefined): void {
    let to: string | undefined;
    for (const line of text.split(/[\n"]/)) {
      if (/^\s*To \S+\s*$/.test(line)) to = line.trim().slice('To '.length);
      else if (line.length > LINE) to = undefined;
      else {
        const [, branch, commit] = COMMITTED.exec(line) ?? [];
        const name = branch === 'detached HEAD' ? undefined : branch;
        if (commit !== undefined) this.#write({ name, hash: commit, to: undefined, at });
        const [, hash, pushed] = (to !== undefined && PUSHED.exec(line)) || [];
        if (pushed !== undefined) this.#write({ name: pushed, hash, to, at });
        else if (!/^\s*(?:[!=*+-] |remote:|$)/.test(line)) to = undefined;
      }
    }
  }

  /** Only the first time: what is read again later was answered before. */
  #write(written: Written): void {
    const { name, hash, to } = written;
    const key = [name, hash, to].join(' ');
    if (this.#seen.has(key) || (name !== undefined && !isBranchName(name))) return;
    this.#seen.add(key);
    this.written.push(written);
  }

  #token(token: string, isMine: boolean, at: number | undefined): void {
    const word = token.replace(/\.+$/, '');
    if (/^[\da-f]{7,64}$/.test(word)) {
      const key = word.slice(0, HASH);
      const known = this.#hashes.get(key) ?? [];
      if (!known.some(said => said.hash === word && said.isMine === isMine && said.at === at))
        this.#hashes.set(key, [...known.slice(-20), { hash: word, isMine, at }]);
    }
    // A single word is a name only where it is called one.
    if (!/[/_\-.\d]/.test(token)) return;
    const [, address, number] = PULL_REQUEST.exec(token) ?? [];
    if (address !== undefined) this.pullRequests.push({ address, number: Number(number), isMine, at });
    const [, below] = /^\/\/.*?\/(?:tree|commits|pull\/new|compare)\/(.+)$/.exec(token) ?? [];
    for (const part of (below ?? token).split(/\.{2,}/)) this.#name(bare(part), isMine ? 'mine' : 'said', at);
  }

  #name(name: string | undefined, manner: Manner, at = 0): void {
    if (name === undefined || !isBranchName(name)) return;
    const known = this.#names.get(name);
    if (known === undefined) this.#names.set(name, { [manner]: at });
    else known[manner] = Math.max(at, known[manner] ?? 0);
  }
}

/** Branches that commands of Git are to make or to push: `push origin fix`, `push origin HEAD:fix`, `checkout -b fix`. */
function commanded(text: string): readonly string[] {
  return text.split(/[\n;&|]+/).flatMap(command => {
    if (command.length > LINE || !command.includes('git')) return [];
    const words = command.split(/[\s"'`]+/);
    const from = words.findIndex(word => /(?:^|\/)git$/.test(word));
    const at = words.findIndex((word, n) => n > from && /^(?:push|checkout|switch|worktree)$/.test(word));
    if (from < 0 || at < 0) return [];
    const rest = words.slice(at + 1);
    if (words[at] !== 'push') return rest.filter((_, n) => /^-[bBcC]$/.test(rest[n - 1] ?? ''));
    if (rest.some(word => /^(?:-d|--delete|:.+)$/.test(word))) return [];
    const names = rest.filter(word => word !== '' && !word.startsWith('-')).slice(1);
    return names.map(name => bare(name.replace(/^(?:.*:|\+)/, '')));
  });
}

/** Without what surrounds a name. */
function bare(name: string): string {
  return name.replace(/^(?:refs\/)?(?:heads|remotes)\//, '').replace(/[./]+$/, '');
}
