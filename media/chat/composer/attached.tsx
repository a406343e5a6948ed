import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatStrings, Chip } from '../../../src/chat/protocol';
import { ask, panel } from '../page';
import { announce, composer, fill } from '../state';
import { ChipIcon, pictureOf } from '../transcript/picture';
import { shrinkAttached } from './given';
import { Button, IconButton } from '../controls';

interface AttachedProps {
  readonly chips: readonly Chip[];
  readonly strings: ChatStrings;
  /** After one was removed: the button that was pressed goes, and the focus must not go with it. */
  readonly onRemoved: () => void;
}

/** The attachments of the draft, each with its reason where it cannot be sent. */
export function Attached({ chips, strings, onRemoved }: AttachedProps) {
  useAnnouncements(chips, strings);
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={strings.attachments}>
      {chips.map(chip => (
        <AttachedChip key={chip.key} chip={chip} strings={strings} onRemoved={onRemoved} />
      ))}
    </ul>
  );
}

/** Says what has been attached, or why it cannot be, once each; of what was there when the page was built only the latter. */
function useAnnouncements(chips: readonly Chip[], strings: ChatStrings): void {
  const said = useRef<ReadonlyMap<string, string> | undefined>(undefined);
  useEffect(() => {
    if (composer.value === undefined) return;
    const known = chips.filter(({ kind }) => kind !== 'checking');
    const words = new Map(
      known.map(({ key, name, problem }) => [key, problem ?? fill(strings.attachedNow, name)]),
    );
    said.current ??= new Map(
      [...words].filter(([key]) => known.some(chip => chip.key === key && chip.problem === undefined)),
    );
    const fresh = [...words].filter(([key, sentence]) => said.current?.get(key) !== sentence);
    if (fresh.length > 0) announce(fresh.map(([, sentence]) => sentence).join(' '));
    said.current = words;
  }, [chips]);
}

type ChipProps = Omit<AttachedProps, 'chips'> & { readonly chip: Chip };

function AttachedChip({ chip, strings, onRemoved }: ChipProps) {
  const { key, name, size, title, problem } = chip;
  const [busy, setBusy] = useState(false);
  const makeSmaller = async (): Promise<void> => {
    const picture = await pictureOf(from => panel.request('attachedPicture', { key, from }));
    await shrinkAttached(picture, name, key);
  };
  return (
    <li class={`chip${problem === undefined ? '' : ' refused'}`} title={title}>
      <ChipIcon chip={chip} />
      {problem === undefined ? (
        <>
          <button
            type="button"
            class="chip-name"
            aria-label={fill(strings.openAttachment, name)}
            onClick={() => panel.notify('openAttachment', { key })}
          >
            {name}
          </button>
          <span class="quiet">{size}</span>
        </>
      ) : (
        <span class="chip-name">{problem}</span>
      )}
      {chip.shrinkable === true ? (
        <Button
          kind="link"
          disabled={busy}
          onClick={() => {
            setBusy(true);
            void ask(makeSmaller()).finally(() => setBusy(false));
          }}
        >
          {strings.shrink}
        </Button>
      ) : null}
      <IconButton
        icon="close"
        label={fill(strings.removeAttachment, name)}
        onClick={() => {
          panel.notify('detach', { key });
          onRemoved();
        }}
      />
    </li>
  );
}
