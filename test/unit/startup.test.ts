import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { reportFailure } from '../../src/console';
import { ConnectionRecords } from '../../src/connection/records';
import { hookPlace, Installation, installedFile } from '../../src/hooks/installation';
import { hasInstalledHooks, hasQueued, isSampleChosen } from '../../src/startup';
import type { OutputLog } from '../../src/log';
import { notify } from '../../src/ui/window';
import { cleanUp, temporaryFolder } from '../fakes/cleanUp';
import { silentLog } from '../fakes/log';
import { openStorage } from '../fakes/storage';
import { acts, answers } from '../fakes/vscode';

describe('what is in use, before anything is loaded', () => {
  let root: string;
  beforeEach(() => (root = temporaryFolder()));
  afterEach(cleanUp);

  it('is nothing where nothing was ever stored, and looking makes no file', async () => {
    const folder = path.join(root, 'none');
    const storage = openStorage({ root: folder, log: silentLog() });
    const answers = [
      await isSampleChosen(storage),
      await hasInstalledHooks(storage),
      await hasQueued(storage),
    ];
    assert.deepEqual(answers, [false, false, false]);
    assert.equal(fs.existsSync(folder), false);
  });

  it('tells hooks that are installed', async () => {
    const storage = openStorage({ root, log: silentLog() });
    const files = storage.collection({ path: 'hook-files', version: 1, schema: installedFile });
    const place = hookPlace(path.join(root, 'hooks'), process.env['AGENT_CONSOLE_ROOT']!);
    const installation = new Installation(place, files);
    const names = ['one', 'two'].map(name => path.join(root, `${name}.json`));
    for (const file of names) {
      await installation.carryOut(await installation.planInstall(file, ['Stop']));
      assert.equal(await hasInstalledHooks(storage), true);
    }
    for (const [index, file] of names.entries()) {
      await installation.carryOut(await installation.planUninstall(file));
      assert.equal(await hasInstalledHooks(storage), index === 0);
    }
    storage.dispose();
  });

  it('tells whether the sample was chosen last', async () => {
    const storage = openStorage({ root, log: silentLog() });
    const records = new ConnectionRecords(storage, silentLog());
    await records.stored.load();
    for (const chosen of [false, true, false, true]) {
      await records.chooseSample(chosen);
      assert.equal(await isSampleChosen(storage), chosen);
    }
    storage.dispose();
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
