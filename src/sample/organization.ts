import script from './controls.txt';
import { DAY_MS, dayOf, EARLIEST_DAY, SEED, seeded, type Random } from './random';

/** A member of the organization, as the users endpoint knows them. */
export type Member = ReturnType<typeof member>;

const FIRST =
  'Amara Bruno Chen Dalia Elif Goran Hana Ivo Kavya Lena Mateo Nadia Oskar Priya Samir Tuva Wanjiru Yuki Łukasz Åsa José'.split(
    ' ',
  );
const LAST =
  'Okafor Silva Wei Haddad Yılmaz Petrov Sato Novák Berg Rao Fischer García Karim Lind Dubois Conti Hansen Ivanova Njeri'.split(
    ' ',
  );
const DEPARTMENTS = ['Payments', 'Storefront', 'Platform', 'Data', 'Mobile', 'Support'];
const MEMBERS = 128;

export function people(): Member[] {
  return Array.from({ length: MEMBERS }, (_, index) => member(index));
}

function member(index: number) {
  const random = seeded(SEED, 'member', index);
  const firstName = FIRST[index % FIRST.length] ?? '';
  const lastName = LAST[(index * 5 + Math.floor(index / FIRST.length)) % LAST.length] ?? '';
  return {
    id: `user_${random.hex(20)}`,
    email: `${ascii(firstName)}.${ascii(lastName)}@acme.example`,
    ...{ firstName, lastName },
    createdAt: (EARLIEST_DAY - random.int(20, 400)) * DAY_MS + random.int(6 * 3600, 17 * 3600) * 1000,
    metadata: random.chance(0.6) ? { department: random.pick(DEPARTMENTS) } : {},
    /** Days since the last sign-in. */
    daysAgo: random.chance(0.15) ? random.int(40, 250) : random.int(1, 20),
  };
}

function ascii(name: string): string {
  return name
    .replace(/ł/gi, 'l')
    .replace(/ı/g, 'i')
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();
}

/** Everyone, as entries of the users list (interface 2.11). */
export function users(members: readonly Member[], now: number) {
  const iso = (time: number): string => new Date(time).toISOString();
  return members.map(({ createdAt, daysAgo, ...member }) => {
    const last = (dayOf(now) - daysAgo) * DAY_MS + (createdAt % DAY_MS);
    return { ...member, createdAt: iso(createdAt), lastSignInAt: iso(Math.max(last, createdAt)) };
  });
}

/** About one a week: 45 by 20 November 2026. */
const INTERVAL_MS = Math.round(7.04 * DAY_MS);

/** Every revision of the script up to `now`, the newest first (interface 2.12); `settings` is the whole state after the change. Old ones never change. */
export function controlHistory(admins: readonly Member[], now: number) {
  const changes = [];
  let settings: Settings = {};
  for (const [index, step] of steps(seeded(SEED, 'controls')).entries()) {
    const revision = index + 1;
    const random = seeded(SEED, 'revision', revision);
    const day = EARLIEST_DAY * DAY_MS + index * INTERVAL_MS;
    const at = day + random.int(8, 13) * 3600_000 + random.int(0, 3_599_999);
    if (at > now) break;
    settings = apply(settings, step);
    const { id, email, firstName, lastName } = random.pick(admins);
    const user = { id, email, name: `${firstName} ${lastName}` };
    changes.push({ revision, settings, user, updatedAt: new Date(at).toISOString() });
  }
  return changes.reverse();
}

type Settings = Record<string, unknown>;

function apply(settings: Settings, step: Settings): Settings {
  const result = structuredClone(settings);
  for (const [path, value] of Object.entries(step)) {
    const names = path.split('.');
    const last = names.pop() ?? path;
    const place = names.reduce((at, name) => (at[name] ??= {}) as Settings, result);
    if (value === null) Reflect.deleteProperty(place, last);
    else place[last] = value;
  }
  return result;
}

/** A line a revision: dotted paths and their values, null takes a setting away; `{secret}` and `{user}` are made up. */
function steps(random: Random): readonly Settings[] {
  const made = (kind: string): string => `${kind === 'user' ? 'user_' : 'sample-secret-'}${random.hex(22)}`;
  return script
    .trim()
    .split('\n')
    .map(line => JSON.parse(line.replace(/\{(secret|user)\}/g, (_, kind: string) => made(kind))) as Settings);
}
