import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { commands, documents, panels, views } from '../../src/contributions';
import { root } from '../vscode/paths';

const trees = Object.values(views).filter(id => id !== views.chat);

/** The extensions that are compared: ours, one that does nothing, and one that only registers our views and commands. */
export const variants = ['ours', 'empty', 'ui only'] as const;
export type Variant = (typeof variants)[number];

/** Puts the three below `folder`, none of them activated by anything but a request, and returns where. */
export function stageVariants(folder: string): Record<Variant, string> {
  const ours = path.join(folder, 'ours');
  execFileSync(process.execPath, ['esbuild.js', '--production', '--dist', path.join(ours, 'dist')], {
    cwd: root,
  });
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as object;
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
    'ui only': stage('ui-only', {}, uiOnly()),
  };
}

function writeManifest(folder: string, manifest: object, changes: object): void {
  const text = JSON.stringify({ ...manifest, activationEvents: [], ...changes }, null, 2);
  fs.writeFileSync(path.join(folder, 'package.json'), text);
}

/** Registers every command, view, panel and document scheme of ours, and does nothing with them. */
function uiOnly(): string {
  const ids = (group: object) => JSON.stringify(Object.values(group));
  const all = Object.values(commands).flatMap(group => Object.values<string>(group));
  return `const vscode = require('vscode');
exports.activate = context => {
  const own = part => context.subscriptions.push(part);
  const tree = { getChildren: () => [], getTreeItem: item => item };
  const panel = { deserializeWebviewPanel: async () => {} };
  const content = { provideTextDocumentContent: () => '' };
  for (const id of ${ids(trees)}) own(vscode.window.createTreeView(id, { treeDataProvider: tree }));
  own(vscode.window.registerWebviewViewProvider('${views.chat}', { resolveWebviewView() {} }));
  for (const id of ${ids(panels)}) own(vscode.window.registerWebviewPanelSerializer(id, panel));
  for (const id of ${ids(documents)}) own(vscode.workspace.registerTextDocumentContentProvider(id, content));
  for (const id of ${ids(all)}) own(vscode.commands.registerCommand(id, () => {}));
};
`;
}
