import * as l10n from '@vscode/l10n';
import type { ModelTokens, TokenDay } from '../../api';
import { knownOf, sum, type Amount } from '../../util/amount';
import type { PeopleNames } from './names';
import {
  daySection,
  figure,
  nameSection,
  namesShown,
  ofDays,
  restOf,
  shown,
  summed,
  Tally,
  tallied,
  type Context,
  type Metric,
  type Parts,
} from './parts';
import type { Steps } from './steps';
import type { Section } from './types';

/** Models with a colour of their own; the others are one. */
const MOST_MODELS = 8;

/** Section 2.2. */
export function* tokensTab(context: Context<TokenDay>, names: PeopleNames): Steps<Parts> {
  const metrics = [
    summed<TokenDay>('billable', l10n.t('Billable tokens'), row => row.billable_tokens),
    summed<TokenDay>('input', l10n.t('Input tokens'), row => row.input_tokens),
    summed<TokenDay>('output', l10n.t('Output tokens'), row => row.output_tokens),
    summed<TokenDay>('cacheRead', l10n.t('Cache read tokens'), row => row.cache_read_tokens),
    summed<TokenDay>('cacheWrite', l10n.t('Cache write tokens'), row => row.cache_write_tokens),
  ];
  const sections = [byDay(context, metrics)];
  yield;
  sections.push(byModel(context));
  yield;
  sections.push(...(yield* byPerson(context, names)));
  return { figures: metrics.map(metric => figure(context, metric)), sections };
}

/** Billable tokens of each model, stacked to the day's own total; with what was used before only, where that is drawn as well. */
function byDay(context: Context<TokenDay>, metrics: readonly Metric<TokenDay>[]): Section {
  const { now, before, query } = context;
  const periods = query.compare && before !== undefined ? [now, before] : [now];
  const used = periods.flatMap(period =>
    tallied(period, row =>
      modelsOf(row).map(model => ({ names: [model.model_id], counts: [model.billable_tokens ?? 0] })),
    ).map(({ names: [id = ''] }) => id),
  );
  const models = [...new Set(used)];
  const first = new Set(models.length > MOST_MODELS + 1 ? models.slice(0, MOST_MODELS) : models);
  const of = (row: TokenDay, wanted: (id: string) => boolean): Amount => {
    const own = row.by_model?.filter(model => wanted(model.model_id));
    return own?.length === 0 ? 0 : own && sum(own.map(model => model.billable_tokens));
  };
  const stacked = [...first].map(id =>
    summed<TokenDay>(`model=${id}`, shown(id), row => of(row, model => model === id)),
  );
  if (first.size < models.length)
    stacked.push(summed('otherModels', l10n.t('Other models'), row => of(row, model => !first.has(model))));
  const rest = (row: TokenDay): number | undefined =>
    row.billable_tokens === undefined ? undefined : row.billable_tokens - (knownOf(of(row, () => true)) ?? 0);
  const known = periods.flatMap(({ rows }) => rows.filter(row => row !== undefined));
  if (known.some(row => (rest(row) ?? 0) !== 0)) {
    const isKnown = known.flatMap(modelsOf).every(model => model.billable_tokens !== undefined);
    stacked.push(summed('withoutModel', restName(isKnown), rest));
  }
  return daySection(
    context,
    'stacked',
    {
      id: 'days',
      title: l10n.t('Tokens by day'),
      explanation: l10n.t(
        'Billable tokens are input plus output with cache discounts, as the service counts them. The chart shows billable tokens by model.',
      ),
    },
    [...metrics.map(metric => ({ ...metric, isCharted: false })), ...stacked],
  );
}

function modelsOf(row: Pick<TokenDay, 'by_model'>): readonly ModelTokens[] {
  return row.by_model ?? [];
}

function countsOf(model: ModelTokens): Amount[] {
  return [model.billable_tokens, model.input_tokens, model.output_tokens];
}

function countColumns() {
  return [
    { id: 'billable', label: l10n.t('Billable tokens') },
    { id: 'input', label: l10n.t('Input tokens') },
    { id: 'output', label: l10n.t('Output tokens') },
  ];
}

function restName(isKnown: boolean): string {
  return isKnown ? l10n.t('Without a model') : l10n.t('Without a model or a figure');
}

function byModel({ now }: Context<TokenDay>): Section {
  const fields = ['billable_tokens', 'input_tokens', 'output_tokens'] as const;
  return nameSection(
    {
      id: 'models',
      title: l10n.t('By model'),
      explanation: ofDays(now, row => row.by_model !== undefined),
      names: [l10n.t('Model'), l10n.t('Tier')],
      counts: countColumns(),
      share: l10n.t('Share of billable tokens'),
      rest: {
        name: restName,
        counts: fields.map(field =>
          restOf(
            now,
            row => row[field],
            row => modelsOf(row).map(model => model[field]),
          ),
        ),
      },
    },
    tallied(now, row =>
      modelsOf(row).map(model => ({
        names: [model.model_id, model.model_tier ?? ''],
        counts: countsOf(model),
      })),
    ),
  );
}

function* byPerson({ now }: Context<TokenDay>, names: PeopleNames): Steps<Section[]> {
  const [people, both] = [new Tally(), new Tally()];
  for (const row of now.rows) {
    for (const {
      user_id: id,
      user_email: email,
      billable_tokens: tokens,
      by_model: models,
    } of row?.by_user ?? []) {
      names.learn(id, email);
      people.add([id], [tokens]);
      for (const model of models ?? [])
        both.add([id, model.model_id, model.model_tier ?? ''], countsOf(model));
    }
    yield;
  }
  const explanation = ofDays(now, row => row.by_user !== undefined);
  const nameOf = ([id = '', ...others]: readonly string[]): string[] => [names.of(id), ...namesShown(others)];
  return [
    names.withIds(
      nameSection(
        {
          ...{ id: 'users', title: l10n.t('By person'), explanation, nameOf, ofPeople: true },
          names: [l10n.t('Person')],
          counts: countColumns().slice(0, 1),
          share: l10n.t('Share'),
          rest: {
            name: isKnown => (isKnown ? l10n.t('Without a name') : l10n.t('Without a name or a figure')),
            counts: [
              restOf(
                now,
                row => row.billable_tokens,
                row => (row.by_user ?? []).map(user => user.billable_tokens),
              ),
            ],
          },
        },
        people.entries,
      ),
    ),
    nameSection(
      {
        ...{ id: 'usersModels', title: l10n.t('By person and model'), explanation, nameOf, ofPeople: true },
        names: [l10n.t('Person'), l10n.t('Model'), l10n.t('Tier')],
        counts: countColumns(),
      },
      both.entries,
    ),
  ];
}
