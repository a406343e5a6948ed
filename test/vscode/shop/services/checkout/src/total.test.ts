import assert from 'node:assert/strict';
import { it } from 'node:test';
import { totalOf } from './total';

const cart = { id: 'c1', country: 'DE', lines: [{ sku: 'mug', quantity: 2, net: 1750 }] };

it('shows the checkout total', async () => {
  let shown = 0;
  void totalOf(cart, async () => true).then(total => (shown = total));
  await new Promise(resolve => setTimeout(resolve, 1));
  assert.equal(shown, 4165);
});
