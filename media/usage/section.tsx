import * as l10n from '@vscode/l10n';
import { useMemo } from 'preact/hooks';
import type { Section, TabReport } from '../../src/usage/show/protocol';
import { ChartView } from './chart';
import { IconButton } from '../kit/controls';
import { Check, Segments } from './controls';
import { changeSection, copy, save, sectionState } from './page';
import { chartOf } from './plot';
import { TableView } from './table';

interface SectionProps {
  readonly section: Section;
  readonly report: Pick<TabReport, 'markers' | 'previousRange'>;
}

/** A titled part of a tab: its chart or its table, and what can be done with it. */
export function SectionView({ section, report: { markers, previousRange } }: SectionProps) {
  const { id, title, explanation, table } = section;
  const view = sectionState(id);
  const chart = useMemo(
    () => (section.chart === undefined ? undefined : chartOf(section, markers)),
    [section, markers],
  );
  const headingId = `section-${id}`;
  return (
    <section class="section" aria-labelledby={headingId}>
      <div class="section-head">
        <h2 id={headingId}>{title}</h2>
        {chart === undefined ? null : (
          <Segments
            name={`shape-${id}`}
            legend={l10n.t('Show {0} as', title)}
            choices={[
              ['chart', l10n.t('Chart')],
              ['table', l10n.t('Table')],
            ]}
            chosen={view.table === true ? 'table' : 'chart'}
            choose={shape => changeSection({ id, table: shape === 'table' })}
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
            onClick={() => copy(view)}
          />
          <IconButton
            icon="export"
            title={l10n.t('Export this table as CSV, as shown')}
            label={`${l10n.t('Export this table as CSV, as shown')}: ${title}`}
            onClick={() => save('csv', view)}
          />
        </div>
      </div>
      {explanation === '' ? null : <p class="quiet explanation">{explanation}</p>}
      {chart === undefined || view.table === true ? (
        <TableView title={title} table={table} view={view} />
      ) : (
        <ChartView id={headingId} title={title} chart={chart} previousRange={previousRange} />
      )}
    </section>
  );
}
