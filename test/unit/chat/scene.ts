import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ApiClient } from '../../../src/api';
import { inOrder, textOf } from '../../../src/chat/transcript/messages';
import { silentLog } from '../../fakes/log';
import { startSampleService } from '../../fakes/sampleService';
import { later, openWindow, temporaryFolder, until, type Window, type WindowOptions } from './support';

export type Scene = Awaited<ReturnType<typeof scene>>;

interface SceneOptions extends Pick<WindowOptions, 'signedIn' | 'fails' | 'extras' | 'attachments'> {
  /** The service lists its sessions and their messages. */
  readonly lists?: boolean;
}

/** A service whose agents answer at once, a new session, and a window that shows it. */
export async function scene({ lists = false, ...options }: SceneOptions = {}) {
  const service = await startSampleService({ pace: 0, extras: lists });
  later(() => service.close());
  const { baseUrl, appUrl, apiKey } = service;
  const timeouts = { get: 2_000, post: 2_000 };
  const key = () => Promise.resolve(apiKey);
  const client = new ApiClient({ ...{ baseUrl, appUrl, key, log: silentLog(), timeouts } });
  later(() => client.dispose());
  const [{ id: computerId, name = '' } = assert.fail()] = (await client.list('computers')).items;
  const { sessionId } = await client.createSession({ computerId });
  const root = temporaryFolder();
  const window = await openWindow({ root, client, sessionId, ...options });
  return { service, client, computer: { computerId, name }, sessionId, root, window };
}

export const posts = ({ service }: Pick<Scene, 'service'>) =>
  service.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'));

export const sent = (it: Pick<Scene, 'service'>): readonly unknown[] =>
  posts(it).map(({ body }) => (body as { text: unknown }).text);

export const queued = ({ conversation }: Window): readonly string[] =>
  conversation.queued.map(({ text }) => text);

/** The composer's text and the addresses of its files. */
export const draftOf = ({ conversation }: Window): string[] => {
  const { text, attachments } = conversation.composition.draft;
  return [text, ...attachments.map(({ uri }) => uri)];
};

/** What the person said, as the transcript has it. */
export const texts = ({ conversation }: Window): string[] =>
  inOrder(conversation.transcript.known).flatMap(({ message }) =>
    message?.role === 'user' ? [textOf(message)] : [],
  );

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

/** Sends fail in this way, so many of them. */
export const failSends = ({ service }: Scene, how: 'reset' | 'truncate' | number, times = 1) =>
  service.fail({
    ...(typeof how === 'number' ? { kind: 'status', status: how } : { kind: how }),
    ...{ match: { method: 'POST' }, times },
  });

/** The agent works until `rest` is called: what the service says of the session is changed. */
export function busy({ service, sessionId }: Scene): { rest(): void } {
  const fault = service.busy(sessionId);
  return { rest: () => fault.dispose() };
}

export async function queueUp(window: Window, ...texts: readonly string[]): Promise<void> {
  await window.sessions.refresh(window.conversation.sessionId);
  for (const text of texts) await window.conversation.submit(text, randomUUID());
}

/** Waits until nothing is queued or on its way. */
export async function drained({ conversation, sessions }: Window): Promise<void> {
  await sessions.refresh(conversation.sessionId);
  await until(conversation.onDidChange, () => conversation.queued.length === 0 && !conversation.isSending);
}
