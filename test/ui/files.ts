import * as fs from 'node:fs';
import * as path from 'node:path';

/** Every file below a folder that a running VS Code writes to, with its bytes as latin1; what vanishes meanwhile is left out. */
export function textsBelow(folder: string): Map<string, string> {
  const texts = new Map<string, string>();
  const walk = (dir: string): void => {
    for (const entry of unlessGone(() => fs.readdirSync(dir, { withFileTypes: true })) ?? []) {
      const file = path.join(dir, entry.name);
      if (entry.isDirectory()) walk(file);
      if (!entry.isFile()) continue;
      const text = unlessGone(() => fs.readFileSync(file, 'latin1'));
      if (text !== undefined) texts.set(file, text);
    }
  };
  walk(folder);
  return texts;
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
