import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { addDays, sum, type DayRange } from '../../src/usage/show/protocol';
import { dayText, exact, figureText, short, words } from './format';
import { barsOf, known, layersOf, lineOf, looksLike, namedDays, placeOf, ticksOf, type Chart } from './plot';

interface ChartProps {
  readonly id: string;
  readonly title: string;
  readonly chart: Chart;
  readonly previousRange: DayRange | undefined;
}

/** Lines that a chart has room for, in a read-out over it or where days are marked. */
const MOST_LINES = 12;
const DAYS_A_PAGE = 7;

/** A chart with its legend, a read-out that follows the pointer, and one that is spoken when the arrow keys move. */
export function ChartView({ id, title, chart, previousRange }: ChartProps) {
  const area = useRef<HTMLDivElement>(null);
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [day, setDay] = useState<number | undefined>(undefined);
  const [spoken, setSpoken] = useState('');
  useEffect(() => setSpoken(''), [chart]);
  const last = chart.days.length - 1;
  const isCompared = chart.series.some(({ previous }) => previous !== undefined);
  const look = (at: number): Look => lookAt(chart, at, off, isCompared ? previousRange : undefined);

  const leave = (): void => {
    setDay(undefined);
    setSpoken('');
  };
  const point = ({ clientX }: PointerEvent): void => {
    const { left = 0, width = 0 } = area.current?.getBoundingClientRect() ?? {};
    const share = (clientX - left) / width;
    setDay(share < 0 || share > 1 ? undefined : Math.min(last, Math.floor(share * chart.days.length)));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: day === undefined ? last : day - 1,
      ArrowRight: day === undefined ? 0 : day + 1,
      PageUp: (day ?? last + 1) - DAYS_A_PAGE,
      PageDown: (day ?? -1) + DAYS_A_PAGE,
      Home: 0,
      End: last,
    };
    const next = steps[event.key];
    if (next !== undefined) {
      const to = Math.min(last, Math.max(0, next));
      setDay(to);
      setSpoken(sentences(look(to)).join('. '));
    } else if (event.key === 'Escape' && day !== undefined) leave();
    else return;
    event.preventDefault();
  };
  const toggle = (series: string): void => {
    const next = new Set(off);
    if (!next.delete(series)) next.add(series);
    setOff(next);
  };

  return (
    <div class="chart-box">
      <div
        class="chart"
        role="application"
        aria-label={l10n.t('Chart: {0}', title)}
        aria-describedby={`${id}-help`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={leave}
        onPointerMove={point}
        onPointerLeave={leave}
      >
        <Drawing chart={chart} off={off} day={day} area={area} />
        {day === undefined ? null : <ReadOut chart={chart} day={day} look={look(day)} />}
      </div>
      <p class="unseen" id={`${id}-help`}>
        {l10n.t(
          'Arrow keys move from day to day, Home and End to the first and last, Escape leaves the day.',
        )}
      </p>
      <div class="unseen spoken" aria-live="polite">
        {spoken}
      </div>
      {chart.series.length < 2 && !isCompared ? null : (
        <ul class="legend" aria-label={l10n.t('Lines of the chart')}>
          {chart.series.map(({ id: series, label }, index) => (
            <li key={series}>
              <button
                type="button"
                aria-pressed={!off.has(series)}
                title={label}
                onClick={() => toggle(series)}
              >
                <Swatch index={index} kind={chart.kind} />
                <span class="ellipsis">{label}</span>
              </button>
            </li>
          ))}
          {isCompared ? (
            <li>
              <Swatch index={undefined} kind="lines" /> {l10n.t('Same weekdays before')}
            </li>
          ) : null}
        </ul>
      )}
    </div>
  );
}

/** A piece of a series as it is drawn in the chart; without an index, of the period before. */
function Swatch({ index, kind }: { readonly index: number | undefined; readonly kind: Chart['kind'] }) {
  return (
    <svg class="swatch" viewBox="0 0 20 12" aria-hidden="true" style={looksLike(index ?? 0)}>
      {kind === 'lines' ? (
        <path class={index === undefined ? 'previous total' : 'line'} d="M0 6H20" />
      ) : (
        <path class="area" d="M0 0H20V12H0Z" />
      )}
    </svg>
  );
}

interface DrawingProps {
  readonly chart: Chart;
  readonly off: ReadonlySet<string>;
  readonly day: number | undefined;
  readonly area: { current: HTMLDivElement | null };
}

