import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { commands } from '../../contributions';
import type { Logger } from '../../log';
import type { Collection } from '../../storage';
import type { Formatter } from '../../util/format';
import { notify } from '../../util/notify';
import { forNotification, forQuickPick, middle } from '../../util/text';
import { byTime, isTest, TEST_SESSION, type HookEvent } from '../model';
import { runCommand } from '../run/command';
import { labelOf, stateText } from '../text';
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
  /** The last run of a hook of the person's own, in words. */
  readonly lastOutgoing: () => string | undefined;
  readonly repair: () => Promise<void>;
}

/** One link of the chain from the client to this window. */
export interface Finding {
  readonly state: 'fine' | 'attention' | 'broken';
  readonly label: string;
  readonly detail?: string | undefined;
  /** What mends it, or shows more. */
  readonly run?: (() => Thenable<unknown>) | undefined;
}

const ICONS = { fine: 'pass', attention: 'info', broken: 'error' } as const;

/** Shows what works and what does not; each row leads to what mends it. */
export async function showCheck(deps: CheckDeps): Promise<void> {
  const findings = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Checking hooks') },
    () => examine(deps),
  );
  const isInstalled = (await deps.installation.files()).length > 0;
  const isBroken = findings.some(({ state }) => state === 'broken');
  const outgoing = deps.lastOutgoing();
  const rows = [
    ...findings.map(({ state, label, detail, run: act }) => ({
      label: `$(${ICONS[state]}) ${forQuickPick(label)}`,
      ...(detail === undefined ? {} : { detail: forQuickPick(detail, 400) }),
      act,
    })),
    ...(outgoing === undefined
      ? []
      : [{ label: `$(terminal) ${forQuickPick(outgoing)}`, act: run(commands.console.showLog) }]),
    { label: '', kind: vscode.QuickPickItemKind.Separator, act: undefined },
    ...(isInstalled
      ? [{ label: vscode.l10n.t('$(play) Send a test event'), act: run(commands.hooks.test) }]
      : []),
    ...(isInstalled && isBroken
      ? [{ label: vscode.l10n.t('$(wrench) Repair hooks'), act: deps.repair }]
      : []),
    { label: vscode.l10n.t('$(add) Install hooks…'), act: run(commands.hooks.install) },
    ...(isInstalled
      ? [{ label: vscode.l10n.t('$(trash) Remove hooks…'), act: run(commands.hooks.uninstall) }]
      : []),
  ];
  const placeHolder = isBroken ? vscode.l10n.t('Something is broken') : vscode.l10n.t('Everything works');
  const row = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Hooks'), placeHolder });
  await row?.act?.();
}

/** Looks at every link of the chain; changes nothing but a trial file in the spool. */
export async function examine(deps: CheckDeps): Promise<Finding[]> {
  const { installation, place, repair } = deps;
  const files = await installation.files();
  const findings: Finding[] = [];
  for (const { file, events } of files) findings.push(...(await examineFile(deps, file, events)));
  if (files.length === 0)
    findings.push({
      state: 'broken',
      label: vscode.l10n.t('No hooks have been installed from here'),
      run: run(commands.hooks.install),
    });
  findings.push(await examineScript(deps), await examineSpool(deps));
  const waiting = (await fs.readdir(place.spool).catch(() => [])).length;
  if (waiting > 10)
    findings.push({
      state: 'attention',
      label: vscode.l10n.t('{0} events have not been taken by any window yet', waiting),
    });
  findings.push(
    deps.isListening()
      ? { state: 'fine', label: vscode.l10n.t('This window listens') }
      : { state: 'broken', label: vscode.l10n.t('This window does not listen'), run: repair },
    await lastEvent(deps),
  );
  const unusable = deps.unusable();
  if (unusable.length > 0)
    findings.push({
      state: 'broken',
      label: vscode.l10n.t('Some of your own commands cannot be used: {0}', unusable.join(', ')),
      detail: vscode.l10n.t(
        'Each event has a list of entries, and each entry a list "hooks" of commands with "type", "command" and "timeout".',
      ),
      run: run('workbench.action.openSettings', 'agentConsole.hooks.outgoing'),
    });
  return findings;
}

async function examineFile(
  { installation, repair }: CheckDeps,
  file: string,
  events: readonly string[],
): Promise<Finding[]> {
  const open = (): Thenable<unknown> => vscode.window.showTextDocument(vscode.Uri.file(file));
  const detail = middle(file, 100);
  try {
    const found = await installation.look(file);
    if (found === undefined)
      return [{ state: 'broken', label: vscode.l10n.t('Settings file is missing'), detail, run: repair }];
    const missing = events.filter(name => found.get(name) !== 'current');
    return [
      { state: 'fine', label: vscode.l10n.t('Settings file found'), detail, run: open },
      missing.length === 0
        ? { state: 'fine', label: vscode.l10n.t('Hook present for {0}', events.join(', ')) }
        : {
            state: 'broken',
            label: vscode.l10n.t('Hook missing or out of date for {0}', missing.join(', ')),
            run: repair,
          },
    ];
  } catch (error) {
    const reason = messageOf(error);
    return [
      {
        state: 'broken',
        label: vscode.l10n.t('Settings file cannot be changed'),
        detail: reason,
        run: open,
      },
    ];
  }
}

