import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { decodeInstalledFile, Installation } from '../../../src/hooks/installation';
import { hookPlace } from '../../../src/hooks/place';
import { hasInstalledHooks } from '../../../src/parts/installedHooks';
import { openStorage } from '../../../src/storage';
import { silentLog } from '../../fakes/log';

describe('whether hooks are installed from a machine', () => {
  let root: string;
  beforeEach(() => (root = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-console-installed-'))));
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  it('is known from its own records alone', async () => {
    assert.equal(await hasInstalledHooks(root), false);
    const storage = openStorage({ root, log: silentLog() });
    const files = storage.collection({ path: 'hook-files', version: 1, decode: decodeInstalledFile });
    const installation = new Installation({
      place: hookPlace(path.join(root, 'hooks')),
      files,
      folders: () => [],
    });
    const names = ['one', 'two'].map(name => path.join(root, `${name}.json`));
    for (const file of names) {
      await installation.carryOut(await installation.planInstall(file, ['Stop']));
      assert.equal(await hasInstalledHooks(root), true);
    }
    for (const [index, file] of names.entries()) {
      await installation.carryOut(await installation.planUninstall(file));
      assert.equal(await hasInstalledHooks(root), index === 0);
    }
    await storage.settled();
    storage.dispose();
    fs.writeFileSync(path.join(root, 'hook-files', 'odd.1.json'), '{');
    assert.equal(await hasInstalledHooks(root), false);
  });
});
