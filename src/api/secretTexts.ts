/** Keys known by their look, wherever they stand; no id and no name of a model looks so. */
export const FORMS: readonly RegExp[] = [
  /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}[\s\S]*?(?:-{4,5} ?END [A-Z0-9 ]{0,60}-{4,5}|$)/g,
  /\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*){0,2}/g,
  /\b(?:[sr]k|gh[oprsu]|github_pat|gl(?:pat|dt|rt|cbt|ptt|ft|agent|oas|sa)|xox[a-z]|xapp|shp[a-z]{2}|dop_v1|do[or]_v1|dckr_pat|lin_api|sbp|whsec|tskey|PMAK|NRAK|GOCSPX|pypi|sq0[a-z]{3}|rubygems|ATATT\w{0,3}|figd|ntn)[-_](?=[\w-]{0,200}\d)[\w-]{16,}/g,
  /\b(?:A[BCKS]IA|AIza)(?=[\w-]{0,200}\d)[\w-]{16,200}/g,
  /\b(?:SG|ya29|hv[bs]|atlasv1)\.[\w-]{16,200}(?:\.[\w-]{1,200})?/g,
  /\bAGE-SECRET-KEY-1[A-Z0-9]+/g,
  /\bdapi[0-9a-f]{32}\b/g,
  /\b\d{8,10}:A[\w-]{34}\b/g,
  /\b[MNO][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,40}/g,
  /\$(?:2[aby]|apr1|[156y]|argon2\w{0,2})\$[^\s"']{20,200}/g,
];

/**
 * What a secret looks like within a text, and the group that holds it. What comes before a secret is bounded, so that no
 * text takes long to search.
 */
