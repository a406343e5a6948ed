export type { Service, ConnectionState, Connection } from './types';
export { connect, type ConnectionPart } from './connect';
/** Kept here once, so that not every room carries a copy of all sentences. */
export { errorSentence, type SentenceContext } from '../util/errorSentence';
