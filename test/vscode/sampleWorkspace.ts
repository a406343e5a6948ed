import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ORDERS_PNG } from '../../src/sample/stories';
import { root } from './paths';
import { textPdf } from './sampleMedia';

/** Of the sample repository; the sample service has readiness reports for it. */
export const sampleRemote = 'https://git.example.com/acme/shop.git';

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
  [
    '2026-02-03',
    'Checkout service: cart and tax',
    'services/checkout/package.json',
    'services/checkout/src/[ct]a*',
  ],
  ['2026-04-14', 'Total of a cart', 'services/checkout/src/total.ts'],
  ['2026-06-09', 'Test of the total', 'services/checkout'],
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

/** Puts the files of the sample repository, a small shop, into `folder`. */
export function copyShop(folder: string): void {
  fs.cpSync(path.join(root, 'test/vscode/shop'), folder, { recursive: true });
  const docs = path.join(folder, 'docs');
  fs.writeFileSync(path.join(docs, 'orders.png'), Buffer.from(ORDERS_PNG, 'base64'));
  const lines = [
    'Checkout, as it is meant to work',
    '',
    '1. The cart is priced when it is opened and again when it is paid.',
    '2. Tax is rounded once, on the whole cart.',
    '3. A price that changed in between is shown before anything is charged.',
  ];
  fs.writeFileSync(path.join(docs, 'checkout.pdf'), textPdf(lines));
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
  const person = [
    '-c',
    'user.name=Robin Vale',
    '-c',
    'user.email=robin@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  run(folder, [...person, 'commit', '--quiet', '--no-verify', '--message', message], env);
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
