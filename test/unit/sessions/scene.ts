import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ApiClient } from '../../../src/api';
import { Sessions, type SessionsDeps } from '../../../src/sessions';
import { SessionIndex } from '../../../src/sessions/store/sessionIndex';
import type { Storage } from '../../../src/storage';
import { Emitter, ObservableValue } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { FakeConnection } from '../../fakes/connection';
import { silentLog } from '../../fakes/log';
import { startSampleService, type SampleService } from '../../fakes/sampleService';
import { openStorage } from '../../fakes/storage';
import { fakeView } from '../../fakes/view';

/** The sessions of one window, with everything around them but VS Code itself. */
export interface SessionsWindow {
  readonly feature: Sessions;
  readonly connection: FakeConnection;
  readonly view: ReturnType<typeof fakeView>;
  readonly storage: Storage;
  /** The same records, as another part of the window or another window changes them. */
  readonly index: SessionIndex;
  /** Documents of details by their titles. */
  readonly documents: Map<string, string>;
  readonly computers: { facts: ReturnType<SessionsDeps['computers']['known']>; changed: Emitter<void> };
}

/** A service and the windows on one folder of records. */
export class SessionsScene {
  readonly service: SampleService;
  readonly #root: string;
  readonly #cleanups: (() => unknown)[] = [];

  private constructor(service: SampleService, root: string) {
    this.service = service;
    this.#root = root;
  }

  static async make(options: { readonly extras?: boolean } = {}): Promise<SessionsScene> {
    const root = await mkdtemp(path.join(os.tmpdir(), 'sessions-'));
    return new SessionsScene(await startSampleService({ pace: 0, ...options }), root);
  }

  async open(
    deps: Partial<SessionsDeps> = {},
    visible = true,
    asFeatureSeesIt = (storage: Storage): Storage => storage,
  ): Promise<SessionsWindow> {
    const { baseUrl, appUrl, apiKey } = this.service;
    const log = silentLog();
    const api = new ApiClient({
      baseUrl,
      appUrl,
      key: () => Promise.resolve(apiKey),
      log,
      delay: () => Promise.resolve(),
    });
    const storage = openStorage({ root: this.#root, log });
    const connection = new FakeConnection(api, this.service);
    const view = fakeView(visible);
    const documents = new Map<string, string>();
    const computers: SessionsWindow['computers'] = { facts: undefined, changed: new Emitter<void>() };
    const memory = new Map<string, unknown>();
    const feature = new Sessions({
      connection,
      storage: asFeatureSeesIt(storage),
      log,
      view,
      focused: new ObservableValue(false),
      fastestSeconds: () => 600,
      computers: {
        known: () => computers.facts,
        onDidChange: computers.changed.event,
      },
      format: new Formatter('en'),
      memory: {
        get: (key: string) => memory.get(key),
        update: (key: string, value: unknown) => Promise.resolve(void memory.set(key, value)),
      },
      details: {
        show: (_id, title, content) => Promise.resolve(void documents.set(title, content())),
      },
      linkBase: { scheme: 'vscode', authority: 'agent-console.agent-console' },
      presets: () => undefined,
      seeds: () => Promise.resolve([]),
      extras: () => false,
      ...deps,
    });
    const index = new SessionIndex(storage);
    await feature.ready().catch(() => undefined);
    await index.use('service');
    this.#cleanups.push(async () => {
      feature.dispose();
      index.dispose();
      api.dispose();
      await storage.settled();
      storage.dispose();
    });
    return { feature, connection, view, storage, index, documents, computers };
  }

  async close(): Promise<void> {
    for (const run of this.#cleanups.splice(0).reverse()) await run();
    await this.service.close();
    await rm(this.#root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}
