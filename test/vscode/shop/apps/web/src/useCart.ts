import { signal } from './signal';

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
      if (!response.ok) throw new Error(`Payment was refused (${response.status}).`);
    },
  };
}
