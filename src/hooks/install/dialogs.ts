import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { commands, documents, registerDocuments } from '../../contributions';
import { isDiffUnwrapped } from '../../settings';
import { notify, type NoticeButton } from '../../ui/notify';
import { pick } from '../../ui/pick';
import { restriction } from '../../ui/restriction';
import { Disposable } from '../../util/disposable';
import { forNotification, middle, oneLine } from '../../util/text';
import type { HooksContext } from '../context';
import { eventNames, usualEvents, type EventName } from '../model';
import { foldCase } from '../receive/inbox';
import { isInside, workspaceFolders } from './file';
import type { Plan } from './installation';

/** The dialogs that put the hook into a settings file, bring it up to date, and take it out. */
export class Dialogs extends Disposable {
  readonly #context: HooksContext;
  readonly #previews = new Map<string, string>();
  #next = 0;

  constructor(context: HooksContext) {
    super();
    this.#context = context;
    this.register(
      registerDocuments(documents.hooks, {
        provideTextDocumentContent: uri => this.#previews.get(uri.toString()) ?? '',
      }),
    );
  }

  /** Asks for the file, with `wanted` or one that is known filled in. */
  async install(wanted?: unknown): Promise<void> {
    needRealFiles();
    const { installation } = this.#context;
    const known = await installation.files();
    const file = await this.#askFile(typeof wanted === 'string' ? wanted : known[0]?.file);
    if (file === undefined) return;
    const there = (await installation.look(file))?.keys() ?? [];
    const events = await chooseEvents([...there, ...(known.find(each => each.file === file)?.events ?? [])]);
    if (events === undefined) return;
    const plan = await installation.planInstall(file, events);
    const question = vscode.l10n.t('Install the hooks in {0}?', path.basename(file));
    if (!(await this.#agreed(plan, `${question} ${await sharedText(file)}`))) return;
    const copy = await installation.carryOut(plan);
    const buttons: NoticeButton[] = [
      [vscode.l10n.t('Send a test event'), () => vscode.commands.executeCommand(commands.hooks.test)],
    ];
    if (copy !== undefined)
      buttons.push([
        vscode.l10n.t('Show backup'),
        () => vscode.window.showTextDocument(vscode.Uri.file(copy)),
      ]);
    this.#say(
      vscode.l10n.t(
        'The hooks are installed in {0}. Sessions that are already open may need a restart to use them.',
        middle(file, 80),
      ),
      ...buttons,
    );
  }

  async uninstall(): Promise<void> {
    needRealFiles();
    const { installation } = this.#context;
    const choices = (await installation.files()).map(({ file, events }) => ({
      label: path.basename(file),
      description: middle(path.dirname(file), 80),
      detail: events.join(', '),
      value: file,
    }));
    if (choices.length === 0) {
      this.#say(vscode.l10n.t('No hooks have been installed here.'));
      return;
    }
    const file = await pick(choices, vscode.l10n.t('Remove the hooks from which file?'));
    if (file === undefined) return;
    const plan = await installation.planUninstall(file);
    if (!(await this.#agreed(plan, vscode.l10n.t('Remove the hooks from {0}?', path.basename(file))))) return;
    await installation.carryOut(plan);
    this.#say(vscode.l10n.t('The hooks were removed from {0}.', middle(file, 80)));
  }

  #say(sentence: string, ...buttons: readonly NoticeButton[]): void {
    notify(this.#context.log, 'info', forNotification(sentence, 500), ...buttons);
  }

  /** Shows what a plan would change in the diff editor, and asks beside it. */
  async #agreed(plan: Plan, question: string): Promise<boolean> {
    const { file, text } = plan.read;
    if (plan.text === text) return true;
    const name = path.basename(file);
    const document = (side: string): vscode.Uri =>
      vscode.Uri.from({ scheme: documents.hooks, path: `/${this.#next}/${side}/${name}` });
    this.#next++;
    const after = document('after');
    const before = text === undefined ? document('before') : vscode.Uri.file(file);
    this.#previews.set(after.toString(), plan.text ?? '');
    try {
      const title = vscode.l10n.t('{0}: proposed change', oneLine(name, 60));
      await vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: true });
      // The command of a hook is one long line, and all of it is what is agreed to.
      if (isDiffUnwrapped()) await vscode.commands.executeCommand('editor.action.toggleWordWrap');
      const yes = plan.text === undefined ? vscode.l10n.t('Delete file') : vscode.l10n.t('Write change');
      const no = vscode.l10n.t('Cancel');
      return (await vscode.window.showInformationMessage(forNotification(question, 500), yes, no)) === yes;
    } finally {
      const tabs = vscode.window.tabGroups.all
        .flatMap(group => group.tabs)
        .filter(
          ({ input }) =>
            input instanceof vscode.TabInputTextDiff && input.modified.toString() === after.toString(),
        );
      if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
      this.#previews.delete(after.toString());
    }
  }

  /** A path the person types or picks; never a guess. */
  async #askFile(preset = ''): Promise<string | undefined> {
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

/** What is to be known of a file of a project; empty for any other. */
async function sharedText(file: string): Promise<string> {
  const place = await sharedPlace(file, workspaceFolders());
  if (place === undefined) return '';
  return vscode.l10n.t(
    'Others may use this file: it is in {0}. The hooks do nothing for them.',
    middle(place, 80),
  );
}

/** The project of this window, or else the repository, that a file is in, by its name or by where it really is. */
export async function sharedPlace(file: string, projects: readonly string[]): Promise<string | undefined> {
  const realOf = (folder: string): Promise<string> => fs.realpath(folder).catch(() => folder);
  const holds = (folder: string, inner: string): boolean => isInside(foldCase(folder), foldCase(inner));
  const real = path.join(await realOf(path.dirname(file)), path.basename(file));
  for (const folder of projects) if (holds(folder, file) || holds(await realOf(folder), real)) return folder;
  let folder = path.dirname(real);
  while (folder !== path.dirname(folder) && !existsSync(path.join(folder, '.git')))
    folder = path.dirname(folder);
  return folder === path.dirname(folder) ? undefined : folder;
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
