import type { ApiClient, ApiError } from '../api';
import type { ContextKeys } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { Disposable, toDisposable } from '../util/disposable';
import { Emitter, ObservableValue } from '../util/event';
import type { OpenRepository } from '../util/git';
import { once } from '../util/promises';
import { redact } from '../util/redact';
import { oneLine } from '../util/text';
import {
  environmentAddresses,
  hostOf,
  sameAddresses,
  settingsAddresses,
  variablesSet,
  type AddressSettings,
  type Environment,
  type Named,
} from './addresses';
import { Clients } from './clients';
import { decide, serviceAt, type Target } from './decide';
import { KeyStore, type Secrets } from './keys';
import { ConnectionRecords } from './records';
import { answersOfSample, SAMPLE } from './sample';
import type { Addresses, Connection, ConnectionState, Service } from './types';

export interface Surroundings {
  readonly secrets: Secrets;
  readonly settings: AddressSettings;
  readonly environment: Environment;
  readonly setContext: <K extends keyof ContextKeys>(key: K, value: ContextKeys[K]) => void;
}

interface Session {
  readonly service: Service;
  key: string;
  client?: ApiClient;
  /** From now on no request is sent in its name. */
  isEnded: boolean;
  /** Unix ms at which the service last took this very key when asked to be sure. */
  provedAt?: number | undefined;
  /** One look at the key for all requests refused at the same time. */
  checking?: Promise<boolean> | undefined;
}

/** Changes of the settings come one by one; look when both are there. */
const SETTINGS_MS = 300;
/** A key the service has just taken is not asked about again because of an endpoint that does not take it. */
const PROVED_MS = 5 * 60_000;

/**
 * Which service this window talks to and with which key, as `decide` says. Follows settings, secrets and what other windows
 * decide. Reads nothing before `ready`.
 */
export class ServiceConnection extends Disposable implements Connection {
  readonly records: ConnectionRecords;
  readonly #keys: KeyStore;
  readonly clients: Clients;
  readonly settings: AddressSettings;
  readonly #surroundings: Surroundings;
  readonly #log: Logger;
  readonly state = this.register(new ObservableValue<ConnectionState>({ kind: 'signedOut' }));
  readonly #ready = this.register(new Emitter<Service>());
  readonly #keyRejected = this.register(new Emitter<ConnectionState & { kind: 'keyRejected' }>());
  readonly #start = once(() => this.#begin());
  #session: Session | undefined;
  #turn: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #held = 0;
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
    this.clients = this.register(
      new Clients(this.records, log, answersOfSample(storage, openRepository, log)),
    );
    this.register(
      toDisposable(() => {
        clearTimeout(this.#settingsTimer);
        this.#end();
      }),
    );
  }

  readonly onDidBecomeReady = this.#ready.event;
  /** Fires in one window only, so that people are asked once. */
  readonly onDidRejectKey = this.#keyRejected.event;

  get api(): ApiClient | undefined {
    return this.state.current.kind === 'signedIn' ? this.#session?.client : undefined;
  }

