import type { StoredMessage } from './messages';

/** How a walk ended. */
export type WalkEnd =
  /** It reached a message without a parent, or one whose body is known. */
  | { readonly kind: 'complete' }
  /** It asked as often as it may; `next` is where to go on. */
  | { readonly kind: 'capped'; readonly next: string }
  /** The chain led back into itself. */
  | { readonly kind: 'loop'; readonly at: string }
  /** The question for `at` failed. */
  | { readonly kind: 'failed'; readonly at: string; readonly error: unknown };

export interface WalkOptions {
  /** True when the body of this message is known. */
  readonly isKnown: (id: string) => boolean;
  readonly get: (id: string, signal: AbortSignal) => Promise<StoredMessage>;
  /** Keeps what was read; the walk goes on when it resolves. */
  readonly keep: (messages: readonly StoredMessage[]) => Promise<void>;
  /** Most questions asked. */
  readonly cap: number;
  readonly signal: AbortSignal;
}

/** Read messages are kept after so many, so that an interrupted walk loses little. */
const BATCH = 10;

/**
 * The ancestor walk (interface-notes 2): reads a message, then its parent, and so on. Stops at a known message, a missing
 * parent, a loop, an error or the cap. What was read before it stopped is kept. Rejects only when `keep` does.
 */
export async function walk(
  from: string,
  options: WalkOptions,
): Promise<WalkEnd & { readonly asked: number }> {
  const { isKnown, get, keep, cap, signal } = options;
  const seen = new Set<string>();
  let batch: StoredMessage[] = [];
  let next: string | undefined = from;
  let end: WalkEnd = { kind: 'complete' };
  while (next !== undefined && (next === from || !isKnown(next))) {
    const at: string = next;
    if (seen.has(at)) {
      end = { kind: 'loop', at };
      break;
    }
    if (seen.size >= cap) {
      end = { kind: 'capped', next: at };
      break;
    }
    seen.add(at);
    try {
      const message = await get(at, signal);
      batch.push(message);
      next = message.parentId;
    } catch (error) {
      end = { kind: 'failed', at, error };
      break;
    }
    if (batch.length >= BATCH) {
      await keep(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await keep(batch);
  return { ...end, asked: seen.size };
}
