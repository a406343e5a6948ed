/** The pieces of text a person wrote, by what may have become of each. */
export class Ledger {
  readonly written: string[] = [];
  readonly discarded = new Set<string>();
  /** How often each may leave: once, and again after it was refused or by a person's decision about one whose outcome is unknown. */
  readonly #allowed = new Map<string, number>();

  /** A piece unlike every other. */
  next(): string {
    const number = this.written.length + 1;
    const piece = `<${(number * 2_654_435_761) % 1_000_000_007}>`;
    this.written.push(piece);
    return piece;
  }

  in(text: string): readonly string[] {
    return this.written.filter(piece => text.includes(piece));
  }

  allow(text: string): void {
    for (const piece of this.in(text)) this.#allowed.set(piece, this.allowed(piece) + 1);
  }

  allowed(piece: string): number {
    return this.#allowed.get(piece) ?? 1;
  }
}
