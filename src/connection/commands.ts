import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import { Disposable } from '../util/disposable';
import { errorSentence } from '../util/errorSentence';
import { readAccess } from './access';
import {
  BASE_VARIABLE,
  environmentAddresses,
  hostOf,
  KEY_VARIABLE,
  serviceAt,
  settingsAddresses,
  type Addresses,
} from './addresses';
import { checkService } from './check';
import type { AddressChange, ServiceConnection } from './connection';
import type { ConnectionState, Service } from './types';
import type { Prompts } from './prompts';
import { askSignIn } from './signIn';

type Rejected = ConnectionState & { readonly kind: 'keyRejected' };

/** What people do with the connection. No command takes or returns a key. */
export class ConnectionCommands extends Disposable {
  readonly #connection: ServiceConnection;
  readonly #prompts: Prompts;
  readonly #log: Logger;
  /** One sign-in at a time; a second request for it joins the first. */
  #signingIn: Promise<void> | undefined;

  constructor(connection: ServiceConnection, prompts: Prompts, log: Logger) {
    super();
    this.#connection = connection;
    this.#prompts = prompts;
    this.#log = log;
    this.register(
      connection.onDidRejectKey(state => this.#inBackground(() => this.#askAboutRejection(state))),
    );
    this.register(
      connection.onDidMissKey(change => this.#inBackground(() => this.#askAboutAddresses(change))),
    );
  }

  readonly handlers: CommandHandlers<'connection'> = {
    signIn: () => this.#beginSignIn(true),
    signOut: () => this.#signOut(),
    useSampleService: () => this.#useSample(),
    showAccess: () => this.#showAccess(),
  };

  /** Asks once more whether a refused key is taken now, and looks at everything anew. */
  async recheck(): Promise<void> {
    const state = await this.#connection.ready();
    if (state.kind === 'keyRejected') await this.#retryKey(state.service);
    await this.#connection.refresh();
  }

  #beginSignIn(offerStoredKey: boolean): Promise<void> {
    this.#signingIn ??= this.#signIn(offerStoredKey).finally(() => (this.#signingIn = undefined));
    return this.#signingIn;
  }

  async #signIn(offerStoredKey: boolean): Promise<void> {
    const state = await this.#connection.ready();
    const environment = await environmentAddresses(this.#connection.environment);
    if (environment.kind === 'unusable' || environment.key !== undefined) {
      return this.#explainEnvironment(environment.kind === 'unusable' ? environment.reason : undefined);
    }
    const change = this.#connection.addressChange;
    if (offerStoredKey && change !== undefined && (await this.#useStoredKey(change))) return;
    const fixed = environment.kind === 'found';
    const settings = fixed ? environment : await settingsAddresses(this.#connection.settings);
    const known = settings.kind === 'found' ? settings.addresses : undefined;
    const begin = known !== undefined && (fixed || state.kind === 'keyRejected') ? 'key' : 'baseUrl';
    const answer = await askSignIn({
      prompts: this.#prompts,
      check: (addresses, key, signal) => checkService(this.#connection.clients, addresses, key, signal),
      known,
      fixed,
      begin,
    });
    if (answer !== undefined)
      await this.#adopt(answer.addresses, answer.key, fixed ? 'environment' : 'settings');
  }

  /** Stores what has been checked, and turns to it. */
  async #adopt(addresses: Addresses, key: string, source: 'environment' | 'settings'): Promise<void> {
    const { keys, records, settings } = this.#connection;
    const service = serviceAt(addresses, source);
    const kept = await this.#connection.hold(async () => {
      const stored = await keys.store(addresses, key);
      await this.#connection.accept(service, key).catch(this.#logFailure);
      if (source === 'environment') return stored;
      await records.rememberSignIn(addresses).catch(this.#logFailure);
      await settings.store(addresses).catch(async (error: unknown) => {
        if (this.#connection.usesAddresses(addresses)) throw error;
        await keys.remove(addresses);
        throw error;
      });
      if (records.sample?.chosen === true) {
        await records.updateSample(current => ({ kind: 'sample', ...current, chosen: false }));
      }
      return stored;
    });
    this.#inBackground(() => this.#tellSignedIn(service, kept));
  }

  async #tellSignedIn(service: Service, kept: 'kept' | 'untilClosed'): Promise<void> {
    const access = vscode.l10n.t('What this key can read');
    const sentence = vscode.l10n.t('Signed in to {0}.', service.host);
    const pressed =
      kept === 'kept'
        ? await this.#prompts.tell('info', sentence, access)
        : await this.#prompts.tell(
            'warning',
            vscode.l10n.t(
              '{0} The secret storage did not keep the key, so it is kept only until this window closes. To keep it, set {1} and {2} in the environment of VS Code.',
              sentence,
              BASE_VARIABLE,
              KEY_VARIABLE,
            ),
            access,
          );
    if (pressed === access) await this.#showAccess();
  }

  async #signOut(): Promise<void> {
    const state = await this.#connection.ready();
    const environment = await environmentAddresses(this.#connection.environment);
    if (environment.kind === 'unusable' || environment.key !== undefined) {
      return this.#explainEnvironment(environment.kind === 'unusable' ? environment.reason : undefined);
    }
    if (state.kind === 'signedOut') {
      void this.#prompts.tell('info', vscode.l10n.t('You are not signed in.'));
      return;
    }
    const { service } = state;
    const left = service.source === 'sample' ? await this.#leaveSample() : await this.#leave(service);
    if (!left) return;
    const now = this.#connection.state.current;
    const sentence =
      now.kind === 'signedOut'
        ? vscode.l10n.t('Signed out of {0}.', service.host)
        : vscode.l10n.t('Signed out of {0}; back at {1}.', service.host, now.service.host);
    void this.#prompts.tell('info', sentence);
  }

  async #leave(service: Service): Promise<boolean> {
    const sure = await this.#prompts.confirm(
      vscode.l10n.t('Sign out of {0}?', service.host),
      vscode.l10n.t(
        'The key is removed from the secret storage. The list of sessions, messages read so far and drafts stay on this machine.',
      ),
      vscode.l10n.t('Sign out'),
    );
    if (sure) await this.#connection.hold(() => this.#connection.keys.removeEverywhere(service));
    return sure;
  }

