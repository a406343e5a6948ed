import { useEffect, useState } from 'preact/hooks';
import type { Chip, Picture as Piece } from '../../../src/chat/protocol';
import { panel } from '../page';
import { Icon } from '../controls';

/** A picture that is asked for piece by piece. */
export async function pictureOf(ask: (from: number) => Promise<Piece>): Promise<Blob> {
  const parts: BlobPart[] = [];
  for (let from = 0; ;) {
    const { mediaType: type, bytes, isLast } = await ask(from);
    parts.push(Uint8Array.from(bytes));
    from += bytes.length;
    if (isLast) return new Blob(parts, { type });
  }
}

/** Object addresses of pictures seen, the oldest first. */
const pictures = new Map<string, string>();
const MOST_PICTURES = 60;

/** The address of a picture once it is there; asked for when it comes into view. */
function usePicture(key: string, ask: (from: number) => Promise<Piece>): string | undefined {
  const [address, setAddress] = useState(pictures.get(key));
  useEffect(() => {
    let wanted = true;
    setAddress(pictures.get(key));
    if (pictures.has(key)) return;
    pictureOf(ask).then(
      picture => {
        const made = URL.createObjectURL(picture);
        pictures.set(key, made);
        const [oldest] = pictures;
        if (pictures.size > MOST_PICTURES && oldest !== undefined) {
          pictures.delete(oldest[0]);
          URL.revokeObjectURL(oldest[1]);
        }
        if (wanted) setAddress(made);
      },
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [key]);
  return address;
}

interface PictureProps {
  readonly messageId: string;
  readonly index: number;
  readonly label: string;
}

/** A picture of a message. */
export function Picture({ messageId, index, label }: PictureProps) {
  const address = usePicture(`${messageId}:${index}`, from =>
    panel.request('picture', { messageId, index, from }),
  );
  return address === undefined ? null : <img src={address} alt={label} />;
}

const icons: Readonly<Record<Chip['kind'], string>> = {
  image: 'file-media',
  pdf: 'file-pdf',
  text: 'file',
  unknown: 'warning',
  checking: 'sync spin',
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
  const isShown = kind === 'image' && (key !== '' || (messageId !== undefined && index !== undefined));
  return isShown ? <Thumbnail chip={chip} messageId={messageId} /> : <Icon name={icons[kind]} />;
}

interface ThumbnailProps {
  readonly chip: Chip;
  readonly messageId: string | undefined;
}

function Thumbnail({ chip: { key, index = 0 }, messageId }: ThumbnailProps) {
  const address = usePicture(messageId === undefined ? `attached:${key}` : `${messageId}:${index}`, from =>
    messageId === undefined
      ? panel.request('attachedPicture', { key, from })
      : panel.request('picture', { messageId, index, from }),
  );
  return address === undefined ? <Icon name="file-media" /> : <img class="thumbnail" src={address} alt="" />;
}
