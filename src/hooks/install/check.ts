import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import { commands } from '../../contributions';
import type { Logger } from '../../log';
import type { Collection } from '../../storage';
import { pick, type Choice } from '../../ui/pick';
import type { Formatter } from '../../util/format';
import { notify } from '../../ui/notify';
import { forNotification, middle } from '../../util/text';
import { byTime, isTest, TEST_SESSION, type HookEvent } from '../model';
import { labelOf } from '../notices';
import { runCommand } from '../run/command';
import type { Installation } from './installation';
import { shippedScript, type HookPlace } from './place';

export interface CheckDeps {
  readonly log: Logger;
  readonly installation: Pick<Installation, 'files' | 'look' | 'command'>;
  readonly place: HookPlace;
  /** The folder of the extension that holds the script. */
  readonly shipped: string;
  readonly events: Collection<HookEvent>;
  readonly isListening: () => boolean;
  readonly format: Formatter;
  /** What of the person's own hooks cannot be used. */
  readonly unusable: () => readonly string[];
  readonly repair: () => Promise<void>;
}

type Act = () => Thenable<unknown> | undefined;

/** One link of the chain from the client to this window; its value is what mends it, or shows more. */
type Finding = Choice<Act>;

/** Shows what works and what does not; each row leads to what mends it. */
export async function showCheck(deps: CheckDeps): Promise<void> {
  const findings = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Checking hooks') },
    () => examine(deps),
  );
  const isInstalled = (await deps.installation.files()).length > 0;
  const isBroken = findings.some(({ icon }) => icon === BROKEN);
  const rows = [
    ...findings,
    ...(isInstalled ? [row('play', vscode.l10n.t('Send a test event'), run(commands.hooks.test))] : []),
    ...(isInstalled && isBroken ? [row('wrench', vscode.l10n.t('Repair hooks'), deps.repair)] : []),
    row('add', vscode.l10n.t('Install hooks…'), run(commands.hooks.install)),
    ...(isInstalled ? [row('trash', vscode.l10n.t('Remove hooks…'), run(commands.hooks.uninstall))] : []),
  ];
  const act = await pick(
    rows,
    isBroken ? vscode.l10n.t('Something is broken') : vscode.l10n.t('Everything works'),
  );
  await act?.();
}

const FINE = 'pass';
const ATTENTION = 'info';
const BROKEN = 'error';

function row(icon: string, label: string, value: Act = () => undefined, detail?: string): Finding {
  return { icon, label, value, detail };
}

/** Looks at every link of the chain. */
export async function examine(deps: CheckDeps): Promise<Finding[]> {
  const { installation, repair } = deps;
  const files = await installation.files();
  const findings: Finding[] = [];
  for (const { file, events } of files) findings.push(...(await examineFile(deps, file, events)));
  if (files.length === 0)
    findings.push(
      row(BROKEN, vscode.l10n.t('No hooks have been installed from here'), run(commands.hooks.install)),
    );
  findings.push(
    await examineScript(deps),
    deps.isListening()
      ? row(FINE, vscode.l10n.t('This window listens'))
      : row(BROKEN, vscode.l10n.t('This window does not listen'), repair),
    await lastEvent(deps),
  );
  const unusable = deps.unusable();
  if (unusable.length > 0)
    findings.push(
      row(
        BROKEN,
        vscode.l10n.t('Some of your own commands cannot be used: {0}', unusable.join(', ')),
        run('workbench.action.openSettings', 'agentConsole.hooks.outgoing'),
        vscode.l10n.t(
          'Each event has a list of entries, and each entry a list "hooks" of commands with "type", "command" and "timeout".',
        ),
      ),
    );
  return findings;
}

async function examineFile(
  { installation, repair }: CheckDeps,
  file: string,
  events: readonly string[],
): Promise<Finding[]> {
  const open: Act = () => vscode.window.showTextDocument(vscode.Uri.file(file));
  const detail = middle(file, 100);
  try {
    const found = await installation.look(file);
    if (found === undefined) return [row(BROKEN, vscode.l10n.t('Settings file is missing'), repair, detail)];
    const missing = events.filter(name => found.get(name) !== 'current').join(', ');
    return [
      row(FINE, vscode.l10n.t('Settings file found'), open, detail),
      missing === ''
        ? row(FINE, vscode.l10n.t('Hook present for {0}', events.join(', ')))
        : row(BROKEN, vscode.l10n.t('Hook missing or out of date for {0}', missing), repair),
    ];
  } catch (error) {
    return [row(BROKEN, vscode.l10n.t('Settings file cannot be changed'), open, messageOf(error))];
  }
}

