/** Something was not read or not stored; nothing that was there before is lost. `message` is a sentence for people. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Trouble = 'busy' | 'damaged' | 'full' | 'without locks' | 'refused';

/** By the primary result code of SQLite (https://sqlite.org/rescode.html), or the code of the system; any other is `refused`. */
const TROUBLES: Readonly<Record<number | string, Trouble>> = {
  5: 'busy',
  6: 'busy',
  11: 'damaged',
  13: 'full',
  15: 'without locks',
  26: 'damaged',
  ENOSPC: 'full',
  EDQUOT: 'full',
};
/** The code of a file that is no whole database. */
export const CORRUPT = 11;

const SENTENCES: Readonly<Record<Trouble, (folder: string, what: string) => string>> = {
  busy: folder => `Other windows keep the stored data in ${folder} busy. Try again.`,
  damaged: (folder, what) => `The stored data in ${folder} is damaged (${what}).`,
  full: folder => `There is no space left to store data in ${folder}. Free some space and try again.`,
  'without locks': folder =>
    `The disk that holds ${folder} has no file locks, so nothing can be stored there.`,
  refused: (folder, what) =>
    `The folder ${folder} cannot be read or written (${what}). Check that it is a folder and that it is yours.`,
};

/** The code of SQLite or of the system; `undefined` for a failure of neither. */
function codeOf(error: unknown): number | string | undefined {
  const { errcode, code } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (typeof errcode === 'number') return errcode & 0xff;
  return typeof code === 'string' && !code.startsWith('ERR_') ? code : undefined;
}

export function troubleOf(error: unknown): Trouble | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : (TROUBLES[code] ?? 'refused');
}

/** A failure of SQLite or of the file system as a `StorageError`; anything else stays what it is. */
export function storageFailure(error: unknown, folder: string): unknown {
  const [code, trouble] = [codeOf(error), troubleOf(error)];
  if (trouble === undefined) return error;
  const what = typeof code === 'string' ? code : reasonOf(error);
  return new StorageError(SENTENCES[trouble](folder, what), { cause: error });
}
