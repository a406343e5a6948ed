import assert from 'node:assert/strict';
import * as path from 'node:path';
import { FolderWatch } from '../../../src/util/folderWatch';
import { cleanUp, notes, openWindow, temporaryFolder, until } from './support';

describe('storage shared by windows', function () {
  afterEach(cleanUp);

  it('tells listeners here at once and those of another window soon, each change once', async () => {
    const root = temporaryFolder();
    const [here, there] = [openWindow(root), openWindow(root)].map(window => window.collection(notes));
    const heard: [here: string[], there: string[]] = [[], []];
    here!.onDidChange(ids => heard[0].push(...ids));
    there!.onDidChange(ids => heard[1].push(...ids));
    await there!.load();
    const seen = (text?: string) => until(there!.onDidChange, () => there!.get('a')?.text === text);
    await here!.put('a', { text: 'one' });
    await seen('one');
    await here!.update('a', () => ({ text: 'two' }));
    await here!.update('a', current => current);
    await seen('two');
    await here!.remove('a');
    await seen();
    const each = ['a', 'a', 'a'];
    assert.deepEqual(heard, [each, each]);
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
});
