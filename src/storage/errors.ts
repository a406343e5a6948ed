/** Something was not read or not stored; nothing that was there before is lost. `message` is a sentence for people. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** Primary result codes of SQLite, https://sqlite.org/rescode.html. */
const [BUSY, LOCKED, CORRUPT, FULL, PROTOCOL, NOT_A_DATABASE] = [5, 6, 11, 13, 15, 26];

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether SQLite says that the file itself is damaged. */
export function isDamage(error: unknown): boolean {
  const { code } = factsOf(error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}

/** Whether another connection holds what is needed. */
export function isBusy(error: unknown): boolean {
  return factsOf(error).code === BUSY;
}

/** A failure of SQLite or of the file system as a `StorageError`; anything else stays what it is. */
export function storageFailure(error: unknown, folder: string): unknown {
  const { code, system } = factsOf(error);
  if (error instanceof StorageError || (code ?? system) === undefined) return error;
  const what = system ?? reasonOf(error);
  return new StorageError(sentenceOf(code, system, what, folder), { cause: error });
}

function sentenceOf(
  code: number | undefined,
  system: string | undefined,
  what: string,
  folder: string,
): string {
  if (code === FULL || system === 'ENOSPC' || system === 'EDQUOT')
    return `There is no space left to store data in ${folder}. Free some space and try again.`;
  if (code === BUSY || code === LOCKED)
    return `Other windows keep the stored data in ${folder} busy. Try again.`;
  if (code === PROTOCOL)
    return `The disk that holds ${folder} has no file locks, so nothing can be stored there.`;
  if (code === CORRUPT || code === NOT_A_DATABASE)
    return `The stored data in ${folder} is damaged (${what}).`;
  return `The folder ${folder} cannot be read or written (${what}). Check that it is a folder and that it is yours.`;
}

/** The result code of SQLite, and the system's. */
function factsOf(error: unknown): { readonly code?: number; readonly system?: string } {
  const { errcode, code } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (typeof errcode === 'number') return { code: errcode & 0xff };
  return typeof code === 'string' && !code.startsWith('ERR_') ? { system: code } : {};
}
