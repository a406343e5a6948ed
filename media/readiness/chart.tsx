import type { ReportView, TrendPoint } from '../../src/readiness/protocol';
import { fill, strings } from './page';

const WIDTH = 1000;
const HEIGHT = 120;

/** Scores over time: a line for the shown branch, dots for other branches. The table below holds the same figures. */
export function TrendChart({ view }: { readonly view: ReportView }) {
  const texts = strings.value;
  const points = view.trend.filter(hasPlace);
  const [first] = points;
  const last = points.at(-1);
  if (texts === undefined || first === undefined || last === undefined) return null;
  const span = last.at - first.at;
  const place = (point: Scored): string => {
    const x = span === 0 ? WIDTH / 2 : 8 + ((WIDTH - 16) * (point.at - first.at)) / span;
    return `${x.toFixed(1)} ${(4 + (HEIGHT - 8) * (1 - point.percent / 100)).toFixed(1)}`;
  };
  // A line of no length with round ends is a dot that keeps its shape however wide the chart is.
  const dots = (chosen: readonly Scored[]): string => chosen.map(point => `M${place(point)}h0`).join('');
  const line = points.filter(point => point.line);
  const others = points.filter(point => !point.line);
  const marked = (id: string | undefined): Scored[] => points.filter(point => point.reportId === id);
  return (
    <figure class="chart">
      <div class="scale" aria-hidden="true">
        <span>100%</span>
        <span>50%</span>
        <span>0%</span>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={
          points.length === 1
            ? fill(texts.trendChartOne, `${first.day} ${first.score}`)
            : fill(
                texts.trendChart,
                points.length,
                `${first.day} ${first.score}`,
                `${last.day} ${last.score}`,
              )
        }
      >
        <path class="grid" d={`M0 4H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 4}H${WIDTH}`} />
        <path class="others" d={dots(others)} />
        <path
          class="line"
          d={line.map((point, index) => `${index === 0 ? 'M' : 'L'}${place(point)}`).join('')}
        />
        {line.length <= 200 && <path class="dots" d={dots(line)} />}
        <path class="base" d={dots(marked(view.baseId))} />
        <path class="shown" d={dots(marked(view.reportId))} />
      </svg>
      <div class="days" aria-hidden="true">
        <span>{first.day}</span>
        {span > 0 && <span>{last.day}</span>}
      </div>
      {others.length > 0 && <figcaption class="quiet">{texts.trendLegend}</figcaption>}
    </figure>
  );
}

type Scored = TrendPoint & { readonly at: number; readonly percent: number };

function hasPlace(point: TrendPoint): point is Scored {
  return point.at !== undefined && point.percent !== undefined;
}
