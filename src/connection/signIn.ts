import * as vscode from 'vscode';
import type { ApiError } from '../api';
import { answerFacts, errorSentence, hostOf } from '../util/errorSentence';
import { parseAddress, proposeAppUrl, type Addresses } from './decide';
import type { ServiceConnection } from './connection';
import { keyProblem } from './keys';
import { withSignal } from '../util/promises';
import type { Logger } from '../log';
import { confirmed, notify, openAddress, type NoticeButton } from '../ui/window';
import { forNotification, forQuickPick, plain } from '../util/text';

type SignInStep = 'baseUrl' | 'appUrl' | 'key';

interface SignInAnswer {
  readonly addresses: Addresses;
  readonly key: string;
  /** It is no API key, so analytics and readiness stay closed. */
  readonly isToken: boolean;
}

interface SignInStart {
  readonly known?: Addresses | undefined;
  /** The addresses cannot be changed here: only the key is asked for. */
  readonly fixed: boolean;
  readonly begin: SignInStep;
}

/**
 * Asks for the two addresses and the key and checks them. Whatever fails is said at the question where it can be fixed, with
 * everything typed kept. `undefined` when the person gives up. Changes nothing.
 */
export async function askSignIn(
  prompts: Prompts,
  connection: Pick<ServiceConnection, 'withKey'>,
  { known, fixed, begin }: SignInStart,
): Promise<SignInAnswer | undefined> {
  const steps: readonly SignInStep[] = fixed ? ['key'] : ['baseUrl', 'appUrl', 'key'];
  const typed = { baseUrl: known?.baseUrl ?? '', appUrl: known?.appUrl ?? '', key: '' };
  let at = Math.max(0, steps.indexOf(begin));
  let problem: string | undefined;
  for (;;) {
    const name = steps[at] ?? 'key';
    const addresses = { baseUrl: read(typed.baseUrl), appUrl: read(typed.appUrl) };
    const value = await prompts.ask({
      ...questions[name](addresses),
      title: vscode.l10n.t('Sign in ({0}/{1})', at + 1, steps.length),
      value: typed[name],
      secret: name === 'key',
      problem,
    });
    problem = undefined;
    if (value === undefined) return undefined;
    // The address of the web application follows, unless the person has typed another one.
    const isFollowing = typed.appUrl === '' || typed.appUrl === proposeAppUrl(addresses.baseUrl);
    typed[name] = value;
    if (name === 'baseUrl' && isFollowing) typed.appUrl = proposeAppUrl(read(value));
    if (name !== 'key') {
      at++;
      continue;
    }
    const key = typed.key.trim();
    const title = vscode.l10n.t('Checking {0}', hostOf(addresses.baseUrl));
    const result = await prompts.progress(title, signal => checkService(connection, addresses, key, signal));
    if (result.kind === 'accepted') return { addresses, key, isToken: result.isToken };
    if (result.kind === 'cancelled') continue;
    problem = result.sentence;
    at = Math.max(0, steps.indexOf(result.step));
  }
}

function read(text: string): string {
  const parsed = parseAddress(text);
  return 'ok' in parsed ? parsed.ok : '';
}

function addressProblem(text: string): string | undefined {
  const parsed = parseAddress(text);
  return 'ok' in parsed ? undefined : parsed.problem;
}

type Words = Pick<Question, 'prompt' | 'placeHolder' | 'validate'>;

const questions: Readonly<Record<SignInStep, (addresses: Addresses) => Words>> = {
  baseUrl: () => ({
    prompt: vscode.l10n.t('Address of the service'),
    placeHolder: 'https://api.example.com',
    validate: addressProblem,
  }),
  appUrl: ({ baseUrl }) => ({
    prompt: vscode.l10n.t(
      'Address of the web application of {0}, which has the readiness reports',
      hostOf(baseUrl),
    ),
    placeHolder: 'https://app.example.com',
    validate: addressProblem,
  }),
  key: ({ baseUrl, appUrl }) => ({
    prompt: vscode.l10n.t(
      'API key for {0}. Administrators create keys at {1}. VS Code keeps it in its secret storage.',
      hostOf(baseUrl),
      forNotification(`${appUrl}/settings`),
    ),
    validate: keyProblem,
  }),
};

type CheckResult =
  | { readonly kind: 'accepted'; readonly isToken: boolean }
  /** `step` is where it can be fixed. */
  | { readonly kind: 'problem'; readonly step: SignInStep; readonly sentence: string }
  | { readonly kind: 'cancelled' };

