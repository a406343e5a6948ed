import { ORDERS_PNG } from '../../src/sample/stories';
import { textPdf } from './sampleMedia';

/** The files of the sample repository, a small shop, by their paths. */
export const sampleFiles: Readonly<Record<string, string | Buffer>> = {
  'README.md': `# Shop

A small shop: a storefront, a checkout service, and shared interface parts.

Things to try with Agent Console:

1. Open **Agent Console** in the activity bar and look at the sessions and computers.
2. Select \`services/checkout/src/total.ts\` and \`total.test.ts\` in the Explorer, right-click them, and send them to an
   agent session.
3. Ask why the test fails now and then, and watch the answer arrive.
`,
  '.gitignore': 'node_modules/\ndist/\n',
  'package.json': `{
  "name": "shop",
  "private": true,
  "workspaces": ["apps/*", "services/*", "packages/*"],
  "scripts": {
    "test": "node --test"
  }
}
`,
  'apps/web/package.json': '{\n  "name": "@shop/web",\n  "private": true,\n  "version": "1.4.0"\n}\n',
  'apps/web/src/cartPage.tsx': `import { Button } from '@shop/ui';
import { useCart } from './useCart';

export function CartPage() {
  const { lines, total, pay, paying } = useCart();
  return (
    <main>
      <h1>Your cart</h1>
      <ul>
        {lines.map(line => (
          <li key={line.sku}>
            {line.title} × {line.quantity}
          </li>
        ))}
      </ul>
      <p>Total: {total.toFixed(2)}</p>
      <Button id="pay" busy={paying} onClick={pay}>
        Pay
      </Button>
    </main>
  );
}
`,
  'apps/web/src/useCart.ts': `import { signal } from './signal';

export interface Line {
  readonly sku: string;
  readonly title: string;
  readonly quantity: number;
  readonly net: number;
}

const lines = signal<readonly Line[]>([]);
const paying = signal(false);

export function useCart() {
  return {
    lines: lines.value,
    paying: paying.value,
    total: lines.value.reduce((sum, line) => sum + line.net * line.quantity, 0),
    async pay() {
      paying.value = true;
      const response = await fetch('/checkout', { method: 'POST', body: JSON.stringify(lines.value) });
      paying.value = false;
      if (!response.ok) throw new Error(\`Payment was refused (\${response.status}).\`);
    },
  };
}
`,
  'apps/web/src/signal.ts': `export function signal<T>(value: T): { value: T } {
  return { value };
}
`,
  'services/checkout/package.json':
    '{\n  "name": "@shop/checkout",\n  "private": true,\n  "version": "2.1.3"\n}\n',
  'services/checkout/src/cart.ts': `export interface CartLine {
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
`,
  'services/checkout/src/tax.ts': `import { type Cart } from './cart';

const rates: Readonly<Record<string, number>> = { DE: 0.19, FR: 0.2, NL: 0.21 };

/** The tax of a cart in cents. */
export function taxOf(cart: Cart): number {
  const rate = rates[cart.country];
  if (rate === undefined) throw new Error(\`No tax rate for \${cart.country}.\`);
  return cart.lines.reduce((sum, line) => sum + Math.round(line.net * line.quantity * rate), 0);
}
`,
  'services/checkout/src/total.ts': `import { netOf, type Cart } from './cart';
import { taxOf } from './tax';

/** What the customer pays, in cents; asks the payment provider whether the price still holds. */
export async function totalOf(cart: Cart, confirm: (cents: number) => Promise<boolean>): Promise<number> {
  const total = netOf(cart) + taxOf(cart);
  if (!(await confirm(total))) throw new Error('The price has changed.');
  return total;
}
`,
  'services/checkout/src/total.test.ts': `import assert from 'node:assert/strict';
import { it } from 'node:test';
import { totalOf } from './total';

const cart = { id: 'c1', country: 'DE', lines: [{ sku: 'mug', quantity: 2, net: 1750 }] };

it('shows the checkout total', async () => {
  let shown = 0;
  void totalOf(cart, async () => true).then(total => (shown = total));
  await new Promise(resolve => setTimeout(resolve, 1));
  assert.equal(shown, 4165);
});
`,
  'packages/ui/package.json': '{\n  "name": "@shop/ui",\n  "private": true,\n  "version": "0.9.0"\n}\n',
  'packages/ui/src/button.tsx': `import { type ReactNode } from 'react';

interface Props {
  readonly id: string;
  readonly busy: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

export function Button({ id, busy, onClick, children }: Props) {
  return (
    <button id={id} disabled={busy} aria-busy={busy} onClick={onClick}>
      {children}
    </button>
  );
}
`,
  'docs/orders.csv':
    'week,orders,returns\n2026-W40,812,31\n2026-W41,955,28\n2026-W42,903,35\n2026-W43,1210,40\n',
  'docs/orders.png': Buffer.from(ORDERS_PNG, 'base64'),
  'docs/checkout.pdf': textPdf([
    'Checkout, as it is meant to work',
    '',
    '1. The cart is priced when it is opened and again when it is paid.',
    '2. Tax is rounded once, on the whole cart.',
    '3. A price that changed in between is shown before anything is charged.',
  ]),
};
