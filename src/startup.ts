import * as vscode from 'vscode';
import type { Chat } from './chat';
import type { ConnectionPart } from './connection';
import type { Logger } from './log';
import { barSettings, carryOverSettings, hookSettings, onDidChangeSettings, settings } from './settings';
import type { Storage } from './storage';
import type { UsageFeature } from './usage';
import { Disposable } from './util/disposable';
import type { Event } from './util/event';

export interface StartupDeps {
  readonly log: Logger;
  readonly focused: { readonly onDidChange: Event<boolean> };
  readonly storage: () => Promise<Storage>;
  readonly connection: () => Promise<ConnectionPart>;
  readonly chat: () => Promise<Chat>;
  readonly readiness: () => Promise<unknown>;
  readonly usage: () => Promise<UsageFeature>;
  readonly hooks: () => Promise<unknown>;
}

/** What is wanted without any view being open: the status bar, messages that wait in a queue, and hook events, each where it is used. */
export class Startup extends Disposable {
  readonly #deps: StartupDeps;
  #areHooksHeard = false;

  constructor(deps: StartupDeps) {
    super();
    this.#deps = deps;
    this.register(onDidChangeSettings(barSettings, () => void this.#fillStatusBar()));
    this.register(onDidChangeSettings(hookSettings, () => void this.#hearHooks()));
  }

  /** Once, a moment after the window has opened. */
  async begin(): Promise<void> {
    await this.#attempt('Settings of an earlier version could not be carried over', carryOverSettings);
    void this.#hearHooks();
    // Another window may have installed hooks meanwhile.
    this.register(this.#deps.focused.onDidChange(isFocused => isFocused && void this.#hearHooks()));
    if (settings.baseUrl() !== '' || (process.env['AGENT_CONSOLE_BASE_URL'] ?? '') !== '') this.signedIn();
    else void this.#beginWithSample();
  }

  /** Somebody is signed in, perhaps. */
  signedIn(): void {
    void this.#fillStatusBar();
    void this.#sendQueued();
  }

  #beginWithSample(): Promise<void> {
    return this.#attempt('The stored data cannot be read', async () => {
      const { isSampleChosen } = await import('./connection/inUse');
      if (await isSampleChosen(await this.#deps.storage())) this.signedIn();
    });
  }

  #fillStatusBar(): Promise<void> {
    return this.#attempt('The status bar could not be filled', async () => {
      const wantsUsage = settings.usageStatusBar() !== 'off' || settings.usageBudget().tokens > 0;
      const wantsReadiness = settings.readinessStatusBar() && vscode.workspace.workspaceFolders !== undefined;
      // Menus and palette follow it, whatever is shown.
      if (!(await this.#isSignedIn())) return;
      if (wantsReadiness) await this.#deps.readiness();
      if (wantsUsage) (await this.#deps.usage()).startStatusBar();
    });
  }

  /** What an earlier window has queued goes out without any chat being opened. */
  #sendQueued(): Promise<void> {
    return this.#attempt('What was queued cannot go out', async () => {
      const { hasQueued } = await import('./chat/inUse');
      if ((await hasQueued(await this.#deps.storage())) && (await this.#isSignedIn()))
        (await this.#deps.chat()).goOn();
    });
  }

  /** Heard where hooks were installed or defined; from then on the feature follows both. */
  #hearHooks(): Promise<void> {
    return this.#attempt('Hooks cannot be heard', async () => {
      if (this.#areHooksHeard) return;
      const { hasInstalledHooks } = await import('./hooks/inUse');
      if (settings.hooksOutgoing() === undefined && !(await hasInstalledHooks(await this.#deps.storage())))
        return;
      await this.#deps.hooks();
      this.#areHooksHeard = true;
    });
  }

  async #isSignedIn(): Promise<boolean> {
    return (await (await this.#deps.connection()).ready()).kind === 'signedIn';
  }

  async #attempt(failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#deps.log.error(failure, error);
    }
  }
}
