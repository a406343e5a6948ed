/** What writer number `writer` does as its `index`-th act; the same in the child that does it and the test that checks. */
export type Operation =
  | { readonly kind: 'put'; readonly id: string; readonly text: string }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'increment'; readonly id: string };

export const COUNTERS = 4;
const OWN_RECORDS = 40;

export function planned(writer: number, index: number): Operation {
  const dice = mix(writer * 1_000_003 + index);
  if (dice % 10 < 3) return { kind: 'increment', id: `counter-${(dice >>> 8) % COUNTERS}` };
  const id = `writer-${writer}-record-${(dice >>> 8) % OWN_RECORDS}`;
  if (dice % 10 === 3) return { kind: 'remove', id };
  return { kind: 'put', id, text: 'x'.repeat((dice >>> 4) % 3000) };
}

/** A fixed scrambling of 32 bits. */
function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  return (x ^ (x >>> 16)) >>> 0;
}
