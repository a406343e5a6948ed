import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MOST_ATTACHED, type Chip } from '../../src/chat/protocol';
import { Button, ChipIcon, IconButton, pictureOf } from './controls';
import { announce, ask, askOnce, composer, panel, remark } from './page';

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
    void askOnce(shrinkAttached(name, key)).finally(() => setBusy(false));
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
            onClick={() => void ask(panel.request('openAttachment', { key }))}
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

/** The addresses of dropped files, local and remote: all of them, where `text/uri-list` holds only the first. */
function urisOf(data: DataTransfer): readonly string[] {
  const lists = ['application/vnd.code.uri-list', 'text/uri-list'].map(type => data.getData(type));
  const list = lists.find(text => text !== '') ?? '';
  return list
    .split(/\r?\n/)
    .filter(line => line !== '' && !line.startsWith('#') && !/^(?:https?|mailto|data|blob):/i.test(line));
}

/** Whether what is dragged may hold files; its contents are not told before the drop. */
function mayHoldFiles(data: DataTransfer | null): data is DataTransfer {
  const holds = (type: string): boolean =>
    /^(?:Files|text\/uri-list|application\/vnd\.code\.uri-list)$/.test(type);
  return data?.types.some(holds) === true;
}

/** The files of a paste; none where they only picture the text beside them, as word processors and spreadsheets do. */
export function filesOf(data: DataTransfer): readonly File[] {
  const isPicturedText = data.types.includes('text/html') && data.getData('text/plain') !== '';
  return isPicturedText ? [] : [...data.files];
}

/** What is given is attached in the order it was given, also where reading the first takes longer than the next. */
let before: Promise<unknown> = Promise.resolve();

function inTurn(act: () => Promise<void>): Promise<void> {
  const done = before.then(act);
  before = done.catch(() => undefined);
  return done;
}

/** Attaches files one after another, in their order; rejects with why not, after all that could be. */
export async function attachFiles(files: readonly File[]): Promise<void> {
  const done = await Promise.allSettled(files.map(file => inTurn(() => attachFile(file))));
  const reasons = done.flatMap(each => (each.status === 'rejected' ? [(each.reason as Error).message] : []));
  if (reasons.length > 0) throw new Error([...new Set(reasons)].join(' '));
}

async function attachFile(file: File): Promise<void> {
  const limit = composer.value?.fileLimit ?? 0;
  if (file.size <= limit || !/^image\/(?!gif|svg)/.test(file.type)) return handOver(file);
  await handOver(await shrink(file, file.name, limit));
  const words = l10n.t('{0} was made smaller to fit.', file.name);
  remark.value = remark.value === undefined ? words : `${remark.value} ${words}`;
  announce(words);
}

async function shrinkAttached(name: string, key: string): Promise<void> {
  const smaller = await shrink(await pictureOf(key), name, composer.value?.fileLimit ?? 0);
  await inTurn(() => handOver(smaller, key));
}

/** The panel refuses what is too large, which is not even read. */
async function handOver(file: File, replaces?: string): Promise<void> {
  const isRead = file.size <= (composer.value?.fileLimit ?? 0);
  const bytes = isRead ? new Uint8Array(await file.arrayBuffer()) : new Uint8Array();
  const name = file.name.slice(0, 200);
  await panel.request('attachBytes', { name, size: file.size, bytes, replaces });
}

/** Longest edges tried, px. */
const EDGES = [2048, 1568, 1024, 768, 512];

/**
 * The picture made small enough: JPEG stays JPEG, everything else becomes WebP, which keeps what is transparent. Rejects when it
 * cannot be read or made small enough.
 */
async function shrink(picture: Blob, name: string, limit: number): Promise<File> {
  const bitmap = await createImageBitmap(picture).catch((): never => {
    throw new Error(
      l10n.t('{0} is too large and cannot be made smaller: it cannot be read as a picture.', name),
    );
  });
  try {
    const type = picture.type === 'image/jpeg' ? 'image/jpeg' : 'image/webp';
    for (const edge of EDGES) {
      const scale = Math.min(1, edge / Math.max(bitmap.width, bitmap.height));
      const pixels = (size: number): number => Math.max(1, Math.round(size * scale));
      const canvas = new OffscreenCanvas(pixels(bitmap.width), pixels(bitmap.height));
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      const blob = await canvas.convertToBlob({ type, quality: 0.85 });
      const ending = blob.type === 'image/jpeg' ? '.jpg' : '.webp';
      if (blob.size <= limit) return new File([blob], name.replace(/(?:\.[^.]*)?$/, ending));
    }
    throw new Error(l10n.t('This picture cannot be made small enough.'));
  } finally {
    bitmap.close();
  }
}

/** As if it were typed where the cursor is. */
export function insert(field: HTMLTextAreaElement, text: string): void {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/** Files dropped anywhere on the page are attached; `attach` waits for that. */
export function listenForDrops(
  field: HTMLTextAreaElement,
  setDragging: (dragging: boolean) => void,
  attach: (question: Promise<void>) => void,
): () => void {
  const over = (event: DragEvent): void => {
    if (!mayHoldFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    setDragging(true);
  };
  const leave = (event: DragEvent): void => {
    if (event.relatedTarget === null) setDragging(false);
  };
  const drop = (event: DragEvent): void => {
    setDragging(false);
    const { dataTransfer: data, target } = event;
    if (!mayHoldFiles(data)) return;
    // All that can be attached, and one more, of which the panel says why not.
    const uris = urisOf(data).slice(0, MOST_ATTACHED + 1);
    const files = [...data.files];
    // The field takes a link as text; beside it, the browser would go where it leads.
    if (uris.length + files.length === 0 && target === field) return;
    event.preventDefault();
    event.stopPropagation();
    field.focus();
    if (uris.length > 0) attach(inTurn(() => panel.request('attachUris', { uris })));
    else if (files.length > 0) attach(attachFiles(files));
    else insert(field, data.getData('text/plain'));
  };
  const listening = new AbortController();
  const { signal } = listening;
  document.addEventListener('dragover', over, { signal });
  document.addEventListener('dragleave', leave, { signal });
  document.addEventListener('drop', drop, { signal });
  return () => listening.abort();
}
