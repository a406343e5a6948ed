import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { addDays, knownOf, sum, type Amount, type Chart, type DayRange } from '../../src/usage/show/protocol';
import { axisDay, axisMonth, exact, figureText, longDay, short, shortDay } from './format';
import { areaOf, barsOf, layersOf, lineOf, looksLike, namedDays, plus, ticksOf, type Values } from './plot';

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
  const compared = chart.series.some(({ previous }) => previous !== undefined);

  const leave = (): void => {
    setDay(undefined);
    setSpoken('');
  };
  const point = ({ clientX }: PointerEvent): void => {
    const { left = 0, width = 0 } = area.current?.getBoundingClientRect() ?? {};
    const share = (clientX - left) / width;
    setDay(share < 0 || share > 1 ? undefined : dayUnder(chart, share));
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
      setSpoken(sentences(chart, to, off, previousRange).join('. '));
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
        <Drawing chart={chart} off={off} day={day} area={area}>
          {day === undefined ? null : (
            <ReadOut chart={chart} day={day} off={off} previousRange={previousRange} />
          )}
        </Drawing>
      </div>
      <p class="unseen" id={`${id}-help`}>
        {l10n.t(
          'Arrow keys move from day to day, Home and End to the first and last, Escape leaves the day.',
        )}
      </p>
      <div class="unseen spoken" aria-live="polite">
        {spoken}
      </div>
      {chart.series.length < 2 && !compared ? null : (
        <ul class="legend" aria-label={l10n.t('Lines of the chart')}>
          {chart.series.map((series, index) => (
            <li key={series.id}>
              <button
                type="button"
                aria-pressed={!off.has(series.id)}
                title={series.label}
                onClick={() => toggle(series.id)}
              >
                <Swatch index={index} kind={chart.kind} />
                <span class="label">{series.label}</span>
              </button>
            </li>
          ))}
          {compared ? (
            <li>
              <Swatch index={undefined} kind="lines" /> {l10n.t('Same weekdays before')}
            </li>
          ) : null}
        </ul>
      )}
      <Markers chart={chart} />
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
  readonly children: ComponentChildren;
}

/** The picture: colours are the theme's own variables, so that another theme needs no new drawing. Words are laid over it. */
function Drawing({ chart, off, day, area, children }: DrawingProps) {
  const { days, kind, unit, markers } = chart;
  const seen = chart.series
    .map((series, index) => ({ index, values: valuesOf(series.values), previous: series.previous }))
    .filter(({ index }) => !off.has(chart.series[index]?.id ?? ''));
  const layers = kind === 'lines' ? [] : layersOf(seen.map(({ values }) => values));
  const totalBefore = seen.reduce<Values | undefined>(
    (all, { previous }) =>
      previous === undefined
        ? all
        : days.map((_, at) => plus(all?.[at] ?? null, knownOf(previous[at] ?? null) ?? null)),
    undefined,
  );
  const drawn = [
    ...(kind === 'lines' ? seen.map(({ values }) => values) : layers),
    ...(kind === 'lines' ? seen.map(({ previous }) => valuesOf(previous ?? [])) : [totalBefore ?? []]),
  ];
  const ticks = ticksOf(Math.max(0, ...drawn.flat().map(value => value ?? 0)), unit);
  const top = ticks.at(-1) ?? 1;
  // Areas of fewer than three days would be slivers; they are bars.
  const isArea = kind === 'stacked' && days.length > 2;
  const isPadded = !isArea && kind !== 'lines';
  const x = (at: number): number => placeOf(chart, at) * 1000;
  const y = (value: number): number => 1000 - (value / top) * 1000;
  const marks = [...new Set(markers.map(marker => days.indexOf(marker.day)))].filter(at => at >= 0);
  const labels = namedDays(days);
  const areMonths = labels.length > 1 && labels.every(at => days[at]?.endsWith('-01'));
  const nameOf = (at: number): string => {
    const name = days[at] ?? '';
    return areMonths ? axisMonth(name, at === labels[0] || name.slice(5, 7) === '01') : axisDay(name);
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
              class="area"
              style={looksLike(seen[place]?.index ?? 0)}
              d={(isPadded ? barsOf : areaOf)(layer, layers[place - 1], x, y)}
            />
          ))}
          {kind !== 'lines' ? (
            <path class="previous total" d={lineOf(totalBefore ?? [], x, y)} />
          ) : (
            seen.map(({ index, values, previous = [] }) => (
              <g key={index} style={looksLike(index)}>
                <path class="previous" d={lineOf(valuesOf(previous), x, y)} />
                <path class="line" d={lineOf(values, x, y)} />
              </g>
            ))
          )}
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
        {children}
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

