import * as l10n from '@vscode/l10n';
import { change, fetchDays, fetching, state } from './page';

interface SegmentsProps<T extends string> {
  readonly name: string;
  readonly legend: string;
  readonly choices: readonly (readonly [T, string])[];
  readonly chosen: T;
  readonly choose: (choice: T) => void;
}

/** One of a few. */
export function Segments<T extends string>({ name, legend, choices, chosen, choose }: SegmentsProps<T>) {
  return (
    <fieldset class="segments">
      <legend class="unseen">{legend}</legend>
      {choices.map(([choice, label]) => (
        <label key={choice}>
          <input type="radio" name={name} checked={choice === chosen} onChange={() => choose(choice)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface CheckProps {
  readonly of: 'compare' | 'pseudonyms' | 'folded';
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
