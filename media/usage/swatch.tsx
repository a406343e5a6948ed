import { useLayoutEffect, useRef } from 'preact/hooks';
import { fillOf, lineOf, palette, themeVersion } from './theme';

const WIDTH = 20;
const HEIGHT = 12;

/** A piece of a series as it is drawn in the chart: colour, dash and pattern. */
export function Swatch({ index, area }: { readonly index: number | 'before'; readonly area: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const version = themeVersion.value;
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (element === null || context === null || context === undefined) return;
    const ratio = window.devicePixelRatio;
    element.width = Math.round(WIDTH * ratio);
    element.height = Math.round(HEIGHT * ratio);
    const colors = palette();
    const { color, dash } = index === 'before' ? { color: colors.text, dash: [3, 3] } : lineOf(index, colors);
    context.strokeStyle = color;
    if (area && index !== 'before') {
      context.fillStyle = fillOf(index, colors, ratio);
      context.fillRect(0, 0, element.width, element.height);
      context.lineWidth = 2 * ratio;
      if (colors.contrast) context.strokeRect(0, 0, element.width, element.height);
    } else {
      context.lineWidth = (index === 'before' ? 1 : 2) * ratio;
      context.setLineDash(dash.map(length => length * ratio));
      context.beginPath();
      context.moveTo(0, element.height / 2);
      context.lineTo(element.width, element.height / 2);
      context.stroke();
    }
  }, [index, area, version]);
  return <canvas class="swatch" ref={canvas} width={WIDTH} height={HEIGHT} aria-hidden="true" />;
}
