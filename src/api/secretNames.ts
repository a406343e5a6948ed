/** Words that make any value under a name a secret, numbers included. */
const STRONG =
  /password|passwd|passphrase|passcode|secret|credential|apikey|accesskey|privatekey|bearer|cookie|connectionstring/;

/** Words before a final `key` that make it a secret one: `signingKey`, `DEPLOY_KEY`. */
const KEY_OWNERS: ReadonlySet<string> = new Set(
  `access account admin api auth client deploy encryption host license master private secret service session shared
   signing ssh storage subscription`.split(/\s+/),
);

/** Last words that make text a secret, but not numbers: `maxTokens: 5` is no secret. */
const TEXT_ONLY: ReadonlySet<string> = new Set(
  'token tokens auth authorization jwt pass pwd pw creds otp pat signature sas'.split(' '),
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
    /headers?$|^extraargs?$|^(relay|webhook).*(url|uri|address)$|webhookurl$/.test(joined)
  )
    return 'all';
  if (/^keys?$/.test(last) && words.some(word => KEY_OWNERS.has(word))) return 'all';
  if (TEXT_ONLY.has(last) || /(token|tokens|authorization|jwt)$/.test(joined)) return 'text';
  return 'none';
}

/** Without what only says that it is a value: `accessTokenValue`, `token_2`. */
function withoutEndings(words: string[]): string[] {
  let end = words.length;
  while (end > 1 && /^(?:value|text|\d+)$/.test(words[end - 1] ?? '')) end--;
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
