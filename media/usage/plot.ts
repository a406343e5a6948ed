import type { Day, Unit } from '../../src/usage/show/protocol';

/** One number a day; `null` where none is known. */
export type Values = readonly (number | null)[];
type Place = (of: number) => number;

const colors = ['blue', 'orange', 'green', 'purple', 'red', 'yellow'].map(name => `--vscode-charts-${name}`);
const variables = [...colors, '--vscode-terminal-ansiCyan', '--vscode-terminal-ansiMagenta'];
/** Tell lines apart without colour. */
const dashes = ['none', '10 4', '2 3', '10 4 2 4', '6 3', '14 3 2 3'];

/** How the series of this number looks: after all colours are used, and always in high contrast, dashes tell them apart. */
export function looksLike(index: number): Record<string, string> {
  const dash = (at: number): string => dashes[at % dashes.length] ?? 'none';
  return {
    '--color': `var(${variables[index % variables.length] ?? ''}, currentColor)`,
    '--dash': dash(Math.floor(index / variables.length)),
    '--contrast-dash': dash(index),
  };
}

export function plus(a: number | null, b: number | null): number | null {
  return b === null ? a : (a ?? 0) + b;
}

/** Each with all below it added. */
export function layersOf(series: readonly Values[]): Values[] {
  const layers: Values[] = [];
  for (const values of series)
    layers.push(values.map((value, at) => plus(layers.at(-1)?.[at] ?? null, value)));
  return layers;
}

/** Days in a row that have a value. */
function runsIn(values: Values): number[][] {
  const runs: number[][] = [];
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const run = runs.at(-1);
    if (run?.at(-1) === at - 1) run.push(at);
    else runs.push([at]);
  }
  return runs;
}

/** A line a run; a day alone is a dot. */
export function lineOf(values: Values, x: Place, y: Place): string {
  const point = (at: number): string => `${x(at).toFixed(1)} ${y(values[at] ?? 0).toFixed(1)}`;
  return runsIn(values)
    .map(run => `M${run.map(point).join('L')}${run.length === 1 ? 'h0' : ''}`)
    .join('');
}

/** What lies between a layer and the one below it. */
export function areaOf(layer: Values, below: Values | undefined, x: Place, y: Place): string {
  return runsIn(layer)
    .map(run => {
      const edge = (of: Values | undefined) => (at: number) =>
        `${x(at).toFixed(1)} ${y(of?.[at] ?? 0).toFixed(1)}`;
      // A day alone would have no width.
      if (run.length === 1) return barAt(run[0] ?? 0, layer, below, x, y);
      return `M${run.map(edge(layer)).join('L')}L${run.reverse().map(edge(below)).join('L')}Z`;
    })
    .join('');
}

/** The same as a bar a day. */
export function barsOf(layer: Values, below: Values | undefined, x: Place, y: Place): string {
  return layer.map((value, at) => (value === null ? '' : barAt(at, layer, below, x, y))).join('');
}

function barAt(at: number, layer: Values, below: Values | undefined, x: Place, y: Place): string {
  const half = (500 / layer.length) * 0.7;
  const [from, to] = [x(at) - half, x(at) + half];
  const [top, bottom] = [y(layer[at] ?? 0), y(below?.[at] ?? 0)];
  return `M${from.toFixed(1)} ${bottom.toFixed(1)}V${top.toFixed(1)}H${to.toFixed(1)}V${bottom.toFixed(1)}Z`;
}

/** From 0 to a little above the highest value, in round steps; whole ones where things are counted. */
export function ticksOf(most: number, unit: Unit): number[] {
  const rough = (most > 0 ? most : 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 5, 10].find(step => step * power >= rough * 0.999) ?? 10;
  const step = unit === 'count' ? Math.max(1, round * power) : round * power;
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

const MOST_NAMES = 10;

/** The days that get a name: month starts for long ranges, else every so many days back from the last. */
export function namedDays(days: readonly Day[]): number[] {
  const months = days.flatMap((day, at) => (day.endsWith('-01') ? [at] : []));
  const from = months.length >= 4 ? months : days.map((_, at) => at);
  const step = [1, 2, 3, 4, 7, 14, 28].find(each => Math.ceil(from.length / each) <= MOST_NAMES) ?? 56;
  return from.filter((_, place) => (from.length - 1 - place) % step === 0);
}
