import { imageType, type Composer } from '../../src/chat/protocol';

/** Where the type of a file is told, bytes. */
const HEAD = 32;

/** How large this file may be, bytes, by what it is rather than by what it is called, and whether it can be made smaller. */
export async function limitOf(
  file: Blob,
  { file: other, image }: Composer['limits'],
): Promise<{ readonly limit: number; readonly shrinkable: boolean }> {
  const type = imageType(new Uint8Array(await file.slice(0, HEAD).arrayBuffer()));
  return {
    limit: type === undefined ? other : image,
    shrinkable: type !== undefined && type !== 'image/gif',
  };
}
