import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { answerFacts, hostOf } from '../util/errorSentence';
import {
  environmentAddresses,
  KEY_VARIABLE,
  settingsAddresses,
  type Addresses,
  type AddressSettings,
  type Environment,
} from './addresses';
import { SAMPLE } from './clients';
import type { KeyStore } from './keys';
import type { ConnectionRecords } from './records';

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

/** `reason` is a sentence for people. */
export type ConnectionState =
  /**
   * There is a `reason` where there is more to say than that nobody has signed in. `service` is the one whose addresses are known but
   * not its key: what was stored of it can still be read.
   */
  | {
      readonly kind: 'signedOut';
      readonly reason?: string | undefined;
      readonly service?: Service | undefined;
    }
  | { readonly kind: 'signedIn'; readonly service: Service }
  /** All requests rest until there is another key. */
  | { readonly kind: 'keyRejected'; readonly service: Service; readonly reason: string };

interface Sources {
  readonly environment: Environment;
  readonly settings: Pick<AddressSettings, 'baseUrl' | 'appUrl'>;
  readonly records: Pick<ConnectionRecords, 'isSampleChosen' | 'rejection'>;
  readonly keys: Pick<KeyStore, 'read'>;
}

/** Where requests go and with which key, or why nowhere. */
export interface Target {
  readonly state: ConnectionState;
  /** None while signed out. */
  readonly key?: string;
}

/**
 * The environment wins over the sample, the sample over the settings; a key that was refused is not used. Reads no secret that it
 * does not need.
 */
export async function decide({ environment, settings, records, keys }: Sources): Promise<Target> {
  const given = environmentAddresses(environment);
  if (given.kind === 'none' && records.isSampleChosen)
    return { state: { kind: 'signedIn', service: serviceAt(SAMPLE, 'sample') }, key: SAMPLE.key };
  const named = given.kind === 'none' ? settingsAddresses(settings) : given;
  if (named.kind === 'none') return { state: { kind: 'signedOut' } };
  if (named.kind === 'unusable') return { state: { kind: 'signedOut', reason: named.reason } };
  const service = serviceAt(named.addresses, named === given ? 'environment' : 'settings');
  const { id, host } = service;
  const key = named.key ?? (await keys.read(service));
  if (key === undefined) {
    const reason = vscode.l10n.t('There is no key for {0}. Sign in to enter one.', host);
    return { state: { kind: 'signedOut', reason, service } };
  }
  const rejection = records.rejection(id, key);
  if (rejection === undefined) return { state: { kind: 'signedIn', service }, key };
  const facts = answerFacts(rejection);
  const reason =
    named.key === undefined
      ? vscode.l10n.t(
          'The key was not accepted by {0}{1}. Enter it again or check it in the web application.',
          host,
          facts,
        )
      : vscode.l10n.t(
          'The key in {0} was not accepted by {1}{2}. Run Refresh to try it again; to use another key, change the variable and reload the window.',
          KEY_VARIABLE,
          host,
          facts,
        );
  return { state: { kind: 'keyRejected', service, reason }, key };
}

/**
 * The service at two addresses. What is stored of it belongs to `baseUrl`, so its id stays the same as long as that does; the
 * sample keeps one id wherever it is.
 */
export function serviceAt({ baseUrl, appUrl }: Addresses, source: Service['source']): Service {
  if (source === 'sample')
    return { id: 'sample', baseUrl, appUrl, host: vscode.l10n.t('Sample service'), source };
  const id = createHash('sha256').update(baseUrl).digest('hex').slice(0, 16);
  return { id, baseUrl, appUrl, host: hostOf(baseUrl), source };
}