export const PATTERNS: readonly (readonly [RegExp, number])[] = [
  [
    /\bauthorization\\{0,3}["']?\s{0,8}[:=]\s{0,8}(?:\\{0,3}["'])?(?:[a-z]{1,20}\s{1,8}\\{0,3}["']?)?([^\s"',;[\]\\]+(?:(?<==)\\{0,3}"[^"\\\n]*)?)/gi,
    1,
  ],
  [/\b(?:set-)?cookie\\{0,3}["']?\s{0,4}[:=]\s{0,4}(?:\\{0,3}["'])?([^\s"'\\][^\n"'\\]*)/gi, 1],
  [/\b(?:bearer|basic)\s{1,8}(?=\S{0,200}[\d=+/])([A-Za-z0-9._~+/=-]{8,})/gi, 1],
  // What stands before the last `@`, since passwords hold that and `/` too; a port is no password.
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/([^\s/?#@:[]{0,2000}:(?!\d{1,5}[/?#])\S{1,2000})@/gi, 1],
  // A key in the place of the user's name, with an empty password or none.
  [/(?:\/\/|(?<!\S)(?:-[uU]|--user)[\s=]{0,4}["']?)([^\s/?#:@[\]"']{1,2000}):(?:@|(?=["'\s]|$))/g, 1],
  [/\bhttps?:\/\/([^\s/?#:[\]]{8,2000})@/gi, 1],
  [/(?<![\w:])\/\/[^\s/?#@:[]{1,200}:(?!\d{1,5}[/?#])([^\s/]{1,400})@(?=[\w-]{1,60}[.:])/g, 1],
  [/%3A%2F%2F[^\s%&/]{0,200}%3A([^\s&/]{1,400}?)%40/gi, 1],
  [/(?<![\w./-])\w{1,60}\/([^\s/@]{1,200})@(?:\/\/)?(?=[\w.-]{1,200}:\d{2,5}\b)/g, 1],
  [/\/(?:key|token|secret|api-?key)\/(?=[\w-]{0,200}\d)([\w-]{8,400})/gi, 1],
  // The same without a scheme, before what is a host; `github:acme/tools@v1.2` is none.
  [
    /(?<![\w.+/@:-])(?!(?:e?mail|mailto|to|from|cc|contact|npm|acct|sips?|xmpp):)[\w.+-]{1,64}:(?!\/\/)(\S{1,200})@(?=(?:[\w-]{1,60}\.){1,8}[a-z]{2,}|(?:tcp|unix)\(|\d{1,3}(?:\.\d{1,3}){3}\b|[\w-]{1,60}:\d{2,5}\b)/gi,
    1,
  ],
  [/[?&](?:access|key|sig|code)=([^&\s#"']+)/gi, 1],
  [
    /(?<!\S)(?:-[uU]|--(?:proxy-)?user)[\s=]{0,4}(?!["']?\d+:\d+\b)("[^"\n:]*:[^"\n]+"|'[^'\n:]*:[^'\n]+'|[^\s:"']{0,200}:[^\s"']+)/g,
    1,
  ],
  [/\bsshpass\s{1,4}(?:-v\s{1,4})?-p\s{0,4}("[^"\n]+"|'[^'\n]+'|\S+)/g, 1],
  // Programs and their flags for a password, a user with one, and a cookie.
  [/\b(?:login|mongo\w{0,10})\s[^\n;|&]{0,300}?(?<=\s)-p[\s=]{1,4}("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/g, 1],
  [
    /\b(?:sqlcmd|bcp|isql|zip|mosquitto_\w{3})\s[^\n;|&]{0,300}?(?<=\s)-P[\s=]{0,4}("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/g,
    1,
  ],
  [/\bredis-cli\s[^\n;|&]{0,300}?(?<=\s)-a[\s=]{1,4}("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/g, 1],
  [/\bldap\w{1,20}\s[^\n;|&]{0,300}?(?<=\s)-w[\s=]{0,4}("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/g, 1],
  [/\bsmbclient\s[^\n;|&]{0,300}?(?<=\s)-U[\s=]{0,4}["']?[^\s%"']{1,200}%([^\s"']+)/g, 1],
  [/\bhttps?\s[^\n;|&]{0,300}?(?<=\s)(?:-a|--auth)[\s=]{1,4}["']?[^\s:"']{0,200}:([^\s"']+)/g, 1],
  [
    /\bcurl\s[^\n;|&]{0,300}?(?<=\s)-b[\s=]{0,4}("[^"\n]*=[^"\n]+"|'[^'\n]*=[^'\n]+'|[^\s"'=]{1,200}=[^\s"']+)/g,
    1,
  ],
  [
    /\b(?:7z[ar]?|rar|unrar|rdesktop|cqlsh)\s[^\n;|&]{0,300}?(?<=\s)-p[\s=]{0,4}("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/g,
    1,
  ],
  [/\bopenssl\s[^\n;|&]{0,300}?(?<=\s)-[kK]\s{1,4}("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/g, 1],
  [/\bssh-keygen\s[^\n;|&]{0,300}?(?<=\s)-[NP]\s{1,4}("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/g, 1],
  [/\blftp\s[^\n;|&]{0,300}?(?<=\s)-u\s{1,4}[^\s,]{1,200},(\S+)/g, 1],
  [/\bcurl\s[^\n;|&]{0,300}?(?<=\s)(?:-E|--cert)[\s=]{1,4}[^\s:]{1,300}:(?!\/\/)([^\s"']+)/g, 1],
  [/\bsecrets?\sset\s[^\n;|&]{0,300}?(?<=\s)(?:-b|--body)[\s=]{1,4}("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/g, 1],
  [/\bvault\slogin\s{1,4}([^\s=-][^\s=]{7,})/g, 1],
  [
    /\b(?:echo|printf)\s{1,4}(?:-\w{1,3}\s{1,4}|["']%s["']\s{1,4})?("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)(?=\s{0,4}\|[^\n]{0,200}(?:-stdin\b|--with-token))/g,
    1,
  ],
  [/\bIDENTIFIED\s{1,4}BY\s{1,4}(?:PASSWORD\s{1,4})?("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/gi, 1],
  [/\bauthorization\b[^\n]{0,300}?\b(?:mac|response)=\\{0,3}"([^"\\\n]+)/gi, 1],
  [/\bPrivate-Lines: \d{1,4}\n([\s\S]+?)(?=\nPrivate-MAC|$)/g, 1],
  [
    /\b(?:r8|gsk|xai|pplx|tvly|sntry[su]|phc|vercel|pk_live|pk_test)[-_](?=[A-Za-z]{0,200}\d)[A-Za-z0-9]{12,}/g,
    0,
  ],
  [/--from-literal[\s=]{1,4}["']?[^\s=]{1,200}=([^\s"']+)/g, 1],
  [/\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/gi, 1],
  [/\b(?:mysql|mariadb)[\w-]{0,20}\s[^\n;|&]{0,300}?(?<=\s)-p("[^"\n]+"|'[^'\n]+'|[^\s"';|&]+)/g, 1],
  [
    /\b(?:token|api[-_]?key)\s{1,8}(?=[\w.~+/=-]{0,200}\d)(?=[\d.~+/=-]{0,200}[A-Za-z_])([\w.~+/=-]{8,})/gi,
    1,
  ],
  [/(?<!sha256[:=-])(?<![\w-])(?:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64})(?![\w-])/gi, 0],
  [/\b(?:pat|key|tok|token|secret|npm|hf)[-_](?=[\w-]{0,200}\d)[\w-]{16,}/g, 0],
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
