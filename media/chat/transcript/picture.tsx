import { useEffect, useState } from 'preact/hooks';
import type { Chip } from '../../../src/chat/protocol';
import { Icon } from '../controls';
import { panel } from '../page';

/** Where a picture is: in a message, or attached to the draft. */
type Source = { readonly messageId: string; readonly index: number } | { readonly key: string };

export async function pictureOf(source: Source): Promise<Blob> {
  const { mediaType, bytes } = await ('key' in source
    ? panel.request('attachedPicture', source)
    : panel.request('picture', source));
  return new Blob([Uint8Array.from(bytes)], { type: mediaType });
}

/** Object addresses of pictures seen, the oldest first. */
const pictures = new Map<string, string>();
const MOST_PICTURES = 60;

async function addressOf(source: Source, name: string): Promise<string> {
  const made = URL.createObjectURL(await pictureOf(source));
  pictures.set(name, made);
  const [oldest] = pictures;
  if (pictures.size > MOST_PICTURES && oldest !== undefined) {
    pictures.delete(oldest[0]);
    URL.revokeObjectURL(oldest[1]);
  }
  return made;
}

/** A picture, once it is there; with `thumbnail` a small one, and its icon before. */
export function Picture(props: {
  readonly source: Source;
  readonly label: string;
  readonly thumbnail?: boolean;
}) {
  const { source, label, thumbnail = false } = props;
  const name = JSON.stringify(source);
  const [address, setAddress] = useState(pictures.get(name));
  useEffect(() => {
    let wanted = true;
    setAddress(pictures.get(name));
    if (pictures.has(name)) return;
    addressOf(source, name).then(
      made => {
        if (wanted) setAddress(made);
      },
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [name]);
  if (address !== undefined)
    return <img class={thumbnail ? 'thumbnail' : undefined} src={address} alt={label} />;
  return thumbnail ? <Icon name="file-media" /> : null;
}

const icons: Readonly<Record<Chip['kind'], string>> = {
  image: 'file-media',
  pdf: 'file-pdf',
  text: 'file',
  unknown: 'warning',
};

/** The icon of an attachment; of a picture a small one of it, once that is there. */
export function ChipIcon({
  chip,
  messageId,
}: {
  readonly chip: Chip;
  readonly messageId?: string | undefined;
}) {
  const { key, kind, index } = chip;
  const inMessage = messageId !== undefined && index !== undefined ? { messageId, index } : undefined;
  const source = inMessage ?? (key === '' ? undefined : { key });
  if (kind !== 'image' || source === undefined) return <Icon name={icons[kind]} />;
  return <Picture source={source} label="" thumbnail={true} />;
}
