/**
 * What the dashboard shows, ready to be drawn, read aloud and exported: figures and tables; a chart draws columns of its table.
 * `report.ts` makes reports from days. Texts may be foreign.
 */

import type { Amount, Part } from '../../util/amount';

/** Work that may be interrupted wherever it yields. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** A UTC day, `YYYY-MM-DD`. */
export type Day = string;

/** From `start` through `end`, both included. */
export interface DayRange {
  readonly start: Day;
  readonly end: Day;
}

export const tabIds = ['tokens', 'tools', 'activity', 'productivity', 'people'] as const;
export type TabId = (typeof tabIds)[number];

/** Whether reports can be had, or why nothing can be shown: signed out, or the role is missing (403), as a sentence. */
export type Ability =
  { readonly kind: 'ready' } | { readonly kind: 'signedOut' | 'forbidden'; readonly sentence: string };

export interface UsageQuery {
  readonly tab: TabId;
  readonly range: DayRange;
  /** Charts and tables have the same weekdays before as well. */
  readonly compare: boolean;
  /** Servers that differ by letter case are one, odd tool names are grouped. */
  readonly folded: boolean;
  /** People appear as stable made-up names. */
  readonly pseudonyms: boolean;
  /** On the tab `people`: only this person's days, by user id. */
  readonly person?: string | undefined;
}

export type Unit = 'count' | 'ratio' | 'percent';

/** One number at the head of a tab; the most important ones come first. */
export interface Figure {
  readonly id: string;
  readonly label: string;
  /** `undefined` when no day of the range has it, a part when some have not. */
  readonly value: Amount;
  /** The same for the period before, where every day of both is known. */
  readonly previous?: number | undefined;
  readonly unit: Unit;
  /** How the value is made from days, in a sentence. */
  readonly explanation: string;
}

/** A change of controls. */
export interface Marker {
  readonly day: Day;
  readonly label: string;
}

export interface Column {
  /** The same for the period before has `:before` at its end. */
  readonly id: string;
  readonly label: string;
  readonly kind: 'text' | 'day' | Unit;
  /** The section's chart draws it. */
  readonly isCharted?: boolean | undefined;
}

/** A number in full, a part of one, or nothing known. */
export type Value = number | Part | null;
export type Cell = string | Value;

export interface Row {
  readonly id: string;
  /** One cell a column, in the columns' order. */
  readonly cells: readonly Cell[];
  /** The row opens this person's days, by user id. */
  readonly person?: string | undefined;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Sums of the rows, where summing is right; `null` elsewhere. */
  readonly total?: readonly Cell[] | undefined;
}

/** A titled part of a tab: a table, and perhaps a chart of it. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** What is counted and how days are put together; may be empty. */
  readonly explanation: string;
  /** The rows are days, whose ids they have; bars of one day stand on each other. */
  readonly chart?: 'lines' | 'bars' | undefined;
  /** Names are folded or grouped, or can be. */
  readonly isFoldable?: boolean;
  readonly table: Table;
}

export interface TabReport {
  readonly query: UsageQuery;
  /** The period compared with; none where all of it lies before the first day there is. */
  readonly previousRange?: DayRange | undefined;
  /** Every day of both periods has figures; otherwise none are compared. */
  readonly isComparable: boolean;
  readonly orgId?: string | undefined;
  /** The name of `query.person`. */
  readonly person?: string | undefined;
  /** The last day with figures, in the range or not; `undefined` when none has. */
  readonly through: Day | undefined;
  /** When the newest day was fetched; Unix ms. */
  readonly fetchedAt?: number | undefined;
  /** Days of the range that are not there. */
  readonly missing: readonly Day[];
  /** Why days could not be fetched: a sentence for a person, with status and request id where there is one. */
  readonly problem?: string | undefined;
  /** Days of both periods that nobody has asked for: of others that are missing the service has nothing. */
  readonly unread: number;
  /** What could not be read of the service's answers and is not counted; foreign text, and no names among pseudonyms. */
  readonly unreadable?: { readonly count: number; readonly names: readonly string[] } | undefined;
  readonly figures: readonly Figure[];
  readonly sections: readonly Section[];
  readonly markers: readonly Marker[];
}
