import type { Event } from '../util/event';
import type { Break } from './rows';

/** One way to read the messages of a session into its transcript. */
export interface MessageSource {
  /** Fires when `breaks` may have changed. */
  readonly onDidChange: Event<void>;
  /** The transcript holds what the service shows: what is still missing then is not shown to anybody. */
  readonly isComplete: boolean;
  /** Where something is missing, by the message below it. */
  breaks(): ReadonlyMap<string, Break>;
  /**
   * Reads what is not known yet; joins a reading that goes on already. With `retry`, also where it failed before. Resolves to false
   * where this way is not open, so that another may be tried; rejects only when what was read cannot be kept.
   */
  read(options: { readonly retry: boolean }): Promise<boolean>;
}
