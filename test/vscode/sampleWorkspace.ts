import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { SHOP } from '../../src/sample/repository';

/** Puts the files of the sample repository, a small shop, into `folder`. The test there that sleeps is what its sessions are about. */
export function copyShop(folder: string): void {
  for (const [name, content] of SHOP) {
    fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), content);
  }
}

/** What was checked out in the sample workspace when, the oldest first: its readiness reports name these commits. */
export function sampleCommits(folder: string): { readonly hash: string; readonly at: number }[] {
  const log = execFileSync('git', ['log', '--reverse', '--format=%H %ct'], { cwd: folder, encoding: 'utf8' });
  const lines = log.trim().split('\n');
  return lines.map(line => ({ hash: line.slice(0, 40), at: Number(line.slice(41)) * 1000 }));
}
