/** The work of a session that goes on, or that was the last. */
export interface Work {
  /** When it was last known to go on, Unix ms. */
  readonly at: number;
}

/** The service says that the agent has work. */
export function isWorking(status: string | undefined): boolean {
  return status === 'running' || status === 'pending';
}