  environment(): Promise<Named> {
    return environmentAddresses(this.#surroundings.environment);
  }

  async ready(): Promise<ConnectionState> {
    await this.#start();
    await this.#turn;
    return this.state.current;
  }

  /** Looks at everything anew. Callers that come while a look is waiting to begin share it. */
  refresh(): Promise<void> {
    this.#waiting ??= this.#turn.then(async () => {
      this.#waiting = undefined;
      try {
        await this.#apply(await this.#look());
      } catch (error) {
        this.#log.error('The connection could not be brought up to date', error);
      }
    });
    this.#turn = this.#waiting;
    return this.#waiting;
  }

  /** Asks once more whether a refused key is taken now, and looks at everything anew. */
  async recheck(): Promise<void> {
    const state = await this.ready();
    if (state.kind === 'keyRejected') {
      const key = await this.#currentKey(state.service);
      const isTaken = key !== undefined && (await this.clients.probe(state.service, key)) === 'accepted';
      if (isTaken) await this.records.accept(state.service.id, key);
    }
    await this.refresh();
  }

  /** Does several things of which other parts see only the result. */
  async #hold<T>(change: () => Promise<T>): Promise<T> {
    this.#held++;
    try {
      return await change();
    } finally {
      this.#held--;
      await this.refresh();
    }
  }

  /** Stores what has been checked, and turns to it. Resolves to whether the key outlives this window. */
  adopt(addresses: Addresses, key: string): Promise<'kept' | 'untilClosed'> {
    return this.#hold(async () => {
      const isSetting = (await this.environment()).kind !== 'found';
      if (isSetting) await this.settings.store(addresses);
      const kept = await this.#keys.store(addresses, key);
      await this.records.accept(serviceAt(addresses, 'settings').id, key);
      if (isSetting && this.records.isSampleChosen) await this.records.chooseSample(false);
      return kept;
    });
  }

  forgetKeys(service: Service): Promise<void> {
    return this.#hold(() => this.#keys.remove(service));
  }

  chooseSample(chosen: boolean): Promise<void> {
    return this.#hold(() => this.records.chooseSample(chosen));
  }

  /** The connection for somebody who is asked for help; English, like the log. Hosts without paths, no key, no message. */
  diagnostics(): string {
    const state = this.state.current;
    const variables = variablesSet(this.#surroundings.environment);
    const { unreadable } = this.records;
    const lines = [`Connection: ${state.kind}`];
    if (state.kind !== 'signedIn' && state.reason !== undefined) lines.push(`Reason: ${state.reason}`);
    if (state.kind !== 'signedOut') {
      const { source, baseUrl, appUrl } = state.service;
      lines.push(`Source: ${source}`);
      lines.push(`Service: ${hostOf(baseUrl)}`, `Web application: ${hostOf(appUrl)}`);
    }
    lines.push(`Environment variables set: ${variables.join(', ') || 'none'}`);
    lines.push(`Stored records of the connection that cannot be read: ${unreadable.length}`);
    lines.push(...unreadable.map(({ id, reason }) => `- ${id}: ${reason}`));
    return lines.map(line => oneLine(redact(line), 1_000)).join('\n');
  }

  async #begin(): Promise<void> {
    await this.records.load().catch((error: unknown) => this.#log.error('Stored data cannot be read', error));
    const onChange = (): void => {
      if (this.#held === 0 && !this.isDisposed) void this.refresh();
    };
    this.register(
      this.records.onDidChange(ids => ids.some(id => /^(sample$|rejection )/.test(id)) && onChange()),
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

  /** Reads what `decide` needs, and no secret that it does not. */
  async #look(): Promise<Target> {
    const environment = await this.environment();
    const settings = await settingsAddresses(this.settings);
    const { isSampleChosen } = this.records;
    const usesSample = environment.kind === 'none' && isSampleChosen;
    const named = environment.kind === 'none' ? settings : environment;
    const needsKey = !usesSample && named.kind === 'found' && named.key === undefined;
    const storedKey = needsKey ? await this.#keys.read(named.addresses) : undefined;
    return decide(environment, settings, isSampleChosen, storedKey, ({ id }, key) =>
      this.records.rejection(id, key),
    );
  }

  async #currentKey(service: Service): Promise<string | undefined> {
    if (service.source === 'sample') return SAMPLE.key;
    const environment = await this.environment();
    const given = environment.kind === 'found' ? environment.key : undefined;
    return given ?? this.#keys.read(service);
  }

  async #apply(target: Target): Promise<void> {
    if (this.isDisposed) return;
    if (target.kind === 'signedIn') return this.#use(target.service, target.key);
    this.#end();
    this.#setState(target);
  }

  async #use(service: Service, key: string): Promise<void> {
    const before = this.#session;
    if (before?.isEnded === false && before.key === key && isSame(before.service, service)) return;
    const session: Session = { service: this.#known(service), key, isEnded: false };
    session.client = await this.clients.open(
      service,
      () => Promise.resolve(session.isEnded ? undefined : session.key),
      error =>
        (session.checking ??= this.#mayTryAgain(session, error).finally(() => delete session.checking)),
    );
    if (this.isDisposed) return;
    this.#end();
    this.#session = session;
    this.#setState({ kind: 'signedIn', service: session.service });
    this.#ready.fire(session.service);
  }

  #end(): void {
    if (this.#session !== undefined) this.#session.isEnded = true;
  }

  #setState(next: ConnectionState): void {
    const state = next.service === undefined ? next : { ...next, service: this.#known(next.service) };
    const { setContext, environment } = this.#surroundings;
    setContext('agentConsole.connection', state.kind);
    setContext('agentConsole.knownService', state.service !== undefined);
    setContext('agentConsole.environment', variablesSet(environment).length > 0);
    const { current } = this.state;
    const reason = reasonOf(state);
    if (state.kind === current.kind && state.service === current.service && reason === reasonOf(current))
      return;
    this.state.set(state);
    const host = state.kind === 'signedOut' ? '' : ` ${state.service.host}`;
    this.#log.info(`Connection: ${state.kind}${host}${reason === undefined ? '' : `: ${reason}`}`);
  }

  /** The same object as long as nothing about the service changes. */
  #known(service: Service): Service {
    const { service: known } = this.state.current;
    return known !== undefined && isSame(known, service) ? known : service;
  }

  /** After a 401: whether the request is worth one more try. A key that is certainly refused stops all requests. */
  async #mayTryAgain(session: Session, error: ApiError): Promise<boolean> {
    if (this.#session !== session || session.isEnded) return false;
    const { service } = session;
    const stored = await this.#currentKey(service);
    if (stored === undefined || this.records.rejection(service.id, stored) !== undefined) {
      await this.refresh();
      return false;
    }
    if (stored !== session.key) {
      session.key = stored;
      session.provedAt = undefined;
      return true;
    }
    const isWebApplication = !error.request.path.includes('/api/v0/');
    if (isWebApplication && (session.provedAt ?? 0) > Date.now() - PROVED_MS) return false;
    const verdict = await this.clients.probe(service, session.key);
    if (verdict === 'accepted') session.provedAt = Date.now();
    if (verdict === 'refused') await this.#reject(session, error);
    return verdict === 'accepted';
  }

  async #reject(session: Session, error: ApiError): Promise<void> {
    if (this.#session !== session) return;
    this.#end();
    const isFirst = await this.records.reject(session.service.id, session.key, error);
    await this.refresh();
    const state = this.state.current;
    if (isFirst && state.kind === 'keyRejected') this.#keyRejected.fire(state);
  }
}

function isSame(a: Service, b: Service): boolean {
  return a.source === b.source && sameAddresses(a, b);
}

function reasonOf(state: ConnectionState): string | undefined {
  return state.kind === 'signedIn' ? undefined : state.reason;
}