/** One call to the service, and only if that went well one to the web application. Stores nothing. */
async function checkService(
  connection: Pick<ServiceConnection, 'withKey'>,
  addresses: Addresses,
  key: string,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { failureOf } = await import('../api');
  return connection.withKey(addresses, key, async client => {
    let isToken = false;
    for (const [step, ask] of [
      ['baseUrl', () => client.list('computers', { signal })],
      ['appUrl', () => client.pages('reports', { limit: 1, signal }).next()],
    ] as const) {
      const error = await failureOf(ask);
      if (error?.kind === 'cancelled') return { kind: 'cancelled' };
      isToken = step === 'appUrl' && error?.reason === 'jwt';
      if (error === undefined || isLetIn(error) || isToken) continue;
      const sentence = problemSentence(error, step, addresses);
      return { kind: 'problem', step: error.kind === 'unauthorized' ? 'key' : step, sentence };
    }
    return { kind: 'accepted', isToken };
  });
}

/** Who is refused a right has been let in; but only the service says so in JSON: a door in front of it does not. */
function isLetIn({ kind, title, detail, requestId }: ApiError): boolean {
  return kind === 'forbidden' && [title, detail, requestId].some(text => text !== undefined);
}

function problemSentence(error: ApiError, step: 'baseUrl' | 'appUrl', addresses: Addresses): string {
  const host = hostOf(addresses[step]);
  const { status, requestId } = error;
  const facts = answerFacts({ status, requestId });
  if (error.kind === 'forbidden')
    return vscode.l10n.t('A proxy or firewall refused access to {0}{1}. Check the address.', host, facts);
  if (error.kind === 'notFound' || error.kind === 'refused')
    return step === 'baseUrl'
      ? vscode.l10n.t(
          '{0} does not look like an agent service: it lists no computers{1}. Check the address.',
          host,
          facts,
        )
      : vscode.l10n.t(
          '{0} does not look like its web application: it lists no readiness reports{1}. Check the address.',
          host,
          facts,
        );
  if (error.kind === 'unauthorized' && step === 'appUrl')
    return vscode.l10n.t(
      '{0} accepted the key, but the web application at {1} did not{2}. Enter an API key of this organization, or sign in again with another address.',
      hostOf(addresses.baseUrl),
      host,
      facts,
    );
  return errorSentence(error, { host });
}

export interface AccessRow {
  readonly what: string;
  readonly state: 'readable' | 'refused' | 'unknown';
  /** A sentence for people. */
  readonly detail: string;
}

export interface Question {
  readonly title: string;
  readonly prompt: string;
  readonly placeHolder?: string;
  readonly value: string;
  readonly secret: boolean;
  /** What was wrong with this value the last time. */
  readonly problem?: string | undefined;
  /** A sentence while the value cannot be used, `undefined` when it can. */
  readonly validate: (value: string) => string | undefined;
}

/** Everything the connection asks of a person and tells them. */
export type Prompts = Pick<VscodePrompts, keyof VscodePrompts>;

export class VscodePrompts {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `undefined` when the person gives up. */
  async ask(question: Question): Promise<string | undefined> {
    const { title, prompt, placeHolder = '', value: known, secret: password, problem, validate } = question;
    const value = await vscode.window.showInputBox({
      ...{ title, prompt: problem ?? prompt, placeHolder, value: known, password, ignoreFocusOut: true },
      // An empty box needs no reproach while somebody is about to type.
      validateInput: text => (text.trim() === '' ? undefined : validate(text)),
    });
    const unusable = value === undefined ? undefined : validate(value);
    return unusable === undefined ? value : this.ask({ ...question, value: value ?? '', problem: unusable });
  }

  /** Shows that something is under way; the signal aborts when the person cancels. */
  async progress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const location = vscode.ProgressLocation.Notification;
    return vscode.window.withProgress({ location, title, cancellable: true }, (_progress, token) =>
      withSignal(token, work),
    );
  }

  tell(kind: 'info' | 'warning', message: string, ...buttons: readonly NoticeButton[]): void {
    notify(this.#log, kind, forNotification(message, 1_000), ...buttons);
  }

  confirm(message: string, detail: string, button: string): Promise<boolean> {
    return confirmed(forNotification(message), forNotification(detail, 1_000), button);
  }

  /** Shows rows as soon as they are there; resolves when closed. */
  async showAccess(
    title: string,
    read: (signal: AbortSignal) => Promise<readonly AccessRow[]>,
  ): Promise<void> {
    const abort = new AbortController();
    const items = read(abort.signal).then(rows => rows.map(toItem));
    const placeHolder = vscode.l10n.t('Each is asked once');
    await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true });
    abort.abort();
  }

  openExternal(address: string): Promise<void> {
    return openAddress(address);
  }
}

const icons: Readonly<Record<AccessRow['state'], string>> = {
  readable: '$(pass)',
  refused: '$(circle-slash)',
  unknown: '$(warning)',
};

function toItem({ what, state, detail }: AccessRow): vscode.QuickPickItem {
  return { label: `${icons[state]} ${what}`, detail: plain(forQuickPick(detail, 500)), alwaysShow: true };
}
