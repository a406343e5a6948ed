import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { Formatter } from '../util/format';
import { forNotification, forQuickPick, middle } from '../util/text';
import { examine, sendTest, type DoctorDeps, type Finding } from './doctor';
import { isTest } from './model';
import { labelOf, problemSentence, stateText } from './sentences';
import { reasonOf } from './settingsFile';

export interface DoctorViewDeps extends DoctorDeps {
  readonly format: Formatter;
  readonly titleOf: (sessionId: string) => Promise<string | undefined>;
  /** The last run of a hook of the person's own, in words. */
  readonly lastOutgoing: () => string | undefined;
}

interface Row extends vscode.QuickPickItem {
  readonly run?: () => Thenable<unknown>;
}

/** Shows what works and what does not; each row leads to what mends it. */
export async function showDoctor(deps: DoctorViewDeps): Promise<void> {
  const findings = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Checking hooks') },
    () => examine(deps),
  );
  const rows: Row[] = [];
  for (const finding of findings) rows.push(await rowOf(finding, deps));
  const outgoing = deps.lastOutgoing();
  if (outgoing !== undefined)
    rows.push({ label: `$(terminal) ${forQuickPick(outgoing)}`, run: run(commands.console.showLog) });
  const isInstalled = findings.some(({ kind, file }) => kind === 'file' && file !== undefined);
  const isBroken = findings.some(({ state }) => state === 'broken');
  rows.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
  if (isInstalled)
    rows.push({ label: vscode.l10n.t('$(play) Send a test event'), run: run(commands.hooks.test) });
  const isRepairable = findings.some(({ kind, state }) => state === 'broken' && kind !== 'outgoing');
  if (isInstalled && isRepairable)
    rows.push({ label: vscode.l10n.t('$(wrench) Repair hooks'), run: run(commands.hooks.repair) });
  rows.push({ label: vscode.l10n.t('$(add) Install hooks…'), run: run(commands.hooks.install) });
  if (isInstalled)
    rows.push({ label: vscode.l10n.t('$(trash) Remove hooks…'), run: run(commands.hooks.uninstall) });
  const placeHolder = isBroken
    ? vscode.l10n.t('Something is not in order')
    : vscode.l10n.t('Everything is in order');
  const row = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Hooks'), placeHolder });
  await row?.run?.();
}

/** Sends a test event through the installed command and tells how it went. */
export async function showTest(deps: DoctorDeps, cwd: string, format: Formatter): Promise<void> {
  if (!deps.isListening()) return tellUnheard(deps);
  const outcome = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Sending a test event') },
    () => sendTest(deps, cwd),
  );
  switch (outcome.kind) {
    case 'arrived':
      void vscode.window.showInformationMessage(
        vscode.l10n.t('The test event arrived after {0} ms. Hooks work.', format.number(outcome.ms)),
      );
      return;
    case 'failed': {
      const output = outcome.output.trim() === '' ? vscode.l10n.t('It said nothing.') : outcome.output;
      const status =
        outcome.exitCode === undefined
          ? vscode.l10n.t('no exit status')
          : vscode.l10n.t('exit status {0}', outcome.exitCode);
      void vscode.window.showErrorMessage(
        forNotification(vscode.l10n.t('The hook command failed with {0}. {1}', status, output), 500),
      );
      return;
    }
    case 'lost': {
      const check = vscode.l10n.t('Check hooks');
      const sentence = vscode.l10n.t('The hook command ran, but its event did not arrive within 10 seconds.');
      if ((await vscode.window.showErrorMessage(sentence, check)) === check)
        await vscode.commands.executeCommand(commands.hooks.doctor);
    }
  }
}

/** Nobody would take the event. */
async function tellUnheard({ installation }: DoctorDeps): Promise<void> {
  if ((await installation.files()).length > 0) {
    const settings = vscode.l10n.t('Open settings');
    const sentence = vscode.l10n.t(
      'This window does not listen for hook events: the setting agentConsole.hooks.listen turns it off.',
    );
    if ((await vscode.window.showWarningMessage(sentence, settings)) === settings)
      await vscode.commands.executeCommand('workbench.action.openSettings', 'agentConsole.hooks.listen');
    return;
  }
  const install = vscode.l10n.t('Install hooks');
  const sentence = vscode.l10n.t('No hooks are installed on this machine, so this window does not listen.');
  if ((await vscode.window.showWarningMessage(sentence, install)) === install)
    await vscode.commands.executeCommand(commands.hooks.install);
}