/** The picture: colours are the theme's own variables, so that another theme needs no new drawing. Words are laid over it. */
function Drawing({ chart, off, day, area }: DrawingProps) {
  const { days, kind, unit, markers } = chart;
  const seen = chart.series
    .map(({ id, values, previous = [] }, index) => ({
      id,
      index,
      values: known(values),
      before: known(previous),
    }))
    .filter(({ id }) => !off.has(id));
  const isLines = kind === 'lines';
  const layers = isLines ? seen.map(({ values }) => values) : layersOf(seen.map(({ values }) => values));
  const earlier = isLines
    ? seen.map(({ before }) => before)
    : layersOf(seen.map(({ before }) => before)).slice(-1);
  const ticks = ticksOf(Math.max(0, ...[...layers, ...earlier].flat().map(value => value ?? 0)), unit);
  const top = ticks.at(-1) ?? 1;
  const x = (at: number): number => placeOf(at, days.length);
  const y = (value: number): number => 1000 - (value / top) * 1000;
  const marks = [...new Set(markers.map(marker => days.indexOf(marker.day)))].filter(at => at >= 0);
  const labels = namedDays(days);
  const areMonths = labels.length > 1 && labels.every(at => days[at]?.endsWith('-01'));
  const nameOf = (at: number): string => {
    const name = days[at] ?? '';
    if (!areMonths) return dayText(name, { day: 'numeric', month: 'short' });
    const isYearTold = at === labels[0] || name.slice(5, 7) === '01';
    return dayText(name, { month: 'short', ...(isYearTold ? { year: 'numeric' } : {}) });
  };
  return (
    <>
      <div class="scale" aria-hidden="true">
        {ticks.map(tick => (
          <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
            {short(tick, unit)}
          </span>
        ))}
        <span class="widest">
          {ticks.map(tick => short(tick, unit)).reduce((a, b) => (b.length > a.length ? b : a), '')}
        </span>
      </div>
      <div class="plot" ref={area}>
        <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d={ticks.map(tick => `M0 ${y(tick)}H1000`).join('')} />
          {layers.map((layer, place) => (
            <path
              key={place}
              class={isLines ? 'line' : 'area'}
              style={looksLike(seen[place]?.index ?? 0)}
              d={isLines ? lineOf(layer, y) : barsOf(layer, layers[place - 1], y)}
            />
          ))}
          {earlier.map((line, place) => (
            <path
              key={place}
              class={isLines ? 'previous' : 'previous total'}
              style={looksLike(seen[place]?.index ?? 0)}
              d={lineOf(line, y)}
            />
          ))}
          {marks.length <= MOST_LINES && (
            <path class="marks" d={marks.map(at => `M${x(at)} 0V1000`).join('')} />
          )}
          {day === undefined ? null : <path class="cursor" d={`M${x(day)} 0V1000`} />}
        </svg>
        {marks.map(at => (
          <span key={at} class="flag" style={{ left: `${x(at) / 10}%` }} aria-hidden="true">
            ▼
          </span>
        ))}
      </div>
      <div class="days" aria-hidden="true">
        {labels.map(at => (
          <span key={at} style={{ left: `${x(at) / 10}%` }}>
            {nameOf(at)}
          </span>
        ))}
      </div>
    </>
  );
}

/** What a day has, in words. */
interface Look {
  readonly day: string;
  /** The day of the period before, where it is drawn as well. */
  readonly before: string | undefined;
  readonly rows: readonly {
    readonly index?: number;
    readonly label: string;
    readonly now: string;
    readonly earlier: string;
  }[];
  readonly marks: readonly string[];
}

function lookAt(
  { days, series, unit, kind, markers }: Chart,
  at: number,
  off: ReadonlySet<string>,
  previousRange: DayRange | undefined,
): Look {
  const text = (value: Parameters<typeof figureText>[0]): string =>
    figureText(value, number => exact(number, unit));
  const seen = series.flatMap((each, index) => (off.has(each.id) ? [] : [{ ...each, index }]));
  const total = (of: 'values' | 'previous') => text(sum(seen.map(each => each[of]?.[at] ?? null)) ?? null);
  const sums = { label: l10n.t('Total'), now: total('values'), earlier: total('previous') };
  return {
    day: `${dayText(days[at] ?? '')} UTC`,
    before: previousRange === undefined ? undefined : words.day(addDays(previousRange.start, at)),
    rows: [
      ...seen.map(({ index, label, values, previous }) => ({
        ...{ index, label, now: text(values[at] ?? null), earlier: text(previous?.[at] ?? null) },
      })),
      ...(kind === 'lines' || seen.length < 2 ? [] : [sums]),
    ],
    marks: markers.filter(marker => marker.day === days[at]).map(({ label }) => label),
  };
}

/** Day and values as sentences. */
function sentences({ day, before, rows, marks }: Look): string[] {
  const value = (text: string): string => text || l10n.t('not known');
  const told = rows.map(({ label, now, earlier }) => {
    const first = `${label}: ${value(now)}`;
    return before === undefined ? first : `${first}, ${l10n.t('before: {0}', value(earlier))}`;
  });
  return [day, ...told, ...marks];
}

/** What a day has, beside the pointer. Spoken elsewhere. */
function ReadOut({ chart, day, look }: { readonly chart: Chart; readonly day: number; readonly look: Look }) {
  const place = placeOf(day, chart.days.length) / 10;
  const style = place > 50 ? { right: `calc(${100 - place}% + 10px)` } : { left: `calc(${place}% + 10px)` };
  const { before, rows, marks } = look;
  const hidden = rows.length - MOST_LINES - 1;
  return (
    <div class="over" aria-hidden="true">
      <div class="read-out" style={style}>
        <b>{look.day}</b>
        <table>
          <tbody>
            {rows
              .filter((row, at) => at < MOST_LINES || row.index === undefined)
              .map(({ index, label, now, earlier }) => (
                <tr key={index ?? 'total'} class={index === undefined ? 'sum' : undefined}>
                  <td>{index === undefined ? null : <Swatch index={index} kind={chart.kind} />}</td>
                  <td class="ellipsis">{label}</td>
                  <td class="number">{now}</td>
                  {before === undefined ? null : <td class="number quiet">{earlier}</td>}
                </tr>
              ))}
          </tbody>
        </table>
        {hidden <= 0 ? null : <div class="quiet">+{hidden}</div>}
        {before === undefined ? null : <div class="quiet">{l10n.t('before: {0}', before)}</div>}
        {marks.map((label, index) => (
          <div key={index} class="mark">
            ▼ {label}
          </div>
        ))}
      </div>
    </div>
  );
}
