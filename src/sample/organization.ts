import { type ControlChange, controlHistory } from './controls';
import { DAY_MS, dayOf, EARLIEST_DAY } from './days';
import { isActive } from './facts';
import { type Member, type People } from './people';
import { seeded } from './random';

/** An entry of the users list (interface 2.11). Times are ISO 8601, UTC. */
export interface OrganizationUser {
  readonly id: string;
  readonly email: string;
  readonly createdAt: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly lastSignInAt?: string;
}

/** A page and the cursor of the one after it. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Members and control history. `list` calls answer `undefined` for a cursor that was never given out. */
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

  users(limit: number, cursor: string | undefined): Page<OrganizationUser> | undefined {
    const now = this.#now();
    const joined = this.#people.members.filter(member => member.createdAt <= now);
    const page = cut(joined, 'user', member => member.id, limit, cursor);
    return page && { ...page, items: page.items.map(member => this.#user(member, now)) };
  }

  changes(limit: number, cursor: string | undefined): Page<ControlChange> | undefined {
    const admins = this.#people.members.slice(0, 3);
    const history = controlHistory(this.#seed, admins, this.#now());
    return cut(history, 'revision', change => String(change.revision), limit, cursor);
  }

  #user(member: Member, now: number): OrganizationUser {
    const last = this.#lastSignIn(member, now);
    return {
      id: member.id,
      email: member.email,
      createdAt: new Date(member.createdAt).toISOString(),
      metadata: member.metadata,
      ...(member.firstName === undefined ? {} : { firstName: member.firstName }),
      ...(member.lastName === undefined ? {} : { lastName: member.lastName }),
      ...(last === undefined ? {} : { lastSignInAt: new Date(last).toISOString() }),
    };
  }

  /** Unix ms. People who use agents last signed in on their last active day before today. */
  #lastSignIn({ id, createdAt, signIns }: Member, now: number): number | undefined {
    if (signIns === 'never') return undefined;
    const yesterday = dayOf(now) - 1;
    const profile = this.#people.profiles.find(candidate => candidate.id === id);
    let day = dayOf(createdAt) + 1;
    if (profile !== undefined) {
      for (let at = yesterday; at >= EARLIEST_DAY; at--) {
        if (!isActive(this.#seed, at, profile)) continue;
        day = at;
        break;
      }
    } else if ('lastDay' in signIns) {
      day = Math.min(signIns.lastDay, yesterday);
    } else {
      day += Math.max(0, Math.floor((yesterday - day) / signIns.every)) * signIns.every;
    }
    const at = day * DAY_MS + seeded(this.#seed, 'sign-in', id, day).int(6 * 3600, 20 * 3600) * 1000;
    return at > now ? undefined : Math.max(at, createdAt);
  }
}

/** The page after the item a cursor names; cursors are opaque to callers and say what they belong to. */
function cut<T>(
  items: readonly T[],
  kind: string,
  idOf: (item: T) => string,
  limit: number,
  cursor: string | undefined,
): Page<T> | undefined {
  const cursorOf = (item: T): string => Buffer.from(`${kind}:${idOf(item)}`).toString('base64url');
  const after = cursor === undefined ? -1 : items.findIndex(item => cursorOf(item) === cursor);
  if (cursor !== undefined && after < 0) return undefined;
  const page = items.slice(after + 1, after + 1 + limit);
  const last = page.at(-1);
  const more = last !== undefined && after + 1 + page.length < items.length;
  return { items: page, next: more ? cursorOf(last) : null };
}
