import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Chip } from '../../src/chat/protocol';
import { Icon } from '../kit/controls';
import { panel } from './page';

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

export async function pictureOf(key: string): Promise<Blob> {
  const { mediaType, bytes } = await panel.request('picture', { key });
  return new Blob([Uint8Array.from(bytes)], { type: mediaType });
}

/** Object addresses of the pictures of messages that were seen; what is attached may change at its address. */
const pictures = new Map<string, string>();

interface PictureProps {
  /** Another one is another picture: it is its `key`, too. */
  readonly source: string;
  readonly label: string;
  readonly thumbnail?: boolean;
}

/** A picture, once it is there; with `thumbnail` a small one, and its icon before. */
export function Picture({ source, label, thumbnail = false }: PictureProps) {
  const [address, setAddress] = useState(pictures.get(source));
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (address !== undefined) return;
    const show = (picture: Blob): void => {
      const made = URL.createObjectURL(picture);
      if (source.includes('\n')) pictures.set(source, made);
      setAddress(made);
    };
    pictureOf(source).then(show, (error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error)),
    );
  }, []);
  if (address !== undefined)
    return <img class={thumbnail ? 'thumbnail' : undefined} src={address} alt={label} />;
  return thumbnail ? <Icon name="file-media" /> : problem && <p class="quiet">{problem}</p>;
}

const icons: Readonly<Record<Chip['kind'], string>> = {
  image: 'file-media',
  pdf: 'file-pdf',
  text: 'file',
  unknown: 'warning',
};

/** The icon of an attachment; of a picture a small one of it, once that is there. */
export function ChipIcon({ chip: { key, kind, size, picture = key } }: { readonly chip: Chip }) {
  if (kind !== 'image' || picture === '') return <Icon name={icons[kind]} />;
  return <Picture key={picture + size} source={picture} label="" thumbnail={true} />;
}
