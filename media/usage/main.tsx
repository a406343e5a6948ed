import '../kit/boot';
import { render, type ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { daysIn, type MissingDays, type TabReport } from '../../src/usage/protocol';
import { Figures } from './figures';
import { shortDay, span, whole } from './format';
import { Announcement, Head, RangeLine, Tabs } from './head';
import { connect, fetchDays, keepScroll, openPerson, panel, query } from './page';
import { Quality } from './quality';
import { SectionView } from './section';
import { fetching, fill, refusal, report, situation, slow, start, state, strings } from './state';
import { watchTheme } from './theme';
import 'uplot/dist/uPlot.min.css';
import './main.css';

function Dashboard() {
  const texts = strings.value;
  const situationNow = situation.value;
  useKeptScroll();
  if (texts === undefined || situationNow === undefined) return null;
  const { state: ability } = situationNow;
  if (ability.kind !== 'ready') {
    const signedOut = ability.kind === 'signedOut';
    return (
      <main class="usage">
        <h1 class="unseen">{texts.title}</h1>
        <Instead icon={signedOut ? 'key' : 'lock'} title={signedOut ? texts.signedOut : texts.forbidden}>
          <p role="status">{ability.sentence}</p>
          {signedOut ? (
            <button type="button" class="primary" onClick={() => panel.notify('signIn', {})}>
              {texts.signIn}
            </button>
          ) : (
            <TryAgain again>{fetching.value === undefined ? texts.tryAgain : texts.fetching}</TryAgain>
          )}
        </Instead>
        <Refusal />
        <Announcement />
      </main>
    );
  }
  return (
    <main class="usage">
      <Head />
      <Tabs />
      <div
        id="panel"
        role="tabpanel"
        aria-labelledby={`tab-${state.value.tab}`}
        tabIndex={-1}
        aria-busy={slow.value}
      >
        <Refusal />
        <Body />
      </div>
      <Announcement />
    </main>
  );
}

/** The report; while another tab's is on its way for long, that it is. */
function Body() {
  const texts = strings.value;
  const shown = report.value;
  if (texts === undefined) return null;
  const { tab, person } = state.value;
  const other = shown === undefined || shown.query.tab !== tab || shown.query.person !== query()?.person;
  if (other && slow.value) return <Instead icon="graph" title={texts.loading} />;
  if (shown === undefined) return null;
  return (
    <div class={slow.value || other ? 'drawing waits' : 'drawing'}>
      {shown.query.person === undefined ? null : <Person key={person} />}
      <Missing report={shown} empty={isEmpty(shown)} />
      {isEmpty(shown) ? (
        <Empty report={shown} />
      ) : (
        <>
          <RangeLine />
          <Figures figures={shown.figures} />
          {shown.sections.map(section => (
            <SectionView
              key={`${shown.query.tab} ${section.id}`}
              section={section}
              previousRange={shown.previousRange}
            />
          ))}
          <Quality />
        </>
      )}
    </div>
  );
}

function isEmpty({ figures, sections }: TabReport): boolean {
  return (
    figures.every(({ value }) => value === undefined) &&
    sections.every(({ table }) => table.rows.length === 0)
  );
}

/** Days without figures: they are on their way, nobody knows them, or nobody did anything. */
function Empty({ report: { missing, query: asked } }: { readonly report: TabReport }) {
  const texts = strings.value;
  if (texts === undefined) return null;
  const unknown = (missing?.days.length ?? 0) >= daysIn(asked.range);
  const title = fetching.value !== undefined ? texts.fetching : unknown ? texts.nothingKnown : texts.empty;
  return (
    <Instead icon="graph" title={title}>
      <RangeLine />
      {unknown ? null : <p>{texts.emptyHint}</p>}
    </Instead>
  );
}

/** Whose days these are, and the way back to all people. */
function Person() {
  const texts = strings.value;
  const { person, pseudonyms } = state.value;
  const [name, setName] = useState<string>();
  useEffect(() => {
    const asked = query();
    let gone = false;
    if (asked !== undefined && person !== undefined) {
      void panel.request('cached', { ...asked, person: undefined }).then(
        answer => {
          const row = answer.sections.flatMap(({ table }) => table.rows).find(each => each.person === person);
          if (!gone) setName(typeof row?.cells[0] === 'string' ? row.cells[0] : undefined);
        },
        () => undefined,
      );
    }
    return () => {
      gone = true;
      // A name must not outlive the switch to pseudonyms.
      setName(undefined);
    };
  }, [person, pseudonyms]);
  if (texts === undefined) return null;
  return (
    <div class="person">
      <button type="button" class="secondary" onClick={() => openPerson(undefined)}>
        <span class="codicon codicon-arrow-left" aria-hidden="true" />
        {texts.backToPeople}
      </button>
      <h2 class="ellipsis" title={name}>
        {name ?? texts.onePerson}
      </h2>
    </div>
  );
}

interface MissingProps {
  readonly report: TabReport;
  readonly empty: boolean;
}

/** Days that are not there, why, and what can be done. While they are fetched unasked, the head says so instead. */
function Missing({ report: { missing, query: asked, fetchedAt }, empty }: MissingProps) {
  const texts = strings.value;
  if (texts === undefined || missing === undefined) return null;
  const { days, unread, problem } = missing;
  const canTry = problem !== undefined || unread > 0;
  if (problem === undefined && (days.length === 0 || fetching.value !== undefined)) return null;
  const all = Math.max(days.length, daysIn(asked.range));
  const counted =
    days.length !== 1
      ? fill(texts.missing, whole(days.length), whole(all))
      : all === 1
        ? texts.missingOnly
        : fill(texts.missingOne, whole(all));
  return (
    <div class="banner" role="status">
      <span class={`codicon codicon-${canTry ? 'warning' : 'info'}`} aria-hidden="true" />
      <div>
        {problem === undefined ? null : <p>{problem}</p>}
        <p>
          {days.length === 0 ? null : counted}{' '}
          {fetchedAt === undefined || empty ? null : (
            <span class="quiet">{fill(texts.stale, span(Math.max(0, Date.now() - fetchedAt)))}</span>
          )}
        </p>
        {days.length === 0 ? null : (
          <details>
            <summary>{texts.missingDays}</summary>
            <p class="quiet">{spansOf(missing)}</p>
          </details>
        )}
      </div>
      {canTry ? <TryAgain again={false}>{texts.tryAgain}</TryAgain> : null}
    </div>
  );
}

/** Asks again, for missing days, or `again` for all of the range; nothing while days are being fetched. */
function TryAgain({ again, children }: { readonly again: boolean; readonly children: string }) {
  const isBusy = fetching.value !== undefined;
  return (
    <button
      type="button"
      class="secondary"
      aria-disabled={isBusy}
      onClick={() => {
        if (!isBusy) void fetchDays(again);
      }}
    >
      {children}
    </button>
  );
}

/** Days that follow each other are one span. */
function spansOf({ days }: MissingDays): string {
  const spans: [string, string][] = [];
  for (const day of [...days].sort()) {
    const last = spans.at(-1);
    if (last !== undefined && Date.parse(day) - Date.parse(last[1]) <= 86_400_000) last[1] = day;
    else spans.push([day, day]);
  }
  return spans
    .map(([from, to]) => (from === to ? shortDay(from) : `${shortDay(from)} – ${shortDay(to)}`))
    .join(', ');
}

function Refusal() {
  const texts = strings.value;
  const reason = refusal.value;
  if (texts === undefined || reason === undefined) return null;
  return (
    <div class="banner" role="alert">
      <span class="codicon codicon-error" aria-hidden="true" />
      <div>{reason}</div>
      <button
        type="button"
        class="icon-button"
        title={texts.dismiss}
        aria-label={texts.dismiss}
        onClick={() => (refusal.value = undefined)}
      >
        <span class="codicon codicon-close" aria-hidden="true" />
      </button>
    </div>
  );
}

interface InsteadProps {
  readonly icon: string;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** A quiet word in place of figures. */
function Instead({ icon, title, children }: InsteadProps) {
  return (
    <div class="instead" role="status">
      <span class={`codicon codicon-${icon}`} aria-hidden="true" />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

const SCROLL_RESTS = 150;

/** Goes back to where the page was, and keeps where it is. */
function useKeptScroll(): void {
  const ready = start.value !== undefined;
  useLayoutEffect(() => {
    if (!ready) return;
    window.scrollTo(0, state.value.scroll ?? 0);
    let timer: number | undefined;
    const onScroll = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => keepScroll(Math.max(0, window.scrollY)), SCROLL_RESTS);
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener('scroll', onScroll);
    };
  }, [ready]);
}

const root = document.getElementById('root');
if (root !== null) {
  watchTheme();
  render(<Dashboard />, root);
  connect();
}
