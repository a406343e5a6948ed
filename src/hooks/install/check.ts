import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { commands } from '../../contributions';
import { notify } from '../../ui/notify';
import { pick, type Choice } from '../../ui/pick';
import { forNotification, middle } from '../../util/text';
import { runCommand } from '../command';
import type { HooksContext } from '../context';
import { byTime, isTest, TEST_SESSION } from '../model';
import { labelOf } from '../notices';
import { readOutgoing } from '../outgoing';
import { placeScript, type InstalledFile, type Installation } from './installation';

export type CheckContext = Pick<HooksContext, 'log' | 'events' | 'isListening' | 'format'> & {
  readonly installation: Pick<Installation, 'files' | 'look' | 'command' | 'place'>;
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

/** Installs, and brings up to date what is installed. */
function install(file?: string): Act {
  return run(commands.hooks.install, file);
}

/** Shows what works and what does not; each row leads to what mends it. */
export async function showCheck(context: CheckContext): Promise<void> {
  const findings = await examine(context);
  const isBroken = findings.some(({ icon }) => icon === BROKEN);
  const installed = [
    row('play', vscode.l10n.t('Send a test event'), run(commands.hooks.test)),
    row('trash', vscode.l10n.t('Remove hooks…'), run(commands.hooks.uninstall)),
  ];
  const act = await pick(
    [
      ...findings,
      row('add', vscode.l10n.t('Install hooks…'), install()),
      ...((await context.installation.files()).length > 0 ? installed : []),
    ],
    isBroken ? vscode.l10n.t('Something is broken') : vscode.l10n.t('Everything works'),
  );
  await act?.();
}

/** Looks at every link of the chain. */
export async function examine(context: CheckContext): Promise<Finding[]> {
  const { installation, isListening, settings } = context;
  const files = await installation.files();
  const findings = await Promise.all(files.map(file => examineFile(context, file)));
  if (files.length === 0)
    findings.push(row(BROKEN, vscode.l10n.t('No hooks have been installed from here'), install()));
  else findings.push(...(await mendScript(installation)));
  findings.push(
    isListening()
      ? row(FINE, vscode.l10n.t('This window listens'))
      : row(BROKEN, vscode.l10n.t('This window does not listen'), install()),
    await lastEvent(context),
  );
  const odd = readOutgoing(settings.hooksOutgoing()).problems.join(', ');
  if (odd !== '')
    findings.push(
      row(
        BROKEN,
        vscode.l10n.t('Some of your own commands cannot be used: {0}', odd),
        run('workbench.action.openSettings', 'agentConsole.hooks.outgoing'),
        vscode.l10n.t(
          'Each event has a list of entries, and each entry a list "hooks" of commands with "type", "command" and "timeout".',
        ),
      ),
    );
  return findings;
}

/** A script that is missing or from another version is mended, and told of only where it cannot be. */
async function mendScript({ place }: CheckContext['installation']): Promise<Finding[]> {
  try {
    await placeScript(place);
    return [];
  } catch (error) {
    const label = vscode.l10n.t('The script of the hook command is missing or from another version');
    return [row(BROKEN, label, install(), error instanceof Error ? error.message : String(error))];
  }
}

async function examineFile({ installation }: CheckContext, { file }: InstalledFile): Promise<Finding> {
  const open: Act = () => vscode.window.showTextDocument(vscode.Uri.file(file));
  const detail = middle(file, 100);
  try {
    const found = await installation.look(file);
    if (found === undefined)
      return row(BROKEN, vscode.l10n.t('Settings file is missing'), install(file), detail);
    return found.length > 0
      ? row(FINE, vscode.l10n.t('Hook present for {0}', found.join(', ')), open, detail)
      : row(BROKEN, vscode.l10n.t('Hook missing'), install(file), detail);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return row(BROKEN, vscode.l10n.t('Settings file cannot be changed'), open, why);
  }
}

async function lastEvent({ events, format }: CheckContext): Promise<Finding> {
  const event = [...(await events.load()).values()].sort(byTime).at(-1);
  if (event === undefined)
    return row('info', vscode.l10n.t('No event has arrived yet'), run(commands.hooks.test));
  const what = isTest(event) ? vscode.l10n.t('test event') : `${labelOf(event, undefined)}, ${event.name}`;
  const ago = vscode.l10n.t('Last event {0} ago', format.span(Date.now() - event.at));
  return row(FINE, ago, run(commands.hooks.attention), what);
}

/** So long a test event may take from the command to a window, ms. */
const PATIENCE_MS = 10_000;

/** Sends a test event through the installed command, as the client would, and tells how it went. */
export async function showTest(context: CheckContext, cwd: string, patienceMs = PATIENCE_MS): Promise<void> {
  const { log, format, events, installation, isListening } = context;
  if (!isListening()) {
    const sentence = vscode.l10n.t('No hooks are installed on this machine, so this window does not listen.');
    notify(log, 'warning', sentence, [vscode.l10n.t('Install hooks'), install()]);
    return;
  }
  const started = Date.now();
  const sessionId = `${TEST_SESSION}${randomUUID()}`;
  const message = { hook_event_name: 'Notification', session_id: sessionId, cwd, message: 'Test' };
  const signal = AbortSignal.timeout(patienceMs);
  const arrival = Promise.withResolvers<boolean>();
  await events.load();
  const heard = events.onDidChange(ids => {
    if (ids.some(id => events.get(id)?.sessionId === sessionId)) arrival.resolve(true);
  });
  signal.addEventListener('abort', () => arrival.resolve(false));
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
  } else if (exitCode === 0)
    notify(
      log,
      'error',
      vscode.l10n.t('The hook command ran, but its event did not arrive within 10 seconds.'),
      [vscode.l10n.t('Check hooks'), run(commands.hooks.doctor)],
    );
  else {
    const sentence = vscode.l10n.t('The hook command failed (exit status {0}). {1}', exitCode ?? '–', output);
    notify(log, 'error', forNotification(sentence, 500));
  }
}
