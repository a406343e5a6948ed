import type { Storage } from '../../storage';
import { transcriptRecords } from '../transcript/transcript';
import { outboxRecords, type Entry } from './record';

/** How far a text of the person has come; `refused`: it is in the composer again. */
export type Standing = 'composer' | 'refused' | 'sent' | Exclude<Entry['state'], 'accepted'>;

/** Says of texts of a service how far they have come, by a word that only they have: from what is stored, and nothing is loaded but outboxes. */
export function standings(storage: Pick<Storage, 'collection' | 'search'>, serviceId: string) {
  const outboxes = storage.collection(outboxRecords(serviceId));
  return {
    /** Fires with the sessions in which something has come further. */
    onDidChange: outboxes.onDidChange,
    /** `undefined`: it is in no message of the person, sent or not. */
    of: async (sessionId: string, word: string): Promise<Standing | undefined> => {
      const { draft, entries = [] } = (await outboxes.load()).get(sessionId) ?? {};
      const entry = entries.find(({ text }) => text.includes(word));
      if (entry !== undefined) return entry.state === 'accepted' ? 'sent' : entry.state;
      if (draft?.text.includes(word) === true) return draft.problem === undefined ? 'composer' : 'refused';
      // It leaves the outbox only after the transcript has it.
      const { path } = transcriptRecords(serviceId, sessionId);
      const terms = [{ text: word, isPrefix: false }];
      const { hits } = await storage.search({ terms, within: [path], by: 'me', limit: 1 });
      return hits.length === 0 ? undefined : 'sent';
    },
  };
}
