import { randomUUID } from 'node:crypto';
import { posts, type Scene } from './scene';
import { until, type Window } from './support';

/** The agent works until `rest` is called: what the service says of the session is changed. */
export function busy({ service, sessionId }: Scene): { rest(): void } {
  const fault = service.busy(sessionId);
  return { rest: () => fault.dispose() };
}

export const sent = (it: Scene): readonly unknown[] =>
  posts(it).map(({ body }) => (body as { text: unknown }).text);
export const queued = ({ conversation }: Window): readonly string[] =>
  conversation.queued.map(({ text }) => text);

export async function queueUp(window: Window, ...texts: readonly string[]): Promise<void> {
  await window.sessions.refresh(window.conversation.sessionId);
  for (const text of texts) await window.conversation.submit(text, randomUUID());
}

/** Waits until nothing is queued or on its way. */
export async function drained({ conversation, sessions }: Window): Promise<void> {
  const empty = (): boolean => conversation.queued.length === 0 && !conversation.isSending;
  await sessions.refresh(conversation.sessionId);
  await until(conversation.onDidChange, empty);
}
