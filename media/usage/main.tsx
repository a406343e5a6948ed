import '../kit/boot';
import * as l10n from '@vscode/l10n';
import { render, type ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import {
  copyOf,
  csvOf,
  fileNameOf,
  isPart,
  knownOf,
  lengthOf,
  runsOf,
  shown,
  type DayRange,
  type Figure,
  type Section,
  type TableView,
  type TabReport,
} from '../../src/usage/protocol';
import { Icon, IconButton } from '../kit/controls';
import { ChartView } from './chart';
import {
  exact,
  figureText,
  short,
  words,
  asking,
  connect,
  copy,
  fetching,
  isBehind,
  openPerson,
  panel,
  query,
  report,
  save,
  situation,
  state,
} from './page';
import { Check, Head, Said, Tabs, TryAgain } from './head';
import { chartOf } from './plot';
import { SeenTable } from './table';
import './main.css';

function Dashboard() {
  const ability = situation.value?.state;
  if (ability === undefined) return null;
  if (ability.kind === 'ready') {
    return (
      <main class="usage">
        <Head />
        <Tabs />
        <div id="panel" tabIndex={-1} aria-busy={asking.value !== undefined}>
          <Body />
        </div>
        <Said />
      </main>
    );
  }
  const signedOut = ability.kind === 'signedOut';
  const title = signedOut ? l10n.t('Not signed in') : l10n.t('Analytics cannot be read');
  return (
    <main class="usage">
      <h1 class="unseen">{l10n.t('Usage')}</h1>
      <Instead icon={signedOut ? 'key' : 'lock'} title={title}>
        <p>{ability.sentence}</p>
        {signedOut ? (
          <button type="button" class="primary" onClick={() => panel.notify('signIn', {})}>
            {l10n.t('Sign in')}
          </button>
        ) : (
          <TryAgain again />
        )}
      </Instead>
      <Said />
    </main>
  );
}

interface InsteadProps {
  readonly icon: string;
  readonly title: string;
  readonly class?: string;
  readonly children?: ComponentChildren;
}

/** A quiet word in place of figures. */
function Instead({ icon, title, class: more = '', children }: InsteadProps) {
  return (
    <div class={`instead ${more}`} role="status">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** The report, also while another is on its way. */
function Body() {
  const made = report.value;
  // A name must not outlive the switch that hides it.
  const isHidden = query()?.pseudonyms === true && made?.query.pseudonyms === false;
  const isLoading = isHidden || (made === undefined && asking.value !== undefined);
  return (
    <>
      {isLoading && <Instead icon="graph" title={l10n.t('Loading')} class="late" />}
      {made && (
        <div class={isBehind.value ? 'drawing waits' : 'drawing'} hidden={isHidden}>
          <Report made={made} />
        </div>
      )}
    </>
  );
}

function Report({ made }: { readonly made: TabReport }) {
  const { figures, missing, person, query, sections } = made;
  const isEmpty = missing.length === lengthOf(query.range);
  const nothing = fetching.value ? l10n.t('Fetching') : l10n.t('No figures for these days yet');
  return (
    <>
      {query.person !== undefined && (
        <div class="line person">
          <button type="button" class="secondary" onClick={() => openPerson(undefined)}>
            <Icon name="arrow-left" />
            {l10n.t('All people')}
          </button>
          <h2>{person ?? l10n.t('One person')}</h2>
        </div>
      )}
      <Missing report={made} />
      <RangeLine report={made} />
      {isEmpty ? (
        <Instead icon="graph" title={nothing} />
      ) : (
        <>
          <Figures figures={figures} />
          {sections.map(section => (
            <SectionView key={`${query.tab} ${section.id}`} section={section} report={made} />
          ))}
        </>
      )}
    </>
  );
}

const rangeText = ({ start, end }: DayRange): string => `${words.day(start)} – ${words.day(end)}`;

/** Which days are drawn and what they are compared with or, where a person wants to compare and nothing is under way, that they are not. */
function RangeLine({
  report: { query, previousRange: before, isComparable },
}: {
  readonly report: TabReport;
}) {
  const { compare, range } = query;
  const days = lengthOf(range);
  const isMentioned = compare && fetching.value === undefined;
  return (
    <p class="quiet range-line">
      {days === 1
        ? l10n.t('{0} UTC, 1 day', words.day(range.start))
        : l10n.t('{0} UTC, {1} days', rangeText(range), words.number(days))}
      {before !== undefined && isComparable
        ? `, ${l10n.t('compared with the preceding period (same weekdays), {0} – {1}', words.day(before.start), words.day(before.end))}`
        : isMentioned &&
          `, ${l10n.t('not compared: some days of this or the preceding period have no figures')}`}
    </p>
  );
}

/** Figures that are seen at once. */
const TILES = 4;

/** The numbers at the head of a tab, each with its change since the period before. */
function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  const tiles = (of: readonly Figure[]) => (
    <dl class="figures">
      {of.map(figure => (
        <FigureView key={figure.id} figure={figure} />
      ))}
    </dl>
  );
  return (
    <>
      {tiles(figures.slice(0, TILES))}
      {figures.length > TILES && (
        <details>
          <summary>{l10n.t('More figures')}</summary>
          {tiles(figures.slice(TILES))}
        </details>
      )}
      <details>
        <summary>{l10n.t('How these figures are calculated')}</summary>
        <dl>
          {figures.map(({ id, label, explanation }) => (
            <div key={id}>
              <dt>{label}</dt>
              <dd class="quiet">{explanation}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

/** A change is neither good nor bad: what growth means is for the person to say. */
function FigureView({ figure }: { readonly figure: Figure }) {
  const { label, value, previous, unit, explanation } = figure;
  const ofDays = (known: string, of: string): string => l10n.t('{0} of {1} days', known, of);
  const full = figureText(value, number => exact(number, unit), ofDays) || l10n.t('not known');
  const known = knownOf(value);
  const change = (now: number, before: number): string => {
    if (now === before) return l10n.t('no change');
    return before === 0 ? '' : words.change(now / before - 1);
  };
  return (
    <div class="figure" title={`${full}\n${explanation}`}>
      <dt>{label}</dt>
      <dd class="value">{known === undefined ? '–' : short(known, unit)}</dd>
      {isPart(value) && <dd class="quiet">{ofDays(words.number(value.known), words.number(value.of))}</dd>}
      {known === undefined || previous === undefined ? null : (
        <dd class="change" title={exact(previous, unit)}>
          <Icon name={known > previous ? 'arrow-small-up' : known < previous ? 'arrow-small-down' : 'dash'} />
          {change(known, previous)} <span class="quiet">{l10n.t('before: {0}', short(previous, unit))}</span>
        </dd>
      )}
    </div>
  );
}

/** Days that are not there and what could not be read, why, and what can be done. While they are fetched unasked, the head says so instead. */
function Missing({ report }: { readonly report: TabReport }) {
  const { missing, problem, unread, unreadable, query } = report;
  const days = fetching.value === undefined ? missing : [];
  if (problem === undefined && unreadable === undefined && days.length === 0) return null;
  const canTry = problem !== undefined || unread > 0;
  const [count, all] = [days.length, lengthOf(query.range)];
  const one =
    all === 1 ? l10n.t('The day is missing.') : l10n.t('1 of {0} days is missing.', words.number(all));
  const several = l10n.t('{0} of {1} days are missing.', words.number(count), words.number(all));
  const spans = runsOf(days).map(run => (run.start === run.end ? words.day(run.start) : rangeText(run)));
  const unreadText = l10n.t(
    'Parts of the service’s answers could not be read and are not counted: {0}.',
    words.number(unreadable?.count ?? 0),
  );
  return (
    <div class="banner" role="status">
      <Icon name={canTry ? 'warning' : 'info'} />
      <div>
        {problem !== undefined && <p>{problem}</p>}
        {count > 0 && (
          <NoticeList sentence={count === 1 ? one : several} summary={l10n.t('Which days')} list={spans} />
        )}
        {unreadable && (
          <NoticeList sentence={unreadText} summary={l10n.t('Which parts')} list={unreadable.names} />
        )}
      </div>
      {canTry && <TryAgain again={false} />}
    </div>
  );
}

interface NoticeListProps {
  readonly sentence: string;
  readonly summary: string;
  readonly list: readonly string[];
}

function NoticeList({ sentence, summary, list }: NoticeListProps) {
  return (
    <>
      <p>{sentence}</p>
      {list.length > 0 && (
        <details>
          <summary>{summary}</summary>
          <p>{list.join(', ')}</p>
        </details>
      )}
    </>
  );
}

interface SectionProps {
  readonly section: Section;
  readonly report: TabReport;
}

/** A titled part of a tab: its chart or its table, and what can be done with it. */
function SectionView({ section, report }: SectionProps) {
  const { id, title, explanation, table } = section;
  const { markers, previousRange } = report;
  const isTable = section.chart === undefined || state.value.tables === true;
  const [view, setView] = useState<TableView>({});
  const seen = useMemo(() => shown(table, isTable ? view : {}, words), [table, isTable, view]);
  const chart = useMemo(() => chartOf(section, markers), [section, markers]);
  const asShown = (): Section => ({ ...section, table: seen });
  const headingId = `section-${id}`;
  const act = (icon: string, label: string, onClick: () => unknown) => (
    <IconButton icon={icon} title={label} label={`${label}: ${title}`} onClick={() => void onClick()} />
  );
  return (
    <section aria-labelledby={headingId}>
      <div class="line">
        <h2 id={headingId}>{title}</h2>
        <span class="last" />
        {section.isFoldable === true && (
          <Check
            of="folded"
            label={l10n.t('Merge and group names')}
            title={l10n.t('Names that differ only by letter case are merged, odd names are grouped')}
          />
        )}
        {act('copy', l10n.t('Copy this table, as shown'), () =>
          copy(copyOf(report, asShown()), seen.rows.length),
        )}
        {act('export', l10n.t('Export this table as CSV, as shown'), () =>
          save(fileNameOf(report, 'csv', id), csvOf(report, asShown())),
        )}
      </div>
      {explanation !== '' && <p class="quiet explanation">{explanation}</p>}
      {isTable ? (
        <SeenTable title={title} all={table.rows.length} seen={seen} view={view} setView={setView} />
      ) : (
        <ChartView title={title} chart={chart} previousRange={previousRange} />
      )}
    </section>
  );
}

const root = document.getElementById('root');
if (root !== null) {
  render(<Dashboard />, root);
  void connect();
}
