import { createHmac, randomBytes } from 'node:crypto';

/** What stands where a secret was, where nobody compares it with another. */
const REDACTED = '[redacted]';

/** A text with more secrets holds nothing else worth reading: it is marked as one. */
const MOST_MARKS = 500;
/** A shorter one is no key, but a word. */
const SHORTEST_OWN = 8;

/** Words a name of a secret ends with, in any spelling. */
const SECRET_NAME =
  String.raw`passw(?:or)?d(?:[-_]?hash)?|passphrase|pwd|secret|token|credentials?|cookie|signature|authorization|bearer|` +
  String.raw`(?<=db|store|key|root|user|[_. -])pass|(?:api|access|account|auth|client|private|secret|signing|encryption|` +
  String.raw`master|shared|subscription|functions?|instrumentation|license|storage)[-_ ]?keys?`;
/** What may follow such a name: where the secret counts, or which one it is. */
const SUFFIX = String.raw`(?:[-_](?:prod(?:uction)?|dev|staging|test|live|main|\d{1,3}))?`;
/** What begins here begins a word; in a text within a text, `\n` before it is no part of it. */
const WORD_START = String.raw`(?<!(?<!\\)[\w-])`;
const USER = String.raw`[^\s/?#@:"'<>\\]`;
/** As far as the next `//`, which may begin an address. */
const PASSWORD = String.raw`(?:[^\s"'<>\\/]|/(?!/))+`;
/** What a gap between a name and its value begins with, and what it is made of. */
const OPENS = String.raw`\s"'\`\\\])>([{|:=,`;
const GAP = `[${OPENS}$?-]`;
/** Values that are no secrets under any name, and those that may be one where no `=` or `:` stands before them. */
const HARMLESS =
  /^(?:\d{1,6}|true|false|yes|no|on|off|null|none|undefined|absent|required|low|medium|high|allow|deny|ask|\[redacted.*)?$/i;
const LIKE_A_KEY = /^(?=.*\d)(?=.*[A-Za-z+/=])\S{8,}$/;

/**
 * Each alternative ends with the secret, in its last group or as a whole. Each begins with letters or signs of its own or with a
 * word, and what it runs over from there holds no other beginning of it: the time grows as the text does, whatever that is made of.
 */
const SECRETS = new RegExp(
  [
    // Credentials in addresses.
    String.raw`//(?!@)${USER}*:(?!\d{1,5}[/?#])(?<password>${PASSWORD}(?://${PASSWORD}){0,2})(?=@)|//(${USER}+)(?=:@)|https?://(${USER}{8,})(?=@)`,
    // Well-known forms of keys.
    String.raw`${WORD_START}(?:(?:[sr]k|gh[oprsu]|github_pat|gl(?:pat|dt|rt|cbt|ptt|ft|agent|oas|sa)|xox[a-z]|xapp|shp[a-z]{2}|do[opr]_v1|dckr_pat|lin_api|sbp|whsec|PMAK|NRAK|GOCSPX|pypi|sq0[a-z]{3}|figd|ntn|pplx|tvly|sntry[su]|phc)[-_](?=[\w-]{0,200}\d)[\w-]{12,}`,
    String.raw`(?:pk_live|pk_test|npm|hf|r8|gsk|xai|vercel)[-_](?=[A-Za-z]{0,200}\d)[A-Za-z0-9]{12,}|AGE-SECRET-KEY-1\w+`,
    String.raw`(?:A[BCKS]IA|AIza)(?=[\w-]{0,200}\d)[\w-]{14,}|(?:SG|ya29|hv[bs]|xoxe\.xox[a-z])[.-][\w-]{12,}|eyJ[\w-]{8,}(?:\.[\w-]*){1,4})`,
    String.raw`----[ -]BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[^]*?(?:-- ?END [^-]*-----?|$)`,
    // The rest of the line, or of what is in quotes, behind the name of a header.
    String.raw`(?:authorization|cookie)(?<=["'][\w-]{0,40})\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?([^\s"'\\][^\r\n"'\\]*)`,
    String.raw`(?:authorization|cookie2?) ?[:=][ \t]{0,3}([^\r\n]+)`,
    String.raw`${WORD_START}(?:bearer|basic)[ \t]+\\?["']?((?=[^\s"']{0,200}[\d=])[\w.~+/=-]{6,})`,
    // A value behind the name of a secret or behind an option, and the password behind a name.
    String.raw`(?:(?:${SECRET_NAME})${SUFFIX}|(?<=[?&_])(?:key|sig|auth|access|code))(?=[${OPENS}]|->)(?<=(?<![\w.-])(?<option>--?)\w[\w.-]{0,60}|)` +
      String.raw`(?<gap>${GAP}{1,40}(?!${GAP})(?:is |\w{0,10}value\\?["']?\s?[=:]\s?\\?["']?|[bfru]["'])?)` +
      String.raw`(?:(?<=[:=]${GAP}{0,40}[bfru"']{0,2})|(?<=--?[\w.-]{1,60}[ =]["']?)|(?=[^\d${OPENS}]{0,60}\d))` +
      String.raw`(?<value>(?<=\\["'])[^"'\\\r\n]+|(?<=")(?:[^"\\\r\n]|\\.)+|(?<=')(?:[^'\\\r\n]|\\.)+|[^\s"'\`;&<>,)}\]]+)`,
    String.raw`(?<![\w.-])[\w.-]{1,60}:(?!//)([^\s/:"'@]{4,100})(?=@[\w.-]{1,100}:\d{2})`,
    String.raw`${WORD_START}-(?:u|x|-user|-proxy-user)[ =]["']?[^\s:"'/=]*:([^\s"'/]+)`,
  ].join('|'),
  'gi',
);

/** Words shorter than any form of a key, or nothing that a value is told by: most texts of an answer. */
const HARMLESS_TEXT = /^(?:[^\d=:@.-]*|[\w.-]{0,14}|[^=:@/]{0,11}|(?:\w{1,10}\.)+\w{1,10})$/;

/**
 * A text without the credentials in it: the person's own key, well-known forms of keys, what follows `Bearer` or the name of a
 * secret, credentials in addresses. The one way for the log, for errors and for answers; linear in the length of the text. `mark` gives
 * the same for the same secret, so that a change shows.
 */
export function redact(
  text: string,
  { mark = () => REDACTED, own }: Partial<Pick<Redactor, 'mark' | 'own'>> = {},
): string {
  const rest = withoutOwn(text, own, mark);
  if (HARMLESS_TEXT.test(rest)) return rest;
  let [result, done, marks] = ['', 0, 0];
  try {
    for (const found of rest.matchAll(SECRETS)) {
      const secret = secretIn(found);
      if (secret === undefined) continue;
      if (++marks > MOST_MARKS) return mark(rest);
      const end = found.index + found[0].length;
      result += rest.slice(done, end - secret.length) + mark(secret);
      done = end;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // A word of megabytes that begins as a key does is more than the engine can follow.
    return mark(rest);
  }
  return result + rest.slice(done);
}

/** What was found ends with the secret; `undefined` where it is none. */
function secretIn(found: RegExpExecArray): string | undefined {
  const { password, option, gap = '', value } = found.groups ?? {};
  if (value !== undefined && option === undefined && !/[:=]/.test(gap) && !LIKE_A_KEY.test(value)) return;
  const secret = (found as (string | undefined)[]).findLast(part => part !== undefined) ?? '';
  return password === undefined && HARMLESS.test(secret) ? undefined : secret;
}

/** A text without the person's own key, and otherwise as it is. */
export function withoutOwn(
  text: string,
  own: string | undefined,
  mark: (secret: string) => string = () => REDACTED,
): string {
  return own !== undefined && own.length >= SHORTEST_OWN && text.includes(own)
    ? text.replaceAll(own, mark(own))
    : text;
}

/** Names of fields whose values are secrets, such as `apiKey`, `extraHeaders` or `relayClientUrl` (interface-notes 9). */
const SECRET_FIELD = new RegExp(
  String.raw`(?:${SECRET_NAME}|pass(?:code|key)|otp|(?:^|[_-])pin|pw|header_?values?|arguments|headers(?:map|list)?|extra_?arg(?:ument)?s?|relay\w{0,20}ur[li]|webhooks?(?:_?url)?)[\W\d_]*$`,
  'i',
);
/** Under these names only texts are, or what looks like a key: numbers of tokens are counts. */
const TOKENS_FIELD = /tokens(?:_?(?:list|map))?$/i;
const KEY_FIELD = /(?<!public)keys?[\W\d_]*$/i;
type Secrecy = 'none' | 'keys' | 'texts' | 'all';
/** What the name of a member says of its value, unless the member beside it does; and the name without a secret in it. */
type Known = { readonly secrecy: Secrecy | undefined; readonly shown: string };
/** Where the value stands beside its name: `{ name: "API_KEY", value: … }`. */
const PAIR_NAME = /^(?:name|key|k|header|variable|type)$/i;
const PAIR_VALUE = /^(?:values?|v|default)$/i;
/** Deeper than anything readable: what lies below is left out, so that no later walk can overflow. */
const DEEPEST = 64;
/** Members at the top of an answer that lead to the next page: they go back to the service as they came. */
const PAGING: ReadonlySet<string> = new Set(['pagination', 'meta']);

/** What is looked for: the person's own key, credentials within texts too, or also what stands under the name of a secret. */
export type Search = 'own' | 'texts' | 'all';

/**
 * Takes secrets out of answers before they leave `api` (interface-notes 9), and the person's own key out of everything. What
 * stands in a secret's place, such as `[redacted 1a2b3c4d]`, is the same for the same secret and the same key, so a change shows.
 */
export class Redactor {
  /** The same key gives the same marks in every window and session. */
  readonly key: string;
  /** The person's own API key. */
  own: string | undefined;
  readonly #names = new Map<string, Known>();

  constructor(key = randomBytes(32).toString('hex'), own?: string) {
    this.key = key;
    this.own = own;
  }

  keepOut(own: string): void {
    if (own !== this.own) this.#names.clear();
    this.own = own;
  }

  readonly mark = (secret: string): string =>
    `[redacted ${createHmac('sha256', this.key).update(secret).digest('hex').slice(0, 8)}]`;

  /** An answer without its secrets; changes `value` itself. What somebody said in a message stays as it was said. */
  redact(value: unknown, search: Search = 'all', secrecy: Secrecy = 'none', depth = 0): unknown {
    if (typeof value === 'string') return this.#text(value, search, secrecy);
    if (typeof value === 'number') return secrecy === 'all' ? this.mark(String(value)) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEEPEST) return '[too deep]';
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++)
        value[at] = this.redact(value[at], search, secrecy, depth + 1);
      return value;
    }
    const object = value as Record<string, unknown>;
    const isMessage = 'role' in object && Array.isArray(object['content']);
    for (const name of Object.keys(object)) {
      const isKept = (isMessage && name === 'content') || (depth === 0 && PAGING.has(name));
      const below = isKept ? 'own' : search;
      const known = this.#name(name);
      const named = below === 'all' ? (known.secrecy ?? this.#ofPair(object)) : 'none';
      const safe = this.redact(object[name], below, secrecy === 'none' ? named : secrecy, depth + 1);
      const shown = isKept || search === 'own' ? withoutOwn(name, this.own, this.mark) : known.shown;
      if (shown !== name || name === '__proto__') Reflect.deleteProperty(object, name);
      if (name !== '__proto__' && safe !== object[shown]) object[shown] = safe;
    }
    return object;
  }

  #text(text: string, search: Search, secrecy: Secrecy): string {
    if (secrecy === 'keys' ? LIKE_A_KEY.test(text) : secrecy !== 'none' && isSecretText(text))
      return this.mark(text);
    return search === 'own' ? withoutOwn(text, this.own, this.mark) : redact(text, this);
  }

  #ofPair(object: Readonly<Record<string, unknown>>): Secrecy {
    const name = Object.entries(object).find(([each]) => PAIR_NAME.test(each))?.[1];
    return (typeof name === 'string' && this.#name(name).secrecy) || 'none';
  }

  #name(name: string): Known {
    let known = this.#names.get(name);
    if (known === undefined) {
      const keys = KEY_FIELD.test(name) ? 'keys' : 'none';
      const own = SECRET_FIELD.test(name) ? 'all' : TOKENS_FIELD.test(name) ? 'texts' : keys;
      known = { secrecy: PAIR_VALUE.test(name) ? undefined : own, shown: redact(name, this) };
      if (this.#names.size < 1_000) this.#names.set(name, known);
    }
    return known;
  }
}

const isSecretText = (value: string): boolean => /^\d+$/.test(value) || !HARMLESS.test(value);
