import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Times that work on the smaller amount may take for the larger one, which is four times as large; a square would take sixteen. */
const MOST = 9;
const ROUNDS = 9;

/** Fails where work grows faster than what it is done on: by the least processor time of several runs in turn, which no other load changes. */
export async function growsEvenly(
  what: string,
  size: number,
  work: (size: number) => unknown,
): Promise<void> {
  const quickest = { small: Infinity, large: Infinity };
  const time = async (name: keyof typeof quickest, amount: number): Promise<void> => {
    const before = process.cpuUsage();
    await work(amount);
    const { user, system } = process.cpuUsage(before);
    quickest[name] = Math.min(quickest[name], (user + system) / 1000);
  };
  for (let round = 0; round < ROUNDS; round++) {
    await time('small', size / 4);
    await time('large', size);
    // The first round runs code that is not compiled yet.
    if (round >= 1 && quickest.large <= MOST * Math.max(1, quickest.small)) return;
  }
  const { small, large } = quickest;
  assert.fail(`${what}: four times as much took ${large.toFixed(2)} instead of ${small.toFixed(2)} ms`);
}

/** Leaves in memory only what somebody holds; what was let go with it goes in the second round. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
}
