/** Dates, ages and numbers as people read them, in the display language. All times are Unix milliseconds. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SECONDS = ['second', SECOND] as const;
const UNITS = [['day', DAY], ['hour', HOUR], ['minute', MINUTE], SECONDS] as const;

/** `language` where Intl knows it, English otherwise; never throws. */
export function supportedLanguage(language: string): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf([language]).at(0) ?? 'en';
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
  #supported: string | undefined;
  readonly #narrow: Map<string, Intl.NumberFormat> = new Map();
  #exact: Intl.DateTimeFormat | undefined;
  #compact: Intl.NumberFormat | undefined;
  #plain: Intl.NumberFormat | undefined;
  #units: Intl.ListFormat | undefined;
  #day: Intl.DateTimeFormat | undefined;
  #time: Intl.DateTimeFormat | undefined;

  constructor(language: string) {
    this.#asked = language;
  }

  /** Found out when first needed: Intl takes milliseconds to wake up, and activation has none to spare. */
  get #language(): string {
    return (this.#supported ??= supportedLanguage(this.#asked));
  }

  /** A span such as `12 s`, `2 min`, `3 h`, `5 d`; negative spans count as nothing. */
  span(ms: number): string {
    const value = Math.max(0, ms);
    if (value < MINUTE) return this.#unit('second', Math.floor(value / SECOND));
    if (value < HOUR) return this.#unit('minute', Math.floor(value / MINUTE));
    if (value < DAY) return this.#unit('hour', Math.floor(value / HOUR));
    return this.#unit('day', Math.floor(value / DAY));
  }

  /** How long something took: the two largest units, such as `1 hr 59 min` or `58 sec`; negative times count as nothing. */
  duration(ms: number): string {
    const value = Math.max(0, ms);
    const at = UNITS.findIndex(([, length]) => value >= length);
    const [unit, length] = UNITS[at] ?? SECONDS;
    const [nextUnit, nextLength] = UNITS[at + 1] ?? SECONDS;
    const rest = unit === 'second' ? 0 : Math.floor((value % length) / nextLength);
    const first = this.#unit(unit, Math.floor(value / length));
    if (rest === 0) return first;
    this.#units ??= new Intl.ListFormat(this.#language, { type: 'unit', style: 'narrow' });
    return this.#units.format([first, this.#unit(nextUnit, rest)]);
  }

  /** Day and time in full, in the person's own time zone, with the zone's name. */
  exact(time: number): string {
    this.#exact ??= new Intl.DateTimeFormat(this.#language, { dateStyle: 'medium', timeStyle: 'long' });
    return isTime(time) ? this.#exact.format(time) : String(time);
  }

  /** A day (`YYYY-MM-DD`) such as `20 Nov 2026`, the same in every time zone. */
  day(day: string): string {
    this.#day ??= new Intl.DateTimeFormat(this.#language, { dateStyle: 'medium', timeZone: 'UTC' });
    const time = Date.parse(`${day}T00:00:00Z`);
    return Number.isNaN(time) ? day : this.#day.format(time);
  }

  /** The same as `Fri, Nov 20`. */
  weekday(day: string): string {
    const options = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
    return new Intl.DateTimeFormat(this.#language, options).format(Date.parse(`${day}T00:00:00Z`));
  }

  /** The time of day, in the person's own time zone. */
  timeOfDay(time: number): string {
    this.#time ??= new Intl.DateTimeFormat(this.#language, { timeStyle: 'short' });
    return isTime(time) ? this.#time.format(time) : '';
  }

  /** A change as a share, such as `+12%`. */
  change(share: number): string {
    const options = { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 } as const;
    return new Intl.NumberFormat(this.#language, options).format(share);
  }

  /** `4.2M`-like. */
  compact(value: number): string {
    this.#compact ??= new Intl.NumberFormat(this.#language, {
      notation: 'compact',
      maximumFractionDigits: 1,
    });
    return this.#compact.format(value);
  }

  /** Every digit, grouped. */
  number(value: number): string {
    this.#plain ??= new Intl.NumberFormat(this.#language);
    return this.#plain.format(value);
  }

  /** Bytes in steps of 1,024, such as `180 KB`. */
  bytes(size: number): string {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
    let value = size;
    let index = 0;
    while (value >= 1024 && index < units.length - 1) {
      value /= 1024;
      index++;
    }
    const rounded = value >= 10 || index === 0 ? Math.round(value) : Math.round(value * 10) / 10;
    return this.#unit(units[index] ?? 'byte', rounded);
  }

  #unit(unit: string, value: number): string {
    let format = this.#narrow.get(unit);
    if (format === undefined) {
      format = new Intl.NumberFormat(this.#language, {
        style: 'unit',
        unit,
        // `832 byte` is no English.
        unitDisplay: unit === 'byte' ? 'long' : 'short',
      });
      this.#narrow.set(unit, format);
    }
    return format.format(value);
  }
}
