/** The longest turn of this thread while `work` ran, ms of its own CPU time, so that other programs do not count. */
export async function stall(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let running = true;
  const cpu = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let before = cpu();
  const turn = (): void => {
    const now = cpu();
    longest = Math.max(longest, now - before);
    before = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  await new Promise(resolve => setImmediate(resolve));
  running = false;
  return longest;
}
