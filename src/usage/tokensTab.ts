import * as vscode from 'vscode';
import type { ModelTokens, TokenDay } from '../api';
import { byAmount, knownOf, Sum, sum, type Amount } from '../util/amount';
import {
  added,
  compare,
  daySection,
  explained,
  figure,
  isKnown,
  nameSection,
  ofDays,
  remainderOf,
  shareOf,
  shown,
  tally,
  type Context,
  type Metric,
} from './kit';
import type { PeopleNames } from './names';
import type { Column, Figure, Row, Section } from './report';
import type { Steps } from './steps';

/** Models with a colour of their own; the others are one. */
const MOST_MODELS = 8;

/** Section 2.2. */
export function* tokensTab(
  context: Context<TokenDay>,
  names: PeopleNames,
): Steps<{ figures: Figure[]; sections: Section[] }> {
  const metrics = totals();
  const figures = metrics.map(({ id, label, of }) =>
    figure(context, { id, label, explanation: explained.sum() }, of, added),
  );
  const sections = [byDay(context, metrics)];
  yield;
  sections.push(byModel(context));
  yield;
  sections.push(yield* byUser(context, names));
  sections.push(yield* byBoth(context, names));
  return { figures, sections };
}

function totals(): Metric<TokenDay>[] {
  return [
    { id: 'billable', label: vscode.l10n.t('Billable tokens'), of: row => row.billable_tokens, adds: true },
    { id: 'input', label: vscode.l10n.t('Input tokens'), of: row => row.input_tokens, adds: true },
    { id: 'output', label: vscode.l10n.t('Output tokens'), of: row => row.output_tokens, adds: true },
    {
      id: 'cacheRead',
      label: vscode.l10n.t('Cache read tokens'),
      of: row => row.cache_read_tokens,
      adds: true,
    },
    {
      id: 'cacheWrite',
      label: vscode.l10n.t('Cache write tokens'),
      of: row => row.cache_write_tokens,
      adds: true,
    },
  ];
}

/** Billable tokens of each model, stacked to the day's own total. */
function byDay(context: Context<TokenDay>, metrics: readonly Metric<TokenDay>[]): Section {
  const models = tally(
    context.now.rows.flatMap(row =>
      (row?.by_model ?? []).map(model => ({ names: [model.model_id], count: model.billable_tokens ?? 0 })),
    ),
  ).map(({ names: [id = ''] }) => id);
  const first = new Set(models.length > MOST_MODELS + 1 ? models.slice(0, MOST_MODELS) : models);
  const of = (row: TokenDay, wanted: (id: string) => boolean): Amount => {
    const own = row.by_model?.filter(model => wanted(model.model_id));
    return own?.length === 0 ? 0 : own && sum(own.map(model => model.billable_tokens));
  };
  const stacked: Metric<TokenDay>[] = [...first].map(id => ({
    id: `model=${id}`,
    label: shown(id),
    of: row => of(row, model => model === id),
    adds: true,
  }));
  if (first.size < models.length) {
    stacked.push({
      id: 'otherModels',
      label: vscode.l10n.t('Other models'),
      of: row => of(row, model => !first.has(model)),
      adds: true,
    });
  }
  const rest = (row: TokenDay): number | undefined =>
    row.billable_tokens === undefined ? undefined : row.billable_tokens - (knownOf(of(row, () => true)) ?? 0);
  if (context.now.rows.some(row => row !== undefined && (rest(row) ?? 0) !== 0)) {
    const figures = context.now.rows.flatMap(row =>
      (row?.by_model ?? []).map(model => model.billable_tokens),
    );
    stacked.push({ id: 'withoutModel', label: restLabel(figures), of: rest, adds: true });
  }
  return daySection(
    context,
    {
      id: 'days',
      title: vscode.l10n.t('Tokens by day'),
      explanation: vscode.l10n.t(
        'Billable tokens are input plus output with cache discounts, as the service counts them. The chart shows billable tokens by model.',
      ),
      chart: 'stacked',
    },
    [...metrics.map(metric => ({ ...metric, isCharted: false })), ...stacked],
  );
}

