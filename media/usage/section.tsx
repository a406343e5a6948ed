import { useEffect, useState } from 'preact/hooks';
import { type DayRange, type Section, type SectionState } from '../../src/usage/protocol';
import { ChartView } from './chart';
import { whole } from './format';
import { act, changeSection, panel, query } from './page';
import { fill, sectionState, state, strings } from './state';
import { TableTwin, TableView } from './table';

interface SectionProps {
  readonly section: Section;
  readonly previousRange: DayRange | undefined;
}

/** A titled part of a tab: its chart or its table, and what can be done with it. */
export function SectionView({ section, previousRange }: SectionProps) {
  const texts = strings.value;
  if (texts === undefined) return null;
  const { id, title, explanation, chart, table } = section;
  const view = sectionState(id);
  const asTable = chart === undefined || view.table === true;
  const headingId = `section-${id}`;
  return (
    <section class="section" aria-labelledby={headingId}>
      <div class="section-head">
        <h2 id={headingId}>{title}</h2>
        {chart === undefined ? null : <Shapes id={id} title={title} asTable={asTable} />}
        <Tools id={id} title={title} view={view} />
      </div>
      {explanation === '' ? null : <p class="quiet explanation">{explanation}</p>}
      {asTable ? (
        <TableView title={title} table={table} view={view} />
      ) : (
        <>
          <ChartView id={headingId} title={title} chart={chart} previousRange={previousRange} />
          <LaterTwin title={title} table={table} />
        </>
      )}
    </section>
  );
}

/** The table behind a chart comes when the page is at rest: the first frame need not wait for it. */
function LaterTwin({ title, table }: Pick<Section, 'title' | 'table'>) {
  const [rested, setRested] = useState(false);
  useEffect(() => {
    const handle = requestIdleCallback(() => setRested(true));
    return () => cancelIdleCallback(handle);
  }, []);
  return rested ? <TableTwin title={title} table={table} /> : null;
}

function Shapes({
  id,
  title,
  asTable,
}: {
  readonly id: string;
  readonly title: string;
  readonly asTable: boolean;
}) {
  const texts = strings.value;
  if (texts === undefined) return null;
  return (
    <fieldset class="segments">
      <legend class="unseen">
        {texts.showAs}: {title}
      </legend>
      {([false, true] as const).map(table => (
        <label key={String(table)}>
          <input
            type="radio"
            name={`shape-${id}`}
            checked={asTable === table}
            onChange={() => changeSection({ id, table })}
          />
          <span>{table ? texts.table : texts.chart}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Tools({
  id,
  title,
  view,
}: {
  readonly id: string;
  readonly title: string;
  readonly view: SectionState;
}) {
  const texts = strings.value;
  if (texts === undefined) return null;
  const { search, sort, columns } = view;
  const section = { id, view: { search, sort, columns } };
  const pseudonyms = state.value.exportPseudonyms;
  const hint = pseudonyms ? ` (${texts.pseudonyms})` : '';
  const copy = (): void => {
    const asked = query();
    if (asked === undefined) return;
    void act(panel.request('copy', { query: asked, pseudonyms, section }), rows =>
      rows === 1 ? texts.copiedOne : fill(texts.copied, whole(rows)),
    );
  };
  const save = (): void => {
    const asked = query();
    if (asked === undefined) return;
    void act(panel.request('save', { query: asked, pseudonyms, section, format: 'csv' }), name =>
      name === null ? undefined : fill(texts.saved, name),
    );
  };
  return (
    <div class="tools">
      <button
        type="button"
        class="icon-button"
        title={`${texts.copyTable}${hint}`}
        aria-label={`${texts.copyTable}: ${title}${hint}`}
        onClick={copy}
      >
        <span class="codicon codicon-copy" aria-hidden="true" />
      </button>
      <button
        type="button"
        class="icon-button"
        title={`${texts.exportSection}${hint}`}
        aria-label={`${texts.exportSection}: ${title}${hint}`}
        onClick={save}
      >
        <span class="codicon codicon-export" aria-hidden="true" />
      </button>
    </div>
  );
}
