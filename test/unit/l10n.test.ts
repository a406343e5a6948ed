import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';

const root = process.env['AGENT_CONSOLE_ROOT']!;

/** A call with the text in it, which `npm run l10n` finds by reading all code as a compiler does. */
const CALL =
  /\bl10n\.t\(\s*(?:\{\s*message:\s*)?('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)?/g;

describe('translatable strings', () => {
  it('are all in l10n/bundle.l10n.json, and nothing else is (npm run l10n)', () => {
    const texts = ['src', 'media'].flatMap(folder =>
      readdirSync(path.join(root, folder), { recursive: true })
        .map(String)
        .filter(file => /\.tsx?$/.test(file))
        .flatMap(file => {
          const code = readFileSync(path.join(root, folder, file), 'utf8');
          return [...code.matchAll(CALL)].map(({ 1: literal, index }) => {
            assert.ok(literal, `${file}: no text in ${code.slice(index, index + 80)}`);
            return runInNewContext(literal) as string;
          });
        }),
    );
    const stored = JSON.parse(readFileSync(path.join(root, 'l10n/bundle.l10n.json'), 'utf8')) as object;
    assert.deepEqual(Object.keys(stored).sort(), [...new Set(texts)].sort());
  });
});
