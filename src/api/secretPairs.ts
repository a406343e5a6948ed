import { secrecyOf, stronger, type Secrecy } from './secretNames';

/** Members that name what another member of the same object holds, in any letter case. */
const NAMING =
  /^(?:name|key|k|id|header|variable|var|field|property|parameter|param|option|flag|label|title|type)$/i;
const HOLDING = /^(?:parameter)?(?:values?|val|v|content|data|default|defaultvalue|text)$/i;
const SAYING_SO = /^(?:is)?(?:secret|sensitive|masked)$/i;

/** How secret what a pair such as `{ name: "API_KEY", value: … }` holds is, by what its other members say. */
export function secrecyOfHeld(name: string, object: Readonly<Record<string, unknown>>): Secrecy {
  // The private numbers of a JSON web key.
  if ('kty' in object && /^(?:[dkpq]|d[pq]|qi|oth)$/.test(name)) return 'all';
  if (!HOLDING.test(name)) return 'none';
  let secrecy: Secrecy = 'none';
  for (const [other, said] of Object.entries(object)) {
    if (typeof said === 'string' && other !== name && NAMING.test(other)) {
      // `{ title: "Reset a password", text: … }` is about one.
      if (/\s/.test(said) && !/^values?$/i.test(name)) continue;
      secrecy = stronger(secrecy, secrecyOf(said));
    } else if (said === true && SAYING_SO.test(other)) return 'all';
  }
  return secrecy;
}

/** Whether the member `header` is the name of a header, whose value another member holds. */
export function isHeaderName(
  name: string,
  value: unknown,
  object: Readonly<Record<string, unknown>>,
): boolean {
  return (
    /^header$/i.test(name) &&
    typeof value === 'string' &&
    /^[a-z]{1,20}(?:-[a-z]{1,20}){0,5}$/i.test(value) &&
    Object.keys(object).some(other => /^values?$/i.test(other))
  );
}

/** Whether a bare `key` here names what another member holds. */
export function hasHeld(object: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(object).some(name => HOLDING.test(name));
}

/** Of the second item of each pair in a list such as `[["X-Api-Key", …], …]`. */
export function secrecyOfSecond(item: unknown): Secrecy {
  if (!Array.isArray(item) || item.length !== 2 || typeof item[0] !== 'string') return 'none';
  return secrecyOf(item[0]);
}

/** Flags that hold a password with the programs that read them so. */
const PROGRAM_FLAGS: readonly (readonly [flag: string, program: RegExp])[] = [
  ['-p', /^(?:login|sshpass|mongo|mongosh|mongodump|mongorestore)$/],
  ['-P', /^(?:sqlcmd|bcp|isql)$/],
  ['-a', /^redis-cli$/],
  ['-w', /^ldap\w+$/],
];

/** Of the item at `index` of a list of arguments: the value of the flag before it. */
export function secrecyOfArgument(items: readonly unknown[], index: number): Secrecy {
  const [before, item] = [items[index - 1], items[index]];
  if (typeof before !== 'string' || typeof item !== 'string') return 'none';
  if (!/^--?[a-z_][\w-]{0,80}$/i.test(before)) return 'none';
  const isUser = /^(?:-[uU]|--(?:proxy-)?user)$/.test(before);
  if (isUser && /^(?!\d+:\d+$)(?:[^:]*:.|[^:]+:$)/.test(item)) return 'text';
  const isPassword = PROGRAM_FLAGS.some(
    ([flag, program]) =>
      flag === before &&
      items.slice(0, index).some(earlier => typeof earlier === 'string' && program.test(earlier)),
  );
  return isPassword ? 'text' : secrecyOf(before);
}
