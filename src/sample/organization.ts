import { type ControlChange, controlHistory } from './controls';
import { DAY_MS, dayOf, EARLIEST_DAY } from './days';
import { isActive } from './facts';
import { type Member, type People } from './people';
import { seeded } from './random';

/** Members and control history. */
export class Organization {
  readonly id: string;
  readonly #seed: string;
  readonly #people: People;
  readonly #now: () => number;

  constructor(seed: string, people: People, now: () => number) {
    this.id = `org_${seeded(seed, 'organization').hex(16)}`;
    this.#seed = seed;
    this.#people = people;
    this.#now = now;
  }

  /** Everyone who has joined by now, as entries of the users list (interface 2.11). */
  users() {
    const now = this.#now();
    const iso = (time: number): string => new Date(time).toISOString();
    return this.#people.members
      .filter(member => member.createdAt <= now)
      .map(member => {
        const { id, email, metadata, firstName, lastName, createdAt } = member;
        const last = this.#lastSignIn(member, now);
        const lastSignInAt = last === undefined ? undefined : iso(last);
        return { id, email, createdAt: iso(createdAt), metadata, firstName, lastName, lastSignInAt };
      });
  }

  /** Every revision up to now, the newest first. */
  changes(): ControlChange[] {
    return controlHistory(this.#seed, this.#people.members.slice(0, 3), this.#now());
  }

  /** Unix ms. People who use agents last signed in on their last active day before today. */
  #lastSignIn({ id, createdAt, signIns }: Member, now: number): number | undefined {
    if (signIns === 'never') return undefined;
    const yesterday = dayOf(now) - 1;
    const joined = dayOf(createdAt) + 1;
    const profile = this.#people.profiles.find(candidate => candidate.id === id);
    let day: number;
    if (profile !== undefined) {
      day = yesterday;
      while (day >= EARLIEST_DAY && !isActive(this.#seed, day, profile)) day--;
      if (day < EARLIEST_DAY) day = joined;
    } else if ('lastDay' in signIns) {
      day = Math.min(signIns.lastDay, yesterday);
    } else {
      day = joined + Math.max(0, Math.floor((yesterday - joined) / signIns.every)) * signIns.every;
    }
    const at = day * DAY_MS + seeded(this.#seed, 'sign-in', id, day).int(6 * 3600, 20 * 3600) * 1000;
    return at > now ? undefined : Math.max(at, createdAt);
  }
}
