import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { ConnectionRecords } from '../../../src/connection/records';
import { isSampleChosen } from '../../../src/parts/sampleChosen';
import { openStorage } from '../../../src/storage';
import { silentLog } from '../../fakes/log';

describe('whether the sample service is in use', () => {
  let root: string;
  beforeEach(() => (root = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-console-sample-'))));
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  it('is known from the records alone', async () => {
    assert.equal(await isSampleChosen(root), false);
    const storage = openStorage({ root, log: silentLog() });
    const records = new ConnectionRecords(storage);
    await records.load();
    for (const chosen of [false, true, false, true]) {
      await records.updateSample(current => ({ kind: 'sample', port: 1, ...current, chosen }));
      assert.equal(await isSampleChosen(root), chosen);
    }
    await storage.settled();
    storage.dispose();
    fs.writeFileSync(path.join(root, 'connection', 'sample.999.json'), '{');
    assert.equal(await isSampleChosen(root), false);
  });
});
