import * as fs from 'node:fs';
import * as path from 'node:path';

/** One entry a line; a line break within one is written ⏎. */
function lines(name: string): readonly string[] {
  const file = path.join(process.env['AGENT_CONSOLE_ROOT']!, 'test/fakes/redaction', `${name}.txt`);
  const text = fs.readFileSync(file, 'utf8').trimEnd();
  return text.split('\n').map(line => line.replaceAll('⏎', '\n'));
}

/** Puts a secret where a line has §; §^ is the secret in capitals. */
const spelt = (line: string) => (secret: string) =>
  line.replaceAll('§^', secret.toUpperCase()).replaceAll('§', secret);

/** Secrets as people and tools write them, each to be filled with one. */
export const secretTexts = lines('secretTexts').map(spelt);
/** The same in values, which stand there as JSON. */
export const secretValues = lines('secretValues').map(
  line => (secret: string) => JSON.parse(spelt(line)(secret)) as unknown,
);
/** Texts and values as settings really hold them that say nothing secret: a person must be able to read them. */
export const harmlessTexts = lines('harmlessTexts');
export const harmlessValues = lines('harmlessValues').map(line => JSON.parse(line) as unknown);
