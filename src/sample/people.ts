import { isActive } from './facts';
import { DAY_MS, dayOf, EARLIEST_DAY, seeded } from './random';

/** A member of the organization, as the users endpoint knows them. */
export type Member = ReturnType<typeof member>;
/** Habits of someone who uses agents; what the analytics are made from. */
export type Profile = ReturnType<typeof profile>;
export type People = ReturnType<typeof people>;

const LANGUAGES = ['TypeScript', 'Python', 'Go', 'Rust', 'SQL', 'CSS'] as const;

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
const PROFILES = 14;
/** Places in the list of members that are out of the ordinary. */
const BIDI = 77;
const RIGHT_TO_LEFT = 101;
const NEVER_SIGNED_IN = 119;

/** The organization of a seed: 128 members, 13 of whom work with agents, and one account that has been deleted. */
export function people(seed: string) {
  const emails = new Set<string>();
  const members = Array.from({ length: MEMBERS }, (_, index) => member(seed, index, emails));
  const profiles = Array.from({ length: PROFILES }, (_, index) => profile(seed, index, members[index]));
  return { members, profiles };
}

function member(seed: string, index: number, emails: Set<string>) {
  const random = seeded(seed, 'member', index);
  const id = `user_${random.hex(20)}`;
  const first = FIRST[index % FIRST.length] ?? '';
  const last = LAST[(index * 5 + Math.floor(index / FIRST.length)) % LAST.length] ?? '';
  const stem = `${ascii(first)}.${ascii(last)}`;
  const email = `${emails.has(stem) ? `${stem}${index}` : stem}@acme.example`;
  emails.add(stem);
  const working = index < PROFILES;
  const joinsLate = !working && index % 6 === 0;
  const createdDay = EARLIEST_DAY + (joinsLate ? random.int(10, 280) : -random.int(20, 400));
  const name =
    index === BIDI
      ? { firstName: 'Mallory \u202Egnp.exe', lastName: '$(alert) [open](command:none)' }
      : index === RIGHT_TO_LEFT
        ? { firstName: 'נועה', lastName: 'בן-דוד' }
        : !working && index % 23 === 20
          ? { firstName: undefined, lastName: undefined }
          : { firstName: first, lastName: last };
  return {
    id,
    email,
    ...name,
    createdAt: createdDay * DAY_MS + random.int(6 * 3600, 17 * 3600) * 1000,
    metadata: random.chance(0.6) ? { department: random.pick(DEPARTMENTS) } : {},
    /** The day a dormant member was last seen; or how long ago the others are. */
    lastDay: !working && random.chance(0.15) ? createdDay + random.int(1, 90) : undefined,
    daysAgo: random.int(0, 20),
    neverSeen: index === NEVER_SIGNED_IN,
  };
}

/** The last account has been deleted: it still has usage, but neither an e-mail nor an entry among the members. */
function profile(seed: string, index: number, account: Member | undefined) {
  const random = seeded(seed, 'profile', index);
  const gone = index === PROFILES - 1 || account === undefined;
  const main = LANGUAGES[random.weighted([6, 3, 2, 1, 0.5, 0.7])] ?? 'TypeScript';
  const languages = new Set([main, random.pick(LANGUAGES), 'Markdown']);
  if (random.chance(0.5)) languages.add('YAML');
  return {
    id: gone ? `user_${random.hex(20)}` : account.id,
    email: gone ? null : account.email,
    firstDay: EARLIEST_DAY + (index < 7 ? 0 : random.int(10, 200)),
    lastDay: gone ? EARLIEST_DAY + 240 : Infinity,
    /** Chance of being active on a plain working day; 1 for somebody who works on weekends too. */
    rate: Math.max(0.55 + random.next() * 0.42, index === 0 ? 1 : 0),
    /** How much work one turn is, 1 on average. */
    heft: 0.5 + random.next() * 1.3,
    autonomy: 2.5 + random.next() * 8,
    /** Chance of each of `CLIENTS` on a day; liking of each of `MODELS` and of `LEVELS`. */
    clients: [0.85, index % 3 === 0 ? 0.6 : 0.15, index % 5 === 0 ? 0.5 : 0.06],
    models: [1 + random.next() * 2, random.next(), random.next() * 2, random.next(), random.next() * 2],
    levels: [random.next() * 2, 1.2, random.next(), random.next() * 0.7, random.next() * 0.4],
    languages: [...languages],
    /** Spells server names with capitals. */
    capitals: index % 4 === 1,
    /** Share of calls that go to MCP servers. */
    mcp: index % 4 < 2 || random.chance(0.5) ? 0.02 + random.next() * 0.1 : 0,
    hooks: random.chance(0.6) ? random.next() : 0,
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

/** Everyone who has joined by now, as entries of the users list (interface 2.11). */
export function users(seed: string, { members, profiles }: People, now: number) {
  const iso = (time: number): string => new Date(time).toISOString();
  return members
    .filter(({ createdAt }) => createdAt <= now)
    .map(one => {
      const { id, email, metadata, firstName, lastName, createdAt } = one;
      const profile = profiles.find(candidate => candidate.id === id);
      const last = lastSignIn(seed, one, profile, now);
      const lastSignInAt = last === undefined ? undefined : iso(last);
      return { id, email, createdAt: iso(createdAt), metadata, firstName, lastName, lastSignInAt };
    });
}

/** Unix ms. People who use agents last signed in on their last active day before today. */
function lastSignIn(
  seed: string,
  { id, createdAt, neverSeen, lastDay, daysAgo }: Member,
  profile: Profile | undefined,
  now: number,
): number | undefined {
  if (neverSeen) return undefined;
  const yesterday = dayOf(now) - 1;
  let day = profile === undefined ? Math.min(lastDay ?? yesterday - daysAgo, yesterday) : yesterday;
  while (profile !== undefined && day > dayOf(createdAt) && !isActive(seed, day, profile)) day--;
  const at = day * DAY_MS + seeded(seed, 'sign-in', id, day).int(6 * 3600, 20 * 3600) * 1000;
  return at > now ? undefined : Math.max(at, createdAt);
}
