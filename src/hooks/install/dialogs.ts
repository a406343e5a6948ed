import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { commands } from '../../contributions';
import { isDiffUnwrapped } from '../../settings';
import { notify, type NoticeButton } from '../../ui/notify';
import { pick } from '../../ui/pick';
import { restriction } from '../../ui/restriction';
import { forNotification, middle, oneLine } from '../../util/text';
import type { HooksContext } from '../context';
import { depthIn, eventNames, usualEvents, type EventName } from '../model';
import { workspaceFolders } from './file';
import type { Plan } from './installation';

type DialogContext = Pick<HooksContext, 'installation' | 'details' | 'log'>;

/** Asks for the file, with `wanted` or one that is known filled in, and puts the hook into it or brings it up to date. */
export async function install(context: DialogContext, wanted?: unknown): Promise<void> {
  needRealFiles();
  const { installation } = context;
  const [known] = await installation.files();
  const file = await askFile(typeof wanted === 'string' ? wanted : known?.file);
  if (file === undefined) return;
  const events = await chooseEvents((await installation.look(file)) ?? []);
  if (events === undefined) return;
  const plan = await installation.planInstall(file, events);
  const question = vscode.l10n.t('Install the hooks in {0}?', path.basename(file));
  if (!(await isAgreed(context, plan, `${question} ${await sharedText(file)}`))) return;
  const copy = await installation.carryOut(plan);
  const buttons: NoticeButton[] = [
    [vscode.l10n.t('Send a test event'), () => vscode.commands.executeCommand(commands.hooks.test)],
  ];
  if (copy !== undefined)
    buttons.push([vscode.l10n.t('Show backup'), () => vscode.window.showTextDocument(vscode.Uri.file(copy))]);
  const sentence = vscode.l10n.t(
    'The hooks are installed in {0}. Sessions that are already open may need a restart to use them.',
    middle(file, 80),
  );
  notify(context.log, 'info', forNotification(sentence, 500), ...buttons);
}

/** Takes the hook out of a file that the person chooses. */
export async function uninstall(context: DialogContext): Promise<void> {
  needRealFiles();
  const { installation, log } = context;
  const choices = (await installation.files()).map(({ file }) => ({
    label: path.basename(file),
    description: middle(path.dirname(file), 80),
    value: file,
  }));
  if (choices.length === 0) {
    notify(log, 'info', vscode.l10n.t('No hooks have been installed here.'));
    return;
  }
  const file = await pick(choices, vscode.l10n.t('Remove the hooks from which file?'));
  if (file === undefined) return;
  const plan = await installation.planUninstall(file);
  const question = vscode.l10n.t('Remove the hooks from {0}?', path.basename(file));
  if (!(await isAgreed(context, plan, question))) return;
  await installation.carryOut(plan);
  const sentence = vscode.l10n.t('The hooks were removed from {0}.', middle(file, 80));
  notify(log, 'info', forNotification(sentence, 500));
}

/** Shows what a plan would change in the diff editor, and asks beside it. */
async function isAgreed({ details }: DialogContext, plan: Plan, question: string): Promise<boolean> {
  const { file, text } = plan.read;
  if (plan.text === text) return true;
  const name = path.basename(file);
  const after = await details.compare({
    id: file,
    name,
    title: vscode.l10n.t('{0}: proposed change', oneLine(name, 60)),
    before: text === undefined ? '' : vscode.Uri.file(file),
    after: plan.text ?? '',
  });
  // The command of a hook is one long line, and all of it is what is agreed to.
  if (isDiffUnwrapped()) await vscode.commands.executeCommand('editor.action.toggleWordWrap');
  const yes = plan.text === undefined ? vscode.l10n.t('Delete file') : vscode.l10n.t('Write change');
  const no = vscode.l10n.t('Cancel');
  const answer = await vscode.window.showInformationMessage(forNotification(question, 500), yes, no);
  const tabs = vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(
      ({ input }) =>
        input instanceof vscode.TabInputTextDiff && input.modified.toString() === after.toString(),
    );
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
  return answer === yes;
}

