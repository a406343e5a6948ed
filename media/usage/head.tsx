import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import {
  fileNameOf,
  isSame,
  jsonOf,
  presets,
  tabIds,
  type DayRange,
  type Preset,
  type TabId,
} from '../../src/usage/show/protocol';
import { Icon, IconButton } from '../kit/controls';
import { Check, Segments } from './controls';
import { words } from './format';
import {
  announcement,
  change,
  fetchDays,
  fetching,
  giveUpFetch,
  query,
  report,
  save,
  situation,
  state,
} from './page';

/** The age of the figures is looked at again so often, ms. */
const CLOCK_STEP = 30_000;
/** How long a word on what was done stays, ms. */
const ANNOUNCED = 8000;

/** Organization, how far the data goes, range, switches, exports. */
export function Head() {
  const organization = report.value?.orgId;
  const title = organization === undefined ? l10n.t('Usage') : l10n.t('Usage of {0}', organization);
  return (
    <header class="head">
      <div class="head-line">
        <h1 class="ellipsis" title={organization}>
          {title}
        </h1>
        <Status />
      </div>
      <div class="head-line">
        <RangePicker />
        <Check
          of="compare"
          label={l10n.t('Compare')}
          title={l10n.t('Show the same weekdays before in charts and tables as well')}
        />
        <Check
          of="pseudonyms"
          label={l10n.t('Hide names')}
          title={l10n.t('People have made-up names that stay the same, here, in files and in what you copy')}
        />
        <div class="exports">
          <button
            type="button"
            class="secondary"
            title={l10n.t('Export this tab as JSON, all figures in full')}
            // What was asked for before may have the names that are to be hidden.
            disabled={!isSame(report.value?.query, query())}
            onClick={() => {
              const { value: shown } = report;
              if (shown !== undefined) void save(fileNameOf(shown, 'json'), jsonOf(shown));
            }}
          >
            <Icon name="export" />
            JSON
          </button>
        </div>
      </div>
    </header>
  );
}

/** How far the data goes and how old it is; while days are fetched, how far that is. Always one line high. */
function Status() {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), CLOCK_STEP);
    return () => clearInterval(timer);
  }, []);
  const running = fetching.value;
  if (running?.label !== undefined) {
    return (
      <div class="status">
        <progress max={1} value={running.fraction} aria-label={running.label} />
        <span class="quiet ellipsis">{running.label}</span>
        <button type="button" class="link" onClick={giveUpFetch}>
          {l10n.t('Cancel')}
        </button>
      </div>
    );
  }
  const { through, fetchedAt: at } = report.value ?? {};
  const age = at === undefined ? 0 : Math.max(0, now - at);
  const { start = '', end = '' } = query()?.range ?? {};
  const title = l10n.t('Fetch the days shown again ({0})', `${words.day(start)} – ${words.day(end)}`);
  return (
    <div class="status">
      <span>
        {through === undefined ? null : l10n.t('Data through {0} UTC', words.day(through))}
        {at === undefined ? null : (
          <span class="quiet" title={words.exact(at)}>
            {' · '}
            {age < 60_000 ? l10n.t('fetched just now') : l10n.t('fetched {0} ago', words.span(age))}
          </span>
        )}
      </span>
      <IconButton
        icon="refresh"
        label={`${l10n.t('Refresh')}. ${title}`}
        onClick={() => void fetchDays(true)}
      />
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
  const current = state.value.tab;
  const names: Readonly<Record<TabId, string>> = {
    tokens: l10n.t('Tokens'),
    tools: l10n.t('Tools'),
    activity: l10n.t('Activity'),
    productivity: l10n.t('Productivity'),
    people: l10n.t('People'),
  };
  useEffect(() => {
    // Only the tabs move, not the page below them.
    const tab = document.getElementById(`tab-${current}`);
    const list = tab?.parentElement;
    if (tab === null || list === null || list === undefined) return;
    const { offsetLeft: left, offsetWidth: width } = tab;
    list.scrollLeft = Math.min(left, Math.max(list.scrollLeft, left + width - list.clientWidth));
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
  return (
    <div class="tabs" role="tablist" aria-label={l10n.t('Kinds of figures')} onKeyDown={onKeyDown}>
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
          {names[tab]}
        </button>
      ))}
    </div>
  );
}

/** Presets, and two days of one's own choice within what the service has. */
function RangePicker() {
  const asked = query();
  if (asked === undefined) return null;
  const { preset } = state.value;
  const nameOf = (of: Preset): string =>
    of === 'all' ? l10n.t('All') : of === 'custom' ? l10n.t('Custom') : l10n.t('{0} days', of);
  return (
    <>
      <Segments
        name="range"
        legend={l10n.t('Range')}
        choices={presets.map(of => [of, nameOf(of)] as const)}
        chosen={preset}
        // One's own choice begins with what is shown.
        choose={of => change({ preset: of, ...(of === 'custom' ? { custom: asked.range } : {}) })}
      />
      {preset === 'custom' ? <CustomRange range={asked.range} /> : null}
    </>
  );
}

function CustomRange({ range }: { readonly range: DayRange }) {
  const bounds = situation.value?.bounds;
  const [draft, setDraft] = useState(range);
  useEffect(() => setDraft(range), [range.start, range.end]);
  if (bounds === undefined) return null;
  const limits = [words.day(bounds.start), words.day(bounds.end)] as const;
  const isInside = (day: string): boolean => day >= bounds.start && day <= bounds.end;
  const problemOf = ({ start, end }: DayRange): string | undefined =>
    !isInside(start) || !isInside(end)
      ? l10n.t('Choose days from {0} through {1}.', ...limits)
      : start > end
        ? l10n.t('The first day is after the last. Swap them or choose others.')
        : undefined;
  const problem = problemOf(draft);
  const input = (of: 'start' | 'end', label: string) => (
    <input
      type="date"
      aria-label={label}
      aria-invalid={problem !== undefined}
      aria-describedby="range-note"
      value={draft[of]}
      min={bounds.start}
      max={bounds.end}
      onChange={event => {
        const next = { ...draft, [of]: event.currentTarget.value };
        setDraft(next);
        if (problemOf(next) === undefined) change({ custom: next });
      }}
    />
  );
  return (
    <div class="custom-range">
      {input('start', l10n.t('From'))}
      <span aria-hidden="true">{l10n.t('to')}</span>
      {input('end', l10n.t('to'))}
      <span id="range-note" class={problem === undefined ? 'quiet' : 'problem'} role="status">
        {problem ?? l10n.t('Days are UTC, from {0} through {1}.', ...limits)}
      </span>
    </div>
  );
}
