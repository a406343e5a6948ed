import type { Claim, RepositoryFacts, Said, SessionFacts } from './model';

/** What a transcript says that branches can be found by. */
export interface Mentions {
  readonly names: ReadonlyMap<string, unknown>;
}

/** Branches, commits and pull requests that are spoken of; takes time in proportion to the text. */
export declare function mentionsIn(said: readonly Said[]): Mentions;

/** Which branch holds a session's work. `certain` is said only where it cannot be another's. */
export declare function claimOf(
  session: SessionFacts,
  repositories: readonly RepositoryFacts[],
  mentions?: Mentions,
): Claim;
