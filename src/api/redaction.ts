import { createHmac, randomBytes } from 'node:crypto';
import { markAssigned } from './secretAssignments';
import { secrecyOf, stronger, type Secrecy } from './secretNames';
import { hasHeld, isHeaderName, secrecyOfArgument, secrecyOfHeld, secrecyOfSecond } from './secretPairs';
import { FORMS, LONG_RUN, looksRandom, PATTERNS } from './secretTexts';

/** Deeper than anything readable: what lies below is left out, so that no later walk can overflow. */
const DEEPEST = 64;
/** Short texts that hold no secret are remembered, so many at most: names and addresses come again with every answer. */
const REMEMBERED = { texts: 2_000, length: 200 };
/** Short words and times, which are most of what comes, hold no secret. */
const PLAIN = /^(?:[A-Za-z0-9]{0,19}|\d{4}-\d\d-\d\d(?:T[\d:.]{5,20}Z?)?)$/;
/** Names of what is an id. */
const ID_NAME =
  /^(?:id|ids|(?:user|computer|session|organization)Ids?|allowedUserIds|(?:allowed|blocked)ModelIds)$/;
/** Longer texts are not searched for secrets but taken out whole. */
const LONGEST = 64 * 1024;

export interface RedactionRules {
  /** Also look inside texts, not only at names. */
  readonly texts: boolean;
  /** Names at the top level whose values hold what somebody said, and stay as they are. */
  readonly except?: ReadonlySet<string>;
}

const NAMES_ONLY: RedactionRules = { texts: false };
const AS_SAID: RedactionRules = { texts: false };

/**
 * Takes secrets out of answers before they leave `api` (interface-notes 9). What stands in a secret's place, such as
 * `[redacted 1a2b3c4d]`, is the same for the same secret and the same key, so a change still shows.
 */
export class Redactor {
  readonly #key: string | Buffer;
  /** Names repeat from row to row. */
  readonly #known = new Map<string, Secrecy>();
  readonly #harmless = new Set<string>();
  readonly #plainIds = new Set<string>();

  /** The same `key` gives the same marks in every window and session; without one they hold for this object. */
  constructor(key?: string) {
    this.#key = key === undefined || key === '' ? randomBytes(32) : key;
  }

