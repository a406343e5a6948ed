import type { Session } from '../../../src/api';
import { Computers } from '../../../src/computers';
import { Sessions, type SessionsDeps } from '../../../src/sessions';
import type { SessionRecord } from '../../../src/sessions/record';
import { SessionIndex } from '../../../src/sessions/sessionIndex';
import type { Storage } from '../../../src/storage';
import { Emitter, ObservableValue } from '../../../src/util/lifecycle';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { FakeConnection } from '../../fakes/connection';
import { silentLog } from '../../fakes/log';
import { startSampleService } from '../../fakes/sampleService';
import { openStorage } from '../../fakes/storage';
import { answers } from '../../fakes/vscode';
import { fakeView } from '../../fakes/view';
import { clientOf } from '../api/support';
export { later, temporaryFolder } from '../../fakes/cleanUp';
export { until } from '../../until';

export function sessionOf(fields: Partial<Session> = {}): Session {
  return { sessionId: 's1', status: 'idle', messageCount: 2, createdAt: 100, updatedAt: 200, ...fields };
}

export function recordOf(fields: Partial<SessionRecord> = {}): SessionRecord {
  return { sessionId: 's1', origin: 'created', addedAt: 50, local: {}, ...fields };
}

/** What a service says of a session comes to the index. */
export function learn(index: SessionIndex, fields: Partial<Session> = {}, at = 5): Promise<void> {
  return index.learn('service', { session: sessionOf(fields), origin: 'created', at });
}

/** What the editor answers where it is asked by this name. */
export function answer(name: string, given: unknown): void {
  answers.set(name, Promise.resolve(given) as Promise<undefined>);
}

/** Takes a session out of the list, as a person does. */
export function remove(index: SessionIndex, sessionId: string): Promise<void> {
  return index.keep(sessionId, local => ({ ...local, removedAt: Date.now() }));
}

/** A storage as one window has it, gone after the test when all is stored. */
export function storageIn(root: string, log = silentLog()): Storage {
  const storage = openStorage({ root, log });
  later(() => storage.settled().finally(() => storage.dispose()));
  return storage;
}

/** What a feature has of its window: what is kept in a folder, a client of a service that waits for nothing, a view. */
export function windowAt(
  service: { readonly baseUrl: string; readonly appUrl: string; readonly apiKey?: string },
  root = temporaryFolder(),
  visible = false,
) {
  const log = silentLog();
  const { baseUrl: origin, apiKey = 'a-key' } = service;
  const key = () => Promise.resolve(apiKey);
  const { api, clock } = clientOf({ origin }, { key, redactionKey: 'of this machine' });
  later(() => api.dispose());
  const connection = new FakeConnection(api, service);
  return { log, storage: storageIn(root, log), api, clock, connection, view: fakeView(visible) };
}

/** The index of a window on a folder of records, gone after the test. */
export async function openIndex(root: string, storage = storageIn(root)): Promise<SessionIndex> {
  const index = new SessionIndex(storage);
  later(() => index.dispose());
  await index.use('service');
  return index;
}

/** A service and the windows on one folder of records, until `cleanUp`. */
export type SessionsScene = Awaited<ReturnType<typeof sessionsScene>>;
export type SessionsWindow = Awaited<ReturnType<SessionsScene['open']>>;

export async function sessionsScene(options: { readonly extras?: boolean } = {}) {
  const root = temporaryFolder();
  const service = await startSampleService({ pace: 0, ...options });
  later(() => service.close());

  /** The sessions of one window, with everything around them but VS Code itself. */
  const open = async (deps: Partial<SessionsDeps> = {}, visible = true) => {
    const given = windowAt(service, root, visible);
    const facts = undefined as ReturnType<SessionsDeps['computers']['known']>;
    const computers = { facts, changed: new Emitter<void>() };
    const memory = new Map<string, unknown>();
    const [focused, details] = [new ObservableValue(false), { show: () => Promise.resolve() }];
    const listed = new Computers({
      ...{ ...given, view: fakeView(false), focused, details },
      refreshSeconds: () => 30,
    });
    later(() => listed.dispose());
    const feature = new Sessions({
      ...given,
      ...{ focused, details },
      fastestSeconds: () => 600,
      computers: {
        known: () => computers.facts,
        onDidChangeNames: computers.changed.event,
        pick: (...asked) => listed.pick(...asked),
      },
      changes: { of: () => undefined, onDidChange: new Emitter<readonly string[]>().event },
      memory: {
        get: (name: string) => memory.get(name),
        update: async (name: string, value: unknown) => void memory.set(name, await value),
      },
      linkBase: { scheme: 'vscode', authority: 'agent-console.agent-console' },
      ...{ presets: () => undefined, seeds: () => Promise.resolve([]), extras: () => false },
      ...deps,
    });
    later(() => feature.dispose());
    await feature.ready().catch(() => undefined);
    /** The same records, as another part of the window or another window changes them. */
    const index = await openIndex(root, given.storage);
    /** The service says so of these sessions. */
    const known = (at: number, ...all: readonly Partial<Session>[]): Promise<unknown> =>
      Promise.all(all.map(fields => learn(index, fields, at)));
    return { ...given, feature, index, computers, known };
  };
  return { service, open };
}
