import * as l10n from '@vscode/l10n';
import type { ReportView, TrendPoint } from '../../src/readiness/protocol';

/** Scores over time: a line for the shown branch, dots for other branches. The table below holds the same figures. */
export function TrendChart({ view }: { readonly view: ReportView }) {
  const points = view.trend.filter(hasPlace);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  const span = last.at - first.at;
  const place = (point: Scored): string => {
    const x = span === 0 ? 500 : (1000 * (point.at - first.at)) / span;
    return `${x.toFixed(1)} ${1000 - 10 * point.percent}`;
  };
  // A line of no length with round ends is a dot that keeps its shape however wide the chart is.
  const dots = (chosen: readonly Scored[]): string => chosen.map(point => `M${place(point)}h0`).join('');
  const line = points.filter(point => point.line);
  const others = points.filter(point => !point.line);
  const marked = (id: string | undefined): Scored[] => points.filter(point => point.reportId === id);
  return (
    <figure class="chart-box">
      <div class="chart">
        <div class="scale" aria-hidden="true">
          {[100, 50, 0].map(percent => (
            <span key={percent} style={{ bottom: `${percent}%` }}>
              {percent}%
            </span>
          ))}
          <span class="widest">100%</span>
        </div>
        <div class="plot">
          <svg
            viewBox="0 0 1000 1000"
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
            <path class="grid" d="M0 0H1000M0 500H1000M0 1000H1000" />
            <path class="others" d={dots(others)} />
            <path
              class="line"
              d={line.map((point, index) => `${index === 0 ? 'M' : 'L'}${place(point)}`).join('')}
            />
            {line.length <= 200 && <path class="dots" d={dots(line)} />}
            <path class="base" d={dots(marked(view.baseId))} />
            <path class="shown" d={dots(marked(view.reportId))} />
          </svg>
        </div>
        <div class="days" aria-hidden="true">
          <span style={{ left: span === 0 ? '50%' : '0' }}>{first.day}</span>
          {span > 0 && <span style={{ left: '100%' }}>{last.day}</span>}
        </div>
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