const figuresOf = ['billable_tokens', 'input_tokens', 'output_tokens'] as const;
type Figures<F> = Readonly<Record<(typeof figuresOf)[number], F>>;

interface Group extends Figures<Amount> {
  readonly key: readonly string[];
}

/** Adds up per-model entries by person (or by none), model and tier. There may be hundreds of thousands of them. */
class Groups {
  readonly #people = new Map<string, Map<string, Map<string, Figures<Sum>>>>();

  add(person: string, entries: readonly ModelTokens[] = []): void {
    let models = this.#people.get(person);
    if (models === undefined)
      this.#people.set(person, (models = new Map<string, Map<string, Figures<Sum>>>()));
    for (const entry of entries) {
      let tiers = models.get(entry.model_id);
      if (tiers === undefined) models.set(entry.model_id, (tiers = new Map<string, Figures<Sum>>()));
      const tier = entry.model_tier ?? '';
      let sums = tiers.get(tier);
      if (sums === undefined) {
        sums = { billable_tokens: new Sum(), input_tokens: new Sum(), output_tokens: new Sum() };
        tiers.set(tier, sums);
      }
      sums.billable_tokens.add(entry.billable_tokens);
      sums.input_tokens.add(entry.input_tokens);
      sums.output_tokens.add(entry.output_tokens);
    }
  }

  /** The largest first. */
  list(): Group[] {
    const groups: Group[] = [];
    for (const [person, models] of this.#people) {
      for (const [model, tiers] of models) {
        for (const [tier, { billable_tokens, input_tokens, output_tokens }] of tiers) {
          groups.push({
            key: [person, model, tier],
            billable_tokens: billable_tokens.amount,
            input_tokens: input_tokens.amount,
            output_tokens: output_tokens.amount,
          });
        }
      }
    }
    return groups.sort(
      (a, b) => byAmount(a.billable_tokens, b.billable_tokens) || compare(a.key.join(' '), b.key.join(' ')),
    );
  }
}

function figureColumns(): Column[] {
  return [
    { id: 'billable', label: vscode.l10n.t('Billable tokens'), kind: 'count' },
    { id: 'input', label: vscode.l10n.t('Input tokens'), kind: 'count' },
    { id: 'output', label: vscode.l10n.t('Output tokens'), kind: 'count' },
  ];
}

function byModel({ now }: Context<TokenDay>): Section {
  const all = new Groups();
  for (const row of now.rows) all.add('', row?.by_model);
  const groups = all.list().map(group => ({ ...group, key: group.key.slice(1) }));
  const given = {
    billable_tokens: remainderOf(now, row => row.billable_tokens, modelCounts('billable_tokens')),
    input_tokens: remainderOf(now, row => row.input_tokens, modelCounts('input_tokens')),
    output_tokens: remainderOf(now, row => row.output_tokens, modelCounts('output_tokens')),
  };
  if (figuresOf.some(name => given[name] !== 0)) {
    const named = groups.flatMap(group => figuresOf.map(name => group[name]));
    groups.push({ key: [restLabel(named), ''], ...given });
  }
  const billable = sum(groups.map(group => group.billable_tokens));
  return {
    id: 'models',
    title: vscode.l10n.t('By model'),
    explanation: ofDays(explained.sum(), now, row => row.by_model !== undefined),
    table: {
      columns: [
        { id: 'model', label: vscode.l10n.t('Model'), kind: 'text' },
        { id: 'tier', label: vscode.l10n.t('Tier'), kind: 'text' },
        ...figureColumns(),
        { id: 'share', label: vscode.l10n.t('Share of billable tokens'), kind: 'percent' },
      ],
      rows: groups.map(group => ({
        id: group.key.join('\u0000'),
        cells: [
          ...group.key.map((name, index) => (index === 0 ? shown(name) : name === '' ? '' : shown(name))),
          ...figuresOf.map(name => group[name] ?? null),
          shareOf(group.billable_tokens, billable),
        ],
      })),
      ...totalRow(groups, ['', shareOf(billable, billable)]),
    },
  };
}

