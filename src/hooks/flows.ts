import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { restriction } from '../util/restriction';
import { forNotification, forQuickPick, middle } from '../util/text';
import type { Installation, Plan } from './installation';
import { eventNames, isObject, usualEvents, type EventName } from './model';
import { placeScript, type HookPlace } from './place';
import type { Preview } from './preview';
import { scopeOf } from './scope';
import { problemSentence } from './sentences';

export interface FlowDeps {
  readonly installation: Installation;
  readonly preview: Preview;
  readonly place: HookPlace;
  /** The folder of the extension that holds the script. */
  readonly shipped: string;
  /** The file the person named in the settings; empty for none. */
  readonly namedFile: () => string;
  /** Lets windows listen where somebody has turned that off, and writes down to which file the hook went. */
  readonly listenAgain: (file?: string) => Promise<void>;
  readonly test: () => Promise<void>;
}

/** The dialogs that put the hook into a settings file, bring it up to date, and take it out. */
export class Flows {
  readonly #deps: FlowDeps;

  constructor(deps: FlowDeps) {
    this.#deps = deps;
  }

  /** `argument` may name `file` and `events`; what would change is shown and asked in any case. */
  async install(argument?: unknown): Promise<void> {
    needRealFiles();
    const given = isObject(argument) ? argument : {};
    const file = namedFile(given) ?? (await this.#chooseFile());
    if (file === undefined || !(await confirmProject(file))) return;
    const { installation } = this.#deps;
    const { events: there } = await this.#explain(file, () => installation.look(file));
    const events = eventsOf(given['events']) ?? (await chooseEvents([...there.keys()]));
    if (events === undefined) return;
    const plan = await this.#explain(file, () => installation.planInstall(file, events));
    if (!(await this.#agreed(plan, vscode.l10n.t('Install the hooks in {0}?', path.basename(file))))) return;
    await placeScript(this.#deps.place, this.#deps.shipped);
    const copy = await this.#explain(file, () => installation.carryOut(plan));
    await this.#deps.listenAgain(file);
    const done = vscode.l10n.t(
      'The hooks are in {0}. Sessions that are open already may read them only when they start again.',
      shown(file),
    );
    const test = vscode.l10n.t('Send a test event');
    const show = vscode.l10n.t('Show backup');
    void vscode.window
      .showInformationMessage(forNotification(done, 500), test, ...(copy === undefined ? [] : [show]))
      .then(async answer => {
        if (answer === test) await this.#deps.test();
        if (answer === show && copy !== undefined)
          await vscode.window.showTextDocument(vscode.Uri.file(copy));
      });
  }

  async uninstall(argument?: unknown): Promise<void> {
    needRealFiles();
    const { installation } = this.#deps;
    const file = namedFile(isObject(argument) ? argument : {}) ?? (await this.#chooseInstalled());
    if (file === undefined) return;
    const plan = await this.#explain(file, () => installation.planUninstall(file));
    if (!(await this.#agreed(plan, vscode.l10n.t('Remove the hooks from {0}?', path.basename(file))))) return;
    await this.#explain(file, () => installation.carryOut(plan));
    const done = vscode.l10n.t('The hooks are gone from {0}.', shown(file));
    void vscode.window.showInformationMessage(forNotification(done, 500));
  }

  /** Puts the script back and brings every known file up to date, each after a question. */
  async repair(): Promise<void> {
    needRealFiles();
    const { installation, place, shipped } = this.#deps;
    const files = await installation.files();
    if (files.length === 0) {
      const install = vscode.l10n.t('Install hooks');
      const answer = await vscode.window.showInformationMessage(
        vscode.l10n.t('No hooks are installed from here.'),
        install,
      );
      if (answer === install) await this.install();
      return;
    }
    let mended = (await placeScript(place, shipped)) ? 1 : 0;
    for (const { file, events } of files) {
      const plan = await this.#explain(file, () => installation.planInstall(file, events));
      if (plan.text === plan.read.text) continue;
      if (!(await this.#agreed(plan, vscode.l10n.t('Repair the hooks in {0}?', path.basename(file)))))
        continue;
      await this.#explain(file, () => installation.carryOut(plan));
      mended++;
    }
    await this.#deps.listenAgain();
    void vscode.window.showInformationMessage(
      mended > 0 ? vscode.l10n.t('The hooks are in order again.') : vscode.l10n.t('The hooks are in order.'),
    );
  }

  async #agreed(plan: Plan, question: string): Promise<boolean> {
    return plan.text === plan.read.text || this.#deps.preview.confirm(plan, question);
  }

  async #explain<T>(file: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw problemSentence(error, file);
    }
  }

  async #chooseInstalled(): Promise<string | undefined> {
    const files = await this.#deps.installation.files();
    if (files.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No hooks are installed from here.'));
      return undefined;
    }
    const rows = files.map(({ file, events }) => ({
      label: forQuickPick(path.basename(file)),
      description: forQuickPick(middle(path.dirname(file), 80)),
      detail: events.join(', '),
      file,
    }));
    return (
      await vscode.window.showQuickPick(rows, {
        title: vscode.l10n.t('Remove hooks'),
        placeHolder: vscode.l10n.t('From which file?'),
      })
    )?.file;
  }

  /** A file that the person names; never a guess. */
  async #chooseFile(): Promise<string | undefined> {
    const known = [
      ...new Set([
        this.#deps.namedFile(),
        ...(await this.#deps.installation.files()).map(({ file }) => file),
      ]),
    ];
    const rows = [
      ...known
        .filter(file => path.isAbsolute(file))
        .map(file => ({
          label: forQuickPick(path.basename(file)),
          description: forQuickPick(middle(file, 80)),
          act: 'known' as const,
          file,
        })),
      {
        label: vscode.l10n.t('$(edit) Enter the path of the settings file…'),
        detail: vscode.l10n.t(
          'The user settings of the command-line client count for all projects on this machine.',
        ),
        act: 'enter' as const,
        file: '',
      },
      {
        label: vscode.l10n.t('$(folder-opened) Pick the settings file…'),
        detail: vscode.l10n.t(
          'Settings inside a project count for that project, and for everybody who shares the file.',
        ),
        act: 'pick' as const,
        file: '',
      },
    ];
    const row = await vscode.window.showQuickPick(rows, {
      title: vscode.l10n.t('Install hooks'),
      placeHolder: vscode.l10n.t('Which settings file does your command-line client read?'),
      ignoreFocusOut: true,
    });
    if (row?.act === 'enter') return enterPath(this.#deps.namedFile());
    if (row?.act === 'pick') return pickPath();
    return row?.file;
  }
}

/** The file a caller names; throws a sentence for anything but a whole path. */
export function namedFile({ file }: { readonly file?: unknown }): string | undefined {
  if (file === undefined) return undefined;
  if (typeof file !== 'string' || !path.isAbsolute(file))
    throw new Error(vscode.l10n.t('Name the settings file by its whole path.'));
  return path.normalize(file);
}

/** Throws the sentence for a window in which nothing runs and no file outside our storage is written. */
export function needRealFiles(): void {
  const why = restriction();
  if (why === 'untrusted') throw new Error(vscode.l10n.t('Hooks need a trusted workspace.'));
  if (why === 'virtual')
    throw new Error(vscode.l10n.t('Hooks need a workspace whose files are on this machine.'));
}

async function enterPath(value: string): Promise<string | undefined> {
  const entered = await vscode.window.showInputBox({
    title: vscode.l10n.t('Install hooks'),
    prompt: vscode.l10n.t(
      'The whole path of the settings file; the manual of your command-line client names it.',
    ),
    placeHolder: path.join('~', '…', 'settings.json'),
    value,
    ignoreFocusOut: true,
    validateInput: text => {
      const file = expand(text);
      if (!path.isAbsolute(file)) return vscode.l10n.t('Enter a whole path, such as one that begins with ~.');
      return /\.jsonc?$/i.test(file) ? undefined : vscode.l10n.t('A settings file ends in .json.');
    },
  });
  return entered === undefined ? undefined : expand(entered);
}

function expand(text: string): string {
  const trimmed = text.trim();
  const full = /^~(?=[/\\]|$)/.test(trimmed) ? os.homedir() + trimmed.slice(1) : trimmed;
  return path.isAbsolute(full) ? path.normalize(full) : full;
}

async function pickPath(): Promise<string | undefined> {
  const [picked] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Pick the settings file'),
      filters: { JSON: ['json', 'jsonc'] },
      defaultUri: vscode.Uri.file(os.homedir()),
    })) ?? [];
  return picked?.fsPath;
}

/** A file that may be shared with others is asked about apart. */
async function confirmProject(file: string): Promise<boolean> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const projects = folders
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, folder: uri.fsPath }));
  const scope = await scopeOf(file, projects, os.homedir());
  if (scope.kind === 'own') return true;
  const yes = vscode.l10n.t('Use this file');
  const answer = await vscode.window.showWarningMessage(
    scope.kind === 'project'
      ? vscode.l10n.t('This file belongs to the project {0}.', forNotification(scope.name))
      : vscode.l10n.t(
          'This file may count for others too: it lies in {0}.',
          forNotification(middle(scope.folder, 80)),
        ),
    {
      modal: true,
      detail: vscode.l10n.t(
        'The hooks name a path of this machine. If the file is shared, by version control for example, others get a hook that does nothing for them. The user settings of the client are usually the better place.',
      ),
    },
    yes,
  );
  return answer === yes;
}

async function chooseEvents(there: readonly string[]): Promise<EventName[] | undefined> {
  const detail: Record<EventName, string> = {
    Notification: vscode.l10n.t('The agent waits for your input.'),
    Stop: vscode.l10n.t('The agent has finished.'),
    SubagentStop: vscode.l10n.t('A subagent has finished.'),
    SessionEnd: vscode.l10n.t('The session has ended.'),
  };
  const preset: readonly string[] = there.length > 0 ? there : usualEvents;
  const rows = eventNames.map(label => ({ label, detail: detail[label], picked: preset.includes(label) }));
  const picked = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Install hooks'),
    placeHolder: vscode.l10n.t('Which events do you want to hear of?'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked === undefined || picked.length === 0 ? undefined : picked.map(({ label }) => label);
}

function eventsOf(value: unknown): EventName[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const events = eventNames.filter(name => value.includes(name));
  return events.length > 0 ? events : undefined;
}

function shown(file: string): string {
  return middle(file, 80);
}
