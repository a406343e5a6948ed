import type { ApiClient } from '../api';
import type { Event, Observable } from '../util/event';

/** The service this window talks to. */
export interface Service {
  /** Short stable id made from the two origins; names the service's folder in storage. */
  readonly id: string;
  readonly baseUrl: string;
  readonly appUrl: string;
  /** Host of `baseUrl`, as shown to people. */
  readonly host: string;
  /** `sample`: the built-in service; `environment`: AGENT_CONSOLE_* of the extension host; `settings`: sign-in. */
  readonly source: 'settings' | 'environment' | 'sample';
}

export type ConnectionState =
  | { readonly kind: 'signedOut' }
  | { readonly kind: 'signedIn'; readonly service: Service }
  | { readonly kind: 'keyRejected'; readonly service: Service; readonly reason: string };

/** What features see of the connection. */
export interface Connection {
  readonly state: Observable<ConnectionState>;
  /** The client of the current service; `undefined` unless signed in. */
  readonly api: ApiClient | undefined;
  /** Fires when requests may be worth making again (signed in anew, another key). */
  readonly onDidBecomeReady: Event<Service>;
}
