import type { Row } from '../ui/tree';
import { Disposable } from '../util/disposable';
import { Emitter, type Event } from '../util/event';
import type { Formatter } from '../util/format';
import { activityOf } from './store/model';
import type { SessionMonitor } from './status/monitor';
import type { SessionRecord } from './store/record';
import { sessionRow } from './view/row';
import type { ComputerFacts } from './view/words';
import type { SessionIndex } from './store/sessionIndex';

interface ComputerSessionsDeps {
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly format: Formatter;
}

/** The sessions feature as the Computers view sees it. */
export class ComputerSessions extends Disposable {
  readonly #deps: ComputerSessionsDeps;
  readonly #changed = this.register(new Emitter<unknown>());
  #byComputer: ReadonlyMap<string, readonly SessionRecord[]> | undefined;

  constructor(deps: ComputerSessionsDeps) {
    super();
    this.#deps = deps;
    const changed = (): void => {
      this.#byComputer = undefined;
      this.#changed.fire(undefined);
    };
    this.register(deps.index.onDidChange(changed));
  }

  readonly onDidChange: Event<unknown> = this.#changed.event;

  /** The sessions of a computer that are not archived, the latest activity first. */
  ofComputer(computerId: string): readonly { readonly sessionId: string; readonly row: () => Row }[] {
    const { index, monitor, computer, format } = this.#deps;
    this.#byComputer ??= sorted(index.records.values());
    return (this.#byComputer.get(computerId) ?? []).map(record => {
      const { sessionId } = record;
      const row = (): Row =>
        sessionRow(record, { status: monitor.statusOf(sessionId), computer, format, now: Date.now() });
      return { sessionId, row };
    });
  }
}

function sorted(records: Iterable<SessionRecord>): Map<string, SessionRecord[]> {
  const byComputer = new Map<string, SessionRecord[]>();
  for (const record of records) {
    const id = record.session?.computerId;
    if (id === undefined || record.local.archivedAt !== undefined) continue;
    const others = byComputer.get(id);
    if (others === undefined) byComputer.set(id, [record]);
    else others.push(record);
  }
  for (const of of byComputer.values()) of.sort((a, b) => activityOf(b) - activityOf(a));
  return byComputer;
}
