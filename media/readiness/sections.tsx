import type { ReportView } from '../../src/readiness/protocol';
import { commits, compareWith, fill, openReport, panel, STEPS, strings, trendShown as limit } from './page';

const STEP = STEPS.trend;

interface Props {
  readonly view: ReportView;
}

/** The applications of the report. */
export function Applications({ view }: Props) {
  const texts = strings.value;
  if (texts === undefined || view.apps.length === 0) return null;
  return (
    <section aria-labelledby="applications">
      <h2 id="applications">
        {texts.applications} <span class="count">{view.apps.length}</span>
      </h2>
      <table aria-labelledby="applications">
        <thead>
          <tr>
            <th scope="col">{texts.application}</th>
            <th scope="col">{texts.description}</th>
          </tr>
        </thead>
        <tbody>
          {view.apps.map(({ path, label, description, local }) => (
            <tr key={path}>
              <th scope="row">
                {local ? (
                  <button
                    class="link"
                    aria-label={fill(texts.reveal, label)}
                    onClick={() => panel.notify('reveal', { path })}
                  >
                    {label}
                  </button>
                ) : (
                  label
                )}
              </th>
              <td class="text">{description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The figures of the chart as a table, the newest first. */
export function Trend({ view }: Props) {
  const texts = strings.value;
  if (texts === undefined) return null;
  const rows = view.trend.slice(Math.max(0, view.trend.length - limit.value)).reverse();
  return (
    <section aria-labelledby="trend">
      <h2 id="trend">
        {texts.trend} <span class="count">{view.trend.length}</span>
      </h2>
      <table aria-labelledby="trend">
        <thead>
          <tr>
            <th scope="col">{texts.day}</th>
            <th scope="col">{texts.score}</th>
            <th scope="col">{texts.branch}</th>
            <th scope="col">{texts.commit}</th>
            <th scope="col">{texts.actions}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(point => (
            <tr key={point.reportId} aria-current={point.reportId === view.reportId || undefined}>
              <th scope="row">{point.day}</th>
              <td class="figure">{point.score}</td>
              <td>{point.branch}</td>
              <td class="mono">{point.commit}</td>
              <td class="acts">
                {point.reportId === view.reportId ? (
                  <span class="quiet">{texts.shown}</span>
                ) : (
                  <button
                    class="link"
                    aria-label={fill(texts.openReport, point.day)}
                    onClick={() => openReport(point.reportId)}
                  >
                    {texts.open}
                  </button>
                )}
                {point.reportId === view.baseId ? (
                  <span class="quiet">{texts.baseMark}</span>
                ) : (
                  point.reportId !== view.reportId && (
                    <button
                      class="link"
                      aria-label={fill(texts.compareReport, point.day)}
                      onClick={() => compareWith(point.reportId)}
                    >
                      {texts.compare}
                    </button>
                  )
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {view.trend.length > rows.length && (
        <button class="link" onClick={() => (limit.value += 10 * STEP)}>
          {fill(texts.more, Math.min(10 * STEP, view.trend.length - rows.length))}
        </button>
      )}
    </section>
  );
}

/** Commits between the report and the one it is compared with, or why they are not known. */
export function Commits() {
  const texts = strings.value;
  const found = commits.value;
  if (texts === undefined || found === undefined) return null;
  return (
    <section aria-labelledby="commits">
      <h2 id="commits">{found.heading}</h2>
      <p class="quiet">{found.note}</p>
      {found.commits.length > 0 && (
        <table aria-labelledby="commits">
          <thead>
            <tr>
              <th scope="col">{texts.commit}</th>
              <th scope="col">{texts.subject}</th>
              <th scope="col">{texts.author}</th>
              <th scope="col">{texts.day}</th>
            </tr>
          </thead>
          <tbody>
            {found.commits.map(({ hash, subject, author, day }) => (
              <tr key={hash}>
                <td class="mono">{hash}</td>
                <td class="text">{subject}</td>
                <td>{author}</td>
                <td>{day}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