  /** The mark for one secret. */
  mark(secret: string): string {
    const digest = createHmac('sha256', this.#key).update(secret).digest('hex').slice(0, 8);
    return `[redacted ${digest}]`;
  }

  /**
   * A JSON value without its secrets; what holds none comes back itself, the rest as a copy. Names stay; empty texts, `null` and
   * booleans under a secret name stay.
   */
  redact(value: unknown, rules: RedactionRules): unknown {
    return this.#walk(value, 'none', rules, 0);
  }

  /** A text without the credentials in it: authorization values, tokens, keys, passwords in addresses and assignments. */
  text(text: string): string {
    if (PLAIN.test(text) || this.#harmless.has(text)) return text;
    if (text.length > LONGEST) return this.mark(text);
    const result = this.#searched(text);
    if (result === text && text.length <= REMEMBERED.length) {
      if (this.#harmless.size >= REMEMBERED.texts) this.#harmless.clear();
      this.#harmless.add(text);
    }
    return result;
  }

  #searched(text: string): string {
    let result = this.#json(text) ?? text;
    for (const form of FORMS) result = result.replace(form, found => this.mark(found));
    for (const [pattern, group] of PATTERNS) {
      result = result.replace(pattern, (...found: unknown[]) =>
        this.#part(String(found[0]), String(found[group])),
      );
    }
    result = markAssigned(result, secret => this.mark(secret));
    return result.replace(LONG_RUN, run => (looksRandom(run) ? this.mark(run) : run));
  }

  /** A text that is a JSON object or array as one without its secrets; nothing when it is none, or holds none. */
  #json(text: string): string | undefined {
    if (!/^\s*[{[]/.test(text)) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      const before = JSON.stringify(value);
      const after = JSON.stringify(this.redact(value, { texts: true }));
      return before === after ? undefined : after;
    } catch {
      // No JSON, or nested beyond measure.
      return undefined;
    }
  }

  /** `whole` with the secret at its end marked. */
  #part(whole: string, secret: string): string {
    const at = whole.lastIndexOf(secret);
    if (secret.startsWith('[redacted') || at < 0) return whole;
    return `${whole.slice(0, at)}${this.mark(secret)}${whole.slice(at + secret.length)}`;
  }

  #walk(value: unknown, secrecy: Secrecy, rules: RedactionRules, depth: number): unknown {
    if (typeof value === 'string') {
      if (secrecy !== 'none') return value === '' ? '' : this.mark(value);
      return rules.texts ? this.text(value) : value;
    }
    if (typeof value === 'number') return secrecy === 'all' ? this.mark(String(value)) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEEPEST) return '[too deep]';
    return Array.isArray(value)
      ? this.#array(value, secrecy, rules, depth)
      : this.#object(value as Record<string, unknown>, secrecy, rules, depth);
  }

  #object(
    object: Readonly<Record<string, unknown>>,
    secrecy: Secrecy,
    rules: RedactionRules,
    depth: number,
  ): Readonly<Record<string, unknown>> {
    const names = Object.keys(object);
    let copy: Record<string, unknown> | undefined;
    names.forEach((name, index) => {
      const value = object[name];
      const asSaid = rules === AS_SAID || (depth === 0 && rules.except?.has(name) === true);
      const own = asSaid ? 'none' : stronger(secrecy, this.#secrecyOfMember(name, value, object, rules));
      const inside = asSaid ? AS_SAID : rules.texts && this.#isId(name, value) ? NAMES_ONLY : rules;
      const safe = this.#walk(value, own, inside, depth + 1);
      const shown = rules.texts ? this.text(name) : name;
      const isLeftOut = name === '__proto__';
      if (copy === undefined && safe === value && shown === name && !isLeftOut) return;
      copy ??= Object.fromEntries(names.slice(0, index).map(before => [before, object[before]]));
      if (!isLeftOut) copy[shown] = safe;
    });
    return copy ?? object;
  }

  /** Of a member among the others: where texts are searched, a bare `key` and what a pair holds count too. */
  #secrecyOfMember(
    name: string,
    value: unknown,
    object: Readonly<Record<string, unknown>>,
    rules: RedactionRules,
  ): Secrecy {
    const secrecy = this.#secrecyOf(name);
    if (rules.texts && (isHeaderName(name, value, object) || isLevel(value))) return 'none';
    if (!rules.texts || secrecy !== 'none') return secrecy;
    if (/^keys?[-_ ]?\d{0,3}$/i.test(name)) return !hasHeld(object) && isTextOrTexts(value) ? 'text' : 'none';
    return secrecyOfHeld(name, object);
  }

  /** Ids come again with every answer. */
  #isId(name: string, value: unknown): boolean {
    if (!ID_NAME.test(name)) return false;
    const isPlain = (text: unknown): boolean => {
      if (typeof text !== 'string') return false;
      if (this.#plainIds.has(text)) return true;
      if (!isPlainId(text)) return false;
      if (this.#plainIds.size >= REMEMBERED.texts) this.#plainIds.clear();
      this.#plainIds.add(text);
      return true;
    };
    return Array.isArray(value) ? value.every(isPlain) : isPlain(value);
  }

  #secrecyOf(name: string): Secrecy {
    let secrecy = this.#known.get(name);
    if (secrecy === undefined) {
      secrecy = secrecyOf(name);
      if (this.#known.size < 1_000) this.#known.set(name, secrecy);
    }
    return secrecy;
  }

  /** As each item is; a text after a flag such as `--api-key` is that flag's value, and in pairs the first names the second. */
  #array(
    items: readonly unknown[],
    secrecy: Secrecy,
    rules: RedactionRules,
    depth: number,
  ): readonly unknown[] {
    const safe = items.map((item, index) => {
      if (!rules.texts) return this.#walk(item, secrecy, rules, depth + 1);
      const second = secrecyOfSecond(item);
      if (second !== 'none' && Array.isArray(item) && depth < DEEPEST - 1) {
        const [name, value] = item as unknown[];
        return [
          this.#walk(name, secrecy, rules, depth + 2),
          this.#walk(value, stronger(secrecy, second), rules, depth + 2),
        ];
      }
      return this.#walk(item, stronger(secrecy, secrecyOfArgument(items, index)), rules, depth + 1);
    });
    return safe.every((item, index) => item === items[index]) ? items : safe;
  }
}

/** An address without user name and password; what is no address stays as it is. Keeps the user name of ssh addresses. */
export function withoutCredentials(address: string): string {
  return address
    .replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#:@]*):[^/?#]*@/i, '$1@');
}

/** Ids that are looked up again must stay usable. What is no plain id, or a known form of key, is searched like every other text. */
function isPlainId(text: string): boolean {
  return (
    /^[\w.:@/-]{0,200}$/.test(text) && !text.includes('://') && FORMS.every(form => text.search(form) < 0)
  );
}

/** A word for how much is allowed, as under the name of a server: `{ "secret-scanner": "high" }`. */
function isLevel(value: unknown): boolean {
  return typeof value === 'string' && /^(?:off|low|medium|high|allow|deny|ask)$/.test(value);
}

function isTextOrTexts(value: unknown): boolean {
  return Array.isArray(value) ? value.every(item => typeof item === 'string') : typeof value === 'string';
}
