import assert from 'node:assert/strict';
import { redact } from '../../../src/util/redact';

/** What a hostile text is made of: beginnings of everything that is looked for, and nothing that ends it. */
const PIECES = [
  ...[
    'a',
    'a ',
    'a-',
    'a:',
    'a.',
    '_a-',
    '::',
    '=',
    '//',
    '//a',
    '//a:',
    '//@',
    'https://',
    'https://a:',
    'https://a@',
    'a://b:',
  ],
  ...[
    'eyJ',
    'eyJ-',
    'eyJa.',
    'eyJaaaaaaaa.a.',
    'sk-',
    'sk-1',
    'npm_',
    'AKIA1',
    'xoxe.xox',
    'ATATT1',
    '/services/T000000/',
    'BEGIN ',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    'bearer ',
    'Bearer bearer',
    'basic a/',
    'token ',
    'token=',
    'token:x ',
    'token is ',
    'tokens=1',
  ],
  ...[
    '--key ',
    '--token --',
    '-u ',
    '-u a:',
    '-u "a:',
    'authorization',
    'authorization:',
    'authorization: a ',
    'authorization:"',
    'cookie: ="',
  ],
  ...[
    'key=',
    'akey=',
    'akey=\\',
    'akey="',
    "akey='",
    'akey=\\"',
    'akey="\\',
    'akey={',
    'akey=[',
    'headers={',
    'headers=[',
    'password: |\n ',
    'password\n',
  ],
  ...[
    'password>',
    '<password>',
    'password "',
    'password\\"',
    'password,     value=',
    'password, "',
    'a:b@',
    'a:b@c.',
    'a:b@c.d.e.',
    'a:@',
    '[redacted ',
    '"',
    '\\',
    '\\n',
    '\\"',
  ],
];
const SIZE = 8 * 1024;
/** The best of several turns each, one after the other, is compared: what else runs on the machine slows down single ones. */
const ROUNDS = 25;

function took(work: () => unknown): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}

/** `pieces` with a long beginning and a long end of each other, so that what is looked for is found late or never. */
function texts(): readonly ((size: number) => string)[] {
  const repeated = PIECES.map(piece => (size: number) => piece.repeat(Math.ceil(size / piece.length)));
  const mixed = PIECES.map((piece, index) => (size: number) => {
    const other = PIECES[(index * 7 + 3) % PIECES.length] ?? '';
    return (
      piece.repeat(Math.ceil(size / 2 / piece.length)) + other.repeat(Math.ceil(size / 2 / other.length))
    );
  });
  const alternating = PIECES.map((piece, index) => (size: number) => {
    const other = PIECES[(index * 11 + 5) % PIECES.length] ?? '';
    return (piece + other).repeat(Math.ceil(size / (piece.length + other.length)));
  });
  return [...repeated, ...mixed, ...alternating];
}

describe('the work of redaction', function () {
  it('grows as the text does, whatever the text is made of', () => {
    for (const text of texts()) {
      const sizes = [SIZE, SIZE * 8].map(size => text(size));
      const best = [Infinity, Infinity];
      for (let round = 0; round < ROUNDS; round++) {
        sizes.forEach((each, index) => {
          // As many characters in each turn, so that both are measured as well.
          const again = index === 0 ? 8 : 1;
          const ms = took(() => {
            for (let turn = 0; turn < again; turn++) redact(each);
          });
          best[index] = Math.min(best[index] ?? Infinity, ms);
        });
        // Work that grows with the square of the length takes eight times as long.
        if ((best[1] ?? 0) < 2.5 * (best[0] ?? 0)) break;
      }
      assert.ok(
        (best[1] ?? 0) < 4 * (best[0] ?? 0),
        `${JSON.stringify(text(40).slice(0, 60))}: ${best.map(ms => ms.toFixed(1)).join(' against ')} ms`,
      );
    }
  });

  it('a text of many megabytes overflows nothing', () => {
    for (const piece of ['a', 'sk-1', 'eyJa.', 'token="', 'https://a:', ' '])
      assert.equal(typeof redact(piece.repeat(Math.ceil((4 * 1024 * 1024) / piece.length))), 'string');
    assert.equal(redact('sk-1'.repeat(4 * 1024 * 1024)), '[redacted]');
  });
});
