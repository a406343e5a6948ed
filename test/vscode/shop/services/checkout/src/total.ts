import { netOf, type Cart } from './cart';
import { taxOf } from './tax';

/** What the customer pays, in cents; asks the payment provider whether the price still holds. */
export async function totalOf(cart: Cart, confirm: (cents: number) => Promise<boolean>): Promise<number> {
  const total = netOf(cart) + taxOf(cart);
  if (!(await confirm(total))) throw new Error('The price has changed.');
  return total;
}
