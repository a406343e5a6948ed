import type { ItemProblem } from '../api';

/** Why the newest reading failed. */
export interface ListFailure {
  /** Unix ms. */
  readonly at: number;
  readonly sentence: string;
  /** The key has no right to this list: it is asked for again once an hour. */
  readonly forbidden?: boolean | undefined;
  /** Failures of one cause are told once. */
  readonly cause?: string | undefined;
}

/** A list as last known. A failure takes nothing away. */
export interface ListState<T> {
  readonly items: readonly T[];
  /** What could not be read. */
  readonly problems: readonly ItemProblem[];
  /** When the list was last read to its end, in whichever window; Unix ms. */
  readonly at?: number | undefined;
  /** Items read so far, while it is being read. */
  readonly reading?: { readonly count: number } | undefined;
  /** The newest reading ended before the end of the list: `items` may lack some. */
  readonly partial?: boolean | undefined;
  readonly failure?: ListFailure | undefined;
}
