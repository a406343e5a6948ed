import type { ApiClient, ApiClientOptions, ApiError } from '../api';
import type { ContextKeys } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { Disposable, Emitter, ObservableValue, toDisposable, type Observable } from '../util/lifecycle';
import { isSame } from '../util/compare';
import { hostOf } from '../util/errorSentence';
import type { OpenRepository } from '../util/git';
import { once, serially } from '../util/promises';
import { redact } from '../util/redact';
import { oneLine } from '../util/text';
import {
  decide,
  environmentAddresses,
  SAMPLE,
  serviceAt,
  variablesSet,
  type Addresses,
  type AddressSettings,
  type ConnectionState,
  type Environment,
  type Named,
  type Service,
  type Target,
} from './decide';
import { KeyStore, type Secrets } from './keys';
import { ConnectionRecords, markOf } from './records';

/** What features see of the connection. */
export type Connection = Pick<ServiceConnection, 'state' | 'api' | 'keyMark' | 'onDidBecomeReady' | 'ready'>;

interface Surroundings {
  readonly secrets: Secrets;
  readonly settings: AddressSettings;
  readonly environment: Environment;
  readonly setContext: <K extends keyof ContextKeys>(key: K, value: ContextKeys[K]) => void;
}

/** What requests are sent in the name of, as long as it is the one in use. */
interface Session {
  readonly service: Service;
  key: string;
  client?: ApiClient;
  /** Unix ms at which the service last took this very key when asked to be sure. */
  takenAt?: number;
  /** One look at the key for all requests refused at the same time. */
  checking?: Promise<boolean> | undefined;
}

/** Changes of the settings come one by one; look when both are there. */
const SETTINGS_MS = 300;
/** Somebody waits for it. */
const LOOK_MS = 10_000;
/** A key the service has just taken is not asked about again because of an endpoint that does not take it. */
const TAKEN_MS = 60_000;

/**
 * Which service this window talks to and with which key, as `decide` says. Follows settings, secrets and what other windows
 * decide. Reads nothing before `ready`.
 */
export class ServiceConnection extends Disposable {
  readonly records: ConnectionRecords;
  readonly #keys: KeyStore;
  readonly settings: AddressSettings;
  readonly #surroundings: Surroundings;
  readonly #log: Logger;
  readonly #sample: Fetch;
  readonly #state = this.register(new ObservableValue<ConnectionState>({ kind: 'signedOut' }));
  readonly #ready = this.register(new Emitter<Service>());
  readonly #keyRejected = this.register(new Emitter<ConnectionState & { kind: 'keyRejected' }>());
  readonly #start = once(() => this.#begin());
  #session: Session | undefined;
  /** Looks and changes come one after another. */
  readonly #inTurn = serially();
  #waiting: Promise<void> | undefined;
  #settingsTimer: NodeJS.Timeout | undefined;

