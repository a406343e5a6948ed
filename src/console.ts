import * as vscode from 'vscode';
import { isApiError } from './api';
import { errorSentence, type Connection } from './connection';
import { commands, type CommandHandlers } from './contributions';
import type { OutputLog } from './log';
import { notify } from './ui/window';
import { redact } from './util/redact';
import { forNotification } from './util/text';

interface ConsoleDeps {
  readonly log: OutputLog;
  readonly connection: Pick<Connection, 'state'> & { diagnostics(): string; recheck(): Promise<void> };
  readonly version: string;
  /** What can be read anew, by whether it is in sight; its code is loaded for that. */
  readonly lists: readonly {
    readonly view: { readonly visible: boolean };
    readonly load: () => Promise<{ refresh(): Promise<void> }>;
  }[];
}

/** Commands that belong to no feature: read anew what is in sight, or everything where nothing is; the log, diagnostics. */
export function consoleCommands(deps: ConsoleDeps): { readonly commands: CommandHandlers<'console'> } {
  return {
    commands: {
      refresh: async () => {
        await deps.connection.recheck();
        if (deps.connection.state.current.kind !== 'signedIn') return;
        const visible = deps.lists.filter(({ view }) => view.visible);
        const meant = visible.length > 0 ? visible : deps.lists;
        await Promise.all(meant.map(async ({ load }) => (await load()).refresh()));
      },
      showLog: () => deps.log.show(),
      copyDiagnostics: async () => {
        await vscode.env.clipboard.writeText(redact(diagnosticsText(deps)));
        void vscode.window.showInformationMessage(
          vscode.l10n.t(
            'Diagnostics copied. They contain versions, addresses and recent problems, but no key and no messages.',
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
    `Recent problems: ${deps.log.problems.length}`,
    ...deps.log.problems.map(problem => `- ${problem}`),
    '',
  ].join('\n');
}

/** Commands that answer other extensions: with an argument they reject, so that the caller learns of it. */
const ANSWERING: readonly string[] = [commands.chat.send, commands.sessions.create, commands.sessions.add];

/**
 * Tells a person what went wrong with a command, once, and keeps it in the log. What was only cancelled is not told.
 * Whoever ran the command does not wait until the notice is closed.
 */
export function reportFailure(
  log: OutputLog,
  command: string,
  error: unknown,
  args: readonly unknown[],
): undefined {
  if (isCancelled(error)) return undefined;
  const sentence = errorSentence(error);
  log.error(`Command ${command}: ${sentence}`, error);
  if (ANSWERING.includes(command) && isRequest(args[0])) throw new Error(sentence);
  notify(log, 'error', forNotification(sentence, 1_000), [vscode.l10n.t('Show log'), () => log.show()]);
  // VS Code empties the box of a comment when its command succeeds.
  if (command === commands.changes.comment) throw new Error(sentence);
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
