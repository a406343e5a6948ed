import { useEffect, useState } from 'preact/hooks';
import type { Picture as Piece } from '../../src/chat/protocol';
import { panel } from './page';

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
const MOST_PICTURES = 30;

/** A picture of a message, asked for when it comes into view. */
export function Picture({ messageId, index, label }: { messageId: string; index: number; label: string }) {
  const key = `${messageId}:${index}`;
  const [address, setAddress] = useState(pictures.get(key));
  useEffect(() => {
    if (address !== undefined) return;
    let wanted = true;
    pictureOf(from => panel.request('picture', { messageId, index, from })).then(
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
  return address === undefined ? null : <img src={address} alt={label} />;
}
