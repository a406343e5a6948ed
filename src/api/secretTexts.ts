/**
 * What a secret looks like within a text, and the group that holds it. What comes before a secret is bounded, so that no
 * text takes long to search.
 */
export const PATTERNS: readonly (readonly [RegExp, number])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g, 0],
  [
    /\bauthorization\\{0,3}["']?\s{0,8}[:=]\s{0,8}(?:\\{0,3}["'])?(?:[a-z]{1,20}\s{1,8})?([^\s"',;[\]\\]+)/gi,
    1,
  ],
  [/\b(?:set-)?cookie\\{0,3}["']?\s{0,4}[:=]\s{0,4}(?:\\{0,3}["'])?([^\s"'\\][^\n"'\\]*)/gi, 1],
  [/\b(?:bearer|basic)\s{1,8}(?=\S{0,200}[\d=+/])([A-Za-z0-9._~+/=-]{8,})/gi, 1],
  [/\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, 0],
  // What stands before the last `@`, since passwords hold that and `/` too; a port is no password.
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/([^\s/?#@:[]{0,2000}:(?!\d{1,5}[/?#])\S{1,2000})@/gi, 1],
  [/\bhttps?:\/\/([^\s/?#:[\]]{8,2000})@/gi, 1],
  // The same without a scheme, before what is a host; `github:acme/tools@v1.2` is none.
  [
    /(?<![\w.+/@:-])(?!(?:e?mail|mailto|to|from|cc|contact|npm|acct|sips?|xmpp):)[\w.+-]{1,64}:(?!\/\/)(\S{1,200})@(?=(?:[\w-]{1,60}\.){1,8}[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}\b|[\w-]{1,60}:\d{2,5}\b)/gi,
    1,
  ],
  [/[?&](?:access|key|sig|code)=([^&\s#"']+)/gi, 1],
  [
    /(?<!\S)(?:-[uU]|--(?:proxy-)?user)[\s=]{0,4}(?!["']?\d+:\d+\b)("[^"\n:]*:[^"\n]+"|'[^'\n:]*:[^'\n]+'|[^\s:"']{0,200}:[^\s"']+)/g,
    1,
  ],
  [/\bsshpass\s{1,4}(?:-v\s{1,4})?-p\s{0,4}("[^"\n]+"|'[^'\n]+'|\S+)/g, 1],
  [/\b(?:mysql|mariadb)[\w-]{0,20}\s[^\n;|&]{0,300}?(?<=\s)-p("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/g, 1],
  [
    /\b(?:token|api[-_]?key)\s{1,8}(?=[\w.~+/=-]{0,200}\d)(?=[\d.~+/=-]{0,200}[A-Za-z_])([\w.~+/=-]{8,})/gi,
    1,
  ],
  [/(?<!sha256[:=-])(?<![\w-])(?:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64})(?![\w-])/gi, 0],
  [
    /\b(?:sk|rk|pk|gh[a-z]|gl[a-z]{2,4}|xox[a-z]|pat|key|tok|token|secret|npm|hf|whsec)[-_](?=[\w-]{0,200}\d)[\w-]{16,}/g,
    0,
  ],
  [/\b(?:AKIA|ASIA|AIza)[\w-]{16,200}/g, 0],
  [/\b(?:SG|ya29)\.[\w-]{16,200}(?:\.[\w-]{1,200})?/g, 0],
  [/\/webhooks?\/([\w-]{6,80}\/[\w/-]{12,200})/gi, 1],
  [/\/services\/([A-Z0-9]{6,40}\/[A-Z0-9]{6,40}\/\w{12,200})/g, 1],
];

export const LONG_RUN = /[A-Za-z0-9+/=_-]{32,}/g;

/** Letters of both cases and digits, mixed as no word, path, id or hash is. */
export function looksRandom(run: string): boolean {
  if (/\/[^/]{0,12}\//.test(run)) return false;
  const parts = run.split(/[-_]/);
  if (parts.some(part => part.length >= 32 && isMixed(part) && part.replace(/\D/g, '').length >= 4))
    return true;
  const changes = parts
    .filter(isMixed)
    .join('-')
    .match(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g);
  return parts.length > 1 && (changes?.length ?? 0) >= run.length * 0.3;
}

function isMixed(part: string): boolean {
  return /[a-z]/.test(part) && /[A-Z]/.test(part) && /\d/.test(part);
}
