import * as l10n from '@vscode/l10n';
import { useMemo } from 'preact/hooks';
import type { Column, Row, Table, TableView } from '../../src/usage/show/protocol';
import { Icon } from '../kit/controls';
import { cellText, words } from './format';
import { openPerson } from './page';

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
    count === all
      ? all === 1
        ? l10n.t('1 row')
        : l10n.t('{0} rows', words.number(all))
      : l10n.t('{0} of {1} rows', words.number(count), words.number(all));
  return (
    <div class="table">
      <div class="table-tools">
        {all < SEARCHED && !view.search ? null : (
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
          {counted}
        </span>
      </div>
      {count === 0 ? (
        <p class="quiet no-rows">
          {all === 0 ? l10n.t('No rows.') : l10n.t('No row matches "{0}".', view.search ?? '')}
        </p>
      ) : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label={l10n.t('Table: {0}', title)}>
          {drawn}
        </div>
      )}
      {count <= MOST ? null : (
        <p class="quiet">
          {l10n.t('The first {0} rows are shown. Search, or export, for the rest.', words.number(MOST))}
        </p>
      )}
    </div>
  );
}

type RowsProps = Omit<TableProps, 'all'>;

function Rows({ title, seen: { columns, rows, total }, view, setView }: RowsProps) {
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
          <tr key={row.id}>
            {columns.map((column, at) => (
              <Cell key={column.id} column={column} at={at} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
      {total === undefined ? null : (
        <tfoot>
          <tr>
            {columns.map(({ id, kind }, place) => {
              const cell = total[place] ?? null;
              return place === 0 ? (
                <th key={id} scope="row">
                  {typeof cell === 'string' && cell !== '' ? cell : l10n.t('Total')}
                </th>
              ) : (
                <td key={id} class={classOf(kind)}>
                  {cellText(cell, kind)}
                </td>
              );
            })}
          </tr>
        </tfoot>
      )}
    </table>
  );
}

interface HeadingProps extends Pick<TableProps, 'view' | 'setView'> {
  readonly column: Column;
}

function Heading({ column, view, setView }: HeadingProps) {
  const { id, label, kind } = column;
  const sort = view.sort?.column === id ? view.sort : undefined;
  const direction = sort === undefined ? 'none' : sort.descending ? 'descending' : 'ascending';
  // Numbers are asked for from the highest, names from A.
  const down = kind !== 'text';
  const next =
    sort === undefined
      ? { column: id, descending: down }
      : sort.descending === down
        ? { column: id, descending: !down }
        : undefined;
  return (
    <th scope="col" class={classOf(kind)} aria-sort={direction}>
      <button type="button" title={label} onClick={() => setView({ ...view, sort: next })}>
        <span class="label">{label}</span>
        <Icon name={sort === undefined ? 'none' : sort.descending ? 'arrow-small-down' : 'arrow-small-up'} />
      </button>
    </th>
  );
}

interface CellProps {
  readonly column: Column;
  /** Its place. */
  readonly at: number;
  readonly row: Row;
}

function Cell({ column: { kind }, at, row }: CellProps) {
  const value = row.cells[at] ?? null;
  const text = cellText(value, kind);
  const title = typeof value === 'string' ? text : undefined;
  if (at !== 0) {
    return (
      <td class={classOf(kind)} title={title}>
        {text}
      </td>
    );
  }
  const { person } = row;
  return (
    <th scope="row" class={classOf(kind)} title={title}>
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
  );
}

function classOf(kind: Column['kind']): string {
  return kind === 'text' || kind === 'day' ? kind : 'number';
}
