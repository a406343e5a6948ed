import type * as z from 'zod/mini';
import {
  activityDaySchema,
  clientActivityDaySchema,
  metaSchema,
  modelTokenDaySchema,
  namedToolDaySchema,
  productivityDaySchema,
  tokenDaySchema,
  toolDaySchema,
  userDaySchema,
  type AnalyticsMeta,
} from './analyticsRows';
import { decodeItem, decodeRows, isRecord, listIn, type ItemProblem, type Listed } from './decode';
import { onward, type Onward } from './pagination';

/** Kinds of analytics rows and how each is read. */
const schemas = {
  tokens: tokenDaySchema,
  modelTokens: modelTokenDaySchema,
  tools: toolDaySchema,
  namedTools: namedToolDaySchema,
  activity: activityDaySchema,
  clientActivity: clientActivityDaySchema,
  productivity: productivityDaySchema,
  users: userDaySchema,
} as const;

export type RowKind = keyof typeof schemas;
export type RowOf<K extends RowKind> = z.output<ReturnType<(typeof schemas)[K]>>;

/** The rows of an analytics answer with its `meta` (section 2.1). */
export interface AnalyticsRows<T> extends Listed<T> {
  readonly meta: AnalyticsMeta;
}

interface AnyAnswer extends AnalyticsRows<unknown> {
  /** Only rows of the kind `users` come in pages. */
  readonly onward: Onward;
}

/** An answer that has been read elsewhere: by the worker, with the same code as here. */
export class DecodedRows {
  readonly kind: RowKind;
  readonly answer: AnyAnswer;
  /** What the answer itself says, where it says so. */
  readonly requestId: unknown;

  constructor(kind: RowKind, answer: AnyAnswer, requestId: unknown) {
    this.kind = kind;
    this.answer = answer;
    this.requestId = requestId;
  }
}

/** The envelope of section 2.1. Rows count more than `meta`: without one they are still shown. Throws `WrongShape`. */
export function rowsIn<K extends RowKind>(
  kind: K,
  answer: unknown,
): AnalyticsRows<RowOf<K>> & { readonly onward: Onward } {
  if (answer instanceof DecodedRows && answer.kind === kind) {
    return answer.answer as AnalyticsRows<RowOf<K>> & { readonly onward: Onward };
  }
  const schema = schemas[kind]() as unknown as z.ZodMiniType<RowOf<K>>;
  const { items, problems } = decodeRows(schema, listIn(answer, 'data'), row => idOf(kind, row));
  const sent = isRecord(answer) ? answer['meta'] : undefined;
  const next: Onward =
    kind === 'users' ? onward(sent, 'has_more', 'next_cursor') : { cursor: undefined, problems: [] };
  const meta = decodeItem(metaSchema(), sent);
  if (!meta.ok) {
    return { items, problems: [...problems, { reason: 'meta is missing' }], meta: {}, onward: next };
  }
  const dropped: ItemProblem[] = meta.dropped.map(({ reason }) => ({ reason: `meta: ${reason}` }));
  return { items, problems: [...problems, ...dropped], meta: meta.value, onward: next };
}

/** One row as it was stored earlier; `undefined` when it cannot be read. */
export function analyticsRow<K extends RowKind>(kind: K, value: unknown): RowOf<K> | undefined {
  const decoded = decodeItem(schemas[kind]() as unknown as z.ZodMiniType<RowOf<K>>, value);
  return decoded.ok ? decoded.value : undefined;
}

function idOf(kind: RowKind, row: Readonly<Record<string, unknown>>): unknown {
  return kind === 'users' ? row['user_id'] : (row['group_key'] ?? row['date']);
}
