/** Words that make any value under a name a secret, numbers included. */
const STRONG =
  /password|passwd|passphrase|passcode|passkey|secret|credential|apikey|accesskey|privatekey|bearer|cookie|connectionstring/;

/** Words before a final `key` that make it a secret one: `signingKey`, `DEPLOY_KEY`. */
const KEY_OWNERS: ReadonlySet<string> = new Set(
  `access account admin api auth client deploy encryption host license master private secret service session shared
   signing ssh storage subscription`.split(/\s+/),
);

/** Last words that make any value a secret. The plural of `token` is not among them: `maxTokens: 5` is a count. */
const LAST: ReadonlySet<string> = new Set(
  'token auth authorization jwt pass pwd pw pin creds otp pat signature sas'.split(' '),
);

export type Secrecy = 'none' | 'text' | 'all';

/**
 * How secret the values under `name` are, whatever its letter case and separators: `all` for every value (also every header
 * and every argument passed to a model's provider, and relay addresses), `text` for texts only, or `none`.
 */
export function secrecyOf(name: string): Secrecy {
  const words = withoutEndings(wordsOf(name));
  const joined = words.join('');
  const last = words.at(-1) ?? '';
  if (
    STRONG.test(joined) ||
    LAST.has(last) ||
    /headers?$|^extraarg(?:ument)?s?$|^arguments$|^(relay|webhook).*(url|uri|address)$|webhookurl$/.test(
      joined,
    ) ||
    /(?:token|authorization|jwt|pw|pwd)$/.test(joined)
  )
    return 'all';
  if (/^keys?$/.test(last) && words.some(word => KEY_OWNERS.has(word))) return 'all';
  return joined.endsWith('tokens') ? 'text' : 'none';
}

/** Without what only says that it is a value: `accessTokenValue`, `headerValues`, `token_2`. */
function withoutEndings(words: string[]): string[] {
  let end = words.length;
  while (end > 1 && /^(?:values?|text|\d+)$/.test(words[end - 1] ?? '')) end--;
  return words.slice(0, end);
}

/** `apiKey`, `API_KEY`, `x-api-key` and `APIKeyId` in lower-case words. */
function wordsOf(name: string): string[] {
  return name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '');
}
