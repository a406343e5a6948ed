import type { ApiClient } from '../api';
import type { Event, Observable } from '../util/event';

/** The two addresses of a service, as `parseAddress` gives them. */
export interface Addresses {
  readonly baseUrl: string;
  readonly appUrl: string;
}

export interface Service extends Addresses {
  /**
   * Short stable id made from `baseUrl` alone (`sample` for the sample); names the service's folder in storage. Services that
   * differ only in `appUrl` share it and what is stored, but not the key.
   */
  readonly id: string;
  readonly host: string;
  /** `sample`: the built-in service; `environment`: AGENT_CONSOLE_* of the extension host; `settings`: sign-in. */
  readonly source: 'settings' | 'environment' | 'sample';
}

export type ConnectionState =
  /**
   * `reason` is a sentence for people, where there is more to say than that nobody has signed in. `service` is the one whose
   * addresses are known but not its key: what was stored of it can still be read.
   */
  | {
      readonly kind: 'signedOut';
      readonly reason?: string | undefined;
      readonly service?: Service | undefined;
    }
  | { readonly kind: 'signedIn'; readonly service: Service }
  /** `reason` is a sentence for people. All requests rest until there is another key. */
  | { readonly kind: 'keyRejected'; readonly service: Service; readonly reason: string };

/** What features see of the connection. */
export interface Connection {
  readonly state: Observable<ConnectionState>;
  /** The client of the current service; `undefined` unless signed in. Ask for it anew before each request. */
  readonly api: ApiClient | undefined;
  /**
   * Stands for the key in use, and tells whether another is the same one; the key cannot be had from it. `undefined` where there
   * is none.
   */
  keyMark(salt: string): string | undefined;
  /** Fires when requests may be worth making again (signed in anew, another key). */
  readonly onDidBecomeReady: Event<Service>;
  /**
   * Finds out where things stand: until the first call nothing has been read and `state` says `signedOut`. Resolves to the state
   * once it is known; later calls wait only for a change under way.
   */
  ready(): Promise<ConnectionState>;
}
