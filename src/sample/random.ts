/** Numbers that look random and are the same for the same seed on every machine. */
export type Random = ReturnType<typeof seeded>;

/** A generator that depends on nothing but `parts`. Only +, -, * and / are used, so every engine agrees. */
export function seeded(...parts: readonly (string | number)[]) {
  const next = generator(parts.join('\u0000'));
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const hex = (length: number): string =>
    Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join('');
  return {
    /** From 0 up to, not including, 1. */
    next,
    int,
    hex,
    chance: (probability: number): boolean => next() < probability,
    /** One item; the list must not be empty. */
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
    uuid: (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'.charAt(int(0, 3))}${hex(3)}-${hex(12)}`,
  };
}

/** The hash "FNV-1a" as the seed of the generator "mulberry32". */
function generator(text: string): () => number {
  let state = 2166136261;
  for (let index = 0; index < text.length; index++)
    state = Math.imul(state ^ text.charCodeAt(index), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** What all generated data depends on, with the date. */
export const SEED = 'agent-console';

/** UTC days are counted from 1970-01-01. */
export const DAY_MS = 86_400_000;

export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** 2026-01-14, the first day with analytics data (interface section 8). */
export const EARLIEST_DAY = dayOf(Date.UTC(2026, 0, 14));
