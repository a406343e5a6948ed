import { Button } from '@shop/ui';
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
