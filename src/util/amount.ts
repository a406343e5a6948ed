/** Figures of the service that may be missing, wholly or in part. What is missing counts for nothing, and is never silent. */

/** Made of several figures of which only `known` of `of` are there in full. */
export interface Part {
  readonly value: number;
  readonly known: number;
  readonly of: number;
}

/** A figure in full, a part of one, or nothing known. */
export type Amount = number | Part | undefined;

export function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && 'known' in value;
}

/** What is known of it. */
export function knownOf(amount: Amount | null): number | undefined {
  return isPart(amount) ? amount.value : (amount ?? undefined);
}

/** What `make` makes of the known ones of these. */
export function combined(
  amounts: readonly Amount[],
  make: (known: readonly number[]) => number | undefined,
): Amount {
  const value = make(amounts.flatMap(amount => knownOf(amount) ?? []));
  const known = amounts.reduce<number>((count, amount) => count + Number(typeof amount === 'number'), 0);
  return value === undefined || known === amounts.length ? value : { value, known, of: amounts.length };
}

/** Adds up; for lists too long to be held at once. */
export class Sum {
  #value: number | undefined;
  #known = 0;
  #of = 0;

  add(amount: Amount | null): void {
    const value = knownOf(amount);
    if (value !== undefined) this.#value = (this.#value ?? 0) + value;
    if (typeof amount === 'number') this.#known++;
    this.#of++;
  }

  get amount(): Amount {
    if (this.#value === undefined || this.#known === this.#of) return this.#value;
    return { value: this.#value, known: this.#known, of: this.#of };
  }
}

export function sum(amounts: Iterable<Amount | null>): Amount {
  const all = new Sum();
  for (const amount of amounts) all.add(amount);
  return all.amount;
}

/** The largest first, what is not known last. */
export function byAmount(a: Amount | null, b: Amount | null): number {
  const [first, second] = [knownOf(a), knownOf(b)];
  if (first === undefined || second === undefined)
    return Number(first === undefined) - Number(second === undefined);
  return second - first;
}

/** In words: `numberText` of what is known, with `partText` such as "29 of 30 days" where that is not all; empty for nothing known. */
export function amountText(
  amount: Amount | null,
  numberText: (value: number) => string,
  partText: (known: number, of: number) => string,
): string {
  const value = knownOf(amount);
  if (value === undefined) return '';
  return isPart(amount) ? `${numberText(value)} (${partText(amount.known, amount.of)})` : numberText(value);
}

/** For a file: a number only where it is the whole one. */
export function amountCell(amount: Amount | null): number | string | null {
  if (!isPart(amount)) return amount ?? null;
  return amountText(amount, String, (known, of) => `${known} of ${of}`);
}
