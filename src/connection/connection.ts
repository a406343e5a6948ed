import * as vscode from 'vscode';
import type { ApiClient, ApiError } from '../api';
import type { ContextKeys } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { Disposable, toDisposable } from '../util/disposable';
import { Emitter, ObservableValue } from '../util/event';
import { once } from '../util/once';
import { forNotification } from '../util/text';
import {
  environmentAddresses,
  hostOf,
  KEY_VARIABLE,
  sameAddresses,
  serviceAt,
  settingsAddresses,
  type Addresses,
  type AddressSettings,
  type Environment,
} from './addresses';
import { Clients } from './clients';
import type { Connection, ConnectionState, Service } from './types';
import { KeyStore, type Secrets } from './keyStore';
import { ConnectionRecords } from './records';
import { rejectionSentence, type RejectionFacts } from './sentences';
import { SampleHost, type SampleOptions } from './sampleHost';
import { Session } from './session';

export interface ConnectionDeps {
  readonly secrets: Secrets;
  readonly storage: Storage;
  readonly settings: AddressSettings;
  readonly environment: Environment;
  readonly sample: SampleOptions;
  readonly log: Logger;
  readonly setContext: <K extends keyof ContextKeys>(key: K, value: ContextKeys[K]) => void;
  /** Unix ms. */
  readonly now?: () => number;
}

/** Where requests would go, and with what. */
type Target =
  | {
      readonly kind: 'none';
      readonly reason?: string;
      readonly service?: Service;
      readonly byEnvironment?: boolean;
    }
  | {
      readonly kind: 'service';
      readonly service: Service;
      readonly key: string;
      readonly readKey: () => Promise<string | undefined>;
      readonly byEnvironment: boolean;
    };

/** A key was stored for other addresses than those in the settings now. */
export interface AddressChange {
  readonly from: Addresses;
  readonly to: Addresses;
}

/** Changes of the settings come one by one; look when both are there. */
const SETTINGS_MS = 300;
/** A key the service has just taken is not asked about again because of an endpoint that does not take it. */
const PROVED_MS = 5 * 60_000;

/**
 * Which service this window talks to and with which key: the environment wins over the sample, the sample over the settings.
 * Follows settings, secrets and what other windows decide. Reads nothing before `ready`.
 */
export class ServiceConnection extends Disposable implements Connection {
  readonly records: ConnectionRecords;
  readonly keys: KeyStore;
  readonly sample: SampleHost;
  readonly clients: Clients;
  readonly #deps: ConnectionDeps;
  readonly #state = this.register(new ObservableValue<ConnectionState>({ kind: 'signedOut' }));
  readonly #ready = this.register(new Emitter<Service>());
  readonly #keyRejected = this.register(new Emitter<ConnectionState & { kind: 'keyRejected' }>());
  readonly #addressChanged = this.register(new Emitter<AddressChange>());
  readonly #start = once(() => this.#begin());
  #session: Session | undefined;
  /** Of this window, for when storage cannot be written. */
  #refused: { readonly serviceId: string; readonly key: string; readonly sentence: string } | undefined;
  #addressChange: AddressChange | undefined;
  #turn: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #held = 0;
  #settingsTimer: NodeJS.Timeout | undefined;

