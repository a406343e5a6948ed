import { signal } from '@preact/signals';

/** What charts are drawn with, read from the theme's own variables. */
export interface Palette {
  readonly series: readonly string[];
  readonly text: string;
  readonly quiet: string;
  readonly grid: string;
  readonly background: string;
  readonly marker: string;
  readonly font: string;
  /** High contrast: lines and areas differ by more than colour. */
  readonly contrast: boolean;
}

/** Grows when the theme changes; whoever draws reads it. */
export const themeVersion = signal(0);

const seriesVariables: readonly (readonly [string, string])[] = [
  ['--vscode-charts-blue', '#3794ff'],
  ['--vscode-charts-orange', '#d18616'],
  ['--vscode-charts-green', '#89d185'],
  ['--vscode-charts-purple', '#b180d7'],
  ['--vscode-charts-red', '#f14c4c'],
  ['--vscode-charts-yellow', '#cca700'],
  ['--vscode-terminal-ansiCyan', '#11a8cd'],
  ['--vscode-terminal-ansiMagenta', '#bc3fbc'],
];

let current: { readonly version: number; readonly palette: Palette } | undefined;

/** The palette of the theme as it is now. */
export function palette(): Palette {
  if (current?.version === themeVersion.value) return current.palette;
  const style = getComputedStyle(document.body);
  const read = (name: string, fallback: string): string => style.getPropertyValue(name).trim() || fallback;
  const text = read('--vscode-foreground', style.color);
  const contrast = document.body.className.includes('vscode-high-contrast');
  const made: Palette = {
    series: seriesVariables.map(([name, fallback]) => opaque(read(name, fallback))),
    text,
    quiet: read('--vscode-descriptionForeground', text),
    grid: `color-mix(in srgb, ${read('--vscode-chart-guide', text)} ${contrast ? 35 : 75}%, transparent)`,
    background: read('--vscode-editor-background', style.backgroundColor),
    marker: read('--vscode-editorWarning-foreground', read('--vscode-charts-yellow', '#cca700')),
    font: `11px ${style.fontFamily}`,
    contrast,
  };
  current = { version: themeVersion.value, palette: made };
  return made;
}

/** Some themes give colours of charts that let through what is below: an area and its mark in the legend would differ. */
function opaque(color: string): string {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return color;
  context.fillStyle = color;
  const [, rgb] = /^rgba\((\d+, \d+, \d+),/.exec(context.fillStyle) ?? [];
  return rgb === undefined ? color : `rgb(${rgb})`;
}

/** Watches for another theme: VS Code changes the classes of the body and the variables of the document. */
export function watchTheme(): void {
  const observer = new MutationObserver(() => themeVersion.value++);
  const filter = { attributes: true, attributeFilter: ['class', 'style', 'data-vscode-theme-id'] };
  observer.observe(document.body, filter);
  observer.observe(document.documentElement, filter);
}

/** Dashes that tell lines apart without colour. */
const dashes: readonly (readonly number[])[] = [
  [],
  [10, 4],
  [2, 3],
  [10, 4, 2, 4],
  [6, 3],
  [14, 3, 2, 3, 2, 3],
];

/** How the series of this number is drawn as a line; after all colours are used, dashes tell the next ones apart. */
export function lineOf(
  index: number,
  { series, contrast }: Palette,
): { readonly color: string; readonly dash: number[] } {
  const color = series[index % series.length] ?? '#888888';
  const round = contrast ? index : Math.floor(index / series.length);
  return { color, dash: [...(dashes[round % dashes.length] ?? [])] };
}

const patterns = new Map<string, CanvasPattern | string>();

/** How its area is filled: opaque, and with a pattern in high contrast. `ratio` is device pixels a CSS pixel. */
export function fillOf(index: number, colors: Palette, ratio: number): CanvasPattern | string {
  const { color } = lineOf(index, colors);
  const round = Math.floor(index / colors.series.length);
  const base = `color-mix(in srgb, ${color} ${colors.contrast ? 25 : 60}%, ${colors.background})`;
  const kind = colors.contrast ? index % 6 : round % 6;
  if (!colors.contrast && round === 0) return base;
  const key = `${base} ${kind} ${ratio}`;
  const made = patterns.get(key) ?? hatch(kind, base, color, ratio) ?? base;
  patterns.set(key, made);
  return made;
}

function hatch(kind: number, base: string, color: string, ratio: number): CanvasPattern | undefined {
  const size = Math.round(8 * ratio);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  context.fillStyle = base;
  context.fillRect(0, 0, size, size);
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = Math.max(1, Math.round(1.5 * ratio));
  const line = (x0: number, y0: number, x1: number, y1: number): void => {
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  };
  if (kind === 1 || kind === 3) for (const shift of [-size, 0, size]) line(shift, size, shift + size, 0);
  if (kind === 2 || kind === 3) for (const shift of [-size, 0, size]) line(shift, 0, shift + size, size);
  if (kind === 4) line(0, size / 2, size, size / 2);
  if (kind === 5) {
    context.beginPath();
    context.arc(size / 2, size / 2, size / 5, 0, Math.PI * 2);
    context.fill();
  }
  return context.createPattern(canvas, 'repeat') ?? undefined;
}
