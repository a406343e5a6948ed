import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { ConnectionRecords } from '../../src/connection/records';
import { hookPlace, Installation, installedFile } from '../../src/hooks/installation';
import { hasInstalledHooks, hasQueued, isSampleChosen } from '../../src/startup';
import { silentLog } from '../fakes/log';
import { openStorage } from '../fakes/storage';

describe('what is in use, before anything is loaded', () => {
  let root: string;
  beforeEach(() => (root = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-console-in-use-'))));
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

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
