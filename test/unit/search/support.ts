import { transcriptRecords } from '../../../src/chat';
import type { ConnectionState } from '../../../src/connection';
import * as search from '../../../src/search';
import type { Searched } from '../../../src/search';
import { sessionRecords } from '../../../src/sessions';
import { Formatter } from '../../../src/util/format';
import { quickPicks } from '../../fakes/vscode';
import { openWindow } from '../storage/support';

export const NOON = Date.UTC(2026, 10, 1, 12);

interface Scene {
  readonly root: string;
  readonly things: (serviceId: string) => readonly Searched[];
  readonly titles?: ReadonlyMap<string, string>;
  readonly removed?: readonly string[];
  readonly isSignedOut?: boolean;
  /** Where a session was opened. */
  readonly open?: (place: object) => unknown;
}

/** Opens the search over what is stored. */
export async function openSearch(scene: Scene) {
  const { root, things, titles = new Map(), removed = [], isSignedOut = false, open } = scene;
  const state = isSignedOut ? { kind: 'signedOut' } : { kind: 'signedIn', service: { id: 'one' } };
  const run = search.openSearch({
    connection: { ready: () => Promise.resolve(state as ConnectionState) },
    storage: openWindow(root),
    format: new Formatter('en'),
    titles: () => Promise.resolve(titles),
    removed: () => Promise.resolve(removed),
    records: id => ({
      sessions: sessionRecords(id),
      messages: session => transcriptRecords(id, session),
      things: things(id),
    }),
    open: place => Promise.resolve(open?.(place)),
  });
  await Promise.race([run, new Promise(resolve => setImmediate(resolve))]);
  const box = quickPicks.at(-1)!;
  /** What is listed for a text, each with its detail. */
  const type = async (...texts: readonly string[]) => {
    for (const text of texts) box.type(text);
    while (box.busy) await new Promise(resolve => setImmediate(resolve));
    return box.items.map(({ label, detail }) => `${label}: ${detail ?? ''}`);
  };
  const choose = async (index: number): Promise<void> => {
    box.choose(index);
    await run;
  };
  return { box, type, choose };
}
