/** Numbers that look random and are the same for the same seed on every machine. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  int(least: number, most: number): number;
  chance(probability: number): boolean;
  /** One item; the list must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** Index into `weights`, each as likely as its weight. */
  weighted(weights: readonly number[]): number;
  hex(length: number): string;
  uuid(): string;
}

/** A generator that depends on nothing but `parts`. Only +, -, * and / are used, so every engine agrees. */
export function seeded(...parts: readonly (string | number)[]): Random {
  const next = generator(hashed(parts.join('\u0000')));
  const random: Random = {
    next,
    int: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: probability => next() < probability,
    pick: list => {
      const item = list[Math.floor(next() * list.length)];
      if (item === undefined) throw new RangeError('Nothing to pick from.');
      return item;
    },
    weighted: weights => {
      let left = next() * weights.reduce((sum, weight) => sum + weight, 0);
      const index = weights.findIndex(weight => (left -= weight) < 0);
      return index < 0 ? weights.length - 1 : index;
    },
    hex: length => Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join(''),
    uuid: () =>
      `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-${'89ab'.charAt(random.int(0, 3))}${random.hex(3)}-${random.hex(12)}`,
  };
  return random;
}

/** Cuts a whole number into whole parts in proportion to `weights`; the parts add up to `total` exactly. */
export function split(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (sum <= 0) return weights.map(() => 0);
  let weightSoFar = 0;
  let given = 0;
  return weights.map(weight => {
    weightSoFar += weight;
    const part = Math.round((total * weightSoFar) / sum) - given;
    given += part;
    return part;
  });
}

function hashed(text: string): [number, number, number, number] {
  let hash = 1779033703 ^ text.length;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 3432918353);
    hash = (hash << 13) | (hash >>> 19);
  }
  const word = (): number => {
    hash = Math.imul(hash ^ (hash >>> 16), 2246822507);
    hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
    return (hash ^= hash >>> 16) >>> 0;
  };
  return [word(), word(), word(), word()];
}

/** The small fast counter generator "sfc32". */
function generator([a, b, c, d]: [number, number, number, number]): () => number {
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}

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
