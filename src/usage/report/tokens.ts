import * as l10n from '@vscode/l10n';
import type { ModelTokens, TokenDay } from '../../api';
import { knownOf, sum, type Amount } from '../../util/amount';
import { partsOf, shown, summed, Tally, type Context, type Entry, type Metric, type Parts } from './parts';
import type { Steps } from './steps';

/** Models with a colour of their own; the others are one. */
const MOST_MODELS = 8;

/** Section 2.2. */
export function* tokensTab(context: Context<TokenDay>): Steps<Parts> {
  const metrics = [
    summed<TokenDay>('billable', l10n.t('Billable tokens'), row => row.billable_tokens),
    summed<TokenDay>('input', l10n.t('Input tokens'), row => row.input_tokens),
    summed<TokenDay>('output', l10n.t('Output tokens'), row => row.output_tokens),
    summed<TokenDay>('cacheRead', l10n.t('Cache read tokens'), row => row.cache_read_tokens),
    summed<TokenDay>('cacheWrite', l10n.t('Cache write tokens'), row => row.cache_write_tokens),
  ];
  const counts = metrics.slice(0, 3).map(({ id, label }) => ({ id, label }));
  const given = [
    (row: TokenDay) => row.billable_tokens,
    (row: TokenDay) => row.input_tokens,
    (row: TokenDay) => row.output_tokens,
  ];
  const rest = restNames();
  for (const row of context.now.rows) {
    for (const { user_id: id, user_email: email } of row?.by_user ?? []) context.names.learn(id, email);
    yield;
  }
  return yield* partsOf(context, metrics, [
    {
      ...{ id: 'days', title: l10n.t('Tokens by day'), chart: 'bars' },
      explanation: l10n.t(
        'Billable tokens are input plus output with cache discounts, as the service counts them. The chart shows billable tokens by model.',
      ),
      metrics: [
        ...metrics.map(metric => ({ ...metric, isCharted: false })),
        ...(yield* billableByModel(context, rest)),
      ],
    },
    {
      ...{ id: 'models', title: l10n.t('By model'), counts, given, rest },
      names: [l10n.t('Model'), l10n.t('Tier')],
      share: l10n.t('Share of billable tokens'),
      entries: row => row.by_model?.map(model => entryOf(model)),
    },
    {
      ...{ id: 'users', title: l10n.t('By person'), isOfPeople: true, withIds: true },
      ...{ names: [l10n.t('Person')], counts: counts.slice(0, 1), given: given.slice(0, 1) },
      share: l10n.t('Share'),
      entries: row => row.by_user?.map(user => ({ names: [user.user_id], counts: [user.billable_tokens] })),
    },
    {
      ...{ id: 'usersModels', title: l10n.t('By person and model'), isOfPeople: true, counts },
      names: [l10n.t('Person'), l10n.t('Model'), l10n.t('Tier')],
      entries: row =>
        row.by_user?.flatMap(({ user_id: id, by_model: models = [] }) =>
          models.map(model => entryOf(model, id)),
        ),
    },
  ]);
}

function entryOf(model: ModelTokens, ...before: string[]): Entry {
  return {
    names: [...before, model.model_id, model.model_tier ?? ''],
    counts: [model.billable_tokens, model.input_tokens, model.output_tokens],
  };
}

function restNames() {
  return [l10n.t('Without a model'), l10n.t('Without a model or a figure')] as const;
}

/** Billable tokens of each model, stacked to the day's own total; with what was used before only, where that is drawn as well. */
function* billableByModel(
  { now, before, query }: Context<TokenDay>,
  [restName, unknownName]: ReturnType<typeof restNames>,
): Steps<Metric<TokenDay>[]> {
  const periods = query.compare && before !== undefined ? [now, before] : [now];
  const used = new Set<string>();
  for (const period of periods) {
    const tally = new Tally();
    for (const { model_id: id, billable_tokens: tokens = 0 } of period.rows.flatMap(
      row => row?.by_model ?? [],
    ))
      tally.add({ names: [id], counts: [tokens] });
    for (const { names } of tally.entries) used.add(names[0] ?? '');
    yield;
  }
  const first = new Set(used.size > MOST_MODELS + 1 ? [...used].slice(0, MOST_MODELS) : used);
  const of = (row: TokenDay, wanted: (id: string) => boolean): Amount => {
    const own = row.by_model?.filter(model => wanted(model.model_id));
    return own?.length === 0 ? 0 : own && sum(own.map(model => model.billable_tokens));
  };
  const stacked = [...first].map(id =>
    summed<TokenDay>(`model=${id}`, shown(id), row => of(row, model => model === id)),
  );
  if (first.size < used.size)
    stacked.push(summed('otherModels', l10n.t('Other models'), row => of(row, model => !first.has(model))));
  const rest = (row: TokenDay): number | undefined =>
    row.billable_tokens === undefined ? undefined : row.billable_tokens - (knownOf(of(row, () => true)) ?? 0);
  const known = periods.flatMap(({ rows }) => rows.filter(row => row !== undefined));
  if (known.some(row => (rest(row) ?? 0) !== 0)) {
    const models = known.flatMap(row => row.by_model ?? []);
    const isKnown = models.every(model => model.billable_tokens !== undefined);
    stacked.push(summed('withoutModel', isKnown ? restName : unknownName, rest));
  }
  return stacked;
}
