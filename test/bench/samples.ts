import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { root } from '../vscode/paths';

/** The extensions that are compared: ours, and one that does nothing. */
export const variants = ['ours', 'empty'] as const;
export type Variant = (typeof variants)[number];

/** Puts both below `folder`, none of them activated by anything but a request, and returns where. */
export function stageVariants(folder: string): Record<Variant, string> {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as object;
  const stage = (name: Variant, changes: object): string => {
    const target = path.join(folder, name);
    fs.mkdirSync(path.join(target, 'dist'), { recursive: true });
    for (const file of ['package.nls.json', 'media']) {
      fs.cpSync(path.join(root, file), path.join(target, file), { recursive: true });
    }
    const text = JSON.stringify({ ...manifest, activationEvents: [], ...changes }, null, 2);
    fs.writeFileSync(path.join(target, 'package.json'), text);
    return target;
  };
  const [ours, empty] = [stage('ours', {}), stage('empty', { contributes: {} })];
  const build = ['esbuild.js', '--production', '--dist', path.join(ours, 'dist')];
  execFileSync(process.execPath, build, { cwd: root });
  fs.writeFileSync(path.join(empty, 'dist', 'extension.js'), 'exports.activate=()=>{};\n');
  return { ours, empty };
}
