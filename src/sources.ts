import * as vscode from 'vscode';
import { publicMessages, transcriptRecords } from './chat';
import { computerRecords, publicComputer } from './computers';
import type { Connection, Service } from './connection';
import { controlRecords, publicControls } from './organization';
import { readinessRecords, publicReadiness } from './readiness';
import { parseQuery } from './search';
import { sessionRecords, publicSession } from './sessions';
import type { CollectionOptions, Storage } from './storage';
import { HEAD, keyIn, type Stored } from './sync/stored';
import type { Sources } from './tools/deps';

export interface SourcesDeps {
  readonly storage: Pick<Storage, 'collection' | 'peek' | 'search'>;
  readonly connection: Pick<Connection, 'ready'>;
  readonly usage: Sources['usage'];
}

/** What tools and other extensions are told of each feature: from its records alone, so that the service is asked nothing. */
export function sourcesOf({ storage, connection, usage }: SourcesDeps): Sources {
  const service = async (): Promise<Service> => {
    const state = await connection.ready();
    if (state.kind !== 'signedOut') return state.service;
    throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
  };
  const listOf = async <T>(records: CollectionOptions<Stored<T>>) => {
    const kept = await storage.collection(records).load();
    return { items: [...kept.values()].flatMap(({ item }) => item ?? []), at: kept.get(HEAD)?.head?.at };
  };
  const sessions: Sources['sessions'] = async () => {
    const records = await storage.collection(sessionRecords((await service()).id)).load();
    const summaries = [...records.values()].flatMap(record => publicSession(record, Date.now()) ?? []);
    summaries.sort((a, b) => b.lastActivityAt - a.lastActivityAt);
    return new Map(summaries.map(session => [session.sessionId, session]));
  };
  const session: Sources['session'] = async sessionId => {
    const found = (await sessions()).get(sessionId);
    if (found !== undefined) return found;
    throw new Error(vscode.l10n.t('Your list has no session with this id.'));
  };
  return {
    sessions,
    session,
    watch: async listener => {
      const records = storage.collection(sessionRecords((await service()).id));
      const tell = (ids: readonly string[], isFirst: boolean): unknown => {
        const changes = ids.map(sessionId => {
          const record = records.get(sessionId);
          return { sessionId, session: record && publicSession(record) };
        });
        return listener(changes, isFirst);
      };
      tell([...(await records.load()).keys()], true);
      return records.onDidChange(ids => tell(ids, false));
    },
    messages: async sessionId => {
      const summary = await session(sessionId);
      const { path } = transcriptRecords((await service()).id, sessionId);
      // Kept in no memory, whatever is read in a row; an id is no pattern.
      const { messages, known } = publicMessages(await storage.peek(path.replace(/[*?[]/g, '[$&]')));
      return { session: summary, messages, known, unread: Math.max(0, (summary.messageCount ?? 0) - known) };
    },
    search: async (text, limit) => {
      const current = await service();
      const transcriptOf = (sessionId: string): string => transcriptRecords(current.id, sessionId).path;
      const [titles, talk] = [sessionRecords(current.id), transcriptOf('*').replace('/*', '')];
      const kinds: Readonly<Record<string, string>> = {
        [computerRecords(current.id).path]: 'computer',
        [readinessRecords(current).path]: 'readiness',
        [controlRecords(current.id).path]: 'control revision',
      };
      const known = await storage.collection(titles).load();
      const gone = [...known.values()].filter(record => publicSession(record) === undefined);
      const { inTitle, ...query } = parseQuery(text);
      if (inTitle !== undefined)
        throw new Error(vscode.l10n.t('in: is not available here; search for words and use sessionId.'));
      const { hits, isMore } = await storage.search({
        ...query,
        within: [titles.path, talk, ...Object.keys(kinds)],
        without: gone.map(({ sessionId }) => transcriptOf(sessionId)),
        limit,
      });
      const summaries = hits.flatMap(({ collection, id, at, by, first, line, match }) => {
        const said = { at, by, match, text: line };
        if (collection === titles.path) return { kind: 'session title', sessionId: id, ...said };
        const kind = kinds[collection];
        if (kind === undefined)
          return { kind: 'message', sessionId: collection.slice(talk.length + 1), messageId: id, ...said };
        // The first line of a revision is who made it.
        return kind === 'control revision' && line === first ? [] : { kind, id: keyIn(id), ...said };
      });
      return { hits: summaries, isMore };
    },
    computers: async () => {
      const { items, at } = await listOf(computerRecords((await service()).id));
      return { items: items.map(publicComputer), at };
    },
    readiness: async asked => {
      const { items, at } = await listOf(readinessRecords(await service()));
      return { items: await publicReadiness(items, asked), at };
    },
    usage: async asked => {
      await service();
      return usage(asked);
    },
    controls: async () => {
      const { items, at } = await listOf(controlRecords((await service()).id));
      return { items: publicControls(items), at };
    },
  };
}
