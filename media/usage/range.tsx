import { useEffect, useState } from 'preact/hooks';
import { presets, type DayRange, type Preset } from '../../src/usage/protocol';
import { shortDay } from './format';
import { change, query } from './page';
import { fill, situation, state, strings } from './state';

/** Presets, and two days of one's own choice within what the service has. */
export function RangePicker() {
  const texts = strings.value;
  const asked = query();
  if (texts === undefined || asked === undefined) return null;
  const { preset } = state.value;
  const name = (of: Preset): string =>
    of === 'all' ? texts.all : of === 'custom' ? texts.custom : fill(texts.lastDays, of);
  const choose = (of: Preset): void => {
    // One's own choice begins with what is shown.
    change(of === 'custom' ? { preset: of, custom: asked.range } : { preset: of });
  };
  return (
    <>
      <fieldset class="segments">
        <legend class="unseen">{texts.range}</legend>
        {presets.map(of => (
          <label key={of}>
            <input type="radio" name="range" checked={preset === of} onChange={() => choose(of)} />
            <span>{name(of)}</span>
          </label>
        ))}
      </fieldset>
      {preset === 'custom' ? <CustomRange range={asked.range} /> : null}
    </>
  );
}

function CustomRange({ range }: { readonly range: DayRange }) {
  const texts = strings.value;
  const bounds = situation.value?.bounds;
  const [draft, setDraft] = useState(range);
  useEffect(() => setDraft(range), [range.start, range.end]);
  if (texts === undefined || bounds === undefined) return null;
  const { start, end } = draft;
  const limits = [shortDay(bounds.start), shortDay(bounds.end)] as const;
  const inside = [start, end].every(day => day >= bounds.start && day <= bounds.end);
  const problem = !inside ? fill(texts.outside, ...limits) : start > end ? texts.wrongOrder : undefined;
  const set = (changed: Partial<DayRange>): void => {
    const next = { ...draft, ...changed };
    setDraft(next);
    const legal = next.start >= bounds.start && next.end <= bounds.end && next.start <= next.end;
    if (legal) change({ custom: next });
  };
  const input = (of: 'start' | 'end', label: string) => (
    <input
      type="date"
      aria-label={label}
      aria-invalid={problem !== undefined}
      aria-describedby="range-note"
      value={draft[of]}
      min={bounds.start}
      max={bounds.end}
      onChange={event => set({ [of]: event.currentTarget.value })}
    />
  );
  return (
    <div class="custom-range">
      {input('start', texts.from)}
      <span aria-hidden="true">{texts.to}</span>
      {input('end', texts.to)}
      <span id="range-note" class={problem === undefined ? 'quiet' : 'problem'} role="status">
        {problem ?? fill(texts.utc, ...limits)}
      </span>
    </div>
  );
}
