import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { inOrder, textOf } from '../../../src/chat/transcript/messages';
import { startSampleService } from '../../fakes/sampleService';
import { afterwards, clientOf, openWindow, temporaryFolder, until, type Window } from './support';

export type Scene = Awaited<ReturnType<typeof scene>>;

interface SceneOptions extends Pick<Parameters<typeof openWindow>[0], 'signedIn' | 'fails' | 'extras'> {
  /** The service lists its sessions and their messages. */
  readonly lists?: boolean;
}

/** A service whose agents answer at once, a new session, and a window that shows it. */
export async function scene({ lists = false, ...options }: SceneOptions = {}) {
  const service = await startSampleService({ pace: 0, extras: lists });
  afterwards(() => service.close());
  const client = clientOf(service);
  const [computer] = (await client.list('computers')).items;
  assert.ok(computer !== undefined);
  const { sessionId } = await client.createSession({ computerId: computer.id });
  const root = temporaryFolder();
  const window = await openWindow({ root, client, sessionId, ...options });
  return { service, client, sessionId, root, window };
}

export const posts = ({ service }: Pick<Scene, 'service'>) =>
  service.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'));

/** Resolves when the next send of this window has an outcome. */
export const settled = ({ conversation }: Window): Promise<unknown> =>
  new Promise(resolve => conversation.onDidSettle(resolve));

/** Sends and waits for the outcome and for what can be read then. */
export async function sendAndRead(window: Window, text: string): Promise<void> {
  const outcome = settled(window);
  await window.conversation.submit(text);
  await outcome;
  await window.conversation.readOn();
}

export const texts = ({ conversation }: Window): string[] =>
  inOrder(conversation.transcript.known).flatMap(({ message }) =>
    message?.role === 'user' ? [textOf(message)] : [],
  );

/** The agent works until `rest` is called: what the service says of the session is changed. */
export function busy({ service, sessionId }: Scene): { rest(): void } {
  const fault = service.busy(sessionId);
  return { rest: () => fault.dispose() };
}

export const sent = (it: Pick<Scene, 'service'>): readonly unknown[] =>
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
