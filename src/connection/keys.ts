import * as vscode from 'vscode';
import type { Logger } from '../log';
import type { IDisposable } from '../util/disposable';
import type { Addresses } from './types';

export type KeyProblem = 'empty' | 'space' | 'character' | 'long';

const LONGEST = 8_000;

/** A key as a person pasted it: white space around it is dropped; whatever a header cannot carry is refused. */
export function parseKey(text: string): { readonly ok: string } | { readonly problem: KeyProblem } {
  const key = text.trim();
  if (key === '') return { problem: 'empty' };
  if (/\s/.test(key)) return { problem: 'space' };
  if (!/^[\x21-\x7e]+$/.test(key)) return { problem: 'character' };
  return key.length > LONGEST ? { problem: 'long' } : { ok: key };
}

/** Says what is wrong without quoting any of it. */
export function keyProblemSentence(problem: KeyProblem): string {
  switch (problem) {
    case 'empty':
      return vscode.l10n.t(
        'Enter the key. Administrators create keys in the settings of the web application.',
      );
    case 'space':
      return vscode.l10n.t(
        'The key contains a space or a line break. Copy only the key, no words before it.',
      );
    case 'character':
      return vscode.l10n.t(
        'The key contains a character no key has. Copy it again from the web application.',
      );
    case 'long':
      return vscode.l10n.t('This is too long to be a key. Copy only the key.');
  }
}

/** The part of VS Code's SecretStorage that is used. */
export type Secrets = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'keys' | 'onDidChange'>;

/**
 * Keys, each bound to the two addresses it was entered for, so that none is ever sent elsewhere. They live in SecretStorage; where
 * that does not keep one, in the memory of this window.
 */
export class KeyStore {
  readonly #secrets: Secrets;
  readonly #log: Logger;
  readonly #untilClosed = new Map<string, { readonly key: string; readonly stale: string | undefined }>();

  constructor(secrets: Secrets, log: Logger) {
    this.#secrets = secrets;
    this.#log = log;
  }

  /** Reads the key anew; another window may have stored one. */
  async read(addresses: Addresses): Promise<string | undefined> {
    const name = nameOf(addresses);
    const stored = await this.#stored(name);
    const held = this.#untilClosed.get(name);
    if (held === undefined) return stored;
    // Something newer than what could not be replaced then.
    if (stored === undefined || stored === held.stale) return held.key;
    this.#untilClosed.delete(name);
    return stored;
  }

  /** Stores a key and reads it back. `untilClosed`: it was not kept and is held in memory instead. */
  async store(addresses: Addresses, key: string): Promise<'kept' | 'untilClosed'> {
    const name = nameOf(addresses);
    this.#untilClosed.delete(name);
    if (await this.#keeps(name, key)) return 'kept';
    this.#untilClosed.set(name, { key, stale: await this.#stored(name) });
    return 'untilClosed';
  }

  /** Rejects when the secret storage does not let go of it. */
  async remove(addresses: Addresses): Promise<void> {
    const name = nameOf(addresses);
    this.#untilClosed.delete(name);
    await this.#secrets.delete(name);
  }

  /** The key of these addresses, and the same key where it was used for others too. Rejects when the storage does not let go of it. */
  async removeEverywhere(addresses: Addresses): Promise<void> {
    const key = await this.read(addresses);
    await this.remove(addresses);
    for (const [name, held] of this.#untilClosed) if (held.key === key) this.#untilClosed.delete(name);
    for (const name of key === undefined ? [] : await this.#names()) {
      if ((await this.#stored(name)) === key) await this.#secrets.delete(name);
    }
  }

  /** Calls `listener` when any window that shares the storage changed a key, where VS Code tells of it. */
  onDidChange(listener: () => unknown): IDisposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (key.startsWith(PREFIX)) listener();
    });
  }

  async #stored(name: string): Promise<string | undefined> {
    try {
      const key = await this.#secrets.get(name);
      return key === '' ? undefined : key;
    } catch (error) {
      this.#log.error('The secret storage cannot be read', error);
      return undefined;
    }
  }

  async #names(): Promise<readonly string[]> {
    try {
      return (await this.#secrets.keys()).filter(name => name.startsWith(PREFIX));
    } catch (error) {
      this.#log.error('The names of stored keys cannot be read', error);
      return [];
    }
  }

  async #keeps(name: string, key: string): Promise<boolean> {
    try {
      await this.#secrets.store(name, key);
      return (await this.#secrets.get(name)) === key;
    } catch (error) {
      this.#log.error('The secret storage did not keep the key', error);
      return false;
    }
  }
}

const PREFIX = 'agentConsole.key:';

function nameOf({ baseUrl, appUrl }: Addresses): string {
  return `${PREFIX}${baseUrl} ${appUrl}`;
}
