import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { ApiClient } from '../api';
import { errorSentence, hostOf } from '../util/errorSentence';
import type { ServiceConnection } from './connection';
import { askSignIn, type AccessRow, type Prompts } from './signIn';
import { BASE_VARIABLE, KEY_VARIABLE, settingsAddresses, type Named, type Service } from './decide';

/** What people do with the connection, and what they are asked. No command takes or returns a key. */
export function connectionCommands(
  connection: ServiceConnection,
  prompts: Prompts,
): CommandHandlers<'connection'> {
  const tell = (sentence: string): void => prompts.tell('info', sentence);

  /** Why signing in and out does nothing here. A key the service has begun to take again is used at once. */
  const explain = async (environment: Named): Promise<void> => {
    const decides = vscode.l10n.t(
      'The environment variables {0} and {1} decide which service is used. Change them where VS Code is started, then reload the window.',
      BASE_VARIABLE,
      KEY_VARIABLE,
    );
    if (environment.kind !== 'unusable') await connection.recheck();
    tell(environment.kind === 'unusable' ? `${environment.reason} ${decides}` : decides);
  };

  const signIn = async (): Promise<void> => {
    const state = await connection.ready();
    const environment = connection.environment();
    if (isFixed(environment)) return explain(environment);
    const fixed = environment.kind === 'found';
    const named = fixed ? environment : settingsAddresses(connection.settings);
    const known = named.kind === 'found' ? named.addresses : undefined;
    const begin = known !== undefined && (fixed || state.kind === 'keyRejected') ? 'key' : 'baseUrl';
    const answer = await askSignIn(prompts, connection, { known, fixed, begin });
    if (answer === undefined) return;
    const { addresses, key, isToken } = answer;
    const sentences = [vscode.l10n.t('Signed in to {0}.', hostOf(addresses.baseUrl))];
    if (!(await connection.adopt(addresses, key))) {
      const notKept = vscode.l10n.t(
        'VS Code’s secret storage did not keep the key, so it works only until this window closes. To keep it, set {0} and {1} in VS Code’s environment.',
        BASE_VARIABLE,
        KEY_VARIABLE,
      );
      sentences.push(notKept);
    }
    if (isToken)
      sentences.push(vscode.l10n.t('Analytics and readiness reports need an API key, not an access token.'));
    const access = [vscode.l10n.t('What this key can read'), showAccess] as const;
    prompts.tell(sentences.length === 1 ? 'info' : 'warning', sentences.join(' '), access);
  };
  /** One at a time; a second request for it joins the first. */
  let signingIn: Promise<void> | undefined;
  const beginSignIn = (): Promise<void> => (signingIn ??= signIn().finally(() => (signingIn = undefined)));

  const signOut = async (): Promise<void> => {
    const state = await connection.ready();
    const environment = connection.environment();
    if (isFixed(environment)) return explain(environment);
    if (state.kind === 'signedOut') {
      tell(vscode.l10n.t('You are not signed in.'));
      return;
    }
    const { service } = state;
    if (service.source === 'sample') await connection.chooseSample(false);
    else {
      const isSure = await prompts.confirm(
        vscode.l10n.t('Sign out of {0}?', service.host),
        vscode.l10n.t(
          'This removes the key from VS Code’s secret storage. Your list of sessions, the messages read so far and your drafts stay on this machine.',
        ),
        vscode.l10n.t('Sign out'),
      );
      if (!isSure) return;
      await connection.forgetKeys(service);
    }
    const now = connection.state.current;
    tell(
      now.kind === 'signedOut'
        ? vscode.l10n.t('Signed out of {0}.', service.host)
        : vscode.l10n.t('Signed out of {0}. Back to {1}.', service.host, now.service.host),
    );
  };

  const useSampleService = async (): Promise<void> => {
    await connection.ready();
    const environment = connection.environment();
    if (environment.kind !== 'none') return explain(environment);
    await connection.chooseSample(true);
    tell(vscode.l10n.t('This is sample data, generated on this machine. Sign out to leave it.'));
  };

  const showAccess = async (): Promise<void> => {
    const state = await connection.ready();
    const { api } = connection;
    if (state.kind !== 'signedIn' || api === undefined) {
      const reason = state.kind === 'signedIn' ? undefined : state.reason;
      tell(reason ?? vscode.l10n.t('You are not signed in.'));
      return;
    }
    const title = vscode.l10n.t('What this key can read at {0}', state.service.host);
    await prompts.showAccess(title, signal => readAccess(api, state.service, signal));
  };

  connection.onDidRejectKey(({ reason, service }) => {
    const enter = [vscode.l10n.t('Enter key'), beginSignIn] as const;
    const settings = `${service.appUrl}/settings`;
    const open = [vscode.l10n.t('Open web application'), () => prompts.openExternal(settings)] as const;
    prompts.tell('warning', reason, ...(isFixed(connection.environment()) ? [open] : [enter, open]));
  });
  return { signIn: beginSignIn, signOut, useSampleService, showAccess };
}

function isFixed(environment: Named): boolean {
  return environment.kind === 'unusable' || (environment.kind === 'found' && environment.key !== undefined);
}

/** Asks for each thing once, all at the same time. */
async function readAccess(
  client: ApiClient,
  { source, host }: Service,
  signal: AbortSignal,
): Promise<readonly AccessRow[]> {
  const { failureOf, latestDay } = await import('../api');
  const day = latestDay(Date.now());
  const asked = { limit: 1, signal };
  const questions: readonly (readonly [what: string, ask: () => Promise<unknown>])[] = [
    [vscode.l10n.t('Computers'), () => client.list('computers', { signal })],
    [vscode.l10n.t('Users of the organization'), () => client.pages('users', asked).next()],
    [vscode.l10n.t('Control history'), () => client.pages('controlHistory', asked).next()],
    [
      vscode.l10n.t('Analytics'),
      () => client.list('activity', { query: { startDate: day, endDate: day }, signal }),
    ],
    [vscode.l10n.t('Readiness reports'), () => client.pages('reports', asked).next()],
  ];
  return Promise.all(
    questions.map(async ([what, ask]): Promise<AccessRow> => {
      const error = await failureOf(ask);
      if (error === undefined)
        return { what, state: 'readable', detail: vscode.l10n.t('This key can read it.') };
      const detail = errorSentence(error, { host: source === 'sample' ? host : undefined });
      return { what, state: /^(forbidden|unauthorized)$/.test(error.kind) ? 'refused' : 'unknown', detail };
    }),
  );
}