/** What is empty, or another's, may end well and yet hand nothing over. */
async function examineScript({ place, shipped, installation, repair }: CheckDeps): Promise<Finding> {
  const there = await fs.readFile(place.script).catch(() => undefined);
  if (there === undefined)
    return row(BROKEN, vscode.l10n.t('The script of the hook command is gone'), repair);
  return there.equals(await shippedScript(place, shipped))
    ? row(FINE, vscode.l10n.t('Command can run'), undefined, installation.command)
    : row(BROKEN, vscode.l10n.t('The script of the hook command is not the one of this version'), repair);
}

async function lastEvent({ events, format }: CheckDeps): Promise<Finding> {
  const event = [...(await events.load()).values()].sort(byTime).at(-1);
  if (event === undefined)
    return row(ATTENTION, vscode.l10n.t('No event has arrived yet'), run(commands.hooks.test));
  return row(
    FINE,
    vscode.l10n.t('Last event {0} ago', format.span(Date.now() - event.at)),
    run(commands.hooks.attention),
    isTest(event) ? vscode.l10n.t('test event') : `${labelOf(event, undefined)}, ${event.name}`,
  );
}

/** So long a test event may take from the command to a window, ms. */
const PATIENCE_MS = 10_000;

/** Sends a test event through the installed command and tells how it went. */
export async function showTest(deps: CheckDeps, cwd: string, patienceMs = PATIENCE_MS): Promise<void> {
  const { log, format } = deps;
  if (!deps.isListening()) {
    const sentence = vscode.l10n.t('No hooks are installed on this machine, so this window does not listen.');
    notify(log, 'warning', sentence, [vscode.l10n.t('Install hooks'), run(commands.hooks.install)]);
    return;
  }
  const started = Date.now();
  const { exitCode, output, arrived } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Sending a test event') },
    () => sendTest(deps, cwd, patienceMs),
  );
  const ms = format.number(Date.now() - started);
  if (arrived) notify(log, 'info', vscode.l10n.t('The test event arrived after {0} ms. Hooks work.', ms));
  else if (exitCode === 0)
    notify(
      log,
      'error',
      vscode.l10n.t('The hook command ran, but its event did not arrive within 10 seconds.'),
      [vscode.l10n.t('Check hooks'), run(commands.hooks.doctor)],
    );
  else {
    const said = output.trim() === '' ? vscode.l10n.t('No output.') : output;
    const status =
      exitCode === undefined ? vscode.l10n.t('no exit status') : vscode.l10n.t('exit status {0}', exitCode);
    const sentence = vscode.l10n.t('The hook command failed with {0}. {1}', status, said);
    notify(log, 'error', forNotification(sentence, 500));
  }
}

/** Sends an event through the real command, as the client would, and waits until a window has taken it. */
async function sendTest(
  { installation, events }: CheckDeps,
  cwd: string,
  patienceMs: number,
): Promise<{ readonly exitCode: number | undefined; readonly output: string; readonly arrived: boolean }> {
  const sessionId = `${TEST_SESSION}${randomUUID()}`;
  const stop = AbortSignal.timeout(patienceMs);
  await events.load();
  const arrival = Promise.withResolvers<boolean>();
  const heard = events.onDidChange(ids => {
    if (ids.some(id => events.get(id)?.sessionId === sessionId)) arrival.resolve(true);
  });
  stop.addEventListener('abort', () => arrival.resolve(false));
  try {
    const message = { hook_event_name: 'Notification', session_id: sessionId, cwd, message: 'Test' };
    const { exitCode, output } = await runCommand({
      command: installation.command,
      input: JSON.stringify(message),
      timeoutMs: patienceMs,
      signal: stop,
      isTest: true,
    });
    return { exitCode, output, arrived: exitCode === 0 && (await arrival.promise) };
  } finally {
    heard.dispose();
  }
}

function run(command: string, ...args: readonly unknown[]): Act {
  return () => vscode.commands.executeCommand(command, ...args);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
