import * as l10n from '@vscode/l10n';
import type { ReportView, TrendPoint } from '../../src/readiness/protocol';

const WIDTH = 1000;
const HEIGHT = 120;

/** Scores over time: a line for the shown branch, dots for other branches. The table below holds the same figures. */
export function TrendChart({ view }: { readonly view: ReportView }) {
  const points = view.trend.filter(hasPlace);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
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
            ? l10n.t('Score of 1 report: {0}', `${first.day} ${first.score}`)
            : l10n.t(
                'Score over {0} reports, from {1} to {2}',
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
      {others.length > 0 && (
        <figcaption class="quiet">{l10n.t('Line: reports of this branch. Dots: other branches.')}</figcaption>
      )}
    </figure>
  );
}

type Scored = TrendPoint & { readonly at: number; readonly percent: number };

function hasPlace(point: TrendPoint): point is Scored {
  return point.at !== undefined && point.percent !== undefined;
}
