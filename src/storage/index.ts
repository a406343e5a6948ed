export type { Decode, CollectionOptions, UnreadableRecord, Collection, Storage } from './types';
export { openStorage, type OpenStorageOptions } from './openStorage';
export { StorageError, type StorageErrorKind } from './errors';
/** An id as one part of a collection's path. */
export { encodeId as folderName } from './names';
export { FolderWatch } from './folderWatch';
