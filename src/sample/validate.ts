/** What the service answers instead of what was asked for; becomes `{title, detail, status, requestId}`. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.name = 'Refusal';
    this.status = status;
    this.headers = headers;
  }
}

/** Reads a value or throws a `Refusal` that names the place (`body.files[0].data`). */
export type Check<T> = (value: unknown, where: string) => T;

type Shape = Readonly<Record<string, Check<unknown>>>;
type Read<S extends Shape> = { [K in keyof S]: S[K] extends Check<infer T> ? T : never };

/** What an object of the given required and optional fields reads as. */
export type ObjectOf<R extends Shape, O extends Shape> = Read<R> & Partial<Read<O>>;

/** An invalid request: 400 with the given sentence. */
export function invalid(detail: string): never {
  throw new Refusal(400, detail);
}

/** An object with exactly these fields; a field that is not listed is refused. */
export function object<R extends Shape, O extends Shape>(required: R, optional: O): Check<ObjectOf<R, O>> {
  return (value, where) => {
    const record = anyObject(value, where);
    const known = new Map<string, Check<unknown>>([...Object.entries(required), ...Object.entries(optional)]);
    const result: Record<string, unknown> = {};
    for (const name of Object.keys(required)) {
      if (!Object.hasOwn(record, name)) invalid(`${where}.${name} is required.`);
    }
    for (const [name, field] of Object.entries(record)) {
      const check = known.get(name);
      if (check === undefined) invalid(`${where}.${name} is not a known field.`);
      else result[name] = check(field, `${where}.${name}`);
    }
    return result as ObjectOf<R, O>;
  };
}

export function list<T>(item: Check<T>): Check<T[]> {
  return (value, where) => {
    if (!Array.isArray(value)) return invalid(`${where} must be an array.`);
    return value.map((entry: unknown, index) => item(entry, `${where}[${index}]`));
  };
}

export const anyObject: Check<Readonly<Record<string, unknown>>> = (value, where) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid(`${where} must be an object.`);
  }
  return value as Readonly<Record<string, unknown>>;
};

export const text: Check<string> = (value, where) =>
  typeof value === 'string' ? value : invalid(`${where} must be a string.`);

export const filledText: Check<string> = (value, where) => {
  const read = text(value, where);
  return read.trim() === '' ? invalid(`${where} must not be empty.`) : read;
};

export const count: Check<number> = (value, where) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : invalid(`${where} must be a whole number, 0 or more.`);

export function oneOf<const T extends string>(...values: readonly T[]): Check<T> {
  return (value, where) =>
    values.find(known => known === value) ?? invalid(`${where} must be one of: ${values.join(', ')}.`);
}

/** A query value made of digits alone, of at least `least` and, if given, at most `most`. */
export function numeral(least: number, most?: number): Check<number> {
  const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  return (value, where) => {
    const read = text(value, where);
    const number = /^(0|[1-9]\d*)$/.test(read) ? Number(read) : Number.NaN;
    return number >= least && number <= (most ?? Number.MAX_SAFE_INTEGER)
      ? number
      : invalid(`${where} must be a whole number ${range}.`);
  };
}

/** Standard base64 with padding, of at least one byte. Reads as the text itself; nothing is decoded. */
export const base64: Check<string> = (value, where) => {
  const read = text(value, where);
  const padding = read.indexOf('=');
  const lastGroup = read.slice(-4);
  const sound =
    read.length > 0 &&
    read.length % 4 === 0 &&
    !/[^A-Za-z0-9+/=]/.test(read) &&
    (padding < 0 || (padding >= read.length - 2 && read.endsWith('='))) &&
    Buffer.from(lastGroup, 'base64').toString('base64') === lastGroup;
  return sound ? read : invalid(`${where} does not decode as base64.`);
};

/** Bytes a sound base64 text stands for. */
export function base64Bytes(data: string): number {
  return (data.length / 4) * 3 - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);
}

/** Reads the query of a request: every name known, none twice. */
export function query<R extends Shape, O extends Shape>(
  parameters: URLSearchParams,
  required: R,
  optional: O,
): ObjectOf<R, O> {
  const record: Record<string, string> = {};
  for (const [name, value] of parameters) {
    if (Object.hasOwn(record, name)) invalid(`query.${name} must be given once.`);
    Object.defineProperty(record, name, { value, enumerable: true });
  }
  return object(required, optional)(record, 'query');
}
