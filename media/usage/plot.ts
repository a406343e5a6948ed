import uPlot from 'uplot';
import { knownOf, type Chart, type Series, type Value } from '../../src/usage/protocol';
import { axisDay, axisMonth, short } from './format';
import { fillOf, lineOf, type Palette } from './theme';

export interface PlotInput {
  readonly chart: Chart;
  /** Ids of series a person has switched off. */
  readonly off: ReadonlySet<string>;
  readonly palette: Palette;
  readonly width: number;
  readonly height: number;
  readonly onCursor: (index: number | undefined, left: number) => void;
}

type Values = (number | null)[];
interface Line {
  readonly values: Values;
  readonly look: uPlot.Series;
  /** Of its dot under the pointer. */
  readonly color: string;
}

/** Makes a chart in `target`. Its x axis counts days, so no time zone has a say in it. */
export function makePlot(target: HTMLElement, input: PlotInput): uPlot {
  const { chart, palette, width, height, onCursor } = input;
  const lines = linesOf(input);
  const days = chart.days.length;
  const padded = !isLines(chart) || days === 1;
  const axis = { stroke: palette.quiet, font: palette.font, grid: { stroke: palette.grid, width: 1 } };
  const options: uPlot.Options = {
    width,
    height,
    padding: [14, 22, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: {
        size: 7,
        fill: (_, index) => lines[index - 1]?.color ?? palette.text,
        stroke: () => palette.background,
      },
    },
    scales: {
      x: { time: false, range: () => (padded ? [-0.5, days - 0.5] : [0, days - 1]) },
      y: { range: (_, __, most) => [0, topOf(most)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { stroke: palette.grid, width: 1, size: 4 },
        size: 28,
        gap: 4,
        splits: plot => splitsOf(chart, plot.width - 70),
        values: (_, splits) => namesOf(chart, splits),
      },
      {
        ...axis,
        ticks: { show: false },
        gap: 6,
        space: 36,
        size: (plot, values: string[] | null) => widthOf(plot, values ?? []),
        values: (_, splits) => splits.map(value => short(value, chart.unit)),
      },
    ],
    series: [{}, ...lines.map(({ look }) => look)],
    hooks: {
      setCursor: [plot => onCursor(plot.cursor.idx ?? undefined, plot.cursor.left ?? -1)],
      draw: [plot => drawMarkers(plot, chart, palette)],
    },
  };
  const data: uPlot.AlignedData = [chart.days.map((_, index) => index), ...lines.map(({ values }) => values)];
  return new uPlot(options, data, target);
}

/** Areas of fewer than three days would be slivers; they are bars. */
function isLines({ kind, days }: Chart): boolean {
  return kind === 'lines' || (kind === 'stacked' && days.length > 2);
}

function linesOf({ chart, off, palette, width }: PlotInput): Line[] {
  const seen = chart.series
    .map((series, index) => ({ series, index }))
    .filter(({ series }) => !off.has(series.id));
  if (chart.kind === 'lines') {
    return [
      ...seen.map(({ series, index }) => lineSeries(index, palette, series.values)),
      ...seen.flatMap(({ series, index }) =>
        series.previous === undefined ? [] : [previousLine(lineOf(index, palette).color, series.previous)],
      ),
    ];
  }
  const ratio = window.devicePixelRatio;
  const roomy = width / chart.days.length > 8;
  const bars = isLines(chart) ? undefined : uPlot.paths.bars?.({ size: [0.7, 48], align: 0 });
  let sum: Values = chart.days.map(() => null);
  const layers = seen.map(({ series, index }): Line => {
    const { color } = lineOf(index, palette);
    sum = sum.map((below, day) => plus(below, series.values[day]));
    return {
      values: sum,
      color,
      look: {
        // A seam between areas, where there is room for it; in high contrast the outline carries the colour.
        stroke: palette.contrast ? color : palette.background,
        width: palette.contrast || (roomy && seen.length > 1) ? 1 : 0,
        fill: () => fillOf(index, palette, ratio),
        points: { show: false },
        ...(bars === undefined ? {} : { paths: bars }),
      },
    };
  });
  const before = totalBefore(
    seen.map(({ series }) => series),
    chart.days.length,
  );
  // The highest layer is drawn first; the ones below cover their part of it.
  return [...layers.reverse(), ...(before === undefined ? [] : [previousLine(palette.text, before)])];
}

function lineSeries(index: number, palette: Palette, values: readonly Value[]): Line {
  const { color, dash } = lineOf(index, palette);
  return {
    values: values.map(value => knownOf(value) ?? null),
    color,
    look: { stroke: color, width: 2, dash, points: { size: 5, fill: color } },
  };
}

/** The period before: thin and dashed, without points. */
function previousLine(color: string, values: readonly Value[]): Line {
  return {
    values: values.map(value => knownOf(value) ?? null),
    color,
    look: { stroke: color, width: 1, dash: [3, 3], points: { show: false } },
  };
}

function plus(a: number | null, b: Value | undefined): number | null {
  const value = knownOf(b ?? null);
  return value === undefined ? a : (a ?? 0) + value;
}

function totalBefore(series: readonly Series[], days: number): Values | undefined {
  if (!series.some(({ previous }) => previous !== undefined)) return undefined;
  return Array.from({ length: days }, (_, day) =>
    series.reduce<number | null>((sum, { previous }) => plus(sum, previous?.[day]), null),
  );
}

/** The top of the scale, a little above the highest value. */
function topOf(most: number | null): number {
  if (most === null || most <= 0) return 1;
  return uPlot.rangeNum(0, most, 0.08, true)[1] ?? 1;
}

function widthOf(plot: uPlot, values: readonly string[]): number {
  plot.ctx.font = plot.axes[1]?.font?.[0] ?? '11px sans-serif';
  const widest = Math.max(0, ...values.map(value => plot.ctx.measureText(value).width));
  return Math.ceil(widest / uPlot.pxRatio) + 12;
}

const LABEL = 62;

/** Days that get a label: month starts for long ranges, else every so many days back from the last. */
function splitsOf({ days }: Chart, width: number): number[] {
  const most = Math.max(2, Math.floor(width / LABEL));
  const months = days.flatMap((day, index) => (day.endsWith('-01') ? [index] : []));
  if (months.length >= 4) return every(months, Math.ceil(months.length / most));
  const step = [1, 2, 3, 4, 7, 14, 28].find(days_ => Math.ceil(days.length / days_) <= most) ?? 56;
  return every(
    days.map((_, index) => index),
    step,
  );
}

/** Every `step`th one, the last included. */
function every(indexes: readonly number[], step: number): number[] {
  return indexes.filter((_, place) => (indexes.length - 1 - place) % step === 0);
}

function namesOf({ days }: Chart, splits: readonly number[]): string[] {
  const names = splits.map(index => days[index] ?? '');
  const months = splits.length > 1 && names.every(day => day.endsWith('-01'));
  return names.map((day, place) => {
    if (day === '') return '';
    return months ? axisMonth(day, place === 0 || day.slice(5, 7) === '01') : axisDay(day);
  });
}

/** More marks than these would cover what they mark: they get their flags alone. */
const MOST_LINES = 12;

/** A flag with a dashed line below it at each day on which something happened. */
function drawMarkers(plot: uPlot, { days, markers }: Chart, palette: Palette): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const places = new Set(markers.map(({ day }) => days.indexOf(day)).filter(index => index >= 0));
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = palette.marker;
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  for (const index of places) {
    const x = Math.round(plot.valToPos(index, 'x', true)) + (ratio % 2 === 0 ? 0 : 0.5);
    if (places.size <= MOST_LINES) {
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.beginPath();
    ctx.moveTo(x - 4 * ratio, bbox.top - 8 * ratio);
    ctx.lineTo(x + 4 * ratio, bbox.top - 8 * ratio);
    ctx.lineTo(x, bbox.top - 1 * ratio);
    ctx.fill();
  }
  ctx.restore();
}
