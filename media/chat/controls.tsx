import type { ComponentChildren } from 'preact';
import { Icon } from '../kit/controls';

export { Icon, IconButton } from '../kit/controls';

interface ButtonProps {
  readonly kind: 'primary' | 'secondary' | 'link';
  readonly title?: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

export function Button({ kind, ...rest }: ButtonProps) {
  return <button type="button" class={kind} {...rest} />;
}

/** Something that went wrong, or is to be known, in a line; nothing without it. */
export function Notice({ icon, children }: { readonly icon: string; readonly children: ComponentChildren }) {
  return children === undefined ? null : (
    <p class="problem">
      <Icon name={icon} />
      <span>{children}</span>
    </p>
  );
}
