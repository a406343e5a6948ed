import { createHmac } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { shown, column, type ColumnOf } from './parts';
import type { Day, Marker } from './types';

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

  constructor(isPseudonymous: boolean, salt: string, directory: readonly DirectoryPerson[]) {
    this.isPseudonymous = isPseudonymous;
    this.#salt = salt;
    this.#directory = new Map(directory.map(person => [person.id, person]));
  }

  /** Remembers the address that came with usage. */
  learn(id: string, email: string | null | undefined): void {
    if (typeof email === 'string' && email !== '') this.#emails.set(id, email);
  }

  of(id: string): string {
    if (this.isPseudonymous) {
      const digest = createHmac('sha256', this.#salt).update(id).digest();
      const made = [...digest.subarray(0, 6)].map(byte => LETTERS[byte % 32] ?? '');
      return l10n.t('Person {0}', made.join(''));
    }
    const person = this.#directory.get(id);
    return shown(this.#emails.get(id) ?? person?.email ?? person?.name ?? id);
  }

  /** User ids; none among pseudonyms. */
  idColumn<T>(of: (item: T) => string | undefined): ColumnOf<T>[] {
    if (this.isPseudonymous) return [];
    const text = (id: string | undefined): string => (id === undefined ? '' : shown(id));
    return [column('user_id', l10n.t('User id'), 'text', item => text(of(item)))];
  }
}

/** A change of the organization's controls, as a mark on charts. Foreign text. */
export interface ControlRevision {
  readonly revision: number;
  readonly day: Day;
  readonly who?: string | undefined;
  /** Names of the settings that changed. */
  readonly changed: readonly string[];
}

/** The mark of a change; names nobody among pseudonyms. */
export function markerOf({ revision, day, who, changed }: ControlRevision, pseudonyms: boolean): Marker {
  const [first = '', ...rest] = changed;
  const what = rest.length === 0 ? first : `${first}, +${rest.length}`;
  const parts = [l10n.t('Controls, revision {0}', revision), what, pseudonyms ? undefined : who];
  return { day, label: shown(parts.filter(Boolean).join(' · ')) };
}
