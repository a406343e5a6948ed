import * as vscode from 'vscode';
import { shown } from './kit';
import type { Day, Marker } from './report';

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
  const [first, ...rest] = changed;
  const what = first === undefined ? '' : rest.length === 0 ? first : `${first}, +${rest.length}`;
  const parts = [vscode.l10n.t('Controls, revision {0}', revision), what, pseudonyms ? undefined : who];
  return { day, label: shown(parts.filter(Boolean).join(' · ')) };
}
