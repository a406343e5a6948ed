import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { commands, documents, registerDocuments } from '../../contributions';
import type { Logger } from '../../log';
import { Disposable } from '../../util/disposable';
import { notify, type NoticeButton } from '../../util/notify';
import { restriction } from '../../util/restriction';
import { forNotification, forQuickPick, middle, oneLine } from '../../util/text';
import { isInside } from './file';
import type { Installation, Plan } from './installation';
import { placeScript, type HookPlace } from './place';
import { eventNames, usualEvents, type EventName } from '../model';
import { foldCase } from '../receive/inbox';

export interface DialogDeps {
  readonly log: Logger;
  readonly installation: Pick<Installation, 'look' | 'files' | 'planInstall' | 'planUninstall' | 'carryOut'>;
  readonly place: HookPlace;
  /** The folder of the extension that holds the script. */
  readonly shipped: string;
  /** The file the person named in the settings; empty for none. */
  readonly namedFile: () => string;
  /** Writes down to which file the hook went. */
  readonly storeFile: (file: string) => Promise<void>;
}

/** What other code may give to the commands; what would change is shown and asked in any case. */
interface Given {
  readonly file?: unknown;
  readonly events?: unknown;
}

/** The dialogs that put the hook into a settings file, bring it up to date, and take it out. */
export class Dialogs extends Disposable {
  readonly #deps: DialogDeps;
  readonly #previews = new Map<string, string>();
  #next = 0;

  constructor(deps: DialogDeps) {
    super();
    this.#deps = deps;
    this.register(
      registerDocuments(documents.hooks, {
        provideTextDocumentContent: uri => this.#previews.get(uri.toString()) ?? '',
      }),
    );
  }