  /** `openRepository`: the one of this window, of which the sample has reports. */
  constructor(
    surroundings: Surroundings,
    storage: Storage,
    openRepository: () => Promise<OpenRepository | undefined>,
    log: Logger,
  ) {
    super();
    this.#surroundings = surroundings;
    this.#log = log;
    this.settings = surroundings.settings;
    this.records = new ConnectionRecords(storage, log);
    this.#keys = new KeyStore(surroundings.secrets, log);
    this.#sample = answersOfSample(storage, openRepository, log);
    this.register(
      toDisposable(() => {
        clearTimeout(this.#settingsTimer);
        this.#session = undefined;
      }),
    );
  }

  get state(): Observable<ConnectionState> {
    return this.#state;
  }

  /** Fires when requests may be worth making again (signed in anew, another key). */
  readonly onDidBecomeReady = this.#ready.event;
  /** Fires in one window only, so that people are asked once. */
  readonly onDidRejectKey = this.#keyRejected.event;

  /** The client of the current service; `undefined` unless signed in. Ask for it anew before each request. */
  get api(): ApiClient | undefined {
    return this.state.current.kind === 'signedIn' ? this.#session?.client : undefined;
  }

  /**
   * Stands for the key in use, and tells whether another is the same one; the key cannot be had from it. `undefined` where there
   * is none.
   */
  keyMark(salt: string): string | undefined {
    return this.#session && markOf(this.#session.key, salt);
  }

  environment(): Named {
    return environmentAddresses(this.#surroundings.environment);
  }

  /**
   * Finds out where things stand: until the first call nothing has been read and `state` says `signedOut`. Resolves to the state
   * once it is known; later calls wait only for a change under way.
   */
  async ready(): Promise<ConnectionState> {
    await this.#start();
    await this.#inTurn(() => Promise.resolve());
    return this.state.current;
  }

  /** Looks at everything anew. Callers that come while a look is waiting to begin share it. */
  refresh(): Promise<void> {
    this.#waiting ??= this.#inTurn(async () => {
      this.#waiting = undefined;
      await this.#apply(await this.#decide());
    }).catch((error: unknown) => this.#log.error('The connection could not be brought up to date', error));
    return this.#waiting;
  }

  /** Asks once more whether a refused key is taken now, and looks at everything anew. */
  async recheck(): Promise<void> {
    await this.ready();
    const { state, key } = await this.#decide();
    if (state.kind === 'keyRejected' && key !== undefined && (await this.#isTaken(state.service, key)))
      await this.records.accept(state.service.id, key);
    await this.refresh();
  }

  /** Runs `work` with a client of its own for a key that is not in use. */
  async withKey<T>(given: Addresses, key: string, work: (client: ApiClient) => Promise<T>): Promise<T> {
    const client = await this.#clientOf(given, () => key);
    try {
      return await work(client);
    } finally {
      client.dispose();
    }
  }

  /** Stores what has been checked, and turns to it. Resolves to whether the key outlives this window. */
  adopt(given: Addresses, key: string): Promise<boolean> {
    return this.#change(async () => {
      const isSetting = this.environment().kind !== 'found';
      if (isSetting) await this.settings.store(given);
      const isKept = await this.#keys.store(given, key);
      await this.records.accept(serviceAt(given, 'settings').id, key);
      if (isSetting && this.records.isSampleChosen) await this.records.chooseSample(false);
      return isKept;
    });
  }

  forgetKeys(service: Service): Promise<void> {
    return this.#change(() => this.#keys.remove(service));
  }

  chooseSample(chosen: boolean): Promise<void> {
    return this.#change(() => this.records.chooseSample(chosen));
  }

  /** The connection for somebody who is asked for help; English, like the log. Hosts without paths, no key, no message. */
  diagnostics(): string {
    const state = this.state.current;
    const variables = variablesSet(this.#surroundings.environment);
    const lines = [`Connection: ${state.kind}`];
    if (state.kind !== 'signedIn' && state.reason !== undefined) lines.push(`Reason: ${state.reason}`);
    if (state.kind !== 'signedOut') {
      const { source, baseUrl, appUrl } = state.service;
      lines.push(`Source: ${source}`);
      lines.push(`Service: ${hostOf(baseUrl)}`, `Web application: ${hostOf(appUrl)}`);
    }
    lines.push(`Environment variables set: ${variables.join(', ') || 'none'}`);
    return lines.map(line => oneLine(redact(line), 1_000)).join('\n');
  }

  async #begin(): Promise<void> {
    const onChange = (): void => void this.refresh();
    this.register(
      this.records.stored.onDidChange(ids => ids.some(id => /^(sample$|rejection )/.test(id)) && onChange()),
    );
    this.register(this.#keys.onDidChange(onChange));
    this.register(
      this.settings.onDidChange(() => {
        clearTimeout(this.#settingsTimer);
        this.#settingsTimer = setTimeout(onChange, SETTINGS_MS);
      }),
    );
    await this.refresh();
  }

  /** Does several things of which other parts see only the result. */
  async #change<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#inTurn(work);
    } finally {
      await this.refresh();
    }
  }

  async #decide(): Promise<Target> {
    // At once where that was done; again where it failed.
    await this.records.stored
      .load()
      .catch((error: unknown) => this.#log.error('Stored data cannot be read', error));
    return decide({ ...this.#surroundings, records: this.records, keys: this.#keys });
  }

  async #apply({ state, key }: Target): Promise<void> {
    if (this.isDisposed) return;
    if (state.kind === 'signedIn' && key !== undefined) return this.#use(state.service, key);
    this.#session = undefined;
    this.#setState(state);
  }

  async #use(service: Service, key: string): Promise<void> {
    const before = this.#session;
    if (before?.key === key && isSame(before.service, service)) return;
    const session: Session = { service, key };
    const client = await this.#clientOf(
      service,
      () => (this.#session === session ? session.key : undefined),
      error =>
        (session.checking ??= this.#mayTryAgain(session, error).finally(() => delete session.checking)),
    );
    // A request under way when the key changes comes to its end: nobody could tell whether an aborted one arrived.
    session.client = this.register(client);
    if (this.isDisposed) return;
    this.#session = session;
    this.#setState({ kind: 'signedIn', service });
    this.#ready.fire(service);
  }

  /** It shares pauses and the marks of secrets with all windows. */
  async #clientOf(
    { baseUrl, appUrl }: Addresses,
    keyForRequest: () => string | undefined,
    onUnauthorized?: ApiClientOptions['onUnauthorized'],
  ): Promise<ApiClient> {
    const { ApiClient } = await import('../api');
    const log = this.#log;
    const redactionKey = await this.records.marksKey().catch((error: unknown) => {
      log.error('Marks of secrets are of this window alone', error);
      return undefined;
    });
    const key = (): Promise<string | undefined> => {
      const given = keyForRequest();
      if (given !== undefined) log.keepOut?.(given);
      return Promise.resolve(given);
    };
    const fetch = baseUrl === SAMPLE.baseUrl ? this.#sample : undefined;
    const gate = this.records;
    return new ApiClient({ baseUrl, appUrl, key, onUnauthorized, gate, redactionKey, log, fetch });
  }

  #setState(state: ConnectionState): void {
    const { setContext, environment } = this.#surroundings;
    setContext('agentConsole.connection', state.kind);
    setContext('agentConsole.knownService', state.service !== undefined);
    setContext('agentConsole.environment', variablesSet(environment).length > 0);
    if (isSame(state, this.state.current)) return;
    this.#state.set(state);
    const host = state.kind === 'signedOut' ? '' : ` ${state.service.host}`;
    const reason = state.kind === 'signedIn' || state.reason === undefined ? '' : `: ${state.reason}`;
    this.#log.info(`Connection: ${state.kind}${host}${reason}`);
  }

