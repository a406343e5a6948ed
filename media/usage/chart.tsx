import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { addDays, sum, type DayRange, type Value } from '../../src/usage/protocol';
import { dayText, exact, figureText, short, words } from './page';
import { barsOf, known, layersOf, lineOf, looksLike, namedDays, placeOf, ticksOf, type Chart } from './plot';

interface ChartProps {
  readonly title: string;
  readonly chart: Chart;
  readonly previousRange: DayRange | undefined;
}

/**
 * A chart, and a legend with the figures of one day: the one under the pointer, the one that the arrow keys have come to, else the
 * last. The keys move a slider that nobody sees.
 */
export function ChartView({ title, chart, previousRange }: ChartProps) {
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setDay] = useState<number | undefined>(undefined);
  const { days, kind, markers, series, unit } = chart;
  const last = Math.max(0, days.length - 1);
  const at = Math.min(chosen ?? last, last);
  const isCompared = series.some(({ previous }) => previous !== undefined);
  const before = isCompared && previousRange ? words.day(addDays(previousRange.start, at)) : undefined;
  const textOf = (value: Value | undefined): string =>
    figureText(value ?? null, value => exact(value, unit)) || l10n.t('not known');
  const beforeText = (value: string): string => l10n.t('before: {0}', value);
  const rowOf = (id: string, label: string, index: number, now?: Value, earlier?: Value) => ({
    ...{ id, label, index, now: textOf(now) },
    before: before === undefined ? undefined : beforeText(textOf(earlier)),
  });
  const seen = series.filter(({ id }) => !off.has(id));
  const rows = series.map(({ id, label, values, previous }, index) =>
    rowOf(id, label, index, values[at], previous?.[at]),
  );
  if (kind === 'bars' && seen.length > 1) {
    const [now, earlier] = (['values', 'previous'] as const).map(of =>
      sum(seen.map(each => each[of]?.[at] ?? null)),
    );
    rows.push(rowOf('', l10n.t('Total'), -1, now, earlier));
  }
  const day = `${dayText(days[at] ?? '')} UTC`;
  const marks = markers.filter(marker => marker.day === days[at]).map(({ label }) => label);
  const spoken = rows
    .filter(({ id }) => !off.has(id))
    .map(({ label, now, before }) => [`${label}: ${now}`, before].filter(Boolean).join(', '));
  const toggle = (id: string): void => {
    const next = new Set(off);
    if (!next.delete(id)) next.add(id);
    setOff(next);
  };
  return (
    <div class="chart-box">
      <div class="chart">
        <Drawing chart={chart} off={off} day={chosen === undefined ? undefined : at} />
        <input
          type="range"
          max={last}
          value={at}
          aria-label={l10n.t('Chart: {0}', title)}
          aria-valuetext={[day, ...spoken, ...marks].join('. ')}
          onInput={({ currentTarget }) => setDay(currentTarget.valueAsNumber)}
          onPointerMove={({ offsetX, currentTarget }) => {
            const share = Math.max(0, offsetX / currentTarget.clientWidth);
            setDay(Math.min(last, Math.floor(share * days.length)));
          }}
          onPointerLeave={() => setDay(undefined)}
          onBlur={() => setDay(undefined)}
        />
      </div>
      <p class="one-line" title={marks.join('\n')}>
        <strong>{day}</strong>
        {before && (
          <span class="quiet">
            {' '}
            <Swatch index={0} look="previous total" /> {beforeText(before)}
          </span>
        )}
        {marks.map(label => ` · ${label}`)}
      </p>
      <ul class="legend" aria-label={l10n.t('Chart legend')}>
        {rows.map(({ id, label, index, now, before }) => (
          <li key={id}>
            <label class="check" title={label}>
              {index >= 0 && series.length > 1 && (
                <input type="checkbox" checked={!off.has(id)} onChange={() => toggle(id)} />
              )}
              {index >= 0 && <Swatch index={index} look={kind === 'lines' ? 'line' : 'area'} />}
              <span class="one-line">{label}</span>
            </label>
            <strong>{now}</strong>
            {before && <span class="quiet">{before}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A piece of a series as it is drawn in the chart. */
function Swatch({ index, look }: { readonly index: number; readonly look: string }) {
  return (
    <svg class="swatch" viewBox="0 0 20 12" aria-hidden="true" style={looksLike(index)}>
      <path class={look} d={look === 'area' ? 'M0 0H20V12H0Z' : 'M0 6H20'} />
    </svg>
  );
}

interface DrawingProps {
  readonly chart: Chart;
  readonly off: ReadonlySet<string>;
  readonly day: number | undefined;
}

/** The picture: colours are the theme's own variables, so that another theme needs no new drawing. Words are laid over it. */
function Drawing({ chart: { days, kind, unit, markers, series }, off, day }: DrawingProps) {
  const isLines = kind === 'lines';
  const seen = series.map((each, index) => ({ ...each, index })).filter(({ id }) => !off.has(id));
  const [now, before] = [seen.map(({ values }) => values), seen.map(({ previous = [] }) => previous)];
  const layers = isLines ? now.map(known) : layersOf(now);
  const earlier = isLines ? before.map(known) : layersOf(before).slice(-1);
  const ticks = ticksOf(Math.max(0, ...[...layers, ...earlier].flat().map(value => value ?? 0)), unit);
  const tickTexts = ticks.map(tick => short(tick, unit));
  const top = ticks.at(-1) ?? 1;
  const x = (at: number): number => placeOf(at, days.length);
  const y = (value: number): number => 1000 - (value / top) * 1000;
  const looks = (place: number) => looksLike(seen[place]?.index ?? 0);
  const marks = [...new Set(markers.map(marker => days.indexOf(marker.day)))].filter(at => at >= 0);
  return (
    <>
      <div class="scale" aria-hidden="true">
        {ticks.map((tick, at) => (
          <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
            {tickTexts[at]}
          </span>
        ))}
        <span class="widest">{tickTexts.reduce((a, b) => (b.length > a.length ? b : a), '')}</span>
      </div>
      <div class="plot">
        <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d={ticks.map(tick => `M0 ${y(tick)}H1000`).join('')} />
          {layers.map((layer, place) => (
            <path
              key={place}
              class={isLines ? 'line' : 'area'}
              style={looks(place)}
              d={isLines ? lineOf(layer, y) : barsOf(layer, layers[place - 1], y)}
            />
          ))}
          {earlier.map((line, place) => (
            <path
              key={place}
              class={isLines ? 'previous' : 'previous total'}
              style={looks(place)}
              d={lineOf(line, y)}
            />
          ))}
          <path class="marks" d={marks.map(at => `M${x(at)} 0V1000`).join('')} />
          {day === undefined ? null : <path class="cursor" d={`M${x(day)} 0V1000`} />}
        </svg>
      </div>
      <div class="days" aria-hidden="true">
        {namedDays(days.length).map(at => (
          <span key={at} style={{ left: `${x(at) / 10}%` }}>
            {dayText(days[at] ?? '', { day: 'numeric', month: 'short' })}
          </span>
        ))}
      </div>
    </>
  );
}
