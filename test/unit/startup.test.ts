import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ConnectionRecords } from '../../src/connection/records';
import { hookPlace, Installation, installedFile } from '../../src/hooks/installation';
import { hasInstalledHooks, hasQueued, isSampleChosen } from '../../src/startup';
import { notify } from '../../src/ui/window';
import { silentLog } from '../fakes/log';
import { acts, answers } from '../fakes/vscode';
import { eachInItsFolder, open, openWindow, root } from './storage/support';

describe('what is in use, before anything is loaded', () => {
  eachInItsFolder();

  it('is nothing where nothing was ever stored, and looking makes no file', async () => {
    const folder = path.join(root, 'none');
    for (const isUsed of [isSampleChosen, hasInstalledHooks, hasQueued])
      assert.equal(await isUsed(openWindow(folder)), false);
    assert.equal(fs.existsSync(folder), false);
  });

  it('tells hooks that are installed', async () => {
    const storage = open();
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
    const storage = open();
    const records = new ConnectionRecords(storage, silentLog());
    await records.stored.load();
    for (const chosen of [false, true, false, true]) {
      await records.chooseSample(chosen);
      assert.equal(await isSampleChosen(storage), chosen);
    }
  });
});

it('a notice does what its button says, and tells and logs when that fails', async () => {
  answers.set('showWarningMessage', Promise.resolve('Again' as unknown as undefined));
  const logged = await new Promise<string>(resolve => {
    const log = { ...silentLog(), error: resolve };
    notify(log, 'warning', 'Something happened.', ['Again', () => Promise.reject(new Error('No.'))]);
  });
  assert.equal(logged, 'What a notice offered could not be done');
  assert.equal(acts.at(-1), 'window.showErrorMessage');
  answers.clear();
});