  async #leaveSample(): Promise<boolean> {
    const sure = await this.#prompts.confirm(
      vscode.l10n.t('Leave the sample service?'),
      vscode.l10n.t('Its sessions stay on this machine and are there again next time.'),
      vscode.l10n.t('Leave'),
    );
    if (!sure) return false;
    await this.#connection.hold(() =>
      this.#connection.records.updateSample(current => ({ kind: 'sample', ...current, chosen: false })),
    );
    return true;
  }

  async #useSample(): Promise<void> {
    const state = await this.#connection.ready();
    const environment = await environmentAddresses(this.#connection.environment);
    if (environment.kind !== 'none') {
      return this.#explainEnvironment(environment.kind === 'unusable' ? environment.reason : undefined);
    }
    if (state.kind !== 'signedOut' && state.service.source !== 'sample') {
      const sure = await this.#prompts.confirm(
        vscode.l10n.t('Show sample data instead of {0}?', state.service.host),
        vscode.l10n.t(
          'Your key and everything known of {0} stay. Signing out of the sample leads back.',
          state.service.host,
        ),
        vscode.l10n.t('Show sample data'),
      );
      if (!sure) return;
    }
    await this.#prompts.progress(vscode.l10n.t('Starting the sample service'), () =>
      this.#connection.hold(async () => {
        await this.#connection.sample.ensureServing();
        await this.#connection.records.updateSample(current => ({
          kind: 'sample',
          ...current,
          chosen: true,
        }));
      }),
    );
    void this.#prompts.tell(
      'info',
      vscode.l10n.t('This is sample data, generated on this machine. Nothing leaves it.'),
    );
  }

  async #showAccess(): Promise<void> {
    const state = await this.#connection.ready();
    const client = this.#connection.api;
    if (state.kind !== 'signedIn' || client === undefined) {
      const reason = state.kind === 'signedIn' ? undefined : state.reason;
      void this.#prompts.tell('info', reason ?? vscode.l10n.t('You are not signed in.'));
      return;
    }
    const { service } = state;
    await this.#prompts.showAccess(
      vscode.l10n.t('What this key can read at {0}', service.host),
      (signal, onRows) => readAccess({ client, service, signal, onRows }),
    );
  }

  /** The one question after a key was refused. */
  async #askAboutRejection({ service, reason }: Rejected): Promise<void> {
    const enter = vscode.l10n.t('Enter key');
    const open = vscode.l10n.t('Open web application');
    const fromEnvironment = (this.#connection.environment[KEY_VARIABLE] ?? '').trim() !== '';
    const buttons = fromEnvironment ? [open] : [enter, open];
    const pressed = await this.#prompts.tell('warning', reason, ...buttons);
    if (pressed === enter) await this.#beginSignIn(true);
    if (pressed === open) await this.#prompts.openExternal(`${service.appUrl}/settings`);
  }

  async #askAboutAddresses(change: AddressChange): Promise<void> {
    const use = vscode.l10n.t('Use the stored key…');
    const enter = vscode.l10n.t('Enter another key');
    const pressed = await this.#prompts.tell(
      'warning',
      vscode.l10n.t(
        'The service’s address is now {0}. The stored key was entered for {1} and has not been sent.',
        hostOf(change.to.baseUrl),
        hostOf(change.from.baseUrl),
      ),
      use,
      enter,
    );
    if (pressed === undefined || this.#connection.addressChange === undefined) return;
    if (pressed === enter) await this.#beginSignIn(false);
    else await this.#useStoredKey(change);
  }

  /**
   * Sends a stored key to other addresses than it was entered for only after a person has said so. Resolves to true when there
   * is nothing more to ask.
   */
  async #useStoredKey({ from, to }: AddressChange): Promise<boolean> {
    const sure = await this.#prompts.confirm(
      vscode.l10n.t('Use the stored key for {0}?', hostOf(to.baseUrl)),
      vscode.l10n.t(
        'It was entered for {0}. If you go on, it is sent to {1} and {2}. Go on only if they belong to the same organization.',
        hostOf(from.baseUrl),
        to.baseUrl,
        to.appUrl,
      ),
      vscode.l10n.t('Use the key'),
    );
    const key = sure ? await this.#connection.keys.read(from) : undefined;
    if (key === undefined) return false;
    const result = await this.#prompts.progress(vscode.l10n.t('Checking {0}', hostOf(to.baseUrl)), signal =>
      checkService(this.#connection.clients, to, key, signal),
    );
    if (result.kind === 'accepted') {
      const environment = await environmentAddresses(this.#connection.environment);
      await this.#adopt(to, key, environment.kind === 'found' ? 'environment' : 'settings');
      return true;
    }
    if (result.kind === 'problem') void this.#prompts.tell('error', result.sentence);
    return result.kind === 'cancelled';
  }

  async #retryKey(service: Service): Promise<void> {
    const environment = await environmentAddresses(this.#connection.environment);
    const key =
      environment.kind === 'found' && environment.key !== undefined
        ? environment.key
        : await this.#connection.keys.read(service);
    if (key === undefined || (await this.#connection.clients.probe(service, key)) !== 'accepted') return;
    await this.#connection.accept(service, key);
  }

  /** Why signing in and out does nothing here. A key the service has begun to take again is used at once. */
  async #explainEnvironment(reason: string | undefined): Promise<void> {
    if (reason === undefined) await this.recheck();
    const sentence = vscode.l10n.t(
      'The environment variables {0} and {1} decide which service is used. Change them where VS Code is started, then reload the window.',
      BASE_VARIABLE,
      KEY_VARIABLE,
    );
    void this.#prompts.tell('info', reason === undefined ? sentence : `${reason} ${sentence}`);
  }

  #inBackground(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.#log.error('A question about the connection failed', error);
      void this.#prompts.tell('error', errorSentence(error));
    });
  }

  readonly #logFailure = (error: unknown): void => this.#log.error('Stored data could not be changed', error);
}
