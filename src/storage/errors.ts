/** Why a record could not be stored. */
export type StorageErrorKind =
  /** The folder or disk refused the write (permissions, no space, not a folder). */
  | 'unwritable'
  /** What is stored under this id cannot be read and could not be put aside; it is never overwritten. */
  | 'unreadable'
  /** What is stored under this id was written by a newer version of the extension; it is never overwritten. */
  | 'newerVersion'
  /** The value does not pass its own collection's `decode`, so it could not be read back. */
  | 'invalid'
  /** Other processes kept writing the same record for too long. */
  | 'busy';

/** A record was not stored; nothing that was there before is lost. `message` is a sentence for people. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly kind: StorageErrorKind;
  /** The file or folder it is about. */
  readonly path: string;

  constructor(kind: StorageErrorKind, message: string, path: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.path = path;
  }
}

/** The system's code of a file error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A failed file operation as a `StorageError`; anything else stays what it is. */
export function folderFailure(error: unknown, folder: string, what: 'read' | 'written'): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof StorageError) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const full = `There is no space left to store data in ${folder} (${code}). Free some space and try again.`;
    return new StorageError('unwritable', full, folder, error);
  }
  const kind = what === 'read' ? 'unreadable' : 'unwritable';
  const sentence = `The folder ${folder} cannot be ${what} (${code}). Check that it is a folder and that it is yours.`;
  return new StorageError(kind, sentence, folder, error);
}
