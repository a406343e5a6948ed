import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getL10nJson } from '@vscode/l10n-dev';

const root = process.env['AGENT_CONSOLE_ROOT']!;

describe('translatable strings', () => {
  it('are all in l10n/bundle.l10n.json, and nothing else is (npm run l10n)', async () => {
    const folder = path.join(root, 'src');
    const sources = readdirSync(folder, { recursive: true })
      .map(String)
      .filter(file => file.endsWith('.ts'))
      .map(file => ({ extension: '.ts' as const, contents: readFileSync(path.join(folder, file), 'utf8') }));
    const stored = JSON.parse(readFileSync(path.join(root, 'l10n/bundle.l10n.json'), 'utf8')) as object;
    assert.deepEqual(Object.keys(stored).sort(), Object.keys(await getL10nJson(sources)).sort());
  });
});
