import * as l10n from '@vscode/l10n';
import { useComputed, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { CriterionView, PageLook, ReportView } from '../../src/readiness/protocol';
import { Markdown } from './markdown';
import { commits, filter, panel, report, words } from './page';

type Filter = PageLook['filter'];

interface Props {
  readonly view: ReportView;
}

/** A section with a heading that names its table. */
function Section(props: {
  readonly id: string;
  readonly title: string;
  readonly count?: number;
  readonly children: ComponentChildren;
}) {
  return (
    <section aria-labelledby={props.id}>
      <h2 id={props.id}>
        {props.title} {props.count !== undefined && <span class="count">{props.count}</span>}
      </h2>
      {props.children}
    </section>
  );
}

function Table(props: {
  readonly labelledBy: string;
  readonly head: readonly string[];
  readonly children: ComponentChildren;
}) {
  return (
    <table aria-labelledby={props.labelledBy}>
      <thead>
        <tr>
          {props.head.map(name => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  );
}

/** A button that looks like a link; `label` says in full what it does. */
function Link(props: {
  readonly label?: string;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <button class="link" aria-label={props.label} onClick={() => props.onClick()}>
      {props.children}
    </button>
  );
}

/** Rows of a table that are drawn. */
const MOST = 500;

/** Every criterion with its score, change and rationale. */
export function Criteria({ view }: Props) {
  const rows = useComputed(() => matching(report.value, filter.value, words.value));
  useSignalEffect(() => {
    const wanted = report.value?.focus;
    if (wanted === undefined) return;
    filter.value = 'all';
    const at = report.value?.criteria.findIndex(({ id }) => id === wanted) ?? -1;
    words.value = at < MOST ? '' : wanted;
    requestAnimationFrame(() => {
      const row = document.querySelector<HTMLElement>('tr[data-wanted]');
      row?.scrollIntoView({ block: 'center' });
      row?.focus({ preventScroll: true });
    });
  });
  const shown = rows.value.slice(0, MOST);
  const compared = view.baseId !== undefined;
  const filters: readonly (readonly [Filter, string])[] = [
    ['all', l10n.t('All')],
    ['failing', l10n.t('Failing')],
    ...(compared ? ([['changed', l10n.t('Changed')]] as const) : []),
  ];
  const head = [
    l10n.t('Criterion'),
    l10n.t('Score'),
    ...(compared ? [l10n.t('Before'), l10n.t('Change')] : []),
    l10n.t('Rationale'),
    l10n.t('Fix'),
  ];
  const count = view.criteria.filter(({ change }) => change !== 'gone').length;
  return (
    <Section id="criteria" title={l10n.t('Criteria')} count={count}>
      <div class="tools">
        <label>
          {l10n.t('Show')}{' '}
          <select
            value={filter.value}
            onChange={event => (filter.value = event.currentTarget.value as Filter)}
          >
            {filters.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <input
          type="search"
          placeholder={l10n.t('Filter by text')}
          aria-label={l10n.t('Filter by text')}
          value={words.value}
          onInput={event => (words.value = event.currentTarget.value)}
        />
      </div>
      {shown.length === 0 ? (
        <p class="quiet">{l10n.t('No matching criteria.')}</p>
      ) : (
        <Table labelledBy="criteria" head={head}>
          {shown.map(row => (
            <Criterion key={row.id} row={row} compared={compared} wanted={row.id === view.focus} />
          ))}
        </Table>
      )}
      {shown.length < rows.value.length && (
        <p class="quiet">
          {l10n.t('The first {0} of {1} are shown. Filter by text to see others.', MOST, rows.value.length)}
        </p>
      )}
    </Section>
  );
}

function matching(view: ReportView | undefined, kind: Filter, text: string): readonly CriterionView[] {
  const wanted = text.trim().toLowerCase();
  return (view?.criteria ?? []).filter(row => {
    if (kind === 'failing' && (row.passes || row.change === 'gone')) return false;
    if (kind === 'changed' && (row.change === undefined || row.change === 'same')) return false;
    return wanted === '' || `${row.name}\n${row.id}\n${row.rationale}`.toLowerCase().includes(wanted);
  });
}

function Criterion(props: {
  readonly row: CriterionView;
  readonly compared: boolean;
  readonly wanted: boolean;
}) {
  const { row, compared, wanted } = props;
  const gone = row.change === 'gone';
  return (
    <tr tabIndex={wanted ? -1 : undefined} data-wanted={wanted || undefined} class={wanted ? 'wanted' : ''}>
      <th scope="row" title={row.id}>
        {row.name}
      </th>
      <td class="figure">
        {!gone && (
          <>
            <span class={row.passes ? 'good' : 'bad'}>{row.score}</span>{' '}
            <span class="quiet">{row.percent}</span>
            <span class="unseen">{row.passes ? l10n.t('passes') : l10n.t('fails')}</span>
          </>
        )}
      </td>
      {compared && <td class="figure">{row.before}</td>}
      {compared && <td class={`change ${row.change ?? ''}`}>{row.changeText}</td>}
      <td class="text rationale">
        <Markdown text={row.rationale} />
      </td>
      <td>
        {!gone && !row.passes && (
          <Link
            label={l10n.t('Fix {0}', row.name)}
            onClick={() => panel.notify('fix', { criteria: [row.id] })}
          >
            {l10n.t('Fix')}
          </Link>
        )}
      </td>
    </tr>
  );
}

/** The applications of the report. */
export function Applications({ view }: Props) {
  if (view.apps.length === 0) return null;
  return (
    <Section id="applications" title={l10n.t('Applications')} count={view.apps.length}>
      <Table labelledBy="applications" head={[l10n.t('Application'), l10n.t('Description')]}>
        {view.apps.map(({ path, label, description, local }) => (
          <tr key={path}>
            <th scope="row">
              {local ? (
                <Link
                  label={l10n.t('Show {0} in the Explorer', label)}
                  onClick={() => panel.notify('reveal', { path })}
                >
                  {label}
                </Link>
              ) : (
                label
              )}
            </th>
            <td class="text">{description}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

/** The figures of the chart as a table, the newest first. */
export function Trend({ view }: Props) {
  const { trend, reportId, baseId } = view;
  const rows = trend.slice(-MOST).reverse();
  const head = [l10n.t('Day'), l10n.t('Score'), l10n.t('Branch'), l10n.t('Commit'), l10n.t('Actions')];
  return (
    <Section id="trend" title={l10n.t('Trend')} count={trend.length}>
      <Table labelledBy="trend" head={head}>
        {rows.map(({ reportId: id, day, score, branch, commit }) => (
          <tr key={id} aria-current={id === reportId || undefined}>
            <th scope="row">{day}</th>
            <td class="figure">{score}</td>
            <td>{branch}</td>
            <td class="mono">{commit}</td>
            <td class="acts">
              {id === reportId ? (
                <span class="quiet">{l10n.t('shown')}</span>
              ) : (
                <Link
                  label={l10n.t('Open the report of {0}', day)}
                  onClick={() => panel.notify('show', { reportId: id })}
                >
                  {l10n.t('Open')}
                </Link>
              )}
              {id === baseId && <span class="quiet">{l10n.t('compared with')}</span>}
              {id !== baseId && id !== reportId && (
                <Link
                  label={l10n.t('Compare with the report of {0}', day)}
                  onClick={() => panel.notify('compare', { reportId: id })}
                >
                  {l10n.t('Compare')}
                </Link>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {rows.length < trend.length && (
        <p class="quiet">{l10n.t('The newest {0} of {1} are shown.', MOST, trend.length)}</p>
      )}
    </Section>
  );
}

/** Commits between the report and the one it is compared with, or why they are not known. */
export function Commits() {
  const found = commits.value;
  if (found === undefined) return null;
  const head = [l10n.t('Commit'), l10n.t('Subject'), l10n.t('Author'), l10n.t('Day')];
  return (
    <Section id="commits" title={l10n.t('Commits between the two reports')}>
      <p class="quiet">{found.note}</p>
      {found.commits.length > 0 && (
        <Table labelledBy="commits" head={head}>
          {found.commits.map(({ hash, subject, author, day }) => (
            <tr key={hash}>
              <td class="mono">{hash}</td>
              <td class="text">{subject}</td>
              <td>{author}</td>
              <td>{day}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