/** Where a day stands, 0 to 1: bars need room for themselves at both ends. */
function placeOf({ days, kind }: Chart, at: number): number {
  const isPadded = kind === 'bars' || days.length < 3;
  return isPadded ? (at + 0.5) / days.length : at / (days.length - 1);
}

function dayUnder({ days, kind }: Chart, share: number): number {
  const isPadded = kind === 'bars' || days.length < 3;
  const at = isPadded ? Math.floor(share * days.length) : Math.round(share * (days.length - 1));
  return Math.min(days.length - 1, Math.max(0, at));
}

function valuesOf(amounts: readonly (Amount | null)[]): Values {
  return amounts.map(amount => knownOf(amount) ?? null);
}

interface ReadOutProps {
  readonly chart: Chart;
  readonly day: number;
  readonly off: ReadonlySet<string>;
  readonly previousRange: DayRange | undefined;
}

/** What a day has, beside the pointer. Spoken elsewhere. */
function ReadOut({ chart, day, off, previousRange }: ReadOutProps) {
  const place = placeOf(chart, day) * 100;
  const style = place > 50 ? { right: `calc(${100 - place}% + 10px)` } : { left: `calc(${place}% + 10px)` };
  const rows = chart.series
    .map((series, index) => ({ series, index }))
    .filter(({ series }) => !off.has(series.id));
  const before = dayBefore(chart, day, previousRange);
  const cells = (now: Amount | null, earlier: Amount | null) => (
    <>
      <td class="number">{valueText(now, chart)}</td>
      {before === undefined ? null : <td class="number quiet">{valueText(earlier, chart)}</td>}
    </>
  );
  return (
    <div class="read-out" style={style} aria-hidden="true">
      <div class="read-out-day">{longDay(chart.days[day] ?? '')} UTC</div>
      <table>
        <tbody>
          {rows.slice(0, MOST_LINES).map(({ series, index }) => (
            <tr key={series.id}>
              <td>
                <Swatch index={index} kind={chart.kind} />
              </td>
              <td class="label">{series.label}</td>
              {cells(series.values[day] ?? null, series.previous?.[day] ?? null)}
            </tr>
          ))}
          {rows.length <= MOST_LINES ? null : (
            <tr>
              <td />
              <td class="quiet">+{rows.length - MOST_LINES}</td>
            </tr>
          )}
          {chart.kind === 'lines' || rows.length < 2 ? null : (
            <tr class="sum">
              <td />
              <td>{l10n.t('Total')}</td>
              {cells(
                sum(rows.map(({ series }) => series.values[day] ?? null)) ?? null,
                sum(rows.map(({ series }) => series.previous?.[day] ?? null)) ?? null,
              )}
            </tr>
          )}
        </tbody>
      </table>
      {before === undefined ? null : <div class="quiet">{l10n.t('before: {0}', shortDay(before))}</div>}
      {marksOf(chart, day).map((label, index) => (
        <div key={index} class="mark">
          ▼ {label}
        </div>
      ))}
    </div>
  );
}

/** The marked days as a list, for those who do not point. */
function Markers({ chart: { markers } }: { readonly chart: Chart }) {
  if (markers.length === 0) return null;
  return (
    <details class="markers">
      <summary>
        <span class="mark" aria-hidden="true">
          ▼
        </span>{' '}
        {markers.length === 1 ? l10n.t('1 marked day') : l10n.t('{0} marked days', markers.length)}
      </summary>
      <ul>
        {markers.map(({ day, label }, place) => (
          <li key={place}>
            <span class="quiet">{shortDay(day)}</span> {label}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Day and values as sentences. */
function sentences(
  chart: Chart,
  day: number,
  off: ReadonlySet<string>,
  previousRange: DayRange | undefined,
): string[] {
  const before = dayBefore(chart, day, previousRange);
  const value = (amount: Amount | null): string => valueText(amount, chart) || l10n.t('not known');
  return [
    `${longDay(chart.days[day] ?? '')} UTC`,
    ...chart.series
      .filter(({ id }) => !off.has(id))
      .map(({ label, values, previous }) => {
        const now = `${label}: ${value(values[day] ?? null)}`;
        if (before === undefined) return now;
        return `${now}, ${l10n.t('before: {0}', value(previous?.[day] ?? null))}`;
      }),
    ...marksOf(chart, day),
  ];
}

function marksOf({ days, markers }: Chart, day: number): string[] {
  return markers.filter(marker => marker.day === days[day]).map(({ label }) => label);
}

function valueText(value: Amount | null, chart: Chart): string {
  return figureText(value, number => exact(number, chart.unit));
}

function dayBefore({ series }: Chart, day: number, previousRange: DayRange | undefined): string | undefined {
  const has = series.some(({ previous }) => previous !== undefined);
  return has && previousRange !== undefined ? addDays(previousRange.start, day) : undefined;
}
