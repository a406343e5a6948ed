import * as l10n from '@vscode/l10n';
import { useMemo } from 'preact/hooks';
import type { Cell, Column, Table, TableView } from '../../src/usage/protocol';
import { Icon } from '../kit/controls';
import { cellText, openPerson, words } from './page';

/** So many rows are drawn; more nobody reads. */
const MOST = 500;
/** A table with fewer rows needs no search. */
const SEARCHED = 8;

interface TableProps {
  readonly title: string;
  /** How many rows there are; `seen` holds those that `view` shows. */
  readonly all: number;
  readonly seen: Table;
  readonly view: TableView;
  readonly setView: (view: TableView) => void;
}

/** A table to work with: search and sort. */
export function SeenTable({ title, all, seen, view, setView }: TableProps) {
  const drawn = useMemo(
    () => <Rows title={title} seen={{ ...seen, rows: seen.rows.slice(0, MOST) }} {...{ view, setView }} />,
    [title, seen, view],
  );
  const { length: count } = seen.rows;
  const counted =
    count < all
      ? l10n.t('{0} of {1} rows', words.number(count), words.number(all))
      : all === 1
        ? l10n.t('1 row')
        : l10n.t('{0} rows', words.number(all));
  return (
    <>
      <div class="line">
        {all < SEARCHED && view.search === undefined ? null : (
          <input
            type="search"
            value={view.search ?? ''}
            placeholder={l10n.t('Search')}
            aria-label={l10n.t('Search in {0}', title)}
            maxLength={200}
            onInput={event => setView({ ...view, search: event.currentTarget.value })}
          />
        )}
        <span class="quiet" role="status">
          {counted}{' '}
          {count > MOST &&
            l10n.t('The first {0} rows are shown. Search, or export, for the rest.', words.number(MOST))}
        </span>
      </div>
      {count === 0 ? (
        <p class="quiet">
          {all === 0 ? l10n.t('No rows.') : l10n.t('No row matches "{0}".', view.search ?? '')}
        </p>
      ) : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label={l10n.t('Table: {0}', title)}>
          {drawn}
        </div>
      )}
    </>
  );
}

function Rows({ title, seen: { columns, rows, total }, view, setView }: Omit<TableProps, 'all'>) {
  const inRow = (cells: readonly Cell[], person?: string) =>
    columns.map(({ id, kind }, at) => {
      const cell = cells[at] ?? null;
      const text = cellText(cell, kind);
      const title = typeof cell === 'string' ? text : undefined;
      return at === 0 ? (
        <th key={id} scope="row" class={classOf(kind)} title={title}>
          {person === undefined ? (
            text
          ) : (
            <button
              type="button"
              class="link"
              title={l10n.t('Show the days of {0}', text)}
              onClick={() => openPerson(person)}
            >
              {text}
            </button>
          )}
        </th>
      ) : (
        <td key={id} class={classOf(kind)} title={title}>
          {text}
        </td>
      );
    });
  return (
    <table>
      <caption class="unseen">{l10n.t('Table: {0}', title)}</caption>
      <thead>
        <tr>
          {columns.map(column => (
            <Heading key={column.id} {...{ column, view, setView }} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.id}>{inRow(row.cells, row.person)}</tr>
        ))}
      </tbody>
      {total && (
        <tfoot>
          <tr>{inRow(total)}</tr>
        </tfoot>
      )}
    </table>
  );
}

interface HeadingProps extends Pick<TableProps, 'view' | 'setView'> {
  readonly column: Column;
}

function Heading({ column: { id, label, kind }, view, setView }: HeadingProps) {
  const sort = view.sort?.column === id ? view.sort : undefined;
  const direction = sort === undefined ? 'none' : sort.descending ? 'descending' : 'ascending';
  // Numbers are asked for from the highest, names from A; the third time as they came.
  const down = kind !== 'text';
  const descending = sort === undefined ? down : !down;
  const isOver = sort?.descending === !down;
  return (
    <th scope="col" class={classOf(kind)} aria-sort={direction}>
      <button
        type="button"
        title={label}
        onClick={() => setView({ ...view, sort: isOver ? undefined : { column: id, descending } })}
      >
        {label}
        {sort && <Icon name={sort.descending ? 'arrow-small-down' : 'arrow-small-up'} />}
      </button>
    </th>
  );
}

function classOf(kind: Column['kind']): string {
  return kind === 'text' || kind === 'day' ? kind : 'number';
}
