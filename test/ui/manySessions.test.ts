import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { startSampleService, type SampleService } from '../../src/sample';
import { RECORD_VERSION } from '../../src/sessions/record';
import { removeFolder, temporaryFolder } from '../vscode/paths';
import { makeSampleWorkspace } from '../vscode/sampleWorkspace';
import { change, serviceIdOf, storageOf } from './seed';
import { signedInTo, Workbench } from './workbench';

const SESSIONS = 5_000;
const COMPUTERS = 500;
/** Grossly slow on any machine; what it took is printed. */
const ROWS_MS = 20_000;
const CHANGE_MS = 10_000;
const YEAR = 365 * 24 * 3_600_000;

interface Browser {
  readonly document: { querySelectorAll(selector: string): Iterable<Row> };
  readonly MutationObserver: new (heard: (records: readonly { readonly target: Row }[]) => void) => {
    observe(target: Row, options: object): void;
  };
  /** The rows that were drawn again, by what they say. */
  drawnAgain?: Set<string>;
}
interface Row {
  readonly parentElement: Row | null;
  closest?(selector: string): Row | null;
  getAttribute(name: string): string | null;
}

describe('the sessions view of a large service that lists its sessions', () => {
  let service: SampleService;
  let folder: string;
  let workbench: Workbench;

  before(async function () {
    this.timeout(120_000);
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

  it(`fills the list by itself, and shows ${COMPUTERS} computers and ${SESSIONS} sessions soon`, async function () {
    this.timeout(90_000);
    await storeMany();
    const begun = performance.now();
    const took = (): number => Math.round(performance.now() - begun);
    await workbench.openContainer('Agent Console');
    const rows = Promise.all([
      workbench.rows('Sessions').nth(3).waitFor({ timeout: ROWS_MS }).then(took),
      workbench.row('Computers', 'node 1').waitFor({ timeout: ROWS_MS }).then(took),
    ]);
    const [sessions, computers] = await rows;
    const all = new Intl.NumberFormat('en').format(SESSIONS + service.sessionIds.length);
    await count()
      .filter({ hasText: new RegExp(`^${all} · `) })
      .waitFor({ timeout: ROWS_MS });
    console.log(
      `      rows of ${SESSIONS} sessions after ${sessions} ms, of ${COMPUTERS} computers after ${computers} ms, all listed after ${took()} ms`,
    );
    const [listed = ''] = service.sessionIds;
    const record = await change(workbench, service, index => Promise.resolve(index.get(listed)));
    assert.deepEqual([record?.origin, typeof record?.session?.status], ['listed', 'string']);
    await workbench.view('Computers').locator('.pane-header .description', { hasText: '500' }).waitFor();
  });

  it('draws one row again when one of them changes', async () => {
    const shown = workbench.rows('Sessions').nth(1);
    const title = /^Session (.+?), /.exec((await shown.getAttribute('aria-label')) ?? '')?.[1] ?? '';
    assert.notEqual(title, '');
    await workbench.row('Sessions', /^Session number 0.*node 0/).waitFor();
    await workbench.page.evaluate(observe);
    const begun = performance.now();
    await change(workbench, service, async (index, id) => {
      const known = [...index.records.values()].find(({ session }) => session?.title?.startsWith(title));
      assert.ok(known?.session, `no session ${title}`);
      await index.observe(id, { ...known.session, messageCount: 4_321 }, Date.now());
    });
    const written = performance.now();
    await shown.getByText('4,321 messages').waitFor({ timeout: CHANGE_MS });
    const took = Math.round(performance.now() - written);
    const drawn = await workbench.page.evaluate(drawnAgain);
    console.log(
      `      one answer stored after ${Math.round(written - begun)} ms, shown ${took} ms later, rows drawn: ${drawn.length}`,
    );
    assert.equal(drawn.length, 1, drawn.join('\n'));
    assert.match(drawn[0] ?? '', /4,321 messages/);
  });

  /** Puts sessions of last year below the storage of the window, as an earlier window would have left them. */
  async function storeMany(): Promise<void> {
    const sessions = path.join(storageOf(workbench), 'services', serviceIdOf(service), 'sessions');
    fs.mkdirSync(sessions, { recursive: true });
    const written: Promise<void>[] = [];
    for (let n = 0; n < SESSIONS; n++) {
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
      const text = JSON.stringify({ id: sessionId, version: RECORD_VERSION, value, writers: [] });
      written.push(fs.promises.writeFile(path.join(sessions, `${sessionId}.1.json`), text));
    }
    await Promise.all(written);
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

/** Runs in the window: from now on, what is changed within the rows of the Sessions view is remembered. */
function observe(): void {
  const page = globalThis as unknown as Browser;
  const drawn = (page.drawnAgain = new Set<string>());
  const rowOf = (node: Row | null): Row | null =>
    node === null || node.closest === undefined
      ? node === null
        ? null
        : rowOf(node.parentElement)
      : node.closest('.monaco-list-row');
  for (const list of page.document.querySelectorAll(
    '.sidebar .pane:has(.pane-header[aria-label^="Sessions"]) .monaco-list-rows',
  )) {
    new page.MutationObserver(records => {
      for (const { target } of records) {
        const row = rowOf(target);
        if (row !== null) drawn.add(row.getAttribute('data-index') ?? '');
      }
    }).observe(list, { subtree: true, childList: true, characterData: true });
  }
}

/** Runs in the window: what the rows say that were drawn again, two frames later. */
async function drawnAgain(): Promise<string[]> {
  const page = globalThis as unknown as Browser & { requestAnimationFrame(done: () => void): void };
  for (let frame = 0; frame < 2; frame++)
    await new Promise<void>(resolve => page.requestAnimationFrame(resolve));
  return [...(page.drawnAgain ?? [])].map(index => {
    const [row] = page.document.querySelectorAll(
      `.sidebar .pane:has(.pane-header[aria-label^="Sessions"]) .monaco-list-row[data-index="${index}"]`,
    );
    return row?.getAttribute('aria-label') ?? `row ${index}`;
  });
}