/** What is empty, or another's, may end well and yet hand nothing over. */
async function examineScript({ place, shipped, installation, repair }: CheckDeps): Promise<Finding> {
  const [there, wanted] = await Promise.all([
    fs.readFile(place.script).catch(() => undefined),
    shippedScript(place, shipped),
  ]);
  if (there?.equals(wanted) === true)
    return { state: 'fine', label: vscode.l10n.t('Command can run'), detail: installation.command };
  const label =
    there === undefined
      ? vscode.l10n.t('The script of the hook command is gone')
      : vscode.l10n.t('The script of the hook command is not the one of this version');
  return { state: 'broken', label, run: repair };
}

async function examineSpool({ place, repair }: CheckDeps): Promise<Finding> {
  const trial = path.join(place.spool, `trial-${randomUUID()}`);
  try {
    await fs.writeFile(trial, 'x'.repeat(1_024), { flag: 'wx', mode: 0o600 });
    return { state: 'fine', label: vscode.l10n.t('Events can be written'), detail: place.spool };
  } catch (error) {
    const detail = messageOf(error);
    return { state: 'broken', label: vscode.l10n.t('Events cannot be written'), detail, run: repair };
  } finally {
    await fs.rm(trial, { force: true });
  }
}

async function lastEvent({ events, format }: CheckDeps): Promise<Finding> {
  const event = [...(await events.load()).values()].sort(byTime).at(-1);
  if (event === undefined)
    return {
      state: 'attention',
      label: vscode.l10n.t('No event has arrived yet'),
      run: run(commands.hooks.test),
    };
  return {
    state: 'fine',
    label: vscode.l10n.t('Last event {0} ago', format.span(Date.now() - event.at)),
    detail: isTest(event) ? vscode.l10n.t('test event') : `${labelOf(event, undefined)}, ${stateText(event)}`,
    run: run(commands.hooks.attention),
  };
}

export type TestOutcome =
  | { readonly kind: 'arrived'; readonly ms: number }
  | { readonly kind: 'failed'; readonly exitCode: number | undefined; readonly output: string }
  /** The command ended well, but no window has taken the event. */
  | { readonly kind: 'lost' };

/** So long a test event may take from the command to a window, ms. */
const PATIENCE_MS = 10_000;

/** Sends a test event through the installed command and tells how it went. */
export async function showTest(deps: CheckDeps, cwd: string): Promise<void> {
  const { log, format } = deps;
  if (!deps.isListening()) {
    const sentence = vscode.l10n.t('No hooks are installed on this machine, so this window does not listen.');
    notify(log, 'warning', sentence, [vscode.l10n.t('Install hooks'), run(commands.hooks.install)]);
    return;
  }
  const outcome = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Sending a test event') },
    () => sendTest(deps, cwd),
  );
  switch (outcome.kind) {
    case 'arrived':
      notify(
        log,
        'info',
        vscode.l10n.t('The test event arrived after {0} ms. Hooks work.', format.number(outcome.ms)),
      );
      return;
    case 'failed': {
      const { exitCode } = outcome;
      const output = outcome.output.trim() === '' ? vscode.l10n.t('No output.') : outcome.output;
      const status =
        exitCode === undefined ? vscode.l10n.t('no exit status') : vscode.l10n.t('exit status {0}', exitCode);
      const sentence = vscode.l10n.t('The hook command failed with {0}. {1}', status, output);
      notify(log, 'error', forNotification(sentence, 500));
      return;
    }
    case 'lost':
      notify(
        log,
        'error',
        vscode.l10n.t('The hook command ran, but its event did not arrive within 10 seconds.'),
        [vscode.l10n.t('Check hooks'), run(commands.hooks.doctor)],
      );
  }
}

/** Sends an event through the real command, as the client would, and waits until a window has taken it. */
export async function sendTest(
  { installation, events }: Pick<CheckDeps, 'events' | 'installation'>,
  cwd: string,
  patienceMs = PATIENCE_MS,
): Promise<TestOutcome> {
  const sessionId = `${TEST_SESSION}${randomUUID()}`;
  const started = Date.now();
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
    if (exitCode !== 0) return { kind: 'failed', exitCode, output };
    return (await arrival.promise) ? { kind: 'arrived', ms: Date.now() - started } : { kind: 'lost' };
  } finally {
    heard.dispose();
  }
}

function run(command: string, ...args: readonly unknown[]): () => Thenable<unknown> {
  return () => vscode.commands.executeCommand(command, ...args);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
