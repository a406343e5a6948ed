import type { Event } from '../util/event';

/** A session as a row below its computer. */
export interface SessionOfComputer {
  readonly sessionId: string;
  readonly label: string;
  readonly description: string;
  readonly icon: { readonly id: string; readonly color?: string };
  /** What menus go by. */
  readonly context: string;
  /** The whole row for screen readers. */
  readonly spoken: string;
}

/** What the Computers view needs of the sessions feature; passed in by `parts`. */
export interface SessionsOfComputers {
  /** In the order to show them. */
  ofComputer(computerId: string): readonly SessionOfComputer[];
  readonly onDidChange: Event<unknown>;
}
