import * as vscode from 'vscode';
import type { Connection, Service } from './connection';
import type { CollectionOptions, Storage } from './storage';
import { HEAD, keyIn, type Stored } from './sync/stored';
import type { Sources, StoredUsage, UsageAsked } from './tools/sources';

export interface ToldDeps {
  readonly storage: Pick<Storage, 'collection' | 'peek' | 'search'>;
  readonly connection: Pick<Connection, 'ready'>;
  readonly usage: (asked: UsageAsked) => Promise<StoredUsage>;
}

/** What tools and other extensions are told of each feature: from its records alone, so that the service is asked nothing. */
export function sourcesOf({ storage, connection, usage }: ToldDeps): Sources {
  const service = async (): Promise<Service> => {
    const state = await connection.ready();
    if (state.kind !== 'signedOut') return state.service;
    throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
  };
  const listOf = async <T>(records: CollectionOptions<Stored<T>>) => {
    const kept = await storage.collection(records).load();
    return { items: [...kept.values()].flatMap(({ item }) => item ?? []), at: kept.get(HEAD)?.head?.at };
  };
  return {
    sessions: async () => {
      const { sessionRecords, toldSession } = await import('./sessions');
      const records = await storage.collection(sessionRecords((await service()).id)).load();
      const told = [...records.values()].flatMap(record => toldSession(record, Date.now()) ?? []);
      return new Map(told.map(session => [session.sessionId, session]));
    },
    watch: async listener => {
      const { sessionRecords, toldSession } = await import('./sessions');
      const records = storage.collection(sessionRecords((await service()).id));
      const tell = (ids: readonly string[], isFirst: boolean): unknown => {
        const changes = ids.map(sessionId => {
          const record = records.get(sessionId);
          return { sessionId, session: record && toldSession(record) };
        });
        return listener(changes, isFirst);
      };
      tell([...(await records.load()).keys()], true);
      return records.onDidChange(ids => tell(ids, false));
    },
    messages: async sessionId => {
      const { toldMessages, transcriptRecords } = await import('./chat');
      const { path } = transcriptRecords((await service()).id, sessionId);
      // Kept in no memory, whatever is read in a row; an id is no pattern.
      return toldMessages(await storage.peek(path.replace(/[*?[]/g, '[$&]')));
    },
    search: async (text, limit) => {
      const { parseQuery } = await import('./search');
      const { sessionRecords, toldSession } = await import('./sessions');
      const { transcriptRecords } = await import('./chat');
      const { computerRecords } = await import('./computers');
      const { readinessRecords } = await import('./readiness');
      const { controlRecords } = await import('./organization');
      const current = await service();
      const kinds = [
        ['message', transcriptRecords(current.id, '*').path.replace('/*', '')],
        ['session title', sessionRecords(current.id).path],
        ['computer', computerRecords(current.id).path],
        ['readiness', readinessRecords(current).path],
        ['control revision', controlRecords(current.id).path],
      ] as const;
      const records = await storage.collection(sessionRecords(current.id)).load();
      const gone = [...records.values()].filter(record => toldSession(record) === undefined);
      const { inTitle, ...query } = parseQuery(text);
      const { hits, isMore } = await storage.search({
        ...query,
        within: inTitle === undefined ? kinds.map(([, path]) => path) : [],
        without: gone.map(({ sessionId }) => transcriptRecords(current.id, sessionId).path),
        limit,
      });
      const told = hits.flatMap(({ collection, id, at, by, first, line, lead, match, rest }) => {
        const [kind] = kinds.find(([, path]) => `${collection}/`.startsWith(`${path}/`)) ?? [];
        // The first line of a revision is who made it.
        if (kind === undefined || (kind === 'control revision' && line === first)) return [];
        const said = { kind, at, by, text: lead + match + rest };
        if (kind === 'message')
          return [{ ...said, id, sessionId: collection.slice(collection.lastIndexOf('/') + 1) }];
        return [kind === 'session title' ? { ...said, id, sessionId: id } : { ...said, id: keyIn(id) }];
      });
      return { hits: told, isMore };
    },
    computers: async () => {
      const { computerRecords, toldComputer } = await import('./computers');
      const { items, at } = await listOf(computerRecords((await service()).id));
      return { items: items.map(toldComputer), at };
    },
    readiness: async asked => {
      const { readinessRecords, toldReadiness } = await import('./readiness');
      const { items, at } = await listOf(readinessRecords(await service()));
      return { items: await toldReadiness(items, asked), at };
    },
    usage: async asked => {
      await service();
      return usage(asked);
    },
    controls: async () => {
      const { controlRecords, toldControls } = await import('./organization');
      const { items, at } = await listOf(controlRecords((await service()).id));
      return { items: toldControls(items), at };
    },
  };
}