  constructor(deps: ConnectionDeps) {
    super();
    this.#deps = deps;
    this.records = new ConnectionRecords(deps.storage, deps.now);
    this.keys = new KeyStore(deps.secrets, deps.log);
    this.sample = new SampleHost(deps.sample, this.records, deps.log);
    this.clients = this.register(new Clients(this.records, deps.log));
    this.register(toDisposable(() => clearTimeout(this.#settingsTimer)));
    this.register(toDisposable(() => void this.sample.stop().catch(() => undefined)));
  }

  readonly state = this.#state;
  readonly onDidBecomeReady = this.#ready.event;
  /** Fires in one window only, so that people are asked once. */
  readonly onDidRejectKey = this.#keyRejected.event;
  /** Fires in one window only. */
  readonly onDidMissKey = this.#addressChanged.event;

  get api(): ApiClient | undefined {
    return this.#state.current.kind === 'signedIn' ? this.#session?.client : undefined;
  }

  /** The stored key that has not been released for the addresses in the settings. */
  get addressChange(): AddressChange | undefined {
    return this.#addressChange;
  }

  /** Whether this window works with just these addresses now. */
  usesAddresses(addresses: Addresses): boolean {
    const state = this.#state.current;
    return state.kind !== 'signedOut' && sameAddresses(state.service, addresses);
  }

  get environment(): Environment {
    return this.#deps.environment;
  }

  get settings(): AddressSettings {
    return this.#deps.settings;
  }

  async ready(): Promise<ConnectionState> {
    await this.#start();
    await this.#turn;
    return this.#state.current;
  }

  /** Looks at everything anew. Callers that come while a look is waiting to begin share it. */
  refresh(): Promise<void> {
    this.#waiting ??= this.#turn.then(async () => {
      this.#waiting = undefined;
      try {
        await this.#look();
      } catch (error) {
        this.#deps.log.error('The connection could not be brought up to date', error);
      }
    });
    this.#turn = this.#waiting;
    return this.#waiting;
  }

  /** Does several things of which other parts see only the result. */
  async hold<T>(change: () => Promise<T>): Promise<T> {
    this.#held++;
    try {
      return await change();
    } finally {
      this.#held--;
      await this.refresh();
    }
  }

  /** The key was taken after all, or entered again. */
  async accept(service: Service, key: string): Promise<void> {
    if (this.#refused?.key === key) this.#refused = undefined;
    await this.records.accept(service.id, key);
  }

  override dispose(): void {
    this.#session?.end();
    super.dispose();
  }

  async #begin(): Promise<void> {
    const { settings, log } = this.#deps;
    await this.records.load().catch((error: unknown) => log.error('Stored data cannot be read', error));
    this.register(
      this.records.onDidChange(ids => {
        if (ids.some(id => /^(sample$|signIn$|rejection )/.test(id))) this.#onChange();
      }),
    );
    this.register(this.keys.onDidChange(() => this.#onChange()));
    this.register(
      settings.onDidChange(() => {
        clearTimeout(this.#settingsTimer);
        this.#settingsTimer = setTimeout(() => this.#onChange(), SETTINGS_MS);
      }),
    );
    await this.refresh();
  }

  #onChange(): void {
    if (this.#held === 0 && !this.isDisposed) void this.refresh();
  }

  async #look(): Promise<void> {
    this.#addressChange = undefined;
    const target = await this.#target();
    if (this.isDisposed) return;
    const source = target.kind === 'service' ? target.service.source : undefined;
    if (source !== 'sample') await this.sample.stop();
    this.#deps.setContext('agentConsole.environment', target.byEnvironment === true);
    if (target.kind === 'none') this.#signOut(target.reason, target.service);
    else await this.#use(target);
  }

  async #target(): Promise<Target> {
    const environment = await environmentAddresses(this.#deps.environment);
    if (environment.kind === 'unusable') {
      return { kind: 'none', reason: environment.reason, byEnvironment: true };
    }
    if (environment.kind === 'found') {
      const service = this.#serviceAt(environment.addresses, 'environment');
      const { key } = environment;
      if (key === undefined) return this.#withStoredKey(service);
      return { kind: 'service', service, key, readKey: () => Promise.resolve(key), byEnvironment: true };
    }
    if (this.records.sample?.chosen === true) return this.#sampleTarget();
    const found = await settingsAddresses(this.#deps.settings);
    if (found.kind === 'none') return { kind: 'none' };
    if (found.kind === 'unusable') return { kind: 'none', reason: found.reason };
    return this.#withStoredKey(this.#serviceAt(found.addresses, 'settings'));
  }

  async #withStoredKey(service: Service): Promise<Target> {
    const readKey = (): Promise<string | undefined> => this.keys.read(service);
    const key = await readKey();
    if (key !== undefined) return { kind: 'service', service, key, readKey, byEnvironment: false };
    // Then the welcome names the variables, as for an environment that cannot be used.
    const byEnvironment = service.source === 'environment';
    const from = this.records.lastSignIn;
    if (from === undefined || sameAddresses(from, service) || (await this.keys.read(from)) === undefined) {
      return {
        kind: 'none',
        reason: vscode.l10n.t('There is no key for {0}. Sign in to enter one.', service.host),
        service,
        byEnvironment,
      };
    }
    const { baseUrl, appUrl } = service;
    this.#addressChange = { from, to: { baseUrl, appUrl } };
    await this.#tellOfAddressChange(this.#addressChange);
    const reason = vscode.l10n.t(
      'The stored key was entered for {0}, so it is not sent to {1}. Sign in to decide.',
      hostOf(from.baseUrl),
      service.host,
    );
    return { kind: 'none', reason, service, byEnvironment };
  }

  async #sampleTarget(): Promise<Target> {
    try {
      const running = await this.sample.ensureServing();
      const service = this.#serviceAt(running, 'sample');
      const readKey = (): Promise<string> => Promise.resolve(running.key);
      return { kind: 'service', service, key: running.key, readKey, byEnvironment: false };
    } catch (error) {
      this.#deps.log.error('The sample service cannot be started', error);
      const why = forNotification(error instanceof Error ? error.message : String(error));
      return { kind: 'none', reason: vscode.l10n.t('The sample service cannot be started: {0}', why) };
    }
  }

  async #use(target: Target & { kind: 'service' }): Promise<void> {
    const { service, key } = target;
    const refusal = this.#refusalOf(service, key);
    if (refusal !== undefined) {
      this.#session?.end();
      this.#session = undefined;
      this.#setState({ kind: 'keyRejected', service, reason: refusal });
      return;
    }
    const before = this.#session;
    if (before !== undefined && !before.isEnded && before.service === service && before.key === key) return;
    const session: Session = new Session({
      service,
      key,
      readKey: target.readKey,
      beforeRequest: service.source === 'sample' ? () => this.#keepSampleServed(session) : undefined,
    });
    session.client = await this.clients.open(service, {
      key: () => session.keyForRequest(),
      onUnauthorized: error => this.#onUnauthorized(session, error),
    });
    if (this.isDisposed) return;
    before?.end();
    this.#session = session;
    this.#setState({ kind: 'signedIn', service });
    this.#ready.fire(service);
  }

  #signOut(reason: string | undefined, service: Service | undefined): void {
    this.#session?.end();
    this.#session = undefined;
    this.#setState({ kind: 'signedOut', reason, service });
  }

