import * as fs from 'node:fs/promises';
import * as path from 'node:path';

/** Whether any window has left messages in a queue: a look at the records under `root`, without loading what sends them. */
export async function hasQueued(root: string): Promise<boolean> {
  const services = path.join(root, 'services');
  for (const service of await namesIn(services)) {
    const folder = path.join(services, service, 'queue');
    for (const name of (await namesIn(folder)).filter(file => file.endsWith('.json'))) {
      const record = await fs.readFile(path.join(folder, name), 'utf8').catch(() => '');
      if (/"items":\s*\[\s*\{/.test(record)) return true;
    }
  }
  return false;
}

/** What is in a folder; nothing where there is none. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return fs.readdir(folder).catch(() => []);
}
