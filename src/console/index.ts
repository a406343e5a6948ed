import * as vscode from 'vscode';
import { isApiError } from '../api';
import { errorSentence } from '../connection';
import { commands, type CommandHandlers } from '../contributions';
import type { OutputLog } from '../log';
import { redact } from '../util/redact';
import { forNotification, oneLine } from '../util/text';

/** Failures of commands that the diagnostics tell of, the latest. */
const TOLD = 20;
const failures: string[] = [];

/** Something that can be read anew; made only if it is not there yet. */
type Refreshable = () => Promise<{ refresh(): Promise<void> }>;

export interface ConsoleDeps {
  readonly log: OutputLog;
  readonly connection: { diagnostics(): string; recheck(): Promise<void> };
  readonly version: string;
  readonly computers: Refreshable;
  readonly sessions: Refreshable;
  readonly organization: Refreshable;
  readonly readiness: Refreshable;
}

/** Commands that belong to no feature: refresh all, the log, diagnostics. */
export function consoleCommands(deps: ConsoleDeps): { readonly commands: CommandHandlers<'console'> } {
  return {
    commands: {
      refresh: async () => {
        await deps.connection.recheck();
        const parts = [deps.computers(), deps.sessions(), deps.organization(), deps.readiness()];
        await Promise.all((await Promise.all(parts)).map(part => part.refresh()));
      },
      showLog: () => deps.log.show(),
      copyDiagnostics: async () => {
        await vscode.env.clipboard.writeText(redact(diagnosticsText(deps)));
        void vscode.window.showInformationMessage(
          vscode.l10n.t(
            'Diagnostics copied. They hold versions, addresses and recent problems, no key and no messages.',
          ),
        );
      },
    },
  };
}

function diagnosticsText(deps: ConsoleDeps): string {
  const kind = vscode.env.remoteName ?? (vscode.env.uiKind === vscode.UIKind.Web ? 'web' : 'desktop');
  return [
    `Agent Console ${deps.version}`,
    `${vscode.env.appName} ${vscode.version}, ${kind}, ${process.platform} ${process.arch}, Node ${process.versions.node}`,
    `Workspace: ${vscode.workspace.isTrusted ? 'trusted' : 'restricted'}, folders: ${vscode.workspace.workspaceFolders?.length ?? 0}`,
    deps.connection.diagnostics(),
    `Commands that failed: ${failures.length}`,
    ...failures.map(failure => `- ${failure}`),
    '',
  ].join('\n');
}

export interface FailedCommand {
  readonly command: string;
  readonly error: unknown;
  readonly args: readonly unknown[];
  readonly log: OutputLog;
}

/** Commands that answer other extensions: with an argument they reject, so that the caller learns of it. */
const ANSWERING: readonly string[] = [commands.chat.send, commands.sessions.create, commands.sessions.add];

/** Tells a person what went wrong with a command, once, and keeps it in the log. What was only cancelled is not told. */
export async function reportFailure({ command, error, args, log }: FailedCommand): Promise<undefined> {
  if (isCancelled(error)) return undefined;
  const sentence = errorSentence(error);
  log.error(`Command ${command}: ${sentence}`);
  failures.push(`${new Date().toISOString()} ${command}: ${oneLine(sentence, 500)}`);
  failures.splice(0, failures.length - TOLD);
  if (ANSWERING.includes(command) && isRequest(args[0])) throw new Error(sentence);
  const showLog = vscode.l10n.t('Show log');
  const answer = await vscode.window.showErrorMessage(forNotification(sentence, 1_000), showLog);
  if (answer === showLog) log.show();
  return undefined;
}

function isCancelled(error: unknown): boolean {
  return (isApiError(error) && error.kind === 'cancelled') || error instanceof vscode.CancellationError;
}

/** A value another extension passed; rows of our own views carry a `kind`. */
function isRequest(argument: unknown): boolean {
  return (
    typeof argument === 'string' ||
    (typeof argument === 'object' && argument !== null && !('kind' in argument))
  );
}
