import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { reportFailure } from '../../src/console';
import { ConnectionRecords } from '../../src/connection/records';
import { hookPlace, Installation, installedFile } from '../../src/hooks/installation';
import { hasInstalledHooks, hasQueued, isSampleChosen } from '../../src/startup';
import type { OutputLog } from '../../src/log';
import { notify } from '../../src/ui/window';
import { cleanUp, later, temporaryFolder } from '../fakes/cleanUp';
import { silentLog } from '../fakes/log';
import { openStorage } from '../fakes/storage';
import { acts, answers } from '../fakes/vscode';

describe('what is in use, before anything is loaded', () => {
  afterEach(cleanUp);

  function storageIn(root: string) {
    const storage = openStorage({ root, log: silentLog() });
    later(() => storage.dispose());
    return storage;
  }

  it('is nothing where nothing was ever stored, and looking makes no file', async () => {
    const folder = path.join(temporaryFolder(), 'none');
    const storage = storageIn(folder);
    for (const isUsed of [isSampleChosen, hasInstalledHooks, hasQueued])
      assert.equal(await isUsed(storage), false);
    assert.equal(fs.existsSync(folder), false);
  });

  it('tells hooks that are installed', async () => {
    const root = temporaryFolder();
    const storage = storageIn(root);
    const files = storage.collection({ path: 'hook-files', version: 1, schema: installedFile });
    const place = hookPlace(path.join(root, 'hooks'), process.env['AGENT_CONSOLE_ROOT']!);
    const installation = new Installation(place, files);
    const [one, two] = [path.join(root, 'one.json'), path.join(root, 'two.json')];
    for (const file of [one, two]) {
      await installation.carryOut(await installation.planInstall(file, ['Stop']));
      assert.equal(await hasInstalledHooks(storage), true);
    }
    for (const file of [one, two]) {
      await installation.carryOut(await installation.planUninstall(file));
      assert.equal(await hasInstalledHooks(storage), file === one);
    }
  });

  it('tells whether the sample was chosen last', async () => {
    const storage = storageIn(temporaryFolder());
    const records = new ConnectionRecords(storage, silentLog());
    await records.stored.load();
    for (const chosen of [false, true, false, true]) {
      await records.chooseSample(chosen);
      assert.equal(await isSampleChosen(storage), chosen);
    }
  });
});

describe('a notice', () => {
  const logged: string[] = [];
  const log = { ...silentLog(), error: (line: string) => logged.push(line) } as unknown as OutputLog;
  afterEach(() => {
    answers.clear();
    acts.length = logged.length = 0;
  });

  it('of a command that failed holds up nobody who ran the command', () => {
    answers.set('showErrorMessage', new Promise(() => undefined));
    reportFailure(log, 'c', new Error('It broke.'), []);
    assert.deepEqual(acts, ['window.showErrorMessage']);
    assert.deepEqual(logged, ['Command c: It broke.']);
  });

  it('does what its button says, and tells and logs when that fails', async () => {
    answers.set('showWarningMessage', Promise.resolve('Again' as unknown as undefined));
    const failed = new Promise<void>((_, reject) => {
      notify(log, 'warning', 'Something happened.', ['Again', () => reject(new Error('chosen'))]);
    });
    await assert.rejects(failed, /chosen/);
    const told = new Promise<void>(resolve => {
      const done = { ...silentLog(), error: (line: string) => resolve(void logged.push(line)) };
      notify(done, 'warning', 'Something happened.', ['Again', () => Promise.reject(new Error('No.'))]);
    });
    await told;
    assert.deepEqual(logged, ['What a notice offered could not be done']);
    assert.equal(acts.at(-1), 'window.showErrorMessage');
  });
});
