import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { devNull } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import text from './shop.txt';
import { idOf, ORDERS_PNG, STORIES } from './sessions';

/** Where the shop is said to be; the sample has readiness reports of it. Nothing is ever sent there. */
export const SHOP_REMOTE = 'https://git.example.com/acme/shop.git';

/** By name: what happened, and files; `path@version` is one as it was on the way. */
const SECTIONS = new Map<string, string | Buffer>(
  text
    .split(/^== /m)
    .slice(1)
    .map(section => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n') + 1)]),
);
const HISTORY = String(SECTIONS.get('history')).trim().split('\n');
SECTIONS.delete('history');
SECTIONS.set('docs/orders.png', Buffer.from(ORDERS_PNG, 'base64'));

/** The files of the shop, by path. What its sessions speak of is as they say. */
export const SHOP: ReadonlyMap<string, string | Buffer> = new Map(
  [...SECTIONS].filter(([name]) => !name.includes('@')),
);

/** Below `.git`: what agents have pushed to, a bare clone. */
const PUSHED = 'pushed.git';

/**
 * Makes the repository that the sample's sessions are about in `folder`, with a bare clone to which their agents have pushed, and
 * which is fetched in place of the remote. What is there is left as it is. `git` is the program, `now` (Unix ms) when the sample was
 * first used. Rejects when Git fails.
 */
export async function makeSampleRepository(folder: string, git: string, now: number): Promise<void> {
  if (await exists(path.join(folder, '.git'))) return;
  await fs.mkdir(path.dirname(folder), { recursive: true });
  // Made beside it and moved: nobody finds half of it.
  const made = await fs.mkdtemp(path.join(path.dirname(folder), '.shop-'));
  try {
    const work = path.join(made, 'shop');
    const pushed = path.join(work, '.git', PUSHED);
    const init = ['init', '--quiet', '--template=', '--initial-branch=main'];
    await run(git, made, [...init, work]);
    await run(git, made, [...init, '--bare', pushed]);
    await run(git, pushed, ['fast-import', '--quiet'], stream(now));
    await fs.appendFile(
      path.join(work, '.git', 'config'),
      `[remote "origin"]\n\turl = ${SHOP_REMOTE}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n` +
        `[url "${pathToFileURL(path.join(folder, '.git', PUSHED)).href}"]\n\tinsteadOf = ${SHOP_REMOTE}\n`,
    );
    await run(git, work, ['fetch', '--quiet', pushed, '+refs/heads/*:refs/remotes/origin/*']);
    await run(git, work, ['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main']);
    await run(git, work, ['checkout', '--quiet', '-B', 'main', '--track', 'origin/main']);
    // An empty folder gives way; another window may have been faster.
    if (await exists(folder)) await fs.rmdir(folder);
    await fs.rename(work, folder);
  } catch (error) {
    if (!(await exists(path.join(folder, '.git')))) throw error;
  } finally {
    await fs.rm(made, { recursive: true, force: true });
  }
}

const AGENT = 'Co-authored-by: Agent <agent@example.com>';

/**
 * The history as `git fast-import` reads it: `branch | when | message | begins at or merges | files`, where
 * `when` is a day, or so many minutes after a session has begun. Branches `agent/…` bear its id.
 */
function stream(now: number): Buffer {
  const tips = new Map<string, number>();
  const parts = HISTORY.flatMap((line, index) => {
    const [branch = '', when = '', message = '', from = '', files = ''] = line.split(/ ?\| /);
    const [, minutes, title = ''] = /^([\d.]+) (.+)$/.exec(when) ?? [];
    const begun = STORIES.find(each => each.title === title)?.minutesAgo ?? 0;
    const seconds =
      minutes === undefined
        ? Date.parse(`${when}T09:30:00Z`) / 1000
        : Math.floor(now / 1000 - (begun - Number(minutes)) * 60);
    const trailers = branch.startsWith('agent/')
      ? `\n\nAgent-Session: ${idOf({ title })}\n${AGENT}`
      : `\n\n${AGENT}`;
    const parents = [tips.get(branch), tips.get(from)].filter(mark => mark !== undefined);
    tips.set(branch, index + 1);
    return [
      `commit refs/heads/${branch}\nmark :${index + 1}\n`,
      ...['author', 'committer'].map(who => `${who} Robin Vale <robin@example.com> ${seconds} +0000\n`),
      ...data(branch === 'main' ? message : message + trailers),
      ...parents.map((mark, at) => `${at === 0 ? 'from' : 'merge'} :${mark}\n`),
      ...files
        .split(' ')
        .flatMap(name => [`M 100644 inline ${name.split('@')[0]}\n`, ...data(SECTIONS.get(name) ?? '')]),
    ];
  });
  return Buffer.concat(parts.map(part => Buffer.from(part)));
}

const data = (content: string | Buffer): (string | Buffer)[] => [
  `data ${Buffer.byteLength(content)}\n`,
  content,
  '\n',
];

const exists = (place: string): Promise<boolean> =>
  fs.access(place).then(
    () => true,
    () => false,
  );

/** Nothing of the person's or the machine's settings counts, and no hook runs. */
function run(git: string, cwd: string, args: readonly string[], input?: Buffer): Promise<void> {
  const own = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name));
  const settings = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const env = { ...Object.fromEntries(own), ...settings };
  return new Promise((resolve, reject) => {
    const all = ['-c', `core.hooksPath=${devNull}`, '-c', 'protocol.file.allow=always', ...args];
    const child = execFile(git, all, { cwd, env, windowsHide: true }, (error, _, said) => {
      if (error === null) resolve();
      else reject(new Error(said.trim() || error.message, { cause: error }));
    });
    child.stdin?.end(input);
  });
}
