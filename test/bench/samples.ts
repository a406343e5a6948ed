import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { root } from '../vscode/paths';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
  };
}

/** The extensions that are compared: ours, one that does nothing, and one that only registers our views and commands. */
export const variants = ['ours', 'empty', 'ui only'] as const;
export type Variant = (typeof variants)[number];

/** Puts the three below `folder`, none of them activated by anything but a request, and returns where. */
export function stageVariants(folder: string): Record<Variant, string> {
  const ours = path.join(folder, 'ours');
  execFileSync(process.execPath, ['esbuild.js', '--production', '--dist', path.join(ours, 'dist')], {
    cwd: root,
  });
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
  for (const file of ['package.nls.json', 'media']) {
    fs.cpSync(path.join(root, file), path.join(ours, file), { recursive: true });
  }
  writeManifest(ours, manifest, {});
  const stage = (name: string, contributes: object, code: string) => {
    const target = path.join(folder, name);
    fs.mkdirSync(path.join(target, 'dist'), { recursive: true });
    for (const file of ['package.nls.json', 'media']) {
      fs.cpSync(path.join(root, file), path.join(target, file), { recursive: true });
    }
    writeManifest(target, manifest, contributes);
    fs.writeFileSync(path.join(target, 'dist', 'extension.js'), code);
    return target;
  };
  return {
    ours,
    empty: stage('empty', { contributes: {} }, 'exports.activate=()=>{};\n'),
    'ui only': stage('ui-only', {}, uiOnly(manifest)),
  };
}

function writeManifest(folder: string, manifest: object, changes: object): void {
  const text = JSON.stringify({ ...manifest, activationEvents: [], ...changes }, null, 2);
  fs.writeFileSync(path.join(folder, 'package.json'), text);
}

function uiOnly({ contributes }: Manifest): string {
  const commands = contributes.commands.map(({ command }) => command);
  const views = Object.values(contributes.views)
    .flat()
    .map(({ id }) => id);
  return `const vscode = require('vscode');
exports.activate = context => {
  const tree = { getChildren: () => [], getTreeItem: item => item };
  for (const id of ${JSON.stringify(views)}) context.subscriptions.push(vscode.window.createTreeView(id, { treeDataProvider: tree }));
  for (const id of ${JSON.stringify(commands)}) context.subscriptions.push(vscode.commands.registerCommand(id, () => {}));
};
`;
}
