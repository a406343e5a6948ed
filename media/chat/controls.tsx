import type { ComponentChildren } from 'preact';

/** A codicon, with whatever modifies it. */
export function Icon({ name }: { readonly name: string }) {
  return <span class={`codicon codicon-${name}`} aria-hidden="true" />;
}

interface IconButtonProps {
  readonly icon: string;
  readonly label: string;
  /** What the tooltip says beyond the label. */
  readonly title?: string;
  readonly class?: string;
  readonly onClick: (event: { readonly currentTarget: HTMLButtonElement }) => void;
}

export function IconButton({ icon, label, title = label, class: more = '', onClick }: IconButtonProps) {
  return (
    <button type="button" class={`icon-button ${more}`} title={title} aria-label={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

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
