import * as l10n from '@vscode/l10n';
import {
  isPart,
  knownOf,
  lengthOf,
  runsOf,
  type Figure,
  type TabReport,
} from '../../src/usage/show/protocol';
import { Icon } from '../kit/controls';
import { TryAgain } from './controls';
import { exact, figureText, points, short, words } from './format';
import { fetching, openPerson, problem } from './page';

/** Which days are drawn, and what they are compared with. */
export function RangeLine({ report }: { readonly report: TabReport }) {
  const { range } = report.query;
  const days = lengthOf(range);
  const shown = `${words.day(range.start)} – ${words.day(range.end)}`;
  return (
    <p class="quiet range-line">
      {days === 1
        ? l10n.t('{0} UTC, 1 day', words.day(range.start))
        : l10n.t('{0} UTC, {1} days', shown, words.number(days))}
      {comparison(report)}
    </p>
  );
}

/** What the range is compared with or, where a person wants to compare and nothing is under way, that it is not. */
function comparison({ query, previousRange: before, isComparable }: TabReport): string {
  if (before !== undefined && isComparable)
    return `, ${l10n.t('compared with the same weekdays before, {0} – {1}', words.day(before.start), words.day(before.end))}`;
  if (!query.compare || fetching.value !== undefined) return '';
  return `, ${l10n.t('not compared, since not all of these days and the same weekdays before have figures')}`;
}

/** Figures that are seen at once. */
const TILES = 4;

/** The numbers at the head of a tab, each with its change since the period before. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  const [first, more] = [figures.slice(0, TILES), figures.slice(TILES)];
  const tiles = (of: readonly Figure[], label?: string) => (
    <dl class="figures" aria-label={label}>
      {of.map(figure => (
        <FigureView key={figure.id} figure={figure} />
      ))}
    </dl>
  );
  return (
    <>
      {tiles(first, l10n.t('Figures'))}
      {more.length === 0 ? null : (
        <details>
          <summary>{l10n.t('More figures')}</summary>
          {tiles(more)}
        </details>
      )}
      <details class="how">
        <summary>{l10n.t('How these figures are calculated')}</summary>
        <dl>
          {figures.map(({ id, label, explanation }) => (
            <div key={id}>
              <dt>{label}</dt>
              <dd class="quiet">{explanation}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

function FigureView({ figure }: { readonly figure: Figure }) {
  const { label, value, unit, explanation } = figure;
  const ofDays = (known: string, of: string): string => l10n.t('{0} of {1} days', known, of);
  const full = figureText(value, number => exact(number, unit), ofDays) || l10n.t('not known');
  const known = knownOf(value);
  return (
    <div class="figure" title={`${full}\n${explanation}`}>
      <dt>{label}</dt>
      <dd class="value">{known === undefined ? <span class="quiet">–</span> : short(known, unit)}</dd>
      {isPart(value) ? (
        <dd class="quiet">{ofDays(words.number(value.known), words.number(value.of))}</dd>
      ) : null}
      <Change figure={figure} />
    </div>
  );
}

/** Neither good nor bad: what growth means is for the person to say. */
function Change({ figure: { value: amount, previous, unit } }: { readonly figure: Figure }) {
  const value = knownOf(amount);
  if (value === undefined || previous === undefined) return null;
  const icon = value > previous ? 'arrow-small-up' : value < previous ? 'arrow-small-down' : 'dash';
  const change = (): string => {
    if (value === previous) return l10n.t('no change');
    if (unit === 'percent') return l10n.t('{0} points', points(value - previous));
    return previous === 0 ? '' : words.change(value / previous - 1);
  };
  return (
    <dd class="change" title={exact(previous, unit)}>
      <Icon name={icon} />
      {change()} <span class="quiet">{l10n.t('before: {0}', short(previous, unit))}</span>
    </dd>
  );
}

/** Whose days these are, and the way back to all people. */
export function Person({ name }: { readonly name: string | undefined }) {
  return (
    <div class="person">
      <button type="button" class="secondary" onClick={() => openPerson(undefined)}>
        <Icon name="arrow-left" />
        {l10n.t('All people')}
      </button>
      <h2 class="ellipsis" title={name}>
        {name ?? l10n.t('One person')}
      </h2>
    </div>
  );
}

/** Days that are not there and what could not be read, why, and what can be done. While they are fetched unasked, the head says so instead. */
export function Missing({ report, empty }: { readonly report: TabReport; readonly empty: boolean }) {
  const { missing, unread, unreadable, query: asked, fetchedAt } = report;
  const { days = [] } = missing ?? {};
  const why = problem.value ?? missing?.problem;
  const isQuiet = days.length === 0 || fetching.value !== undefined;
  if (why === undefined && unreadable === undefined && isQuiet) return null;
  const canTry = why !== undefined || unread > 0;
  const all = lengthOf(asked.range);
  const counted =
    days.length !== 1
      ? l10n.t('{0} of {1} days are missing.', words.number(days.length), words.number(all))
      : all === 1
        ? l10n.t('The day is missing.')
        : l10n.t('1 of {0} days is missing.', words.number(all));
  const spans = runsOf(days).map(({ start, end }) =>
    start === end ? words.day(start) : `${words.day(start)} – ${words.day(end)}`,
  );
  return (
    <div class="banner" role="status">
      <Icon name={canTry ? 'warning' : 'info'} />
      <div>
        {why === undefined ? null : <p>{why}</p>}
        <p>
          {days.length === 0 ? null : counted}{' '}
          {fetchedAt === undefined || empty ? null : (
            <span class="quiet">
              {l10n.t(
                'The figures shown were fetched {0} ago.',
                words.span(Math.max(0, Date.now() - fetchedAt)),
              )}
            </span>
          )}
        </p>
        {days.length === 0 ? null : <Which summary={l10n.t('Which days')} list={spans} />}
        {unreadable === undefined ? null : (
          <p>
            {l10n.t(
              'Parts of the service’s answers could not be read and are not counted: {0}.',
              words.number(unreadable.count),
            )}
          </p>
        )}
        {(unreadable?.names.length ?? 0) === 0 ? null : (
          <Which summary={l10n.t('Which parts')} list={unreadable?.names ?? []} />
        )}
      </div>
      {canTry ? <TryAgain again={false} /> : null}
    </div>
  );
}

function Which({ summary, list }: { readonly summary: string; readonly list: readonly string[] }) {
  return (
    <details>
      <summary>{summary}</summary>
      <p class="quiet">{list.join(', ')}</p>
    </details>
  );
}
