/** Words that make any value under a name a secret, numbers included. */
const STRONG =
  /password|passwd|passphrase|passcode|passkey|secret(?!ar)|credential|apikey|accesskey|privatekey|keymaterial|seedphrase|(?:recovery|backup)code|bearer|cookie|(?:j|php|asp)sess(?:ion)?id|conn(?:ection)?str(?:ing)?$/;

/** Words before a final `key` that make it a secret one: `signingKey`, `DEPLOY_KEY`, `masterkey`. */
const OWNERS =
  `access account admin aes api app application auth client consumer deploy device encryption function functions hmac host
   ingestion instrumentation integration license master pem pgp priv private root rsa secret server service session shared
   signing ssh storage subscription symmetric wrapping write`.split(/\s+/);
const KEY_OWNERS: ReadonlySet<string> = new Set(OWNERS);
const OWNED_KEY = new RegExp(`(?:${OWNERS.join('|')})keys?$`);

/** Words before a final `key` that is none to a lock: `publicKey`, `primaryKey`, `sortKey`. */
const OPEN_KEYS: ReadonlySet<string> = new Set(
  `arrow by cache column composite config context dedupe event feature field foreign function group hot i18n idempotency index
   item join label lookup map message natural object order parameter partition policy primary property public query react row setting
   shift short sort state tab the translation unique view`.split(/\s+/),
);

/** Last words that make any value a secret. The plural of `token` is not among them: `maxTokens: 5` is a count. */
const LAST: ReadonlySet<string> = new Set(
  'token auth authorization jwt pass pwd pw pin creds otp hotp totp pat psk hmac signature signatures sas'.split(
    ' ',
  ),
);

/** Last words of names that tell about secrets, not what they are: `passwordFile`, `tokenTtl`, `credentialHelper`. */
const ABOUT =
  /^(?:files?|paths?|dir|folder|polic(?:y|ies)|length|(?:milli)?seconds|ms|minutes|hours|days|ttl|timeout|expiry|expiration|rotation|interval|count|limit|enabled|required|scanning|type|provider|manager|helper|stdin)$/;

/** Last words that only say which one it is, or how it is written: `TOKEN_PROD`, `privateKeyPem`, `accessTokenValue`, `token_2`. */
const ENDING =
  /^(?:values?|text|raw|plain|encoded|base|hex|pem|v|\d+|prod|production|dev|development|test|stage|staging|ci|live|default|primary|secondary|main|current|previous|old|new|ro|rw|readonly|list|map)$/;

export type Secrecy = 'none' | 'text' | 'all';

export function stronger(a: Secrecy, b: Secrecy): Secrecy {
  if (a === 'all' || b === 'all') return 'all';
  return a === 'text' || b === 'text' ? 'text' : 'none';
}

/**
 * How secret the values under `name` are, whatever its letter case and separators: `all` for every value (also every header
 * and every argument passed to a model's provider, and relay addresses), `text` for texts only, or `none`.
 */
export function secrecyOf(name: string): Secrecy {
  const words = wordsOf(name);
  if (ABOUT.test(words.at(-1) ?? '')) return 'none';
  // `tokensByHost`, `passwordOfAnn`
  const owner = words.findIndex(word => /^(?:by|for|of|per|from)$/.test(word));
  const whole = secrecyOfWords(withoutEndings(words));
  return owner > 0 ? stronger(whole, secrecyOfWords(withoutEndings(words.slice(0, owner)))) : whole;
}

function secrecyOfWords(words: readonly string[]): Secrecy {
  const joined = words.join('');
  const last = words.at(-1) ?? '';
  if (
    STRONG.test(joined) ||
    LAST.has(last) ||
    LAST.has(joined) ||
    OWNED_KEY.test(joined) ||
    /headers?$|webhooks?$|^extraarg(?:ument)?s?$|^arguments$|^(relay|webhook).*(url|uri|address)$|webhookurl$/.test(
      joined,
    ) ||
    /(?:token|authorization|jwt|pw|pwd|passw|pwrd|(?:store|key|db|user|root|admin|proxy|smtp|mail|ldap|sudo)pass)$/.test(
      joined,
    )
  )
    return 'all';
  if (/^keys?$/.test(last) && words.some(word => KEY_OWNERS.has(word))) return 'all';
  // `HOUSE_KEY`, `teamKey`: whose key it is.
  if (last === 'key' && words.length > 1 && !words.some(word => OPEN_KEYS.has(word))) return 'text';
  return joined.endsWith('tokens') ? 'text' : 'none';
}

function withoutEndings(words: readonly string[]): readonly string[] {
  let end = words.length;
  while (end > 1 && ENDING.test(words[end - 1] ?? '')) end--;
  return words.slice(0, end);
}

/** `apiKey`, `API_KEY`, `x-api-key`, `APIKeyId` and `token2` in lower-case words. */
function wordsOf(name: string): string[] {
  return name
    .slice(0, 200)
    .normalize('NFKC')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/(\d)(?=\D)|(\D)(?=\d)/g, '$& ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '');
}
