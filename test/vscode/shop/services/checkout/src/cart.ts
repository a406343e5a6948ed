export interface CartLine {
  readonly sku: string;
  readonly quantity: number;
  /** In cents. */
  readonly net: number;
}

export interface Cart {
  readonly id: string;
  readonly lines: readonly CartLine[];
  readonly country: string;
}

export function netOf(cart: Cart): number {
  return cart.lines.reduce((sum, line) => sum + line.net * line.quantity, 0);
}
