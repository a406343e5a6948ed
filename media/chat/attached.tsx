import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatStrings, Chip } from '../../src/chat/protocol';
import { attachBlob, shrink } from './given';
import { ask, panel } from './page';
import { pictureOf } from './picture';
import { chipIcons } from './rows';
import { announcement, composer, fill, rejected, type Rejected } from './state';

interface AttachedProps {
  readonly chips: readonly Chip[];
  readonly strings: ChatStrings;
  /** After one was removed: the button that was pressed goes, and the focus must not go with it. */
  readonly onRemoved: () => void;
}

/** The attachments of the draft, and what could not become one, each with its reason. */
export function Attached({ chips, strings, onRemoved }: AttachedProps) {
  useAnnouncements(chips, strings);
  if (chips.length + rejected.value.length === 0) return null;
  const limit = composer.value?.fileLimit ?? 0;
  const shrinkChip = async ({ key, name }: Chip): Promise<void> => {
    const smaller = await shrink(await attachedPicture(key), name, limit);
    await attachBlob(smaller.name, smaller.file, key);
  };
  const drop = (item: Rejected): void => {
    rejected.value = rejected.value.filter(other => other !== item);
    onRemoved();
  };
  const shrinkRejected = async (item: Rejected, picture: File): Promise<void> => {
    const { name, file } = await shrink(picture, item.name, limit);
    await attachBlob(name, file);
    drop(item);
  };
  return (
    <ul class="chips" aria-label={strings.attachments}>
      {chips.map(chip => (
        <AttachedChip
          key={chip.key}
          chip={chip}
          strings={strings}
          shrink={chip.shrinkable === true ? () => shrinkChip(chip) : undefined}
          remove={() => {
            panel.notify('detach', { key: chip.key });
            onRemoved();
          }}
        />
      ))}
      {rejected.value.map(item => {
        const { key, name, reason: problem, picture } = item;
        return (
          <AttachedChip
            key={`rejected:${key}`}
            chip={{ key: '', name, kind: 'unknown', size: '', title: name, problem }}
            strings={strings}
            shrink={picture && (() => shrinkRejected(item, picture))}
            remove={() => drop(item)}
          />
        );
      })}
    </ul>
  );
}

const attachedPicture = (key: string): Promise<Blob> =>
  pictureOf(from => panel.request('attachedPicture', { key, from }));

/** Says what has been attached, or why it cannot be, once each; not what was there when the page was built. */
function useAnnouncements(chips: readonly Chip[], strings: ChatStrings): void {
  const said = useRef<ReadonlyMap<string, string> | undefined>(undefined);
  useEffect(() => {
    if (composer.value === undefined) return;
    const known = chips.filter(({ kind }) => kind !== 'checking');
    const words = new Map(
      known.map(({ key, name, problem }) => [key, problem ?? fill(strings.attachedNow, name)]),
    );
    const fresh = [...words].filter(([key, sentence]) => said.current?.get(key) !== sentence);
    if (said.current !== undefined && fresh.length > 0)
      announcement.value = fresh.map(([, sentence]) => sentence).join(' ');
    said.current = words;
  }, [chips]);
}

interface ChipProps {
  readonly chip: Chip;
  readonly strings: ChatStrings;
  readonly shrink: (() => Promise<void>) | undefined;
  readonly remove: () => void;
}

function AttachedChip({ chip, strings, shrink: makeSmaller, remove }: ChipProps) {
  const { key, name, kind, size, title, problem } = chip;
  const [busy, setBusy] = useState(false);
  const removing = fill(strings.removeAttachment, name);
  return (
    <li class={`chip${problem === undefined ? '' : ' refused'}`} title={title}>
      {kind === 'image' ? (
        <Thumbnail chip={chip} />
      ) : (
        <span class={`codicon codicon-${chipIcons[kind]}`} aria-hidden="true" />
      )}
      {problem === undefined ? (
        <button
          type="button"
          class="chip-name"
          aria-label={fill(strings.openAttachment, name)}
          onClick={() => panel.notify('openAttachment', { key })}
        >
          {name}
        </button>
      ) : (
        <span class="chip-name">{problem}</span>
      )}
      {problem === undefined ? <span class="quiet">{size}</span> : null}
      {makeSmaller === undefined ? null : (
        <button
          type="button"
          class="link"
          disabled={busy}
          onClick={() => {
            setBusy(true);
            void ask(makeSmaller()).finally(() => setBusy(false));
          }}
        >
          {strings.shrink}
        </button>
      )}
      <button type="button" class="icon-button" title={removing} aria-label={removing} onClick={remove}>
        <span class="codicon codicon-close" aria-hidden="true" />
      </button>
    </li>
  );
}

/** A small picture of an attached image, its icon until that is there. */
function Thumbnail({ chip }: { readonly chip: Chip }) {
  const [address, setAddress] = useState<string | undefined>(undefined);
  useEffect(() => {
    let made: string | undefined;
    let wanted = true;
    attachedPicture(chip.key).then(
      picture => {
        if (!wanted) return;
        made = URL.createObjectURL(picture);
        setAddress(made);
      },
      () => undefined,
    );
    return () => {
      wanted = false;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [chip.key]);
  return address === undefined ? (
    <span class="codicon codicon-file-media" aria-hidden="true" />
  ) : (
    <img class="thumbnail" src={address} alt="" />
  );
}
