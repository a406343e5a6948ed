import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { AgentConsoleApi, Messages, MessagesOptions, Session, SessionChange } from '../../api';
import { openObject, recordSchema } from '../api/records';
import { confirmed } from '../ui/window';
import { Disposable, Slot, type IDisposable } from '../util/lifecycle';
import { SharedRequests } from '../util/promises';
import { forNotification } from '../util/text';
import type * as own from './deps';
import type { Words } from './tools';

const [USUAL, MOST] = [50, 200];

/** What other extensions are given, version 1 (api.d.ts). */
export class PublicApi extends Disposable {
  readonly #deps: own.ToolsDeps;
  readonly #words: Words;
  readonly #permissions: Permissions;
  readonly #changed = this.register(new vscode.EventEmitter<SessionChange>());
  readonly #watched = this.register(new Slot<IDisposable>());
  #serviceId: string | undefined;
  readonly api: AgentConsoleApi;

  constructor(deps: own.ToolsDeps, words: Words, permissions: Permissions) {
    super();
    [this.#deps, this.#words, this.#permissions] = [deps, words, permissions];
    const { connection, sources, open, prefill } = deps;
    this.api = Object.freeze<AgentConsoleApi>({
      sessions: async () => [...(await sources.sessions()).values()].map(each => this.#publicSession(each)),
      onDidChangeSession: this.#changed.event,
      messages: (sessionId, options) => this.#messages(sessionId, options),
      openSession: async sessionId => {
        await open(idOf(sessionId));
      },
      draft: async (sessionId, { text, files = [] }) => {
        await prefill({ sessionId: idOf(sessionId), text, files });
      },
    });
    this.register(connection.state.onDidChange(() => void this.follow()));
  }

  /** Watches the sessions of the service in use; resolves when how they stand is known. Never rejects. */
  async follow(): Promise<void> {
    const { connection, sources, log } = this.#deps;
    let id: string | undefined;
    try {
      const state = await connection.ready();
      id = state.kind === 'signedOut' ? undefined : state.service.id;
      if (id === this.#serviceId) return;
      this.#serviceId = id;
      this.#watched.set(undefined);
      if (id === undefined) return;
      const known = new Map<string, string | undefined>();
      const watched = await sources.watch((changes, isFirst) => {
        if (id !== this.#serviceId) return;
        for (const { sessionId, session } of changes) {
          // An answer of the service that says nothing new changes only its time.
          const words = session && JSON.stringify({ ...session, statusAt: undefined, says: undefined });
          if (known.get(sessionId) === words) continue;
          known.set(sessionId, words);
          if (!isFirst) this.#changed.fire({ sessionId, session: session && this.#publicSession(session) });
        }
      });
      if (id === this.#serviceId) this.#watched.set(watched);
      else watched.dispose();
    } catch (error) {
      log.error('Sessions cannot be watched for other extensions', error);
      if (id === this.#serviceId) this.#serviceId = undefined;
    }
  }

  /** Without what its agent says: that is content. */
  #publicSession(session: own.Session): Session {
    return this.#words.harmlessIn({ ...session, says: undefined });
  }

  async #messages(
    sessionId: string,
    { extensionId, before, limit = USUAL }: MessagesOptions,
  ): Promise<Messages> {
    const { sources } = this.#deps;
    await sources.session(idOf(sessionId));
    await this.#permit(extensionId);
    const { messages, unread } = await sources.messages(sessionId);
    const end = before === undefined ? messages.length : messages.findIndex(({ id }) => id === before);
    const begin = Math.max(0, end - Math.min(Math.max(1, Math.floor(limit) || USUAL), MOST));
    return {
      messages: messages
        .slice(begin, Math.max(0, end))
        .map(({ text, ...message }) => ({ ...message, text: this.#words.harmless(text()) })),
      hasEarlier: begin > 0,
      unread,
    };
  }

  /** Rejects where the person would rather not let an extension read what is said. */
  async #permit(extensionId: string): Promise<void> {
    const extension = vscode.extensions.getExtension(extensionId);
    if (extension === undefined) throw new Error(vscode.l10n.t('Name the extension that asks.'));
    const { displayName = extension.id } = extension.packageJSON as { readonly displayName?: string };
    const isAllowed = await this.#permissions.isAllowed(
      `messages ${extension.id.toLowerCase()}`,
      vscode.l10n.t(
        'Let the extension “{0}” read the messages of your sessions?',
        forNotification(displayName, 80),
      ),
      vscode.l10n.t(
        'Its id is {0}. It can already read the titles and states of your sessions.',
        forNotification(extension.id, 120),
      ),
    );
    if (!isAllowed)
      throw new Error(vscode.l10n.t('The person has not allowed this extension to read messages.'));
  }
}

function idOf(sessionId: unknown): string {
  if (typeof sessionId === 'string' && sessionId !== '') return sessionId;
  throw new Error(vscode.l10n.t('Name a session by its id.'));
}

const schema = recordSchema(() => openObject({ at: z.number() }));

const allowedAt = (storage: own.ToolsDeps['storage'], serviceId: string) =>
  storage.collection({ path: `services/${serviceId}/allowed`, version: 1, schema });

/** Ends all that a person has allowed at a service. */
export async function endPermissions(storage: own.ToolsDeps['storage'], serviceId: string): Promise<void> {
  const kept = allowedAt(storage, serviceId);
  await Promise.all([...(await kept.load()).keys()].map(what => kept.remove(what)));
}

/** What a person has allowed other programs: asked once for each service, kept until they sign out. Who was refused asks no more in this window. */
export class Permissions {
  readonly #deps: Pick<own.ToolsDeps, 'connection' | 'storage'>;
  readonly #asking = new SharedRequests<boolean>();
  readonly #refused = new Set<string>();

  constructor(deps: Pick<own.ToolsDeps, 'connection' | 'storage'>) {
    this.#deps = deps;
  }

  async isAllowed(what: string, question: string, detail: string): Promise<boolean> {
    const state = await this.#deps.connection.ready();
    if (state.kind === 'signedOut') return false;
    const kept = allowedAt(this.#deps.storage, state.service.id);
    const key = `${state.service.id} ${what}`;
    if ((await kept.read(what)) !== undefined) return true;
    if (this.#refused.has(key)) return false;
    return this.#asking.run(key, async () => {
      const all = `${detail} ${vscode.l10n.t('Signing out ends this.')}`;
      const isAllowed = await confirmed(question, all, vscode.l10n.t('Allow'));
      if (isAllowed) await kept.put(what, { at: Date.now() });
      else this.#refused.add(key);
      return isAllowed;
    });
  }

  /** Whether assistants may know who people are. */
  areNamesAllowed(): Promise<boolean> {
    return this.isAllowed(
      'names',
      vscode.l10n.t('Let assistants see the names of people in your organization?'),
      vscode.l10n.t('Usage and changed controls will then show names and email addresses.'),
    );
  }
}