/** A path the person types or picks; never a guess. */
async function askFile(preset = ''): Promise<string | undefined> {
  const input = vscode.window.createInputBox();
  input.title = vscode.l10n.t('Install hooks');
  input.prompt = vscode.l10n.t(
    'Path of the settings file that your command-line client reads. Its manual says where it is.',
  );
  input.placeholder = path.join('~', '…', 'settings.json');
  input.value = preset;
  input.buttons = [{ iconPath: new vscode.ThemeIcon('folder-opened'), tooltip: vscode.l10n.t('Browse…') }];
  input.ignoreFocusOut = true;
  const answer = await new Promise<string | undefined>(resolve => {
    input.onDidChangeValue(() => (input.validationMessage = undefined));
    input.onDidAccept(() => {
      const file = expand(input.value);
      input.validationMessage = problemOf(file);
      if (input.validationMessage === undefined) resolve(file);
    });
    input.onDidTriggerButton(() => resolve(''));
    input.onDidHide(() => resolve(undefined));
    input.show();
  });
  input.dispose();
  if (answer !== '') return answer;
  const [picked] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Settings file'),
      filters: { JSON: ['json', 'jsonc'] },
      defaultUri: vscode.Uri.file(os.homedir()),
    })) ?? [];
  return picked?.fsPath;
}

/** Throws the sentence for a window in which nothing runs and no file outside our storage is written. */
export function needRealFiles(): void {
  const why = restriction();
  if (why === 'untrusted') throw new Error(vscode.l10n.t('Hooks need a trusted workspace.'));
  if (why === 'virtual')
    throw new Error(vscode.l10n.t('Hooks need a workspace whose files are on this machine.'));
}

function problemOf(file: string): string | undefined {
  if (!path.isAbsolute(file)) return vscode.l10n.t('Enter a full path, or one that begins with ~.');
  return /\.jsonc?$/i.test(file) ? undefined : vscode.l10n.t('A settings file ends in .json or .jsonc.');
}

function expand(text: string): string {
  const full = text.trim().replace(/^~(?=[/\\]|$)/, () => os.homedir());
  return path.isAbsolute(full) ? path.normalize(full) : full;
}

/** What is to be known of a file that others may share; empty for any other. */
async function sharedText(file: string): Promise<string> {
  const place = await sharedPlace(file);
  if (place === undefined) return '';
  return vscode.l10n.t(
    'Others may use this file: it is in {0}. The hooks do nothing for them.',
    middle(place, 80),
  );
}

/** The folder of this window, or else the repository, that a file is in, wherever its own folder really is. */
export async function sharedPlace(file: string): Promise<string | undefined> {
  const named = path.dirname(file);
  let folder = await fs.realpath(named).catch(() => named);
  for (const project of workspaceFolders()) {
    const real = await fs.realpath(project).catch(() => project);
    if (depthIn(project, named) !== undefined || depthIn(real, folder) !== undefined) return project;
  }
  while (!existsSync(path.join(folder, '.git'))) {
    if (folder === path.dirname(folder)) return undefined;
    folder = path.dirname(folder);
  }
  return folder;
}

async function chooseEvents(there: readonly string[]): Promise<EventName[] | undefined> {
  const detail: Record<EventName, string> = {
    Notification: vscode.l10n.t('The agent is waiting for you.'),
    Stop: vscode.l10n.t('The agent has finished.'),
    SubagentStop: vscode.l10n.t('A subagent has finished.'),
    SessionEnd: vscode.l10n.t('The session has ended.'),
  };
  const preset: readonly string[] = there.length > 0 ? there : usualEvents;
  const rows = eventNames.map(label => ({ label, detail: detail[label], picked: preset.includes(label) }));
  const picked = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Install hooks'),
    placeHolder: vscode.l10n.t('Choose the events to be notified about'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked === undefined || picked.length === 0 ? undefined : picked.map(({ label }) => label);
}
