import { type Cart } from './cart';

const rates: Readonly<Record<string, number>> = { DE: 0.19, FR: 0.2, NL: 0.21 };

/** The tax of a cart in cents. */
export function taxOf(cart: Cart): number {
  const rate = rates[cart.country];
  if (rate === undefined) throw new Error(`No tax rate for ${cart.country}.`);
  return cart.lines.reduce((sum, line) => sum + Math.round(line.net * line.quantity * rate), 0);
}
