/** Work that may be interrupted wherever it yields. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** How long the thread works before others have their turn, ms. */
const TURN_MS = 8;

/** Does the work a few milliseconds at a time. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    await new Promise(resolve => setImmediate(resolve));
    began = performance.now();
  }
}
