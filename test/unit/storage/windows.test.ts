import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { FolderWatch } from '../../../src/util/folderWatch';
import { cleanUp, notes, openWindow, temporaryFolder, until } from './support';

describe('storage shared by windows', function () {
  afterEach(cleanUp);

  it('tells its own listeners at once', async () => {
    const collection = openWindow(temporaryFolder()).collection(notes);
    const heard: string[][] = [];
    collection.onDidChange(ids => heard.push([...ids]));
    await collection.put('a', { text: 'x' });
    await collection.update('a', () => ({ text: 'y' }));
    await collection.update('a', current => current);
    await collection.remove('a');
    assert.deepEqual(heard, [['a'], ['a'], ['a']]);
  });

  it('follows another window: new, changed, removed, and each once', async () => {
    const root = temporaryFolder();
    const here = openWindow(root).collection(notes);
    const there = openWindow(root).collection(notes);
    const heard: string[] = [];
    here.onDidChange(ids => heard.push(...ids));
    await here.load();
    await there.put('a', { text: 'one' });
    await until(here.onDidChange, () => here.get('a')?.text === 'one');
    await there.put('a', { text: 'two' });
    await until(here.onDidChange, () => here.get('a')?.text === 'two');
    await there.remove('a');
    await until(here.onDidChange, () => here.get('a') === undefined);
    assert.deepEqual(heard, ['a', 'a', 'a']);
  });

  it('looks now and then where the system cannot watch', async () => {
    const reasons: string[] = [];
    let looks = 0;
    await new Promise<void>(resolve => {
      const watch = new FolderWatch({
        folder: path.join(temporaryFolder(), 'not there'),
        prepare: () => Promise.resolve(true),
        onChange: () => {
          if (++looks < 5) return;
          watch.dispose();
          resolve();
        },
        onUnavailable: reason => reasons.push(reason),
        pollMs: 5,
      });
    });
    assert.match(reasons.join(), /ENOENT/);
    assert.equal(reasons.length, 1);
  });

  it('leaves no watcher or timer behind', async () => {
    // The test runner sets a timer of its own first.
    await setImmediate();
    const alive = new Map<number, string>();
    const hook = createHook({
      init: (id, type) => {
        if (/FSEVENT|Timeout/.test(type)) alive.set(id, type);
      },
      destroy: id => void alive.delete(id),
    }).enable();
    let most = 0;
    for (let round = 0; round < 50; round++) {
      const storage = openWindow(temporaryFolder());
      const collection = storage.collection(notes);
      await collection.load();
      const subscription = collection.onDidChange(() => undefined);
      await collection.put('a', { text: 'x' });
      most = Math.max(most, alive.size);
      if (round % 2 === 0) subscription.dispose();
      storage.dispose();
      collection.onDidChange(() => undefined);
    }
    assert.ok(most >= 3, 'a watcher, its debounce and its slow poll');
    for (let turn = 0; turn < 1000 && alive.size > 0; turn++) await setImmediate();
    hook.disable();
    assert.deepEqual([...alive.values()], []);
  });
});
