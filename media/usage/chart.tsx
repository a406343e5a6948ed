import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { addDays, sum, type Amount, type Chart, type DayRange } from '../../src/usage/protocol';
import { exact, figureText, longDay, shortDay } from './format';
import { makePlot } from './plot';
import { fill, strings } from './state';
import { Swatch } from './swatch';
import { palette, themeVersion } from './theme';

interface ChartProps {
  readonly id: string;
  readonly title: string;
  readonly chart: Chart;
  readonly previousRange: DayRange | undefined;
}

interface Hover {
  readonly index: number;
  /** Pixels from the left of the plotting area. */
  readonly left: number;
}

/** Lines that a read-out over the chart has room for. */
const MOST_LINES = 12;
/** Charts this near to what is seen are drawn ahead, px. */
const AHEAD = 400;
const DAYS_A_PAGE = 7;

/** A chart with its legend, a read-out that follows the pointer, and one that is spoken when the arrow keys move. */
export function ChartView({ id, title, chart, previousRange }: ChartProps) {
  const texts = strings.value;
  const target = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [near, setNear] = useState(false);
  const [hover, setHover] = useState<Hover | undefined>(undefined);
  const [spoken, setSpoken] = useState('');
  const version = themeVersion.value;

  useLayoutEffect(() => {
    const element = target.current;
    if (element === null || near) return;
    if (element.getBoundingClientRect().top < window.innerHeight + AHEAD) {
      setNear(true);
      return;
    }
    const watcher = new IntersectionObserver(
      entries => setNear(entries.some(entry => entry.isIntersecting)),
      {
        rootMargin: `${AHEAD}px`,
      },
    );
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [near]);

  useLayoutEffect(() => {
    const element = target.current;
    if (element === null || !near) return;
    const size = (): { width: number; height: number } => ({
      width: element.clientWidth,
      height: element.clientHeight,
    });
    const made = makePlot(element, {
      ...{ chart, off, palette: palette(), ...size() },
      onCursor: (index, left) => setHover(index === undefined || left < 0 ? undefined : { index, left }),
    });
    plot.current = made;
    const observer = new ResizeObserver(() => {
      const { width, height } = size();
      if (width > 0 && (width !== made.width || height !== made.height)) made.setSize({ width, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
      setHover(undefined);
    };
  }, [near, chart, off, version]);

  useEffect(() => setSpoken(''), [chart]);

  if (texts === undefined) return null;
  const days = chart.days.length;
  const compared = chart.series.some(({ previous }) => previous !== undefined);

  const goTo = (index: number): void => {
    const made = plot.current;
    if (made === undefined || days === 0) return;
    const day = Math.min(days - 1, Math.max(0, index));
    made.setCursor({ left: made.valToPos(day, 'x'), top: 0 });
    setSpoken(readOut(chart, day, off, previousRange).join('. '));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = hover?.index;
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: at === undefined ? days - 1 : at - 1,
      ArrowRight: at === undefined ? 0 : at + 1,
      PageUp: (at ?? days) - DAYS_A_PAGE,
      PageDown: (at ?? -1) + DAYS_A_PAGE,
      Home: 0,
      End: days - 1,
    };
    const next = steps[event.key];
    if (next !== undefined) goTo(next);
    else if (event.key === 'Escape' && at !== undefined) leave();
    else return;
    event.preventDefault();
  };
  const leave = (): void => {
    plot.current?.setCursor({ left: -10, top: -10 });
    setHover(undefined);
    setSpoken('');
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
        aria-label={fill(texts.chartOf, title)}
        aria-describedby={`${id}-help`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={leave}
      >
        <div class="chart-canvas" ref={target} />
        {hover === undefined ? null : (
          <ReadOut chart={chart} hover={hover} off={off} previousRange={previousRange} plot={plot.current} />
        )}
      </div>
      <p class="unseen" id={`${id}-help`}>
        {texts.chartHelp}
      </p>
      <div class="unseen spoken" aria-live="polite">
        {spoken}
      </div>
      {chart.series.length < 2 && !compared ? null : (
        <ul class="legend" aria-label={texts.series}>
          {chart.series.map((series, index) => (
            <li key={series.id}>
              <button
                type="button"
                aria-pressed={!off.has(series.id)}
                title={series.label}
                onClick={() => toggle(series.id)}
              >
                <Swatch index={index} area={chart.kind !== 'lines'} />
                <span class="label">{series.label}</span>
              </button>
            </li>
          ))}
          {compared ? (
            <li>
              <Swatch index="before" area={false} /> {texts.periodBefore}
            </li>
          ) : null}
        </ul>
      )}
      <Markers chart={chart} />
    </div>
  );
}

interface ReadOutProps {
  readonly chart: Chart;
  readonly hover: Hover;
  readonly off: ReadonlySet<string>;
  readonly previousRange: DayRange | undefined;
  readonly plot: uPlot | undefined;
}

/** What the day under the pointer has, beside the pointer. Spoken elsewhere. */
function ReadOut({ chart, hover, off, previousRange, plot }: ReadOutProps) {
  const texts = strings.value;
  const day = chart.days[hover.index];
  if (texts === undefined || day === undefined || plot === undefined) return null;
  const areaLeft = plot.over.offsetLeft;
  const areaWidth = plot.over.offsetWidth;
  const onLeft = hover.left > areaWidth / 2;
  const style = onLeft
    ? { right: `${plot.width - areaLeft - hover.left + 10}px` }
    : { left: `${areaLeft + hover.left + 10}px` };
  const rows = chart.series
    .map((series, index) => ({ series, index }))
    .filter(({ series }) => !off.has(series.id));
  const before = dayBefore(chart, hover.index, previousRange);
  const marks = chart.markers.filter(marker => marker.day === day);
  const values = rows.map(({ series }) => series.values[hover.index] ?? null);
  const valuesBefore = rows.map(({ series }) => series.previous?.[hover.index] ?? null);
  return (
    <div class="read-out" style={style} aria-hidden="true">
      <div class="read-out-day">{longDay(day)} UTC</div>
      <table>
        <tbody>
          {rows.slice(0, MOST_LINES).map(({ series, index }) => (
            <tr key={series.id}>
              <td>
                <Swatch index={index} area={chart.kind !== 'lines'} />
              </td>
              <td class="label">{series.label}</td>
              <td class="number">{valueText(series.values[hover.index], chart)}</td>
              {before === undefined ? null : (
                <td class="number quiet">{valueText(series.previous?.[hover.index], chart)}</td>
              )}
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
              <td>{texts.total}</td>
              <td class="number">{valueText(sum(values), chart)}</td>
              {before === undefined ? null : (
                <td class="number quiet">{valueText(sum(valuesBefore), chart)}</td>
              )}
            </tr>
          )}
        </tbody>
      </table>
      {before === undefined ? null : (
        <div class="quiet">
          {texts.previous}: {shortDay(before)}
        </div>
      )}
      {marks.map(({ label }, place) => (
        <div key={place} class="mark">
          ▼ {label}
        </div>
      ))}
    </div>
  );
}

/** The marked days as a list, for those who do not point. */
function Markers({ chart }: { readonly chart: Chart }) {
  const texts = strings.value;
  const { markers } = chart;
  if (texts === undefined || markers.length === 0) return null;
  return (
    <details class="markers">
      <summary>
        <span class="mark" aria-hidden="true">
          ▼
        </span>{' '}
        {markers.length === 1 ? texts.marked : fill(texts.markers, String(markers.length))}
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
function readOut(
  chart: Chart,
  index: number,
  off: ReadonlySet<string>,
  previousRange: DayRange | undefined,
): string[] {
  const texts = strings.value;
  const day = chart.days[index];
  if (texts === undefined || day === undefined) return [];
  const before = dayBefore(chart, index, previousRange);
  const value = (amount: Amount | null): string => valueText(amount, chart) || texts.unknown;
  return [
    `${longDay(day)} UTC`,
    ...chart.series
      .filter(({ id }) => !off.has(id))
      .map(({ label, values, previous }) => {
        const now = `${label}: ${value(values[index] ?? null)}`;
        return before === undefined ? now : `${now}, ${fill(texts.before, value(previous?.[index] ?? null))}`;
      }),
    ...chart.markers.filter(marker => marker.day === day).map(({ label }) => label),
  ];
}

function valueText(value: Amount | null, chart: Chart): string {
  return figureText(value, number => exact(number, chart.unit));
}

function dayBefore(chart: Chart, index: number, previousRange: DayRange | undefined): string | undefined {
  if (previousRange === undefined || chart.series.every(({ previous }) => previous === undefined))
    return undefined;
  return addDays(previousRange.start, index);
}
