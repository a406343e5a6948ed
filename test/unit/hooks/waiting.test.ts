import assert from 'node:assert/strict';
import { Handover } from '../../../src/hooks/handover';
import { History } from '../../../src/hooks/history';
import { decodeNote } from '../../../src/hooks/model';
import type { HookPlace } from '../../../src/hooks/place';
import { SessionNotes } from '../../../src/hooks/sessionNotes';
import { Waiting } from '../../../src/hooks/waiting';
import { SessionIndex } from '../../../src/sessions/sessionIndex';
import { stillWaits } from '../../../src/sessions/signal';
import { openStorage } from '../../../src/storage';
import { silentLog } from '../../fakes/log';
import { cleanUp, later, temporaryFolder, temporaryPlace, unexpected, until, writeEvent } from './support';

interface Window {
  readonly waiting: Waiting;
  readonly notes: SessionNotes;
  readonly index: SessionIndex;
  readonly watched: Set<string>;
  readonly ids: () => (string | undefined)[];
}

/** One window on records that several share. */
async function open(place: HookPlace, root: string): Promise<Window> {
  const storage = openStorage({ root, log: silentLog() });
  const index = new SessionIndex(storage);
  await index.use('service');
  const history = new History(place.history);
  const notes = new SessionNotes(
    storage.collection({ path: 'hook-sessions', version: 1, decode: decodeNote }),
  );
  await notes.load();
  const watched = new Set<string>();
  const sessions = {
    titleOf: () => undefined,
    stillWaits: (id: string, since: number): boolean | undefined => {
      const record = index.get(id);
      return record && stillWaits(record, since);
    },
    onDidChange: index.onDidChange,
    watch: (id: string) => {
      watched.add(id);
      return { dispose: () => void watched.delete(id) };
    },
  };
  const waiting = new Waiting({
    history,
    notes,
    sessions: () => Promise.resolve(sessions),
    onFailure: unexpected,
  });
  later(() => {
    for (const part of [waiting, history, index, storage]) part.dispose();
  });
  return {
    waiting,
    notes,
    index,
    watched,
    ids: () => waiting.events.map(({ sessionId }) => sessionId),
  };
}

describe('what waits, in two windows', function () {
  afterEach(cleanUp);

  const scene = async (): Promise<{ a: Window; b: Window; at: number }> => {
    const place = await temporaryPlace();
    const root = temporaryFolder();
    const [a, b] = [await open(place, root), await open(place, root)];
    const at = Math.floor(Date.now() / 1000) * 1000;
    const handover = new Handover({
      place,
      id: 'w',
      windows: () => Promise.resolve([{ id: 'w', folders: [], focused: true, focusedAt: 0 }]),
      isShown: () => Promise.resolve(),
      take: ({ sessionId = '', at: told }) =>
        void a.index.signal('service', { sessionId, kind: 'waiting', at: told }, undefined),
      onProblem: unexpected,
    });
    later(() => handover.dispose());
    for (const session_id of ['one', 'two'])
      writeEvent(place, { hook_event_name: 'Notification', session_id }, at);
    const isKnown = ({ index }: Window): boolean =>
      ['one', 'two'].every(id => index.get(id)?.signal?.kind === 'waiting');
    await until(() => [a, b].every(window => window.ids().length === 2 && isKnown(window)));
    await until(() => a.watched.size === 2 && b.watched.size === 2);
    return { a, b, at };
  };
  const session = (sessionId: string, status: string, messageCount: number) => ({
    sessionId,
    status,
    messageCount,
    createdAt: 1,
    updatedAt: 1,
  });

  it('ends with the next change of the status or of the number of messages', async () => {
    const { a, b, at } = await scene();
    await a.index.observe('service', session('one', 'idle', 3), at + 1_000);
    await a.index.observe('service', session('two', 'idle', 3), at + 1_000);
    assert.deepEqual(a.ids().sort(), ['one', 'two'], 'a first answer changes nothing');
    await a.index.observe('service', session('one', 'idle', 4), at + 2_000);
    await until(() => [a, b].every(({ ids }) => ids().join() === 'two'));
    await b.index.observe('service', session('two', 'running', 3), at + 60_000);
    await until(() => [a, b].every(({ ids }) => ids().length === 0));
    assert.deepEqual([...a.watched, ...b.watched], [], 'nothing is asked about any more');
  });

  it('ends with an answer in the chat', async () => {
    const { a, b, at } = await scene();
    await b.index.noteSend('service', 'one', { status: 'running', at: at + 5_000, text: 'Yes' });
    await until(() => [a, b].every(({ ids }) => ids().join() === 'two'));
  });

  it('does not count what is muted', async () => {
    const { a, b } = await scene();
    await a.notes.setMuted('two', true);
    await until(() => [a, b].every(({ ids }) => ids().join() === 'one'));
    await b.notes.setMuted('two', false);
    await until(() => [a, b].every(({ ids }) => ids().length === 2));
  });
});

describe('whether an agent still waits', () => {
  it('is known from the signal, and before that is kept from an answer that came later', () => {
    assert.equal(stillWaits({ signal: { kind: 'waiting', at: 5 }, checkedAt: 9 }, 5), true);
    assert.equal(stillWaits({ signal: { kind: 'finished', at: 6 } }, 5), false);
    assert.equal(stillWaits({ signal: { kind: 'finished', at: 4 } }, 5), true, 'not in the record yet');
    assert.equal(stillWaits({ checkedAt: 4 }, 5), true, 'not in the record yet');
    assert.equal(stillWaits({ checkedAt: 5 }, 5), false, 'cleared by that answer');
    assert.equal(stillWaits({}, 5), true);
  });
});
