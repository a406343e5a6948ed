import {
  knownOf,
  type Day,
  type Marker,
  type Section,
  type Unit,
  type Value,
} from '../../src/usage/protocol';

/** What a chart draws: columns of its section's table. */
export interface Chart {
  readonly kind: 'lines' | 'bars';
  readonly unit: Unit;
  readonly days: readonly Day[];
  readonly series: readonly Series[];
  readonly markers: readonly Marker[];
}

interface Series {
  readonly id: string;
  readonly label: string;
  /** One a day; `null` where no figure is known. */
  readonly values: readonly Value[];
  /** The period before, day by day, where it is drawn as well. */
  readonly previous?: readonly Value[] | undefined;
}

export function chartOf({ chart: kind = 'bars', table }: Section, markers: readonly Marker[]): Chart {
  const { columns, rows } = table;
  const valuesOf = (id: string): Value[] | undefined => {
    const at = columns.findIndex(column => column.id === id);
    if (at < 0) return undefined;
    return rows.map(row => row.cells[at] ?? null).map(cell => (typeof cell === 'string' ? null : cell));
  };
  const charted = columns.filter(({ isCharted }) => isCharted === true);
  const [unit = 'count'] = charted.flatMap(({ kind }) => (kind === 'text' || kind === 'day' ? [] : [kind]));
  const series = charted.map(({ id, label }) => ({
    ...{ id, label, values: valuesOf(id) ?? [], previous: valuesOf(`${id}:before`) },
  }));
  return { kind, unit, days: rows.map(({ id }) => id), series, markers };
}

/** One number a day; `null` where none is known. */
type Values = readonly (number | null)[];

export function known(amounts: readonly Value[]): Values {
  return amounts.map(amount => knownOf(amount) ?? null);
}

const colors = ['blue', 'orange', 'green', 'purple', 'red', 'yellow'].map(name => `--vscode-charts-${name}`);
const variables = [...colors, '--vscode-terminal-ansiCyan', '--vscode-terminal-ansiMagenta'];
/** Tell lines apart without colour. */
const dashes = ['none', '10 4', '2 3', '10 4 2 4', '6 3', '14 3 2 3'];

/** How the series of this number looks; in high contrast dashes tell them apart, too. */
export function looksLike(index: number): Record<string, string> {
  return {
    '--color': `var(${variables[index % variables.length] ?? ''}, currentColor)`,
    '--dash': dashes[index % dashes.length] ?? 'none',
  };
}

/** Each with all below it added. */
export function layersOf(series: readonly (readonly Value[])[]): Values[] {
  const layers: Values[] = [];
  for (const values of series) {
    const below = layers.at(-1) ?? [];
    layers.push(
      known(values).map((value, at) => (value === null ? (below[at] ?? null) : (below[at] ?? 0) + value)),
    );
  }
  return layers;
}

/** Where a day stands among so many, in a drawing 1000 wide. */
export function placeOf(at: number, days: number): number {
  return ((at + 0.5) / days) * 1000;
}

/** A line wherever days in a row have a value; a day alone is a dot. `y` of a value in a drawing 1000 high. */
export function lineOf(values: Values, y: (value: number) => number): string {
  return values
    .map((value, at) => {
      if (value === null) return '';
      const place = `${placeOf(at, values.length).toFixed(1)} ${y(value).toFixed(1)}`;
      if (at > 0 && values[at - 1] !== null) return `L${place}`;
      return `M${place}${(values[at + 1] ?? null) === null ? 'h0' : ''}`;
    })
    .join('');
}

/** A bar a day, on top of the layer below. */
export function barsOf(layer: Values, below: Values | undefined, y: (value: number) => number): string {
  const half = (500 / layer.length) * 0.7;
  return layer
    .map((value, at) => {
      if (value === null) return '';
      const [middle, top, bottom] = [placeOf(at, layer.length), y(value), y(below?.[at] ?? 0)];
      return `M${(middle - half).toFixed(1)} ${bottom.toFixed(1)}V${top.toFixed(1)}h${(2 * half).toFixed(1)}V${bottom.toFixed(1)}Z`;
    })
    .join('');
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

/** The places of days that get a name: every so many back from the last. */
export function namedDays(days: number): number[] {
  const step = Math.ceil(days / MOST_NAMES);
  return [...Array(days).keys()].filter(at => (days - 1 - at) % step === 0);
}
