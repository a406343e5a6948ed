import { DAY_MS, dayOf, EARLIEST_DAY, seeded } from './random';

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

/** The organization of a seed. */
export function people(seed: string): Member[] {
  return Array.from({ length: MEMBERS }, (_, index) => member(seed, index));
}

function member(seed: string, index: number) {
  const random = seeded(seed, 'member', index);
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
