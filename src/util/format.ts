/** Dates, ages and numbers as people read them, in the display language. All times are Unix milliseconds. */

type Unit = readonly [unit: string, length: number];
const SECONDS: Unit = ['second', 1000];
const UNITS: readonly Unit[] = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000], SECONDS];

/** `language` where Intl knows it, without what systems add as in `en-US@posix`; English otherwise. Never throws. */
export function supportedLanguage(language: string): string {
  const tag = language.replace(/[@.].*/, '').replace('_', '-');
  try {
    return Intl.NumberFormat.supportedLocalesOf([tag]).at(0) ?? 'en';
  } catch {
    return 'en';
  }
}

/** Whether a number is a time that can be shown as a date; services also send nanoseconds and worse. */
export function isTime(time: number): boolean {
  return Math.abs(time) <= 8.64e15;
}

/** Formatters for one display language (a BCP 47 tag such as `vscode.env.language`). */
export class Formatter {
  readonly #asked: string;
  /** Made when first needed: Intl takes milliseconds to wake up, and activation has none to spare. */
  readonly #made = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

  constructor(language: string) {
    this.#asked = language;
  }

  /** As Intl knows it. */
  get language(): string {
    return supportedLanguage(this.#asked);
  }

  /** A span such as `12 s`, `2 min`, `3 h`, `5 d`; negative spans count as nothing. */
  span(ms: number): string {
    const [[unit, length]] = unitsOf(ms);
    return this.#unit(unit, Math.floor(Math.max(0, ms) / length));
  }

  /** How long something took: the two largest units, such as `1 hr 59 min` or `58 sec`; negative times count as nothing. */
  duration(ms: number): string {
    const [[, length], [nextUnit, nextLength] = SECONDS] = unitsOf(ms);
    const rest = Math.floor((Math.max(0, ms) % length) / nextLength);
    const first = this.span(ms);
    if (rest === 0) return first;
    const join = new Intl.ListFormat(this.language, { type: 'unit', style: 'narrow' });
    return join.format([first, this.#unit(nextUnit, rest)]);
  }

  /** Day and time in full, in the person's own time zone, with the zone's name. */
  exact(time: number): string {
    return isTime(time) ? this.date({ dateStyle: 'medium', timeStyle: 'long' }, time) : String(time);
  }

  /** A day (`YYYY-MM-DD`) such as `20 Nov 2026`, the same in every time zone. */
  day(day: string): string {
    const time = Date.parse(`${day}T00:00:00Z`);
    return Number.isNaN(time) ? day : this.date({ dateStyle: 'medium', timeZone: 'UTC' }, time);
  }

  /** The same as `Fri, Nov 20`. */
  weekday(day: string): string {
    const options = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
    return this.date(options, Date.parse(`${day}T00:00:00Z`));
  }

  /** The time of day, in the person's own time zone. */
  timeOfDay(time: number): string {
    return isTime(time) ? this.date({ timeStyle: 'short' }, time) : '';
  }

  /** A change as a share, such as `+12%`. */
  change(share: number): string {
    const maximumFractionDigits = Math.abs(share) < 0.1 ? 1 : 0;
    return this.as({ style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits }, share);
  }

  /** `4.2M`-like. */
  compact(value: number): string {
    return this.as({ notation: 'compact', maximumFractionDigits: 1 }, value);
  }

  /** Every digit, grouped. */
  number(value: number): string {
    return this.as({}, value);
  }

  /** Bytes in steps of 1,024, such as `180 KB`. */
  bytes(size: number): string {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
    let value = size;
    while (value >= 1024 && units.length > 1) {
      value /= 1024;
      units.shift();
    }
    const [unit = 'byte'] = units;
    return this.#unit(unit, value >= 10 || unit === 'byte' ? Math.round(value) : Math.round(value * 10) / 10);
  }

  #unit(unit: string, value: number): string {
    // `832 byte` is no English.
    return this.as({ style: 'unit', unit, unitDisplay: unit === 'byte' ? 'long' : 'short' }, value);
  }

  /** A number as the options say. */
  as(options: Intl.NumberFormatOptions, value: number): string {
    return this.#of(options, language => new Intl.NumberFormat(language, options)).format(value);
  }

  /** A time as the options say. */
  date(options: Intl.DateTimeFormatOptions, time: number): string {
    return this.#of(options, language => new Intl.DateTimeFormat(language, options)).format(time);
  }

  #of<F extends Intl.NumberFormat | Intl.DateTimeFormat>(options: object, make: (language: string) => F): F {
    const key = JSON.stringify(options);
    const made = (this.#made.get(key) as F | undefined) ?? make(this.language);
    this.#made.set(key, made);
    return made;
  }
}

/** The largest unit that is in a span, and those below. */
function unitsOf(ms: number): readonly [Unit, ...Unit[]] {
  const [first = SECONDS, ...smaller] = UNITS.filter(([, length]) => ms >= length);
  return [first, ...smaller];
}