function run(command: string): () => Thenable<unknown> {
  return () => vscode.commands.executeCommand(command);
}

const ICONS = { fine: 'pass', attention: 'info', broken: 'error' } as const;

async function rowOf(finding: Finding, deps: DoctorViewDeps): Promise<Row> {
  const { label, detail, fix } = await wordsOf(finding, deps);
  const row = {
    label: `$(${ICONS[finding.state]}) ${forQuickPick(label)}`,
    ...(detail === undefined ? {} : { detail: forQuickPick(detail, 400) }),
  };
  return fix === undefined ? row : { ...row, run: fix };
}

interface Words {
  readonly label: string;
  readonly detail?: string | undefined;
  readonly fix?: (() => Thenable<unknown>) | undefined;
}

async function wordsOf(finding: Finding, deps: DoctorViewDeps): Promise<Words> {
  const { state, file, events = [], event, error } = finding;
  const isFine = state === 'fine';
  const repair = isFine ? undefined : run(commands.hooks.repair);
  switch (finding.kind) {
    case 'file': {
      if (file === undefined)
        return { label: vscode.l10n.t('No hooks are installed from here'), fix: run(commands.hooks.install) };
      const open = (): Thenable<unknown> => vscode.window.showTextDocument(vscode.Uri.file(file));
      const detail = middle(file, 100);
      if (isFine) return { label: vscode.l10n.t('Settings file found'), detail, fix: open };
      if (error !== undefined)
        return {
          label: vscode.l10n.t('Settings file cannot be changed'),
          detail: problemSentence(error, file).message,
          fix: open,
        };
      return { label: vscode.l10n.t('Settings file is not there'), detail, fix: run(commands.hooks.repair) };
    }
    case 'hook': {
      const names = events.join(', ');
      return {
        label: isFine
          ? vscode.l10n.t('Hook present for {0}', names)
          : vscode.l10n.t('Hook missing or out of date for {0}', names),
        fix: repair,
      };
    }
    case 'script':
      return {
        label: isFine
          ? vscode.l10n.t('Command can run')
          : error !== undefined
            ? vscode.l10n.t('The script of the hook command is gone')
            : vscode.l10n.t('The script of the hook command is not the one of this version'),
        detail: deps.installation.command,
        fix: repair,
      };
    case 'spool':
      return {
        label: isFine ? vscode.l10n.t('Events can be written') : vscode.l10n.t('Events cannot be written'),
        detail: isFine ? deps.place.spool : reasonOf(error),
        fix: repair,
      };
    case 'backlog':
      return {
        label:
          finding.count === 1
            ? vscode.l10n.t('1 event has not been taken by any window yet')
            : vscode.l10n.t('{0} events have not been taken by any window yet', finding.count ?? 0),
      };
    case 'listening':
      return {
        label: isFine ? vscode.l10n.t('This window listens') : vscode.l10n.t('This window does not listen'),
        fix: repair,
      };
    case 'outgoing':
      return {
        label: vscode.l10n.t('Commands of your own cannot be used: {0}', finding.unusable?.join(', ') ?? ''),
        detail: vscode.l10n.t(
          'Each event has a list of entries, and each entry a list “hooks” of commands with “type”, “command” and “timeout”.',
        ),
        fix: () =>
          vscode.commands.executeCommand('workbench.action.openSettings', 'agentConsole.hooks.outgoing'),
      };
    case 'lastEvent': {
      if (event === undefined)
        return { label: vscode.l10n.t('No event has arrived yet'), fix: run(commands.hooks.test) };
      const age = deps.format.span(Date.now() - event.at);
      const title = event.sessionId === undefined ? undefined : await deps.titleOf(event.sessionId);
      const what = isTest(event)
        ? vscode.l10n.t('test event')
        : `${labelOf(event, title)}, ${stateText(event)}`;
      return {
        label: vscode.l10n.t('Last event {0} ago', age),
        detail: what,
        fix: run(commands.hooks.attention),
      };
    }
  }
}
