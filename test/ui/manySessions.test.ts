import assert from 'node:assert/strict';
import { startSampleService, type SampleService } from '../fakes/sampleService';
import { RECORD_VERSION } from '../../src/sessions/store/record';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { storeRows } from '../fakes/storage';
import { change, serviceIdOf, storageOf } from './seed';
import { signedInTo, Workbench } from './workbench';

const SESSIONS = 5_000;
const COMPUTERS = 500;
const YEAR = 365 * 24 * 3_600_000;

describe('the sessions view of a large service that lists its sessions', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    service = await startSampleService({ pace: 0.02, extras: true });
    service.fail({ kind: 'alter', match: { path: '/api/v0/computers' }, alter: manyComputers });
    folder = temporaryFolder('many');
    makeSampleWorkspace(folder);
    workbench = await Workbench.open({
      folder,
      env: signedInTo(service),
    });
  });
  after(async () => {
    await workbench.close();
    await service.close();
    removeFolder(folder);
  });

  const count = () => workbench.view('Sessions').locator('.pane-header .description');

  it(`fills the list by itself, and shows ${COMPUTERS} computers and ${SESSIONS} sessions soon`, async () => {
    storeMany();
    const begun = performance.now();
    const took = (): number => Math.round(performance.now() - begun);
    await workbench.openContainer('Agent Console');
    const rows = Promise.all([
      workbench.rows('Sessions').nth(3).waitFor().then(took),
      workbench.row('Computers', 'node 0').waitFor().then(took),
    ]);
    const [sessions, computers] = await rows;
    const all = new Intl.NumberFormat('en').format(SESSIONS + service.sessionIds.length);
    await count()
      .filter({ hasText: new RegExp(`^${all} · `) })
      .waitFor();
    console.log(
      `      rows of ${SESSIONS} sessions after ${sessions} ms, of ${COMPUTERS} computers after ${computers} ms, all listed after ${took()} ms`,
    );
    const [listed = ''] = service.sessionIds;
    const record = await change(workbench, service, index => Promise.resolve(index.get(listed)));
    assert.deepEqual([record?.origin, typeof record?.session?.status], ['listed', 'string']);
    await workbench.view('Computers').locator('.pane-header .description', { hasText: '500' }).waitFor();
  });

  /** Puts sessions of last year below the storage of the window, as an earlier window would have left them. */
  function storeMany(): void {
    const records = Array.from({ length: SESSIONS }, (_, n) => {
      const sessionId = `many-${n}`;
      const at = Date.now() - YEAR - n * 60_000;
      const session = {
        sessionId,
        status: 'idle',
        title: `Session number ${n}`,
        messageCount: n % 90,
        createdAt: at,
        updatedAt: at,
        computerId: `computer-${n % COMPUTERS}`,
      };
      const value = { sessionId, origin: 'created', addedAt: at, checkedAt: at, session, local: {} };
      return [sessionId, value] as const;
    });
    const collection = `services/${serviceIdOf(service)}/sessions`;
    storeRows(storageOf(workbench), collection, RECORD_VERSION, records);
  }
});

function manyComputers(): unknown {
  const computers = Array.from({ length: COMPUTERS }, (_, n) => ({
    id: `computer-${n}`,
    name: `node ${n}`,
    providerType: 'cloud',
    createdAt: 1,
    status: n % 20 === 0 ? 'error' : 'active',
    provisioningSteps: ['create', 'start', 'install', 'connect'].map((id, at) => ({
      id,
      name: id,
      status: 'completed',
      startedAt: at * 1_000,
      completedAt: (at + 1) * 1_000,
    })),
  }));
  return { computers };
}
