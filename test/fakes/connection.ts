import type { ApiClient } from '../../src/api';
import type { ConnectionState, Service } from '../../src/connection/decide';
import { Emitter, ObservableValue } from '../../src/util/lifecycle';

type Addresses = Pick<Service, 'baseUrl' | 'appUrl'>;

/** A connection as one window has it, signed in to a service. */
export class FakeConnection {
  api: ApiClient | undefined;
  /** Another one for each key. */
  mark = 'key';
  readonly state = new ObservableValue<ConnectionState>({ kind: 'signedOut', service: undefined });
  readonly #ready = new Emitter<Service>();
  readonly onDidBecomeReady = this.#ready.event;
  readonly ready = (): Promise<ConnectionState> => Promise.resolve(this.state.current);
  readonly keyMark = (): string | undefined => this.api && this.mark;

  constructor(api: ApiClient, addresses: Addresses, id = 'service') {
    this.go(api, addresses, id);
  }

  /** A service with a client. */
  go(api: ApiClient, { baseUrl, appUrl }: Addresses, id: string): void {
    this.api = api;
    const { host } = new URL(baseUrl);
    this.state.set({ kind: 'signedIn', service: { id, baseUrl, appUrl, host, source: 'environment' } });
  }

  /** The key is gone; where the service is, is still known. */
  signOut(): void {
    this.api = undefined;
    this.state.set({ kind: 'signedOut', service: this.state.current.service });
  }

  reject(reason: string): void {
    this.api = undefined;
    this.state.set({ kind: 'keyRejected', service: this.state.current.service!, reason });
  }

  anotherKey(): void {
    this.#ready.fire(this.state.current.service!);
  }
}
