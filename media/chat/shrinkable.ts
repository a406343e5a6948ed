import { imageType } from '../../src/chat/protocol';

/** Where the type of a file is told, bytes. */
const HEAD = 32;

/** Whether this is a picture that can be made smaller, by what it is rather than by what it is called. */
export async function isShrinkable(file: Blob): Promise<boolean> {
  const type = imageType(new Uint8Array(await file.slice(0, HEAD).arrayBuffer()));
  return type !== undefined && type !== 'image/gif';
}
