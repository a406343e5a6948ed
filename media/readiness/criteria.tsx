import { useComputed, useSignalEffect } from '@preact/signals';
import type { CriterionView, PageLook, ReportView } from '../../src/readiness/protocol';
import { Markdown } from './markdown';
import { criteriaShown as limit, fill, filter, panel, report, STEPS, strings, words } from './page';

const STEP = STEPS.criteria;
type Filter = PageLook['filter'];

/** Every criterion with its score, change and rationale; a long list is shown in steps. */
export function Criteria() {
  const rows = useComputed(() => matching(report.value, filter.value, words.value));
  useSignalEffect(() => {
    const wanted = report.value?.focus;
    if (wanted === undefined) return;
    filter.value = 'all';
    words.value = '';
    const at = report.value?.criteria.findIndex(({ id }) => id === wanted) ?? -1;
    limit.value = Math.max(limit.peek(), at + 1);
    requestAnimationFrame(() => {
      const row = document.querySelector<HTMLElement>('tr[data-wanted]');
      row?.scrollIntoView({ block: 'center' });
      row?.focus({ preventScroll: true });
    });
  });
  const view = report.value;
  const texts = strings.value;
  if (view === undefined || texts === undefined) return null;
  const shown = rows.value.slice(0, limit.value);
  const compared = view.baseId !== undefined;
  const filters: readonly (readonly [Filter, string])[] = [
    ['all', texts.all],
    ['failing', texts.failing],
    ...(compared ? ([['changed', texts.changed]] as const) : []),
  ];
  return (
    <section aria-labelledby="criteria">
      <h2 id="criteria">
        {texts.criteria}{' '}
        <span class="count">{view.criteria.filter(({ change }) => change !== 'gone').length}</span>
      </h2>
      <div class="tools">
        <label>
          {texts.show}{' '}
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
          placeholder={texts.filter}
          aria-label={texts.filter}
          value={words.value}
          onInput={event => (words.value = event.currentTarget.value)}
        />
      </div>
      {shown.length === 0 ? (
        <p class="quiet">{texts.none}</p>
      ) : (
        <table aria-labelledby="criteria">
          <thead>
            <tr>
              <th scope="col">{texts.criterion}</th>
              <th scope="col">{texts.score}</th>
              {compared && <th scope="col">{texts.before}</th>}
              {compared && <th scope="col">{texts.change}</th>}
              <th scope="col">{texts.rationale}</th>
              <th scope="col">{texts.fixColumn}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(row => (
              <Criterion key={row.id} row={row} compared={compared} wanted={row.id === view.focus} />
            ))}
          </tbody>
        </table>
      )}
      {rows.value.length > shown.length && (
        <button class="link" onClick={() => (limit.value += STEP)}>
          {fill(texts.more, Math.min(STEP, rows.value.length - shown.length))}
        </button>
      )}
    </section>
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
  const texts = strings.value;
  if (texts === undefined) return null;
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
            <span class="unseen">{row.passes ? texts.passing : texts.notPassing}</span>
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
          <button
            class="link"
            aria-label={fill(texts.fixOne, row.name)}
            onClick={() => panel.notify('fix', { criteria: [row.id] })}
          >
            {texts.fixColumn}
          </button>
        )}
      </td>
    </tr>
  );
}
