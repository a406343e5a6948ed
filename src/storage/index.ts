export type * from './types';
export { openStorage, type OpenStorageOptions } from './store';
export { StorageError } from './errors';
export type { Restored } from './backup';
export { workerEngine } from './engine';
export { wordsOf } from './search';