  /** Asks the service once whether it takes a key; `undefined` when it gives no answer to that. */
  async #isTaken(service: Service, key: string): Promise<boolean | undefined> {
    const { failureOf } = await import('../api');
    const signal = AbortSignal.timeout(LOOK_MS);
    const error = await failureOf(() =>
      this.withKey(service, key, client => client.list('computers', { signal })),
    );
    // Only who has been let in can lack a right.
    if (error === undefined || error.kind === 'forbidden') return true;
    return error.kind === 'unauthorized' ? false : undefined;
  }

  /** After a 401: whether the request is worth one more try. A key that is refused again stops all requests. */
  async #mayTryAgain(session: Session, error: ApiError): Promise<boolean> {
    if (this.#session !== session) return false;
    const { service } = session;
    const { state, key } = await this.#decide();
    if (key === undefined || state.kind !== 'signedIn' || !isSame(state.service, service)) {
      await this.refresh();
      return false;
    }
    if (key !== session.key) {
      session.key = key;
      return true;
    }
    // One endpoint may have reasons of its own, and so may a door in front of it.
    if ((session.takenAt ?? 0) > Date.now() - TAKEN_MS) return false;
    const isTaken = await this.#isTaken(service, key);
    if (isTaken === true) session.takenAt = Date.now();
    if (isTaken === false) await this.#reject(session, error);
    return isTaken === true;
  }

  async #reject(session: Session, error: ApiError): Promise<void> {
    if (this.#session !== session) return;
    this.#session = undefined;
    const isFirst = await this.records.reject(session.service.id, session.key, error);
    await this.refresh();
    const state = this.state.current;
    if (isFirst && state.kind === 'keyRejected') this.#keyRejected.fire(state);
  }
}

type Fetch = NonNullable<ApiClientOptions['fetch']>;

/** Answers what is asked of the sample, in this process; loaded when first asked, its state shared by all windows. */
function answersOfSample(
  storage: Storage,
  openRepository: () => Promise<OpenRepository | undefined>,
  log: Logger,
): Fetch {
  const load = once(async () => {
    const { sampleFetch, sampleRecord } = await import('../sample');
    return sampleFetch({
      records: storage.collection({ path: 'sample', version: 1, schema: sampleRecord }),
      openRepository: await openRepository().catch((error: unknown) => {
        log.error('The sample has no reports of the open repository', error);
        return undefined;
      }),
    });
  });
  return async (url, init) => (await load())(url, init);
}
