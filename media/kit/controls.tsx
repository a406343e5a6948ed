/** A codicon, with whatever modifies it; the page's style sheet names the ones it uses. */
export function Icon({ name }: { readonly name: string }) {
  return <span class={`codicon codicon-${name}`} aria-hidden="true" />;
}

interface IconButtonProps {
  readonly icon: string;
  readonly label: string;
  /** What the tooltip says, where that is not the label. */
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
