import { MAX_PIECE } from '../../../src/chat/protocol';
import { language } from '../format';
import { ask, panel } from '../page';
import { announce, composer, fill, note, start } from '../state';

/** From so many characters on a pasted text is long. */
export const LONG_PASTE = 5_000;

/** The addresses of dropped files, local and remote: all of them, where `text/uri-list` holds only the first. */
export function urisOf(data: DataTransfer): readonly string[] {
  const lists = ['application/vnd.code.uri-list', 'text/uri-list'].map(type => data.getData(type));
  const list = lists.find(text => text !== '') ?? '';
  return list
    .split(/\r?\n/)
    .filter(line => line !== '' && !line.startsWith('#') && !/^(?:https?|mailto|data|blob):/i.test(line));
}

/** Whether what is dragged may hold files; its contents are not told before the drop. */
export function mayHoldFiles(data: DataTransfer | null): data is DataTransfer {
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

function inTurn<T>(act: () => Promise<T>): Promise<T> {
  const done = before.then(act);
  before = done.catch(() => undefined);
  return done;
}

/** Attaches files one after another, in their order; rejects with why not, after all that could be. */
export async function attachFiles(files: readonly File[]): Promise<void> {
  const done = await Promise.allSettled(files.map(file => inTurn(() => attachFile(file))));
  const reasons = done.flatMap(each => (each.status === 'rejected' ? [wordsOf(each.reason)] : []));
  if (reasons.length > 0) throw new Error(reasons.join(' '));
}

function wordsOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

/** Most addresses told at once. */
const MOST_URIS = 500;

/** Attaches files by their addresses, in their order. */
export async function attachUris(uris: readonly string[]): Promise<void> {
  for (let from = 0; from < uris.length; from += MOST_URIS) {
    const some = uris.slice(from, from + MOST_URIS);
    await inTurn(() => panel.request('attachUris', { uris: some }));
  }
}

/** Attaches a text as a file; rejects with why not. */
export function attachText(text: string): Promise<void> {
  const name = start.value?.strings.pastedName ?? 'text';
  return attachFiles([new File([text], `${name}.txt`, { type: 'text/plain' })]);
}

/** A picture that is too large is made smaller. */
async function attachFile(file: File): Promise<void> {
  const strings = start.value?.strings;
  const limit = composer.value?.fileLimit;
  if (strings === undefined || limit === undefined) return;
  if (file.size <= limit) {
    await handOver(file.name, file);
  } else if (/^image\/(?!gif|svg)/.test(file.type)) {
    const smaller = await shrink(file, file.name, limit);
    await handOver(smaller.name, smaller.file);
    const words = fill(strings.madeSmaller, file.name);
    note.value = note.value === undefined ? words : `${note.value} ${words}`;
    announce(words);
  } else throw new Error(fill(strings.tooLarge, file.name, bytesText(file.size), bytesText(limit)));
}

/** Makes an attached picture small enough, in its place. */
export async function shrinkAttached(picture: Blob, name: string, key: string): Promise<void> {
  const smaller = await shrink(picture, name, composer.value?.fileLimit ?? 0);
  await inTurn(() => handOver(smaller.name, smaller.file, key));
}

let lastUpload = 0;

/** In pieces with buffers of their own: of a view, the whole buffer would cross. */
async function handOver(name: string, file: Blob, replaces?: string): Promise<void> {
  const whole = { upload: String(++lastUpload), name: free(name.slice(0, 200)), replaces };
  let from = 0;
  do {
    const to = Math.min(from + MAX_PIECE, file.size);
    const bytes = new Uint8Array(await file.slice(from, to).arrayBuffer());
    await panel.request('attachBytes', { ...whole, bytes, isLast: to === file.size });
    from = to;
  } while (from < file.size);
  given = { names: [...recentNames(), whole.name], shown: composer.value };
}

/** Names given since the panel last told what is attached. */
let given: { readonly names: readonly string[]; readonly shown: unknown } = { names: [], shown: undefined };

function recentNames(): readonly string[] {
  return given.shown === composer.value ? given.names : [];
}

/** A name that no attached file has; pasted pictures all have the same one. */
function free(name: string): string {
  const taken = new Set([...(composer.value?.chips.map(chip => chip.name) ?? []), ...recentNames()]);
  const [, stem = name, ending = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? [];
  let found = name || 'file';
  for (let number = 2; taken.has(found); number++) found = `${stem}-${number}${ending}`;
  return found;
}

/** Bytes in steps of 1,024, such as `180 kB`. */
function bytesText(size: number): string {
  const megabytes = size / 1024 / 1024;
  const [value, unit] = megabytes >= 1 ? [megabytes, 'megabyte'] : [size / 1024, 'kilobyte'];
  const options = { style: 'unit', unit, maximumFractionDigits: value >= 10 ? 0 : 1 } as const;
  return new Intl.NumberFormat(language(), options).format(value);
}

/** Longest edges tried, px. */
const EDGES = [2048, 1568, 1024, 768, 512];

/**
 * The picture made small enough: JPEG stays JPEG, everything else becomes WebP, which keeps what is transparent. Rejects when it
 * cannot be read or made small enough.
 */
async function shrink(picture: Blob, name: string, limit: number): Promise<{ name: string; file: Blob }> {
  const bitmap = await createImageBitmap(picture).catch((): never => {
    throw new Error(fill(start.value?.strings.notPicture ?? '', name));
  });
  try {
    const type = picture.type === 'image/jpeg' ? 'image/jpeg' : 'image/webp';
    for (const edge of EDGES) {
      const scale = Math.min(1, edge / Math.max(bitmap.width, bitmap.height));
      const [width, height] = [bitmap.width, bitmap.height].map(size =>
        Math.max(1, Math.round(size * scale)),
      );
      const canvas = new OffscreenCanvas(width ?? 1, height ?? 1);
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      const blob = await canvas.convertToBlob({ type, quality: 0.85 });
      if (blob.size > limit) continue;
      const ending = blob.type === 'image/jpeg' ? '.jpg' : '.webp';
      return { name: name.replace(/(?:\.[^.]*)?$/, ending), file: blob };
    }
    throw new Error(start.value?.strings.notShrunk);
  } finally {
    bitmap.close();
  }
}

/** As if it were typed where the cursor is. */
export function insert(field: HTMLTextAreaElement, text: string): void {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/** Files dropped anywhere on the page are attached, and letters typed where nothing takes them go to the field. */
export function listenToPage(
  field: { readonly current: HTMLTextAreaElement | null },
  setDragging: (dragging: boolean) => void,
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
    const uris = urisOf(data);
    const files = [...data.files];
    // The field takes a link as text; beside it, the browser would go where it leads.
    if (uris.length + files.length === 0 && target === field.current) return;
    event.preventDefault();
    event.stopPropagation();
    field.current?.focus();
    if (uris.length > 0) void ask(attachUris(uris));
    else if (files.length > 0) void ask(attachFiles(files));
    else if (field.current !== null) insert(field.current, data.getData('text/plain'));
  };
  const type = (event: KeyboardEvent): void => {
    const { target } = event;
    const taken = target instanceof Element && target.closest('input, textarea, select, [contenteditable]');
    if (taken || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.length === 1 && event.key !== ' ') field.current?.focus();
  };
  document.addEventListener('dragover', over);
  document.addEventListener('dragleave', leave);
  document.addEventListener('drop', drop);
  document.addEventListener('keydown', type);
  return () => {
    document.removeEventListener('dragover', over);
    document.removeEventListener('dragleave', leave);
    document.removeEventListener('drop', drop);
    document.removeEventListener('keydown', type);
  };
}
