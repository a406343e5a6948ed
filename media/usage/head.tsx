import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { daysIn, tabIds, type DashboardStrings, type TabId, type TabReport } from '../../src/usage/protocol';
import { exactTime, rangeText, shortDay, span, whole } from './format';
import { act, change, fetchDays, giveUpFetch, panel, query } from './page';
import { RangePicker } from './range';
import { announcement, fetching, fetchingText, fill, report, situation, state, strings } from './state';

/** Moves on while the page is seen, so that ages stay true. */
const clock = signal(Date.now());
const CLOCK_STEP = 30_000;
/** How long a word on what was done stays, ms. */
const ANNOUNCED = 8000;

/** Organization, how far the data goes, range, switches, exports. */
export function Head() {
  const texts = strings.value;
  if (texts === undefined) return null;
  const shown = report.value;
  const organization = shown?.orgId;
  return (
    <header class="head">
      <div class="head-line">
        <h1 title={organization}>
          {organization === undefined ? texts.title : fill(texts.titleOf, organization)}
        </h1>
        <Status />
      </div>
      <div class="head-line">
        <RangePicker />
        <Check of="compare" label={texts.compare} title={texts.compareTitle} />
        <Check of="pseudonyms" label={texts.pseudonyms} title={texts.pseudonymsTitle} />
        <Exports />
      </div>
    </header>
  );
}

/** How far the data goes and how old it is; while days are fetched, how far that is. Always one line high. */
function Status() {
  const texts = strings.value;
  const shown = report.value;
  const running = fetching.value;
  useEffect(() => {
    const timer = setInterval(() => (clock.value = Date.now()), CLOCK_STEP);
    return () => clearInterval(timer);
  }, []);
  if (texts === undefined) return null;
  const label = fetchingText.value;
  if (running !== undefined && label !== undefined) {
    return (
      <div class="status">
        <progress max={1} value={running.fraction} aria-label={label} />
        <span class="quiet ellipsis">{label}</span>
        <button type="button" class="link" onClick={giveUpFetch}>
          {texts.cancel}
        </button>
      </div>
    );
  }
  const at = shown?.fetchedAt;
  const age = at === undefined ? undefined : Math.max(0, Math.max(clock.value, Date.now()) - at);
  const asked = query();
  const days = asked === undefined ? '' : rangeText(asked.range).join(' – ');
  const title = fill(texts.refreshTitle, days);
  return (
    <div class="status">
      <span>
        {shown?.through === undefined ? null : fill(texts.through, shortDay(shown.through))}
        {age === undefined || at === undefined ? null : (
          <span class="quiet" title={exactTime(at)}>
            {' · '}
            {age < 60_000 ? texts.fetchedNow : fill(texts.fetched, span(age))}
          </span>
        )}
      </span>
      <button
        type="button"
        class="icon-button"
        title={title}
        aria-label={`${texts.refresh}. ${title}`}
        onClick={() => void fetchDays(true)}
      >
        <span class="codicon codicon-refresh" aria-hidden="true" />
      </button>
    </div>
  );
}

interface CheckProps {
  readonly of: 'compare' | 'pseudonyms' | 'exportPseudonyms' | 'folded';
  readonly label: string;
  readonly title: string;
}

/** A switch of the page's state. */
export function Check({ of, label, title }: CheckProps) {
  return (
    <label class="check" title={title}>
      <input
        type="checkbox"
        checked={state.value[of]}
        onChange={event => change({ [of]: event.currentTarget.checked })}
      />
      {label}
    </label>
  );
}

