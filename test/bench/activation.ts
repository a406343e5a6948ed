import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { contributes } from '../../package.json';
import { commands, documents, panels, views } from '../../src/contributions';
import { root, temporaryFolder } from '../vscode/paths';
import { startServer } from '../vscode/server';
import type { Activation } from './probe';
import { atMost, bundled, median, megabytes, times, type Row } from './rows';

/** The extensions that are compared: ours, one that does nothing, and one that only registers our views and commands. */
const variants = ['ours', 'empty', 'ui only'] as const;
type Variant = (typeof variants)[number];

/** Puts the three below `folder`, none of them activated by anything but a request, and returns where. */
function stageVariants(folder: string): Record<Variant, string> {
  const build = ['esbuild.js', '--production', '--dist', path.join(folder, 'ours', 'dist')];
  execFileSync(process.execPath, build, { cwd: root });
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as object;
  const stage = (name: string, changes: object, code?: string) => {
    const target = path.join(folder, name);
    fs.mkdirSync(path.join(target, 'dist'), { recursive: true });
    for (const file of ['package.nls.json', 'media'])
      fs.symlinkSync(path.join(root, file), path.join(target, file));
    const text = JSON.stringify({ ...manifest, activationEvents: [], ...changes });
    fs.writeFileSync(path.join(target, 'package.json'), text);
    if (code !== undefined) fs.writeFileSync(path.join(target, 'dist', 'extension.js'), code);
    return target;
  };
  return {
    ours: stage('ours', {}),
    empty: stage('empty', { contributes: {} }, 'exports.activate=()=>{};\n'),
    'ui only': stage('ui-only', {}, uiOnly()),
  };
}

/** Registers all that ours registers, and does nothing with it. */
function uiOnly(): string {
  const trees = Object.values(views).filter(id => id !== views.chat);
  const own = Object.values(commands).flatMap(group => Object.values<string>(group));
  const all = [...own, ...trees.map(id => `${id}.openRow`)];
  const tools = contributes.languageModelTools.map(({ name }) => name);
  return `const { commands, Disposable, EventEmitter, lm, window, workspace } = require('vscode');
exports.activate = context => {
  const own = part => context.subscriptions.push(part);
  const treeDataProvider = { onDidChangeTreeData: new EventEmitter().event, getChildren: () => [], getTreeItem: item => item };
  const dragAndDropController = { dropMimeTypes: ['text/uri-list', 'files'], dragMimeTypes: [], handleDrop() {} };
  const none = ['stat', 'readDirectory', 'createDirectory', 'readFile', 'writeFile', 'delete', 'rename'].map(name => [name, () => {}]);
  const files = { ...Object.fromEntries(none), onDidChangeFile: new EventEmitter().event, watch: () => new Disposable(() => {}) };
  for (const id of ${JSON.stringify(trees)}) own(window.createTreeView(id, { treeDataProvider, dragAndDropController }));
  own(window.registerWebviewViewProvider('${views.chat}', { resolveWebviewView() {} }));
  for (const id of ${JSON.stringify(Object.values(panels))})
    own(window.registerWebviewPanelSerializer(id, { deserializeWebviewPanel: async () => {} }));
  own(workspace.registerTextDocumentContentProvider('${documents.details}', { provideTextDocumentContent: () => '' }));
  own(workspace.registerFileSystemProvider('${documents.changes}', files));
  own(window.registerUriHandler({ handleUri() {} }));
  for (const name of ${JSON.stringify(tools)}) own(lm.registerTool(name, { invoke() {} }));
  own(lm.registerMcpServerDefinitionProvider('agentConsole', { provideMcpServerDefinitions: () => [] }));
  for (const id of ${JSON.stringify(all)}) own(commands.registerCommand(id, () => {}));
};
`;
}

/** Activation of the three variants, interleaved, each time in a window and an extension host of its own. */
export async function activationRows(): Promise<Row[]> {
  const folder = temporaryFolder('bench');
  const staged = stageVariants(folder);
  const probe = bundled('test/bench/probe.ts').replace(/\.js$/, '');
  const resultFile = path.join(folder, 'result.json');
  const env = { AGENT_CONSOLE_BENCH_STAGE: folder, AGENT_CONSOLE_BENCH_RESULT: resultFile };
  const server = await startServer({ env });
  /** In a window with one extension, whose extension host ends then. */
  const activate = async (variant: Variant): Promise<Activation> => {
    fs.rmSync(resultFile, { force: true });
    const payload = { extensionDevelopmentPath: staged[variant], extensionTestsPath: probe };
    const code = await server.runInside(undefined, Object.entries(payload));
    if (!fs.existsSync(resultFile)) throw new Error(`The probe of ${variant} ended with code ${code}.`);
    const activation = JSON.parse(fs.readFileSync(resultFile, 'utf8')) as Activation;
    // Where it is still there: the server keeps a host for a window that may come back.
    if (fs.existsSync(`/proc/${activation.pid}`)) process.kill(activation.pid, 'SIGKILL');
    return activation;
  };
  const samples: Record<Variant, Activation[]> = { ours: [], empty: [], 'ui only': [] };
  // The first host pays for what the server caches; it is not counted.
  await activate('empty');
  for (let round = 0; round < 7; round++)
    for (const turn of variants.keys()) {
      const variant = variants[(round + turn) % variants.length] ?? 'ours';
      samples[variant].push(await activate(variant));
    }
  await server.close();
  const all = (of: keyof Activation, variant: Variant = 'ours') => samples[variant].map(sample => sample[of]);
  // Round by round, so that what else the machine does meets both sides.
  const against = (other: Variant) =>
    median(samples.ours.map(({ took }, round) => took / (samples[other][round]?.took ?? NaN)));
  const heap = (median(all('heap')) - median(all('heap', 'empty'))) / 1024 / 1024;
  return [
    atMost('activation, load and call, against an empty extension', against('empty'), 8, times),
    atMost('activation, load and call, against the same UI alone', against('ui only'), 1.4, times),
    atMost('heap added by activation', heap, 0.5, megabytes),
    atMost('connections, secrets and files of activation', Math.max(...all('reached')), 0, String),
  ];
}
