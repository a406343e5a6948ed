import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chip } from '../../../src/chat/protocol';
import { Button, ChipIcon, IconButton } from '../controls';
import { announce, ask, composer, panel } from '../page';
import { shrinkAttached } from './given';

export interface OnRemoved {
  /** After one was removed: the button that was pressed goes, and the focus must not go with it. */
  readonly onRemoved: () => void;
}

/** The attachments of the draft, each with its reason where it cannot be sent. */
export function Attached({ chips, onRemoved }: { readonly chips: readonly Chip[] } & OnRemoved) {
  useAnnouncements(chips);
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={l10n.t('Attachments')}>
      {chips.map(chip => (
        <AttachedChip key={chip.key} chip={chip} onRemoved={onRemoved} />
      ))}
    </ul>
  );
}

/** Says what has been attached, or why it cannot be, once each; of what was there when the page was built only the latter. */
function useAnnouncements(chips: readonly Chip[]): void {
  const said = useRef<ReadonlyMap<string, string> | undefined>(undefined);
  useEffect(() => {
    if (composer.value === undefined) return;
    const sentences = new Map(
      chips.map(({ key, name, problem }) => [key, problem ?? l10n.t('{0} attached', name)]),
    );
    const isNew = ({ key, problem }: Chip): boolean =>
      said.current === undefined ? problem !== undefined : said.current.get(key) !== sentences.get(key);
    const fresh = chips.filter(isNew).map(({ key }) => sentences.get(key));
    if (fresh.length > 0) announce(fresh.join(' '));
    said.current = sentences;
  }, [chips]);
}

function AttachedChip({ chip, onRemoved }: { readonly chip: Chip } & OnRemoved) {
  const { key, name, size, title, problem } = chip;
  const [busy, setBusy] = useState(false);
  const makeSmaller = (): void => {
    setBusy(true);
    void ask(shrinkAttached(name, key)).finally(() => setBusy(false));
  };
  return (
    <li class={`chip bar${problem === undefined ? '' : ' refused'}`} title={title}>
      <ChipIcon chip={chip} />
      {problem === undefined ? (
        <>
          <button
            type="button"
            class="chip-name one-line"
            aria-label={l10n.t('Open {0}', name)}
            onClick={() => panel.notify('openAttachment', { key })}
          >
            {name}
          </button>
          <span class="quiet small">{size}</span>
        </>
      ) : (
        <span class="chip-name">{problem}</span>
      )}
      {chip.shrinkable === true && (
        <Button kind="link" disabled={busy} onClick={makeSmaller}>
          {l10n.t('Make smaller')}
        </Button>
      )}
      <IconButton
        icon="close"
        label={l10n.t('Remove {0}', name)}
        onClick={() => {
          void ask(panel.request('detach', { key }));
          onRemoved();
        }}
      />
    </li>
  );
}
