import assert from 'node:assert/strict';
import { redact } from '../../../src/util/redact';
import { growsEvenly } from '../../growth';

/** What a hostile text is made of: beginnings of everything that is looked for, and nothing that ends it. */
const PIECES = [
  'a¦a ¦a-¦a:¦a.¦_a-¦::¦=¦//¦//a¦//a:¦//@¦https://¦https://a:¦https://a@¦a://b:¦eyJ¦eyJ-¦eyJa.',
  'eyJaaaaaaaa.a.¦sk-¦sk-1¦npm_¦AKIA1¦xoxe.xox¦ATATT1¦/services/T000000/¦BEGIN ',
  '-----BEGIN PRIVATE KEY-----¦bearer ¦Bearer bearer¦basic a/¦token ¦token=¦token:x ¦token is ',
  'tokens=1¦--key ¦--token --¦-u ¦-u a:¦-u "a:¦authorization¦authorization:¦authorization: a ',
  'authorization:"¦cookie: ="¦key=¦akey=¦akey=\\¦akey="¦akey=\'¦akey=\\"¦akey="\\¦akey={¦akey=[',
  'headers={¦headers=[¦password: |\n ¦password\n¦password>¦<password>¦password "¦password\\"',
  'password,     value=¦password, "¦a:b@¦a:b@c.¦a:b@c.d.e.¦a:@¦[redacted ¦"¦\\¦\\n¦\\"',
].flatMap(line => line.split('¦'));
const SIZE = 64 * 1024;

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
  it('grows as the text does, whatever the text is made of', async () => {
    for (const text of texts())
      await growsEvenly(JSON.stringify(text(40).slice(0, 60)), SIZE, size => redact(text(size)));
  });

  it('a text of many megabytes overflows nothing', () => {
    for (const piece of ['a', 'sk-1', 'eyJa.', 'token="', 'https://a:', ' '])
      assert.equal(typeof redact(piece.repeat(Math.ceil((4 * 1024 * 1024) / piece.length))), 'string');
    assert.equal(redact('sk-1'.repeat(4 * 1024 * 1024)), '[redacted]');
  });
});
