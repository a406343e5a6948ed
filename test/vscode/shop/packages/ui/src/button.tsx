import { type ReactNode } from 'react';

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
