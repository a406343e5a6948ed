import { useEffect, useState } from 'preact/hooks';
import { panel } from './page';

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
    panel.request('picture', { messageId, index }).then(
      ({ mediaType, bytes }) => {
        const made = URL.createObjectURL(new Blob([Uint8Array.from(bytes)], { type: mediaType }));
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
