import * as vscode from 'vscode';
import type { Chat } from './chat';
import type { ConnectionPart } from './connection';
import { commands } from './contributions';
import type { Logger } from './log';
import { barSettings, carryOverSettings, hookSettings, onDidChangeSettings, settings } from './settings';
import type { Storage } from './storage';
import type { UsageFeature } from './usage';
import type { Event, IDisposable } from './util/lifecycle';
import { once } from './util/promises';

export interface StartupDeps {
  readonly log: Logger;
  readonly focused: { readonly onDidChange: Event<boolean> };
  readonly storage: () => Promise<Storage>;
  readonly connection: () => Promise<ConnectionPart>;
  readonly chat: () => Promise<Chat>;
  readonly readiness: () => Promise<unknown>;
  readonly usage: () => Promise<UsageFeature>;
  readonly hooks: () => Promise<unknown>;
  /** Hears other programs, if any has been given the tools. */
  readonly programs: () => Promise<unknown>;
}

/**
 * What is wanted without any view being open: the status bar, messages that wait in a queue, and hook events, each where it is used.
 * `begin` is called once, a moment after the window has opened; `signedIn` where somebody is, perhaps.
 */
export function startup(deps: StartupDeps, own: (part: IDisposable) => unknown) {
  const attempt = async (failure: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      deps.log.error(failure, error);
    }
  };
  const isSignedIn = async (): Promise<boolean> =>
    (await (await deps.connection()).ready()).kind === 'signedIn';

  const fillStatusBar = () =>
    attempt('The status bar could not be filled', async () => {
      const wantsUsage = settings.usageStatusBar() !== 'off' || settings.usageBudget().tokens > 0;
      const wantsReadiness = settings.readinessStatusBar() && vscode.workspace.workspaceFolders !== undefined;
      // Menus and palette follow it, whatever is shown.
      if (!(await isSignedIn())) return;
      if (wantsReadiness) await deps.readiness();
      if (wantsUsage) (await deps.usage()).startStatusBar();
    });

  /** What an earlier window has queued goes out without any chat being opened. */
  const sendQueued = () =>
    attempt('What was queued cannot go out', async () => {
      if ((await hasQueued(await deps.storage())) && (await isSignedIn())) (await deps.chat()).goOn();
    });

  /** Heard where hooks were installed or defined; from then on the feature follows both. */
  const hearHooks = () =>
    attempt('Hooks cannot be heard', async () => {
      if (settings.hooksOutgoing() !== undefined || (await hasInstalledHooks(await deps.storage())))
        await deps.hooks();
    });

  const offerForProblems = once(async () => {
    const { state } = await deps.connection();
    own(offerFix(() => state.current.kind !== 'signedOut'));
  });

  const signedIn = (): void => {
    void attempt('Problems cannot be attached to sessions', offerForProblems);
    void fillStatusBar();
    void sendQueued();
  };

  own(onDidChangeSettings(barSettings, () => void fillStatusBar()));
  own(onDidChangeSettings(hookSettings, () => void hearHooks()));

  const begin = async (): Promise<void> => {
    await attempt('Settings of an earlier version could not be carried over', carryOverSettings);
    const hear = (): void => {
      void hearHooks();
      void attempt('Other programs cannot be heard', deps.programs);
    };
    hear();
    // Another window may have installed hooks meanwhile, or given the tools to a program.
    own(deps.focused.onDidChange(isFocused => isFocused && hear()));
    await attempt('The stored data cannot be read', async () => {
      const isNamed = settings.baseUrl() !== '' || (process.env['AGENT_CONSOLE_BASE_URL'] ?? '') !== '';
      if (isNamed || (await isSampleChosen(await deps.storage()))) signedIn();
    });
  };

  return { begin, signedIn };
}

/** Offers, among the fixes of problems in a file, to attach them to a session wherever `canAttach`. */
function offerFix(canAttach: () => boolean): vscode.Disposable {
  const title = vscode.l10n.t('Send to agent session…');
  const { attachFiles: command } = commands.chat;
  const provider: vscode.CodeActionProvider = {
    provideCodeActions: ({ uri }, _, { diagnostics: problems }) => {
      if (problems.length === 0 || !canAttach()) return [];
      const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      action.command = { command, title, arguments: [{ uri, problems }] };
      action.diagnostics = [...problems];
      return [action];
    },
  };
  const providedCodeActionKinds = [vscode.CodeActionKind.QuickFix];
  return vscode.languages.registerCodeActionsProvider('*', provider, { providedCodeActionKinds });
}

type Stored = Readonly<Record<string, unknown>> | null;

// What is in use is read from the records alone, without loading the features.

/** Whether any window has left messages in a queue. */
export async function hasQueued(storage: Storage): Promise<boolean> {
  const outboxes = (await storage.peek('services/*/outbox')) as readonly Stored[];
  return outboxes.some(outbox => {
    const entries = outbox?.['entries'];
    return (
      Array.isArray(entries) && (entries as readonly Stored[]).some(entry => entry?.['state'] === 'queued')
    );
  });
}

/** Whether the sample service was chosen. */
export async function isSampleChosen(storage: Storage): Promise<boolean> {
  const records = (await storage.peek('connection')) as readonly Stored[];
  return records.some(record => record?.['kind'] === 'sample' && record['chosen'] === true);
}

/** Whether hooks are installed from this machine. */
export async function hasInstalledHooks(storage: Storage): Promise<boolean> {
  const files = (await storage.peek('hook-files')) as readonly Stored[];
  return files.some(file => typeof file?.['written'] === 'string');
}
