export type { CollectionOptions, UnreadableRecord, Collection, SearchAnswer, Storage } from './types';
export { openStorage, type OpenStorageOptions } from './store';
export { StorageError } from './errors';
export type { Restored } from './backup';
export type { Lease } from './lease';
export { workerEngine } from './engine';
export { wordsOf, type SearchHit, type SearchQuery, type SearchTerm, type SearchText } from './search';