function restLabel(named: readonly Amount[]): string {
  return isKnown(named) ? vscode.l10n.t('Without a model') : vscode.l10n.t('Without a model or a figure');
}

function modelCounts(name: (typeof figuresOf)[number]): (row: TokenDay) => { count: Amount }[] {
  return row => (row.by_model ?? []).map(model => ({ count: model[name] }));
}

function totalRow(groups: readonly Group[], [blank, share]: readonly [string, number | null]) {
  if (groups.length === 0) return {};
  const sums = figuresOf.map(name => sum(groups.map(group => group[name])) ?? null);
  return { total: [vscode.l10n.t('Total'), blank, ...sums, share] };
}

function* byUser({ now }: Context<TokenDay>, names: PeopleNames): Steps<Section> {
  const sums = new Map<string, Sum>();
  for (const row of now.rows) {
    for (const { user_id: id, user_email: email, billable_tokens: tokens } of row?.by_user ?? []) {
      names.learn(id, email);
      const sum = sums.get(id) ?? new Sum();
      sums.set(id, sum);
      sum.add(tokens);
    }
    yield;
  }
  const users = [...sums]
    .map(([id, { amount }]) => ({ id, count: amount }))
    .sort((a, b) => byAmount(a.count, b.count) || compare(a.id, b.id));
  const rest = remainderOf(
    now,
    row => row.billable_tokens,
    row => (row.by_user ?? []).map(({ billable_tokens: count }) => ({ count })),
  );
  const section = nameSection(
    {
      id: 'users',
      title: vscode.l10n.t('By person'),
      explanation: ofDays(explained.sum(), now, row => row.by_user !== undefined),
      names: [vscode.l10n.t('Person')],
      count: vscode.l10n.t('Billable tokens'),
    },
    users.map(({ id, count }) => ({ names: [names.of(id)], count })),
    rest,
  );
  const rows = section.table.rows.map((row, index): Row => {
    const person = users[index]?.id;
    return person === undefined ? row : { ...row, id: person, person };
  });
  if (names.isPseudonymous) return { ...section, table: { ...section.table, rows } };
  const id: Column = { id: 'id', label: vscode.l10n.t('User id'), kind: 'text', hidden: true };
  return {
    ...section,
    table: {
      columns: [...section.table.columns, id],
      rows: rows.map(row => ({ ...row, cells: [...row.cells, row.person ?? ''] })),
      ...(section.table.total === undefined ? {} : { total: [...section.table.total, ''] }),
    },
  };
}

function* byBoth({ now }: Context<TokenDay>, names: PeopleNames): Steps<Section> {
  const all = new Groups();
  for (const row of now.rows) {
    for (const user of row?.by_user ?? []) all.add(user.user_id, user.by_model);
    yield;
  }
  const groups = all.list();
  yield;
  const sums = figuresOf.map(name => sum(groups.map(group => group[name])) ?? null);
  return {
    id: 'usersModels',
    title: vscode.l10n.t('By person and model'),
    explanation: ofDays(explained.sum(), now, row => row.by_user !== undefined),
    table: {
      columns: [
        { id: 'person', label: vscode.l10n.t('Person'), kind: 'text' },
        { id: 'model', label: vscode.l10n.t('Model'), kind: 'text' },
        { id: 'tier', label: vscode.l10n.t('Tier'), kind: 'text' },
        ...figureColumns(),
      ],
      rows: groups.map(({ key: [id = '', model = '', tier = ''], ...values }) => ({
        id: [id, model, tier].join('\u0000'),
        cells: [
          names.of(id),
          shown(model),
          tier === '' ? '' : shown(tier),
          ...figuresOf.map(name => values[name] ?? null),
        ],
        person: id,
      })),
      ...(groups.length === 0 ? {} : { total: [vscode.l10n.t('Total'), '', '', ...sums] }),
    },
  };
}
