import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import {
  fileNameOf,
  jsonOf,
  presets,
  tabIds,
  type DayRange,
  type Preset,
  type TabId,
} from '../../src/usage/protocol';
import { Icon, IconButton } from '../kit/controls';
import {
  words,
  change,
  fetchDays,
  fetching,
  giveUpFetch,
  isBehind,
  query,
  report,
  said,
  save,
  say,
  situation,
  state,
} from './page';

/** How long a word on what was done stays, ms. */
const SAID_MS = 8000;

/** Organization, how far the data goes, range, switches, exports. */
export function Head() {
  const { value: shown } = report;
  const asked = query();
  const title = shown?.orgId === undefined ? l10n.t('Usage') : l10n.t('Usage of {0}', shown.orgId);
  return (
    <header class="head">
      <div class="line">
        <h1>{title}</h1>
        <Status />
      </div>
      <div class="line">
        {asked && <RangePicker range={asked.range} />}
        <Check
          of="compare"
          label={l10n.t('Compare')}
          title={l10n.t('Also show the preceding period (same weekdays)')}
        />
        <Check of="tables" label={l10n.t('Tables')} title={l10n.t('Show a table in place of each chart')} />
        <Check
          of="pseudonyms"
          label={l10n.t('Hide names')}
          title={l10n.t("Replace people's names with consistent pseudonyms here, in exports and in copies")}
        />
        <button
          type="button"
          class="secondary last"
          title={l10n.t('Export this tab as JSON, all figures in full')}
          // What was asked for before may have the names that are to be hidden.
          disabled={shown === undefined || isBehind.value}
          onClick={() => shown && void save(fileNameOf(shown, 'json'), jsonOf(shown))}
        >
          <Icon name="export" />
          JSON
        </button>
      </div>
    </header>
  );
}

/** How far the data goes and when it was fetched; while days are fetched, how far that is. */
function Status() {
  const running = fetching.value;
  const { through, fetchedAt: at } = report.value ?? {};
  const { start = '', end = '' } = query()?.range ?? {};
  const title = l10n.t('Fetch the days shown again ({0})', `${words.day(start)} – ${words.day(end)}`);
  return (
    <div class="line last status">
      {running && (
        <span class="line late">
          <progress aria-label={running} />
          <span class="quiet">{running}</span>
          <button type="button" class="link" onClick={giveUpFetch}>
            {l10n.t('Cancel')}
          </button>
        </span>
      )}
      <span>{through && l10n.t('Data through {0} UTC', words.day(through))}</span>
      {at !== undefined && (
        <span class="quiet" title={words.exact(at)}>
          {l10n.t('fetched {0}', words.date({ dateStyle: 'medium', timeStyle: 'short' }, at))}
        </span>
      )}
      <IconButton
        icon="refresh"
        label={`${l10n.t('Refresh')}. ${title}`}
        onClick={() => void fetchDays(true)}
      />
    </div>
  );
}

interface CheckProps {
  readonly of: 'compare' | 'pseudonyms' | 'folded' | 'tables';
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

/** Asks again, for missing days, or `again` for all of the range; nothing while days are being fetched. */
export function TryAgain({ again }: { readonly again: boolean }) {
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
      {isBusy ? l10n.t('Fetching') : l10n.t('Try again')}
    </button>
  );
}

/** What the last act did, said and seen for a while; a problem until it is dismissed. */
export function Said() {
  const { text, isProblem = false } = said.value;
  useEffect(() => {
    if (text === '' || isProblem) return;
    const timer = setTimeout(() => say(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said.value]);
  return (
    <div class="said" role="status">
      {text}
      {isProblem && <IconButton icon="close" label={l10n.t('Dismiss')} onClick={() => say('')} />}
    </div>
  );
}

/** The five kinds of figures. */
export function Tabs() {
  const names: Readonly<Record<TabId, string>> = {
    tokens: l10n.t('Tokens'),
    tools: l10n.t('Tools'),
    activity: l10n.t('Activity'),
    productivity: l10n.t('Productivity'),
    people: l10n.t('People'),
  };
  return (
    <nav class="tabs" aria-label={l10n.t('Kinds of figures')}>
      {tabIds.map(tab => (
        <button
          key={tab}
          type="button"
          aria-current={tab === state.value.tab ? 'page' : undefined}
          onClick={() => change({ tab, person: undefined })}
        >
          {names[tab]}
        </button>
      ))}
    </nav>
  );
}

/** Presets, and two days of one's own choice within what the service has. */
function RangePicker({ range }: { readonly range: DayRange }) {
  const { preset } = state.value;
  const names = { all: l10n.t('All'), custom: l10n.t('Custom') };
  return (
    <>
      <select
        aria-label={l10n.t('Range')}
        value={preset}
        // One's own choice begins with what is shown.
        onChange={({ currentTarget }) => change({ preset: currentTarget.value as Preset, custom: range })}
      >
        {presets.map(of => (
          <option key={of} value={of}>
            {of === 'all' || of === 'custom' ? names[of] : l10n.t('{0} days', of)}
          </option>
        ))}
      </select>
      {preset === 'custom' && <CustomRange range={range} />}
    </>
  );
}

/** Days that may not be chosen ask for nothing; why is said beside them, for a bubble of the browser would end the typing. */
function CustomRange({ range }: { readonly range: DayRange }) {
  const [typed, setTyped] = useState(range);
  const [problems, setProblems] = useState({ start: '', end: '' });
  const { start: min, end: max } = situation.value?.bounds ?? range;
  const note = l10n.t('Days are UTC, from {0} through {1}.', words.day(min), words.day(max));
  const order = typed.start > typed.end ? l10n.t('The range ends before it begins.') : '';
  const input = (of: 'start' | 'end', label: string) => (
    <input
      type="date"
      aria-label={label}
      aria-describedby="range-note"
      defaultValue={range[of]}
      {...{ min, max }}
      required
      onChange={({ currentTarget: { validationMessage, value } }) => {
        const days = { ...typed, [of]: value };
        const found = { ...problems, [of]: validationMessage };
        setTyped(days);
        setProblems(found);
        if (found.start + found.end === '' && days.start <= days.end) change({ custom: days });
      }}
    />
  );
  return (
    <>
      {input('start', l10n.t('From'))}
      <span aria-hidden="true">{l10n.t('to')}</span>
      {input('end', l10n.t('to'))}
      <span id="range-note" class="quiet" role="status">
        {problems.start || problems.end || order || note}
      </span>
    </>
  );
}
