import { secrecyOf } from './secretNames';

/** What may stand around a name: quotes, escaped where the text is itself within a text. */
const QUOTE = String.raw`\\{0,3}["']?`;
const NAME = String.raw`-{0,2}[A-Za-z_][\w-]{1,80}`;

/** A name and what stands between it and its value; the name is group 1. Each is bounded, so that no text takes long to search. */
const NAMED: readonly RegExp[] = [
  // `name=`, `"name": `, `name ??= `, `name => `, `env["name"] = `
  new RegExp(
    String.raw`(?<![\w-])(${NAME})${QUOTE}\]?\s{0,4}(?::\s{1,4}&?[A-Za-z][\w<>[\].]{0,40}\s{0,4}(?==[^=]))?(?:(?:\?\?|\|\||[:?+])?[:=：→]>?|->|(?<=["'\s])=>)`,
    'g',
  ),
  // `API key: `
  new RegExp(String.raw`(?<![\w-])([A-Za-z]{2,20} (?:keys?|phrase|code|word))${QUOTE}\s{0,4}[:=]`, 'gi'),
  // `setHeader("name", `
  new RegExp(String.raw`\(\s{0,4}${QUOTE}([\w.-]{2,80})${QUOTE}\s{0,4},(?=\s{0,4}${QUOTE}\S)`, 'g'),
  // `name: API_KEY`, `value: `; also on the next line, as attributes and as `ParameterKey=…,ParameterValue=`
  new RegExp(
    String.raw`(?<![a-z])(?:parameter)?(?:name|key|header|variable|type|id)${QUOTE}\s{0,4}[:=]\s{0,4}${QUOTE}([\w.-]{2,80})${QUOTE}[\s,;]{1,40}${QUOTE}(?:parameter)?values?${QUOTE}\s{0,4}[:=]`,
    'gi',
  ),
  // `variable "name" { default = `
  /\bvariable\s{1,4}"([\w-]{2,80})"\s{0,4}\{[^{}]{0,400}?\bdefault\s{0,4}=/g,
  // `--name `
  new RegExp(String.raw`(?<![^\s"'(,[])(--?[A-Za-z_][\w-]{1,80})["']?,?(?=\s{1,4}(?![\s-]))`, 'g'),
  // `set NAME value`
  /(?<![\w-])(?:ENV|setx|setenv|set(?:\s-\w{1,10}){0,2})\s{1,4}([A-Za-z]\w{0,80}_\w{1,80})(?=\s{1,4}[^\s=-])/g,
  // `api_key 1a2b3c4d`, `the password is 1a2b3c4d`
  /(?<![\w$%{.-])(\w{0,80}_\w{1,80}|password|passwd)(?=\s{1,4}(?=\S{0,200}\d)(?=\S{0,200}[A-Za-z])[^\s=:-]\S{7})/gi,
  /(?<![\w-])(password|passphrase|passcode|secret|token|api[ -]?key)\s{1,4}is(?=\s{1,4}(?=\S{0,200}\d)\S{6})/gi,
];

/** `<name>`, also as `<key>name</key><string>`; what follows is text up to the next element. */
const ELEMENTS: readonly RegExp[] = [
  /<([A-Za-z_][\w:.-]{1,80})(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?/g,
  /\bname=["']([\w.-]{2,80})["'][^<>]{0,200}>\s{0,40}<(?:string|value)>/g,
  /<(?:key|name)>([\w.-]{2,80})<\/(?:key|name)>\s{0,40}<(?:string|value)>/g,
];

/** A value before the name it belongs to. */
const REVERSED = new RegExp(
  String.raw`((?<![a-z])values?${QUOTE}\s{0,4}[:=]\s{0,4}\\{0,3}["'])([^"'\\]{1,400})(${QUOTE}[\s,;]{1,40}${QUOTE}(?:name|key|header|variable|type|id)${QUOTE}\s{0,4}[:=]\s{0,4}${QUOTE}([\w.-]{2,80}))`,
  'gi',
);

/** Ways to write a value, the first that fits; tags and anchors of YAML before it are no part of it. */
const VALUES: readonly RegExp[] = [
  // A block, a list and a list on one line
  /([ \t]{0,4}(?:[|>][-+\d]{0,2}[ \t]{0,4})?\n)(([ \t]{1,40})[^\n]*(?:\n\3[^\n]*)*)/y,
  /(\n?)((?:\n?[ \t]{0,40}-[ \t]{1,4}[^\n]+){1,200})/y,
  /(\s{0,40})(\[(?!redacted)[^\]\n]+\])/y,
  // What code falls back to, and a call
  /(\s{0,4})([\w.[\]"']{1,80}\s{1,4}(?:\|\||\?\?|or)\s{1,4}(?:"[^"\n]+"|'[^'\n]+'))/y,
  /(\s{0,4})((?:new\s{1,4})?[A-Za-z_][\w.]{1,60}\([^()\n]{1,400}\))/y,
  // In quotes of any kind, in escaped quotes, in quotes that are not closed, in braces, bare
  /(\s{0,40}[bfru]{0,2})("""[\s\S]{1,4000}?"""|'''[\s\S]{1,4000}?''')/iy,
  /(\s{0,40}(?:[!&][\w!]{1,20}\s{1,4})?[$bfru]{0,2})("(?:[^"\\]|\\[\s\S]|""){1,4000}"|'(?:[^'\\]|\\[\s\S]|''){1,4000}')/iy,
  /(\s{0,4}\\{1,3}["'])((?:[^"'\\]|\\{1,8}(?!["'\\])){1,4000})/y,
  /(\s{0,4}["'])([^"'\s][^"'\n]{3,4000})$/y,
  /(\s{0,4})(\{[^{}"'\n:]+\})/y,
  /(\s{0,40}(?:[!&][\w!]{1,20}\s{1,4})?)((?:[^\s"',;&|)}\\]|\\(?!["'\\]))+)/y,
];

/** `text` with the values marked that follow the names of secrets. */
export function markAssigned(text: string, mark: (secret: string) => string): string {
  const whole = /^([A-Z_][A-Z0-9_]{1,80}=)(\S+)$/.exec(text);
  if (whole !== null && secrecyOf(whole[1] ?? '') !== 'none') {
    const value = whole[2] ?? '';
    return isHarmless(whole[1] ?? '', value) ? text : `${whole[1] ?? ''}${mark(value)}`;
  }
  const reversed = text.replace(
    REVERSED,
    (all, before: string, value: string, after: string, name: string) =>
      secrecyOf(name) === 'none' || isHarmless(name, value) ? all : `${before}${mark(value)}${after}`,
  );
  const named = NAMED.reduce((result, before) => marked(result, before, valueAt, mark), reversed);
  return named.includes('<')
    ? ELEMENTS.reduce((result, before) => marked(result, before, contentAt, mark), named)
    : named;
}

type Span = readonly [from: number, to: number];

function marked(
  text: string,
  before: RegExp,
  spanAt: (text: string, at: number) => Span | undefined,
  mark: (secret: string) => string,
): string {
  let result = '';
  let done = 0;
  for (const found of text.matchAll(before)) {
    const name = found[1] ?? '';
    if (found.index < done) continue;
    const secrecy = secrecyOf(name);
    if (secrecy === 'none' || (secrecy === 'text' && name.includes(' '))) continue;
    const span = spanAt(text, found.index + found[0].length);
    if (span === undefined) continue;
    const value = text.slice(...span);
    if (isHarmless(name, value)) continue;
    result += `${text.slice(done, span[0])}${mark(value)}`;
    done = span[1];
  }
  return done === 0 ? text : result + text.slice(done);
}

function valueAt(text: string, at: number): Span | undefined {
  for (const form of VALUES) {
    form.lastIndex = at;
    const found = form.exec(text);
    if (found !== null) return [at + (found[1] ?? '').length, at + found[0].length];
  }
  return undefined;
}

function contentAt(text: string, at: number): Span | undefined {
  const content = /[^<\]]+/y;
  content.lastIndex = at;
  const found = content.exec(text)?.[0] ?? '';
  return found.trim() === '' ? undefined : [at, at + found.length];
}

/** What is marked already, a count of tokens, a switch, and the word before a credential: `Authorization: Bearer [redacted …]`. */
function isHarmless(name: string, value: string): boolean {
  if (value.startsWith('[redacted')) return true;
  if (/^["']?(?:true|false|yes|no|on|off|null|none|undefined|absent)["']?$/i.test(value)) return true;
  if (/^\d+$/.test(value) && secrecyOf(name) === 'text') return true;
  return /authorization$/i.test(name) && /^[a-z]{1,20}$/i.test(value);
}
