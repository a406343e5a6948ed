import { crc32, deflateSync } from 'node:zlib';

/** A PNG of noise, which compresses to nothing less: about three bytes a pixel. The same size gives the same picture. */
export function noisePicture(width: number, height: number): Buffer {
  const stride = 1 + 3 * width;
  const pixels = Buffer.alloc(stride * height);
  let seed = 7;
  for (let at = 0; at < pixels.length; at++) {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    pixels[at] = at % stride === 0 ? 0 : seed & 0xff;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
