import { MAX_PIECE } from '../../src/chat/protocol';
import { language } from './format';
import { panel } from './page';
import { isShrinkable } from './shrinkable';
import { announcement, composer, fill, rejected, start } from './state';

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
export function mayHoldFiles(data: DataTransfer | null): boolean {
  return (
    data?.types.some(type => /^(?:Files|text\/uri-list|application\/vnd\.code\.uri-list)$/.test(type)) ===
    true
  );
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

/** Attaches files one after another, in their order. Each is attached, or a chip says why not. */
export async function attachFiles(files: readonly File[]): Promise<void> {
  await Promise.all(files.map(file => inTurn(() => attachFile(file))));
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

/** Attaches a text as a file; resolves to whether it is attached. A chip says why not. */
export function attachText(text: string): Promise<boolean> {
  const name = start.value?.strings.pastedName ?? 'text';
  return inTurn(() => attachFile(new File([text], `${name}.txt`, { type: 'text/plain' })));
}

async function attachFile(file: File): Promise<boolean> {
  const strings = start.value?.strings;
  const limit = composer.value?.fileLimit;
  if (strings === undefined || limit === undefined) return false;
  try {
    if (file.size > limit) {
      const reason = fill(strings.tooLarge, file.name, bytesText(file.size), bytesText(limit));
      reject(file.name, reason, (await isShrinkable(file)) ? file : undefined);
      return false;
    }
    await handOver(file.name, file);
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    reject(file.name, fill(strings.notAttached, file.name, why));
    return false;
  }
}

/** Attaches a file; with `replaces`, in the place of that attachment. */
export function attachBlob(name: string, file: Blob, replaces?: string): Promise<void> {
  return inTurn(() => handOver(name, file, replaces));
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
  given = {
    names: [...(given.shown === composer.value ? given.names : []), whole.name],
    shown: composer.value,
  };
}

/** Names given since the panel last told what is attached. */
let given: { readonly names: readonly string[]; readonly shown: unknown } = { names: [], shown: undefined };

let lastRejected = 0;

function reject(name: string, reason: string, picture?: File): void {
  const key = String(++lastRejected);
  rejected.value = [...rejected.value, { key, name, reason, ...(picture === undefined ? {} : { picture }) }];
  announcement.value = reason;
}

/** A name that no attached file has; pasted pictures all have the same one. */
function free(name: string): string {
  const recent = given.shown === composer.value ? given.names : [];
  const taken = new Set([...(composer.value?.chips.map(chip => chip.name) ?? []), ...recent]);
  const [, stem = name, ending = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? [];
  let number = 1;
  while (taken.has(number === 1 ? name : `${stem}-${number}${ending}`)) number++;
  return number === 1 ? name || 'file' : `${stem}-${number}${ending}`;
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
export async function shrink(
  picture: Blob,
  name: string,
  limit: number,
): Promise<{ readonly name: string; readonly file: Blob }> {
  const bitmap = await createImageBitmap(picture);
  try {
    const type = picture.type === 'image/jpeg' ? 'image/jpeg' : 'image/webp';
    for (const edge of EDGES) {
      const scale = Math.min(1, edge / Math.max(bitmap.width, bitmap.height));
      const canvas = new OffscreenCanvas(
        Math.max(1, Math.round(bitmap.width * scale)),
        Math.max(1, Math.round(bitmap.height * scale)),
      );
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