  async install(argument?: unknown): Promise<void> {
    needRealFiles();
    const { installation, place, shipped, storeFile, log } = this.#deps;
    const given: Given = argument ?? {};
    const file = namedFile(given) ?? (await this.#askFile());
    if (file === undefined || !(await mayBeShared(file))) return;
    const there = [...((await installation.look(file))?.keys() ?? [])];
    const events = eventsOf(given.events) ?? (await chooseEvents(there));
    if (events === undefined) return;
    const plan = await installation.planInstall(file, events);
    if (!(await this.#agreed(plan, vscode.l10n.t('Install the hooks in {0}?', path.basename(file))))) return;
    await placeScript(place, shipped);
    const copy = await installation.carryOut(plan);
    await storeFile(file);
    const done = vscode.l10n.t(
      'The hooks are installed in {0}. Sessions that are already open may need a restart to use them.',
      middle(file, 80),
    );
    const buttons: NoticeButton[] = [
      [vscode.l10n.t('Send a test event'), () => vscode.commands.executeCommand(commands.hooks.test)],
    ];
    if (copy !== undefined)
      buttons.push([
        vscode.l10n.t('Show backup'),
        () => vscode.window.showTextDocument(vscode.Uri.file(copy)),
      ]);
    notify(log, 'info', forNotification(done, 500), ...buttons);
  }

  async uninstall(argument?: unknown): Promise<void> {
    needRealFiles();
    const { installation, log } = this.#deps;
    const file = namedFile(argument ?? {}) ?? (await this.#chooseInstalled());
    if (file === undefined) return;
    const plan = await installation.planUninstall(file);
    if (!(await this.#agreed(plan, vscode.l10n.t('Remove the hooks from {0}?', path.basename(file))))) return;
    await installation.carryOut(plan);
    const done = vscode.l10n.t('The hooks were removed from {0}.', middle(file, 80));
    notify(log, 'info', forNotification(done, 500));
  }

  /** Puts the script back and brings every known file up to date, each after a question. */
  async repair(): Promise<void> {
    needRealFiles();
    const { installation, place, shipped, log } = this.#deps;
    await placeScript(place, shipped);
    const files = await installation.files();
    const repaired: string[] = [];
    for (const { file, events } of files) {
      const plan = await installation.planInstall(file, events);
      const question = vscode.l10n.t('Repair the hooks in {0}?', path.basename(file));
      if (!(await this.#agreed(plan, question))) continue;
      if (plan.text !== plan.read.text) await installation.carryOut(plan);
      repaired.push(middle(file, 80));
    }
    if (files.length === 0) this.#noneInstalled();
    if (repaired.length === 0) return;
    const done = vscode.l10n.t('Repaired the hooks in {0}.', repaired.join(', '));
    notify(log, 'info', forNotification(done, 500));
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
      const yes = plan.text === undefined ? vscode.l10n.t('Delete file') : vscode.l10n.t('Write change');
      const no = vscode.l10n.t('Cancel');
      return (await vscode.window.showInformationMessage(forNotification(question), yes, no)) === yes;
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

  #noneInstalled(): void {
    notify(this.#deps.log, 'info', vscode.l10n.t('No hooks have been installed here.'));
  }

  async #chooseInstalled(): Promise<string | undefined> {
    const files = await this.#deps.installation.files();
    if (files.length === 0) {
      this.#noneInstalled();
      return undefined;
    }
    const rows = files.map(({ file, events }) => ({
      label: forQuickPick(path.basename(file)),
      description: forQuickPick(middle(path.dirname(file), 80)),
      detail: events.join(', '),
      file,
    }));
    const options = {
      title: vscode.l10n.t('Remove hooks'),
      placeHolder: vscode.l10n.t('Remove the hooks from which file?'),
    };
    return (await vscode.window.showQuickPick(rows, options))?.file;
  }

  /** A path the person types or picks; never a guess. */
  async #askFile(): Promise<string | undefined> {
    const [known] = await this.#deps.installation.files();
    const input = vscode.window.createInputBox();
    const browse: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon('folder-opened'),
      tooltip: vscode.l10n.t('Browse…'),
    };
    input.title = vscode.l10n.t('Install hooks');
    input.prompt = vscode.l10n.t(
      'Path of the settings file that your command-line client reads. Its manual says where it is.',
    );
    input.placeholder = path.join('~', '…', 'settings.json');
    input.value = this.#deps.namedFile() || (known?.file ?? '');
    input.buttons = [browse];
    input.ignoreFocusOut = true;
    const answer = await new Promise<string | typeof browse | undefined>(resolve => {
      input.onDidChangeValue(() => (input.validationMessage = undefined));
      input.onDidAccept(() => {
        input.validationMessage = problemOf(expand(input.value));
        if (input.validationMessage === undefined) resolve(expand(input.value));
      });
      input.onDidTriggerButton(() => resolve(browse));
      input.onDidHide(() => resolve(undefined));
      input.show();
    });
    input.dispose();
    if (answer !== browse) return typeof answer === 'string' ? answer : undefined;
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

/** The file a caller names; throws a sentence for anything but a full path. */
function namedFile({ file }: Given): string | undefined {
  if (file === undefined) return undefined;
  if (typeof file !== 'string' || !path.isAbsolute(file))
    throw new Error(vscode.l10n.t('Enter the full path of the settings file.'));
  return path.normalize(file);
}

function problemOf(file: string): string | undefined {
  if (!path.isAbsolute(file)) return vscode.l10n.t('Enter a full path, or one that begins with ~.');
  return /\.jsonc?$/i.test(file) ? undefined : vscode.l10n.t('A settings file ends in .json or .jsonc.');
}

function expand(text: string): string {
  const trimmed = text.trim();
  const full = /^~(?=[/\\]|$)/.test(trimmed) ? os.homedir() + trimmed.slice(1) : trimmed;
  return path.isAbsolute(full) ? path.normalize(full) : full;
}

/** A file that others may use is asked about apart: one in a project, or outside the hidden folders of the home. */
async function mayBeShared(file: string): Promise<boolean> {
  const folders = (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
  const place = await sharedPlace(file, folders, os.homedir());
  if (place === undefined) return true;
  const yes = vscode.l10n.t('Use this file');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Others may use this file: it is in {0}.', forNotification(middle(place, 80))),
    {
      modal: true,
      detail: vscode.l10n.t(
        "The hooks name a path on this machine. If the file is shared, for example through version control, others get hooks that do nothing for them. The client's user settings are usually the better place.",
      ),
    },
    yes,
  );
  return answer === yes;
}

/** The folder that makes others use a file, by its name or by where it really is; `undefined` for the person's own settings. */
export async function sharedPlace(
  file: string,
  projects: readonly string[],
  home: string,
  fold: (path: string) => string = foldCase,
): Promise<string | undefined> {
  const realOf = (folder: string): Promise<string> => fs.realpath(folder).catch(() => path.resolve(folder));
  const real = path.join(await realOf(path.dirname(file)), path.basename(file));
  const holds = (folder: string, inner: string): boolean => isInside(fold(folder), fold(inner));
  for (const folder of projects) if (holds(folder, file) || holds(await realOf(folder), real)) return folder;
  for (let folder = path.dirname(real); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const isRepository = await fs.access(path.join(folder, '.git')).then(
      () => true,
      () => false,
    );
    if (isRepository) return folder;
  }
  const [top = '', ...below] = path.relative(fold(await realOf(home)), fold(real)).split(path.sep);
  return top.startsWith('.') && top !== '..' && below.length > 0 ? undefined : path.dirname(real);
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

function eventsOf(value: unknown): EventName[] | undefined {
  const events = Array.isArray(value) ? eventNames.filter(name => value.includes(name)) : [];
  return events.length > 0 ? events : undefined;
}
