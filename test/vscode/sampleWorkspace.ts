import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ORDERS_PNG } from '../../src/sample/stories';
import { root } from './paths';

/** Of the sample repository; the sample service has readiness reports for it. */
export const sampleRemote = 'https://git.example.com/acme/shop.git';

const CHECKOUT = 'services/checkout/';
const HISTORY: readonly (readonly [date: string, message: string, ...paths: string[]])[] = [
  [
    '2026-01-12',
    'Storefront with a cart page',
    '.gitignore',
    'package.json',
    'README.md',
    'apps',
    'packages',
  ],
  ['2026-02-03', 'Checkout service: cart and tax', CHECKOUT + 'package.json', CHECKOUT + 'src/[ct]a*'],
  ['2026-04-14', 'Total of a cart', CHECKOUT + 'src/total.ts'],
  ['2026-06-09', 'Test of the total', CHECKOUT],
  ['2026-08-05', 'Orders of the last year', 'docs/orders.*'],
  ['2026-10-20', 'How checkout works', '.'],
];

/** Makes the sample workspace in `folder`, a git repository with some months of history; one that is there is left as it is. */
export function makeSampleWorkspace(folder: string): void {
  if (fs.existsSync(path.join(folder, '.git'))) return;
  copyShop(folder);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'remote', 'add', 'origin', sampleRemote);
  for (const [date, message, ...paths] of HISTORY) {
    git(folder, 'add', ...paths);
    commit(folder, message, `${date}T09:30:00Z`);
  }
}

/** Puts the files of the sample repository, a small shop, into `folder`. The test there that sleeps is what its sessions are about. */
export function copyShop(folder: string): void {
  fs.cpSync(path.join(root, 'test/vscode/shop'), folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'docs', 'orders.png'), Buffer.from(ORDERS_PNG, 'base64'));
}

/** What was checked out in the sample workspace when, the oldest first: its readiness reports name these commits. */
export function sampleCommits(folder: string): { readonly hash: string; readonly at: number }[] {
  const result = spawnSync('git', ['log', '--reverse', '--format=%H %ct'], { cwd: folder, encoding: 'utf8' });
  if (result.status !== 0) return [];
  return [...result.stdout.matchAll(/^(\w+) (\d+)$/gm)].map(([, hash = '', seconds]) => ({
    hash,
    at: Number(seconds) * 1000,
  }));
}

function commit(folder: string, message: string, date: string): void {
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const person = ['user.name=Robin Vale', 'user.email=robin@example.com', 'commit.gpgsign=false'];
  const args = person.flatMap(setting => ['-c', setting]);
  run(folder, [...args, 'commit', '--quiet', '--no-verify', '--message', message], env);
}

function git(folder: string, ...args: readonly string[]): void {
  run(folder, args, process.env);
}

function run(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
  const result = spawnSync('git', args, { cwd: folder, env, encoding: 'utf8' });
  if (result.status !== 0) {
    throw new Error(`git ${args.join(' ')} failed: ${result.error?.message ?? result.stderr}`);
  }
}
