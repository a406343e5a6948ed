import { createHmac } from 'node:crypto';
import * as vscode from 'vscode';
import { shown } from './kit';

/** Someone of the organization, as its list of users has them (section 2.11). */
export interface DirectoryPerson {
  readonly id: string;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** Unix ms. */
  readonly lastSignInAt?: number | undefined;
}

const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** What people are called in reports: by e-mail address or name, or by names made up from `salt`, the same in every report. */
export class PeopleNames {
  readonly isPseudonymous: boolean;
  readonly #salt: string;
  readonly #directory: ReadonlyMap<string, DirectoryPerson>;
  readonly #emails = new Map<string, string>();

  constructor(options: {
    readonly pseudonyms: boolean;
    readonly salt: string;
    readonly directory: readonly DirectoryPerson[];
  }) {
    this.isPseudonymous = options.pseudonyms;
    this.#salt = options.salt;
    this.#directory = new Map(options.directory.map(person => [person.id, person]));
  }

  /** Remembers the address that came with usage. */
  learn(id: string, email: string | null | undefined): void {
    if (typeof email === 'string' && email !== '') this.#emails.set(id, email);
  }

  of(id: string): string {
    if (this.isPseudonymous) return vscode.l10n.t('Person {0}', this.#made(id));
    const person = this.#directory.get(id);
    return shown(this.#emails.get(id) ?? person?.email ?? person?.name ?? id);
  }

  #made(id: string): string {
    const digest = createHmac('sha256', this.#salt).update(id).digest();
    return [...digest.subarray(0, 6)].map(byte => LETTERS[byte % 32] ?? '').join('');
  }
}
