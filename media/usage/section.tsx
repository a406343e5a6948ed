import * as l10n from '@vscode/l10n';
import { useMemo, useState } from 'preact/hooks';
import {
  copyOf,
  csvOf,
  fileNameOf,
  shown,
  type Section,
  type TableView,
  type TabReport,
} from '../../src/usage/show/protocol';
import { ChartView } from './chart';
import { IconButton } from '../kit/controls';
import { Check, Segments } from './controls';
import { language } from './format';
import { copy, prefer, save, state } from './page';
import { chartOf } from './plot';
import { SeenTable } from './table';

interface SectionProps {
  readonly section: Section;
  readonly report: TabReport;
}

/** A titled part of a tab: its chart or its table, and what can be done with it. */
export function SectionView({ section, report }: SectionProps) {
  const { id, title, explanation, table } = section;
  const { markers, previousRange } = report;
  const isTable = section.chart === undefined || state.value.tables === true;
  const [view, setView] = useState<TableView>({});
  const seen = useMemo(() => shown(table, view, language), [table, view]);
  const chart = useMemo(() => chartOf(section, markers), [section, markers]);
  const asShown = (): Section => ({ ...section, table: seen });
  const headingId = `section-${id}`;
  return (
    <section aria-labelledby={headingId}>
      <div class="section-head">
        <h2 id={headingId}>{title}</h2>
        {section.chart === undefined ? null : (
          <Segments
            name={`shape-${id}`}
            legend={l10n.t('Show sections as')}
            choices={[
              ['chart', l10n.t('Chart')],
              ['table', l10n.t('Table')],
            ]}
            chosen={isTable ? 'table' : 'chart'}
            choose={shape => prefer({ tables: shape === 'table' })}
          />
        )}
        {section.isFoldable === true ? (
          <Check
            of="folded"
            label={l10n.t('Merge and group names')}
            title={l10n.t('Names that differ only by letter case are merged, odd names are grouped')}
          />
        ) : null}
        <div class="tools">
          <IconButton
            icon="copy"
            title={l10n.t('Copy this table, as shown')}
            label={`${l10n.t('Copy this table, as shown')}: ${title}`}
            onClick={() => void copy(copyOf(report, asShown()), seen.rows.length)}
          />
          <IconButton
            icon="export"
            title={l10n.t('Export this table as CSV, as shown')}
            label={`${l10n.t('Export this table as CSV, as shown')}: ${title}`}
            onClick={() => void save(fileNameOf(report, 'csv', id), csvOf(report, asShown()))}
          />
        </div>
      </div>
      {explanation === '' ? null : <p class="quiet explanation">{explanation}</p>}
      {isTable ? (
        <SeenTable title={title} all={table.rows.length} seen={seen} view={view} setView={setView} />
      ) : (
        <ChartView id={headingId} title={title} chart={chart} previousRange={previousRange} />
      )}
    </section>
  );
}
