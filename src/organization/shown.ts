import { supportedLanguage } from '../util/format';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import type { OrganizationData } from './data';
import {
  choosePeople,
  groupByDay,
  passesHistory,
  type HistoryFilter,
  type PeopleFilter,
  type Person,
  type Revision,
  type UsageOfPeople,
} from './model';

/** Rows of one kind before the rest waits behind "Show more". */
const STEP = { people: 500, days: 200 } as const;

export interface ShownDeps {
  readonly data: OrganizationData;
  readonly language: string;
  readonly inactiveDays: () => number;
  readonly now: () => number;
}

/** What of the organization the view shows: filters, order, and how far the lists are open. Of this window only. */
export class Shown extends Disposable {
  readonly #deps: ShownDeps;
  readonly #changed = this.register(new Emitter<'people' | 'controls'>());
  #peopleFilter: PeopleFilter = { sort: 'name' };
  #historyFilter: HistoryFilter = {};
  #usage: UsageOfPeople | undefined;
  #people: readonly Person[] | undefined;
  #days: ReadonlyMap<string, readonly Revision[]> | undefined;
  #limit: { people: number; days: number } = { ...STEP };
  #collator: Intl.Collator | undefined;

  constructor(deps: ShownDeps) {
    super();
    this.#deps = deps;
    this.register(deps.data.onDidChange(what => this.#forget(what)));
  }

  readonly onDidChange = this.#changed.event;

  get peopleFilter(): PeopleFilter {
    return this.#peopleFilter;
  }

  get historyFilter(): HistoryFilter {
    return this.#historyFilter;
  }

  get isPeopleFiltered(): boolean {
    return (this.#peopleFilter.text ?? '') !== '' || this.#peopleFilter.seen !== undefined;
  }

  get isHistoryFiltered(): boolean {
    return Object.values(this.#historyFilter).some(value => value !== undefined);
  }

  get usage(): UsageOfPeople | undefined {
    return this.#usage;
  }

  get limit(): { readonly people: number; readonly days: number } {
    return this.#limit;
  }

  /** Everybody the filter lets through, in its order. */
  get people(): readonly Person[] {
    const { data, inactiveDays, language, now } = this.#deps;
    this.#people ??= choosePeople(data.people.state.current.items, this.#peopleFilter, {
      usage: this.#usage,
      now: now(),
      inactiveDays: inactiveDays(),
      compare: (this.#collator ??= new Intl.Collator(supportedLanguage(language), { numeric: true })).compare,
    });
    return this.#people;
  }

  /** The revisions the filter lets through, by local day, the newest first. */
  get days(): ReadonlyMap<string, readonly Revision[]> {
    const { data } = this.#deps;
    this.#days ??= groupByDay(
      this.isHistoryFiltered
        ? data.revisions.filter(revision =>
            passesHistory(revision, this.#historyFilter, each => data.changesOf(each)),
          )
        : data.revisions,
    );
    return this.#days;
  }

  get revisionCount(): number {
    let count = 0;
    for (const revisions of this.days.values()) count += revisions.length;
    return count;
  }

  filterPeople(filter: PeopleFilter): void {
    this.#peopleFilter = filter;
    this.#limit.people = STEP.people;
    this.#forget('people');
  }

  filterHistory(filter: HistoryFilter): void {
    this.#historyFilter = filter;
    this.#limit.days = STEP.days;
    this.#forget('controls');
  }

  showMore(what: 'people' | 'days'): void {
    this.#limit[what] += STEP[what];
    this.#changed.fire(what === 'people' ? 'people' : 'controls');
  }

  /** Opens the lists so far that this row is among them; takes a filter off that hides it. */
  uncover(what: 'people' | 'days', isWanted: (id: string) => boolean): void {
    const ids = (): string[] => (what === 'people' ? this.people.map(({ id }) => id) : [...this.days.keys()]);
    let at = ids().findIndex(isWanted);
    if (at < 0) {
      if (what === 'people') this.filterPeople({ sort: this.#peopleFilter.sort });
      else this.filterHistory({});
      at = ids().findIndex(isWanted);
    }
    if (at < this.#limit[what]) return;
    this.#limit[what] = (Math.floor(at / STEP[what]) + 1) * STEP[what];
    this.#changed.fire(what === 'people' ? 'people' : 'controls');
  }

  setUsage(usage: UsageOfPeople | undefined): void {
    if (usage === this.#usage) return;
    this.#usage = usage;
    this.#forget('people');
  }

  /** Another service: nothing asked for before makes sense. */
  reset(): void {
    this.#peopleFilter = { sort: this.#peopleFilter.sort };
    this.#historyFilter = {};
    this.#limit = { ...STEP };
    this.#usage = undefined;
    this.#forget('people');
    this.#forget('controls');
  }

  #forget(what: 'people' | 'controls'): void {
    if (what === 'people') this.#people = undefined;
    else this.#days = undefined;
    this.#changed.fire(what);
  }
}
