import * as vscode from 'vscode';
import type { Logger } from '../log';
import type { IDisposable } from '../util/lifecycle';
import type { Addresses } from './decide';

/** What is wrong with a key as a person pasted it, white space around it aside; quotes none of it. */
export function keyProblem(text: string): string | undefined {
  const key = text.trim();
  if (key === '')
    return vscode.l10n.t('Enter the key. Administrators create keys in the settings of the web application.');
  // More than a header can carry, or than any key has.
  return /^[\x21-\x7e]{1,8000}$/.test(key)
    ? undefined
    : vscode.l10n.t(
        'This is not a key: it is too long, or contains a space, a line break or a character no key has. Copy only the key.',
      );
}

export type Secrets = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'keys' | 'onDidChange'>;

const PREFIX = 'agentConsole.key:';
const nameOf = ({ baseUrl, appUrl }: Addresses): string => `${PREFIX}${baseUrl} ${appUrl}`;

/**
 * Keys, each bound to the two addresses it was entered for, so that none is ever sent elsewhere. They live in SecretStorage; where
 * that does not keep one, in the memory of this window.
 */
export class KeyStore {
  readonly #secrets: Secrets;
  readonly #log: Logger;
  readonly #untilClosed = new Map<string, string>();

  constructor(secrets: Secrets, log: Logger) {
    this.#secrets = secrets;
    this.#log = log;
  }

  /** Reads the key anew; another window may have stored one. */
  async read(addresses: Addresses): Promise<string | undefined> {
    const name = nameOf(addresses);
    return this.#untilClosed.get(name) ?? (await this.#stored(name));
  }

  /** Stores a key and reads it back. Resolves to false when it was not kept and is held in memory instead. */
  async store(addresses: Addresses, key: string): Promise<boolean> {
    const name = nameOf(addresses);
    this.#untilClosed.delete(name);
    try {
      await this.#secrets.store(name, key);
    } catch (error) {
      this.#log.error('The secret storage did not keep the key', error);
    }
    const isKept = (await this.#stored(name)) === key;
    if (!isKept) this.#untilClosed.set(name, key);
    return isKept;
  }

  /** Forgets every key of a service, whatever its web application. Rejects when the secret storage does not let go of one. */
  async remove(addresses: Addresses): Promise<void> {
    const names = [
      nameOf(addresses),
      ...this.#untilClosed.keys(),
      ...((await this.#ask(() => this.#secrets.keys())) ?? []),
    ];
    for (const name of new Set(names)) {
      if (!name.startsWith(nameOf({ ...addresses, appUrl: '' }))) continue;
      this.#untilClosed.delete(name);
      await this.#secrets.delete(name);
    }
  }

  /** Calls `listener` when any window that shares the storage changed a key, where VS Code tells of it. */
  onDidChange(listener: () => unknown): IDisposable {
    return this.#secrets.onDidChange(({ key }) => key.startsWith(PREFIX) && listener());
  }

  async #stored(name: string): Promise<string | undefined> {
    return (await this.#ask(() => this.#secrets.get(name))) || undefined;
  }

  async #ask<T>(question: () => Thenable<T>): Promise<T | undefined> {
    try {
      return await question();
    } catch (error) {
      this.#log.error('The secret storage cannot be read', error);
      return undefined;
    }
  }
}
