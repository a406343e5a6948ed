import * as z from 'zod/mini';

const matching = (pattern: RegExp, what: string) => z.string().check(z.regex(pattern, `It must ${what}.`));
/** Optional fields of one kind. */
const each = <S extends z.ZodMiniType>(schema: S, ...names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, z.optional(schema)]));

const words = matching(/\S/, 'not be empty');
const count = matching(/^[1-9]\d{0,8}$/, 'be a whole number of at least 1');
const day = matching(/^\d{4}-\d{2}-\d{2}$/, 'be a date, YYYY-MM-DD');
const dates = { startDate: day, endDate: day };
const hundred = matching(/^([1-9]\d?|100)$/, 'be from 1 to 100');
const page = { limit: z.optional(hundred), cursor: z.optional(words) };

const tag = z.strictObject({ name: words, metadata: z.optional(z.record(z.string(), z.unknown())) });
/** Interface 2.8, as it may be sent: no `tokenUsage`. What the enumerations allow is not shown, so any word passes. */
const sessionSettings = z.strictObject({
  ...each(words, 'model', 'reasoningEffort', 'interactionMode', 'autonomyLevel', 'autonomyMode'),
  ...each(words, 'archivedAt', 'specModeModel', 'specModeReasoningEffort'),
  ...each(words, 'providerLock', 'providerLockTimestamp', 'apiProviderLock'),
  ...each(z.array(words), 'enabledToolIds', 'disabledToolIds'),
  assistantActiveTimeMs: z.optional(z.int().check(z.gte(0))),
  tags: z.optional(z.array(tag)),
});
const session = z.strictObject({ computerId: words, sessionSettings: z.optional(sessionSettings) });

const given = { type: z.literal('base64'), data: z.string() };
const picture = z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const readable = matching(/^(application\/pdf|text\/[a-z0-9][a-z0-9.+-]*)$/, 'be a PDF or a text type');
const image = z.strictObject({ ...given, mediaType: picture });
/** Which fields of a file are required is not shown: here `type`, `mediaType` and `data`. */
const file = z.strictObject({
  ...given,
  mediaType: readable,
  ...each(z.string(), 'parsedData'),
  ...each(words, 'name', 'path'),
});
/** Interface 4.7. */
const message = z.strictObject({
  text: words,
  images: z.optional(z.array(image)),
  files: z.optional(z.array(file)),
  computerId: z.optional(words),
});

/** By method and path: the query, and the body. What is not named has neither. */
const CALLS: readonly (readonly [asked: RegExp, query: z.core.$ZodShape, body?: z.ZodMiniType])[] = [
  [/^GET .*\/analytics\/(tokens|tools|activity|productivity)$/, dates],
  [/^GET .*\/analytics\/users$/, { ...dates, ...page }],
  [/^GET .*\/organization\/(users|enterprise-controls\/history)$/, page],
  [/^GET .*-reports$/, { ...each(words, 'repoId', 'startAfter'), limit: z.optional(count) }],
  [/^GET .*\/sessions$/, page],
  [/^GET .*\/sessions\/[^/]+\/messages$/, { ...page, role: z.optional(words) }],
  [/^GET .*\/sessions\/[^/]+(\/messages\/[^/]+)?$/, each(words, 'computerId')],
  [/^POST .*\/sessions$/, {}, session],
  [/^POST .*\/messages$/, {}, message],
  [/^/, {}],
];

/**
 * What is wrong with one of our requests by the letter of the interface: every name known and none twice, every value of its kind.
 * The product's sample takes what it can make sense of; tests find out here what the product sends wrongly.
 */
export function breachOf(method: string, url: URL, type: string | undefined, body: unknown) {
  const [, query, schema = z.undefined()] = CALLS.find(([asked]) => asked.test(`${method} ${url.pathname}`))!;
  const names = [...url.searchParams.keys()];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `query.${twice} must be given once.`;
  if (body !== undefined && type?.replace(/;\s*charset=utf-8$/i, '') !== 'application/json')
    return 'The content type must be application/json.';
  return (
    mistakeIn(z.strictObject(query), Object.fromEntries(url.searchParams), 'query') ??
    mistakeIn(schema, body, 'body')
  );
}

/** Names the place, such as `body.files.0.data`. */
function mistakeIn(schema: z.ZodMiniType, value: unknown, where: string): string | undefined {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return undefined;
  const unknown = issue.code === 'unrecognized_keys' ? ` ${issue.keys.join(', ')} is not known.` : '';
  return `${[where, ...issue.path].map(String).join('.')}: ${issue.message}${unknown}`;
}
