import { randomUUID } from 'node:crypto';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { HooksContext } from '.';
import { commands } from '../contributions';
import { isDiffUnwrapped } from '../settings';
import { notify, type NoticeButton, restriction } from '../ui/window';
import { pick, pickItem, pickSeveral, type Choice } from '../ui/pick';
import { format } from '../ui/text';
import { forNotification, middle, oneLine } from '../util/text';
import { eventNames, isTest, labelOf, takenEvents, TEST_SESSION, type EventName } from './events';
import { depthIn } from '../util/files';
import { placeScript, reasonOf, workspaceFolders, type Plan } from './installation';
import { readOutgoing, runCommand } from './outgoing';

type DialogContext = Pick<HooksContext, 'installation' | 'details' | 'log'>;

/** Asks for the file, with `wanted` or one that is known filled in, and puts the hook into it or brings it up to date. */
export async function install(context: DialogContext, wanted?: unknown): Promise<void> {
  needRealFiles();
  const { installation } = context;
  const [known] = await installation.files();
  const file = await askFile(typeof wanted === 'string' ? wanted : known?.file);
  if (file === undefined) return;
  const events = await chooseEvents((await installation.look(file)) ?? []);
  if (events === undefined || events.length === 0) return;
  const plan = await installation.planInstall(file, events);
  const isShared = workspaceFolders().some(folder => depthIn(folder, file) !== undefined);
  const shared = isShared ? vscode.l10n.t('It is in this workspace, so others may use it, too.') : '';
  const question = vscode.l10n.t('Install the hooks in {0}?', path.basename(file));
  if (!(await isAgreed(context, plan, `${question} ${shared}`))) return;
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

export async function uninstall(context: DialogContext): Promise<void> {
  needRealFiles();
  const { installation, log } = context;
  const choices = (await installation.files()).map(({ file }) => ({
    label: path.basename(file),
    description: middle(path.dirname(file), 80),
    value: file,
  }));
  const none = vscode.l10n.t('No hooks have been installed here.');
  const file = await pickItem(choices, vscode.l10n.t('Remove the hooks from which file?'), none);
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
      const full = input.value.trim().replace(/^~(?=[/\\]|$)/, () => os.homedir());
      if (path.isAbsolute(full) && /\.jsonc?$/i.test(full)) resolve(path.normalize(full));
      else
        input.validationMessage = vscode.l10n.t(
          'Enter the full path of a .json or .jsonc file. It may begin with ~.',
        );
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
  if (restriction() !== undefined)
    throw new Error(vscode.l10n.t('Hooks need a trusted workspace whose files are on this machine.'));
}

function chooseEvents(there: readonly string[]): Promise<readonly EventName[] | undefined> {
  const detail: Record<EventName, string> = {
    Notification: vscode.l10n.t('The agent is waiting for you.'),
    Stop: vscode.l10n.t('The agent has finished.'),
    SubagentStop: vscode.l10n.t('A subagent has finished.'),
    SessionEnd: vscode.l10n.t('The session has ended.'),
  };
  const preset: readonly string[] = there.length > 0 ? there : ['Notification', 'Stop', 'SessionEnd'];
  const choices = eventNames.map(value => ({ label: value, detail: detail[value], value }));
  const question = vscode.l10n.t('Choose the events to be notified about');
  return pickSeveral(choices, question, event => preset.includes(event));
}

export type CheckContext = Pick<HooksContext, 'log' | 'events' | 'isListening' | 'installation'> & {
  readonly settings: Pick<HooksContext['settings'], 'hooksOutgoing'>;
};

type Act = () => Thenable<unknown> | undefined;

/** One link of the chain from the client to this window; its value is what mends it, or shows more. */
type Finding = Choice<Act>;

const FINE = 'pass';
const BROKEN = 'error';

function row(icon: string, label: string, value: Act = () => undefined, detail?: string): Finding {
  return { icon, label, value, detail };
}

function run(command: string, ...args: readonly unknown[]): Act {
  return () => vscode.commands.executeCommand(command, ...args);
}

const toInstall = run(commands.hooks.install);

/** Shows what works and what does not; each row leads to what mends it. */
export async function showCheck(context: CheckContext): Promise<void> {
  const findings = await examine(context);
  const isBroken = findings.some(({ icon }) => icon === BROKEN);
  const act = await pick(
    [
      ...findings,
      row('add', vscode.l10n.t('Install hooks…'), toInstall),
      row('play', vscode.l10n.t('Send a test event'), run(commands.hooks.test)),
      row('trash', vscode.l10n.t('Remove hooks…'), run(commands.hooks.uninstall)),
    ],
    isBroken ? vscode.l10n.t('Something is broken') : vscode.l10n.t('Everything works'),
  );
  await act?.();
}

export async function examine(context: CheckContext): Promise<Finding[]> {
  const { installation, isListening, settings } = context;
  const files = await installation.files();
  const findings = await Promise.all(files.map(({ file }) => examineFile(context, file)));
  if (files.length === 0)
    findings.push(row(BROKEN, vscode.l10n.t('No hooks have been installed from here'), toInstall));
  else
    // A script that is missing or from another version is mended, and told of only where it cannot be.
    await placeScript(installation.place).catch((error: unknown) => {
      const label = vscode.l10n.t('The script of the hook command is missing or from another version');
      findings.push(row(BROKEN, label, toInstall, reasonOf(error)));
    });
  findings.push(
    isListening()
      ? row(FINE, vscode.l10n.t('This window is listening'))
      : row(BROKEN, vscode.l10n.t('This window is not listening'), toInstall),
    await lastEvent(context),
  );
  const odd = readOutgoing(settings.hooksOutgoing()).problems.join(', ');
  if (odd !== '')
    findings.push(
      row(
        BROKEN,
        vscode.l10n.t('Some of your own commands cannot be used: {0}', odd),
        run('workbench.action.openSettings', 'agentConsole.hooks.outgoing'),
      ),
    );
  return findings;
}

async function examineFile({ installation }: CheckContext, file: string): Promise<Finding> {
  const open: Act = () => vscode.window.showTextDocument(vscode.Uri.file(file));
  const [detail, mend] = [middle(file, 100), run(commands.hooks.install, file)];
  try {
    const found = await installation.look(file);
    if (found === undefined) return row(BROKEN, vscode.l10n.t('Settings file is missing'), mend, detail);
    return found.length > 0
      ? row(FINE, vscode.l10n.t('Hook present for {0}', found.join(', ')), open, detail)
      : row(BROKEN, vscode.l10n.t('Hook missing'), mend, detail);
  } catch (error) {
    return row(BROKEN, vscode.l10n.t('Settings file cannot be changed'), open, reasonOf(error));
  }
}

async function lastEvent({ events }: CheckContext): Promise<Finding> {
  const event = (await takenEvents(events)).at(-1);
  if (event === undefined)
    return row('info', vscode.l10n.t('No event has arrived yet'), run(commands.hooks.test));
  const what = isTest(event) ? vscode.l10n.t('test event') : `${labelOf(event, undefined)}, ${event.name}`;
  const ago = vscode.l10n.t('Last event {0} ago', format.span(Date.now() - event.at));
  return row(FINE, ago, run(commands.hooks.attention), what);
}

/** Sends a test event through the installed command, as the client would, and tells how it went. */
export async function showTest(context: CheckContext, cwd: string, patienceMs = 10_000): Promise<void> {
  const { log, events, installation, isListening } = context;
  if (!isListening()) throw new Error(vscode.l10n.t('No hooks are installed on this machine.'));
  const started = Date.now();
  const sessionId = `${TEST_SESSION}${randomUUID()}`;
  const message = { hook_event_name: 'Notification', session_id: sessionId, cwd, message: 'Test' };
  const signal = AbortSignal.timeout(patienceMs);
  const arrival = Promise.withResolvers<boolean>();
  signal.addEventListener('abort', () => arrival.resolve(false));
  await events.load();
  const heard = events.onDidChange(ids => {
    if (ids.some(id => events.get(id)?.sessionId === sessionId)) arrival.resolve(true);
  });
  const { command } = installation;
  const input = JSON.stringify(message);
  const [{ exitCode, output }, hasArrived] = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Sending a test event') },
    async () => {
      const ended = await runCommand({ command, input, timeoutMs: patienceMs, signal, isTest: true });
      return [ended, ended.exitCode === 0 && (await arrival.promise)] as const;
    },
  );
  heard.dispose();
  if (hasArrived) {
    const ms = format.number(Date.now() - started);
    notify(log, 'info', vscode.l10n.t('The test event arrived after {0} ms. Hooks work.', ms));
    return;
  }
  const sentence =
    exitCode === 0
      ? vscode.l10n.t('The hook command ran, but its event did not arrive within 10 seconds.')
      : vscode.l10n.t('The hook command failed (exit status {0}). {1}', exitCode ?? '–', output);
  const check: NoticeButton = [vscode.l10n.t('Check hooks'), run(commands.hooks.doctor)];
  notify(log, 'error', forNotification(sentence, 500), ...(exitCode === 0 ? [check] : []));
}
