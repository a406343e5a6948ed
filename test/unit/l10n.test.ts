import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getL10nJson } from '@vscode/l10n-dev';

const root = process.env['AGENT_CONSOLE_ROOT']!;

describe('translatable strings', () => {
  it('are all in l10n/bundle.l10n.json, and nothing else is (npm run l10n)', async () => {
    const sources = ['src', 'media'].flatMap(folder =>
      readdirSync(path.join(root, folder), { recursive: true })
        .map(String)
        .filter(file => /\.tsx?$/.test(file))
        .map(file => ({
          extension: file.endsWith('x') ? ('.tsx' as const) : ('.ts' as const),
          contents: readFileSync(path.join(root, folder, file), 'utf8'),
        })),
    );
    const stored = JSON.parse(readFileSync(path.join(root, 'l10n/bundle.l10n.json'), 'utf8')) as object;
    assert.deepEqual(Object.keys(stored).sort(), Object.keys(await getL10nJson(sources)).sort());
  });
});
