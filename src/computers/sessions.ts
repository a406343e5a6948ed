import type { Row } from '../ui/tree';
import type { Event } from '../util/event';

/** A session below its computer. */
export interface SessionOfComputer {
  readonly sessionId: string;
  readonly row: () => Row;
}

/** What the Computers view needs of the sessions feature; passed in by `parts`. */
export interface SessionsOfComputers {
  /** In the order to show them. */
  ofComputer(computerId: string): readonly SessionOfComputer[];
  readonly onDidChange: Event<unknown>;
}
