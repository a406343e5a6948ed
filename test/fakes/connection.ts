import type { ApiClient } from '../../src/api';
import type { ConnectionState, Service } from '../../src/connection/decide';
import { Emitter, ObservableValue } from '../../src/util/event';

/** A connection as one window has it, signed in to a service. */
export class FakeConnection {
  readonly state: ObservableValue<ConnectionState>;
  readonly #ready = new Emitter<Service>();
  readonly onDidBecomeReady = this.#ready.event;
  api: ApiClient | undefined;
  /** Another one for each key. */
  mark = 'key';

  constructor(api: ApiClient, addresses: Pick<Service, 'baseUrl' | 'appUrl'>, id = 'service') {
    this.api = api;
    this.state = new ObservableValue<ConnectionState>({
      kind: 'signedIn',
      service: serviceOf(id, addresses),
    });
  }

  keyMark(): string | undefined {
    return this.api && this.mark;
  }

  ready(): Promise<ConnectionState> {
    return Promise.resolve(this.state.current);
  }

  /** Another service with another client. */
  go(api: ApiClient, addresses: Pick<Service, 'baseUrl' | 'appUrl'>, id: string): void {
    this.api = api;
    this.state.set({ kind: 'signedIn', service: serviceOf(id, addresses) });
  }

  /** The key is gone; where the service is, is still known. */
  signOut(): void {
    this.api = undefined;
    this.state.set({ kind: 'signedOut', service: this.state.current.service });
  }

  reject(reason: string): void {
    const { service } = this.state.current;
    this.api = undefined;
    if (service !== undefined) this.state.set({ kind: 'keyRejected', service, reason });
  }

  anotherKey(): void {
    const { service } = this.state.current;
    if (service !== undefined) this.#ready.fire(service);
  }
}

function serviceOf(id: string, { baseUrl, appUrl }: Pick<Service, 'baseUrl' | 'appUrl'>): Service {
  return { id, baseUrl, appUrl, host: new URL(baseUrl).host, source: 'environment' };
}
