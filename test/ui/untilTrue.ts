import { errors, type Frame, type Page } from 'playwright-core';
import { patience } from '../until';

/** Whether playwright has waited in vain. */
export function isTimeout(error: unknown): boolean {
  return error instanceof errors.TimeoutError;
}

/**
 * Waits until an expression is true, once it is settled where it is a promise. It is asked from outside each time: a page under our
 * policy evaluates no text by itself.
 */
export async function untilTrue(where: Page | Frame, expression: string): Promise<void> {
  const began = performance.now();
  while (!(await where.evaluate<boolean>(`Promise.resolve(${expression}).then(Boolean)`))) {
    if (performance.now() - began > patience())
      throw new errors.TimeoutError(`It did not come true: ${expression}`);
    await where.evaluate('new Promise(requestAnimationFrame)');
  }
}
