import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import { type DayRange, type Section } from '../../src/usage/show/protocol';
import { ChartView } from './chart';
import { changeSection, copy, save } from './page';
import { sectionState } from './state';
import { TableTwin, TableView } from './table';

interface SectionProps {
  readonly section: Section;
  readonly previousRange: DayRange | undefined;
}

/** A titled part of a tab: its chart or its table, and what can be done with it. */
export function SectionView({ section, previousRange }: SectionProps) {
  const { id, title, explanation, chart, table } = section;
  const view = sectionState(id);
  const asTable = chart === undefined || view.table === true;
  const headingId = `section-${id}`;
  const shape = (isTable: boolean, label: string) => (
    <label>
      <input
        type="radio"
        name={`shape-${id}`}
        checked={asTable === isTable}
        onChange={() => changeSection({ id, table: isTable })}
      />
      <span>{label}</span>
    </label>
  );
  const tool = (icon: string, label: string, onClick: () => void) => (
    <button
      type="button"
      class="icon-button"
      title={label}
      aria-label={`${label}: ${title}`}
      onClick={onClick}
    >
      <span class={`codicon codicon-${icon}`} aria-hidden="true" />
    </button>
  );
  return (
    <section class="section" aria-labelledby={headingId}>
      <div class="section-head">
        <h2 id={headingId}>{title}</h2>
        {chart === undefined ? null : (
          <fieldset class="segments">
            <legend class="unseen">{l10n.t('Show {0} as', title)}</legend>
            {shape(false, l10n.t('Chart'))}
            {shape(true, l10n.t('Table'))}
          </fieldset>
        )}
        <div class="tools">
          {tool('copy', l10n.t('Copy this table, as shown'), () => copy(view))}
          {tool('export', l10n.t('Export this table as CSV, as shown'), () => save('csv', view))}
        </div>
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