function Exports() {
  const texts = strings.value;
  if (texts === undefined) return null;
  const save = (format: 'csv' | 'json'): void => {
    const asked = query();
    if (asked === undefined) return;
    const pseudonyms = state.value.exportPseudonyms;
    void act(panel.request('save', { query: asked, format, pseudonyms }), name =>
      name === null ? undefined : fill(texts.saved, name),
    );
  };
  return (
    <div class="exports" role="group" aria-label={texts.exporting}>
      <Check of="exportPseudonyms" label={texts.exportPseudonyms} title={texts.exportPseudonymsTitle} />
      <button type="button" class="secondary" title={texts.exportCsv} onClick={() => save('csv')}>
        <span class="codicon codicon-export" aria-hidden="true" />
        CSV
      </button>
      <button type="button" class="secondary" title={texts.exportJson} onClick={() => save('json')}>
        <span class="codicon codicon-export" aria-hidden="true" />
        JSON
      </button>
    </div>
  );
}

/** What the last act did; said, and seen for a while. */
export function Announcement() {
  const text = announcement.value;
  useEffect(() => {
    if (text === '') return;
    const timer = setTimeout(() => (announcement.value = ''), ANNOUNCED);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="announced" role="status">
      {text}
    </div>
  );
}

/** The five kinds of figures. */
export function Tabs() {
  const texts = strings.value;
  const current = state.value.tab;
  useEffect(() => {
    const tab = document.getElementById(`tab-${current}`);
    const list = tab?.parentElement;
    if (tab === null || list === null || list === undefined) return;
    const { offsetLeft: left, offsetWidth: width } = tab;
    if (left < list.scrollLeft) list.scrollLeft = left;
    else if (left + width > list.scrollLeft + list.clientWidth)
      list.scrollLeft = left + width - list.clientWidth;
  }, [current]);
  const choose = (tab: TabId): void => change({ tab, person: undefined });
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabIds.indexOf(current);
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: tabIds.length - 1,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabIds[(step + tabIds.length) % tabIds.length] ?? current;
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  if (texts === undefined) return null;
  return (
    <div class="tabs" role="tablist" aria-label={texts.views} onKeyDown={onKeyDown}>
      {tabIds.map(tab => (
        <button
          key={tab}
          id={`tab-${tab}`}
          type="button"
          role="tab"
          aria-selected={tab === current}
          aria-controls="panel"
          tabIndex={tab === current ? 0 : -1}
          onClick={() => choose(tab)}
        >
          {texts.tabs[tab]}
        </button>
      ))}
    </div>
  );
}

/** Which days are drawn, and what they are compared with. */
export function RangeLine() {
  const texts = strings.value;
  const shown = report.value;
  if (texts === undefined || shown === undefined) return null;
  const { range } = shown.query;
  const days = daysIn(range);
  const [from, to] = rangeText(range);
  return (
    <p class="quiet range-line">
      {days === 1 ? fill(texts.rangeShownOne, from) : fill(texts.rangeShown, from, to, whole(days))}
      {shown.query.compare ? `, ${comparison(texts, shown)}` : null}
      {shown.notes.length === 0 ? null : (
        <>
          {' · '}
          <button type="button" class="link" onClick={goToQuality}>
            {shown.notes.length === 1
              ? texts.qualityNote
              : fill(texts.qualityNotes, whole(shown.notes.length))}
          </button>
        </>
      )}
    </p>
  );
}

/** What the range is compared with, or why it is not. While days are fetched nothing is said of those that are not there. */
function comparison(
  texts: DashboardStrings,
  { previousRange: before, unfinished }: Pick<TabReport, 'previousRange' | 'unfinished'>,
): string {
  const first = situation.value?.bounds.start ?? '';
  if (before === undefined) return fill(texts.nothingBefore, shortDay(first));
  if (before.start < first) return fill(texts.comparedWithPart, ...rangeText(before), shortDay(first));
  const sentence = {
    range: texts.rangeUnfinished,
    before: texts.beforeUnfinished,
    none: texts.comparedWith,
  }[fetching.value === undefined ? (unfinished ?? 'none') : 'none'];
  return fill(sentence, ...rangeText(before));
}

function goToQuality(): void {
  const heading = document.getElementById('quality');
  heading?.scrollIntoView({ block: 'start' });
  heading?.focus({ preventScroll: true });
}