  #setState(state: ConnectionState): void {
    this.#deps.setContext('agentConsole.connection', state.kind);
    this.#deps.setContext('agentConsole.knownService', state.service !== undefined);
    if (isSameState(this.#state.current, state)) return;
    this.#state.set(state);
    const host = state.kind === 'signedOut' ? '' : ` ${state.service.host}`;
    const reason = state.kind === 'signedIn' || state.reason === undefined ? '' : `: ${state.reason}`;
    this.#deps.log.info(`Connection: ${state.kind}${host}${reason}`);
  }

  /** The same object as long as nothing about the service changes. */
  #serviceAt(addresses: Addresses, source: Service['source']): Service {
    const current = this.#state.current;
    const before = current.service;
    return before?.source === source && sameAddresses(before, addresses)
      ? before
      : serviceAt(addresses, source);
  }

  #refusalOf(service: Service, key: string): string | undefined {
    const record = this.records.rejection(service.id, key);
    if (record !== undefined) return this.#rejectionSentence(service, key, record);
    const here = this.#refused;
    return here?.serviceId === service.id && here.key === key ? here.sentence : undefined;
  }

  #rejectionSentence(service: Service, key: string, facts: RejectionFacts): string {
    const fromEnvironment = (this.#deps.environment[KEY_VARIABLE] ?? '').trim() === key;
    return rejectionSentence(service, facts, fromEnvironment);
  }

  /** The window that served the sample may have gone. */
  async #keepSampleServed(session: Session): Promise<void> {
    try {
      const running = await this.sample.ensureServing();
      if (!sameAddresses(running, session.service)) void this.refresh();
    } catch (error) {
      this.#deps.log.error('The sample service cannot be started', error);
    }
  }

  #onUnauthorized(session: Session, error: ApiError): Promise<boolean> {
    session.checking ??= this.#mayTryAgain(session, error).finally(() => (session.checking = undefined));
    return session.checking;
  }

  /** After a 401: whether the request is worth one more try. A key that is certainly refused stops all requests. */
  async #mayTryAgain(session: Session, error: ApiError): Promise<boolean> {
    if (this.#session !== session || session.isEnded) return false;
    const stored = await session.readKey();
    if (stored === undefined || this.#refusalOf(session.service, stored) !== undefined) {
      await this.refresh();
      return false;
    }
    if (stored !== session.key) {
      session.replaceKey(stored);
      return true;
    }
    const now = this.#deps.now ?? Date.now;
    const other = !error.request.path.includes('/api/v0/');
    if (other && session.provedAt !== undefined && session.provedAt > now() - PROVED_MS) return false;
    const verdict = await this.clients.probe(session.service, session.key);
    if (verdict === 'accepted') session.provedAt = now();
    if (verdict === 'refused') await this.#reject(session, error);
    return verdict === 'accepted';
  }

  async #reject(session: Session, { status, requestId }: ApiError): Promise<void> {
    if (this.#session !== session) return;
    const { service, key } = session;
    session.end();
    const facts = {
      ...(status === undefined ? {} : { status }),
      ...(requestId === undefined ? {} : { requestId }),
    };
    this.#refused = { serviceId: service.id, key, sentence: this.#rejectionSentence(service, key, facts) };
    const first = await this.records.reject(service.id, key, facts).catch((error: unknown) => {
      this.#deps.log.error('Other windows cannot be told that the key was refused', error);
      return true;
    });
    await this.refresh();
    const state = this.#state.current;
    if (first && state.kind === 'keyRejected') this.#keyRejected.fire(state);
  }

  async #tellOfAddressChange(change: AddressChange): Promise<void> {
    const about = `${change.from.baseUrl} ${change.to.baseUrl} ${change.to.appUrl}`;
    const first = await this.records.claimNotice('address', about).catch(() => true);
    if (first) this.#addressChanged.fire(change);
  }
}

function isSameState(a: ConnectionState, b: ConnectionState): boolean {
  const reasonOf = (state: ConnectionState): string | undefined =>
    state.kind === 'signedIn' ? undefined : state.reason;
  return a.kind === b.kind && a.service === b.service && reasonOf(a) === reasonOf(b);
}
