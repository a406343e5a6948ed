import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { examine, showTest, type CheckDeps } from '../../../src/hooks/install/check';
import { Dialogs } from '../../../src/hooks/install/dialogs';
import { Installation, installedFile } from '../../../src/hooks/install/installation';
import { hookEvent } from '../../../src/hooks/model';
import { Inbox } from '../../../src/hooks/receive/inbox';
import { readOutgoing } from '../../../src/hooks/run/outgoing';
import { Formatter } from '../../../src/util/format';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { answers, told } from '../../fakes/vscode';
import {
  cleanUp,
  jsonFiles,
  later,
  shipped,
  temporaryFolder,
  temporaryPlace,
  until,
  unexpected,
} from './support';

interface Scene extends CheckDeps {
  readonly installation: Installation;
  readonly file: string;
  readonly rows: () => Promise<string[]>;
}

async function scene(): Promise<Scene> {
  const place = await temporaryPlace();
  const log = silentLog();
  const storage = openStorage({ root: temporaryFolder(), log });
  later(() => storage.dispose());
  const files = storage.collection({ path: 'hook-files', version: 1, schema: installedFile });
  const events = storage.collection({ path: 'hook-events', version: 1, schema: hookEvent });
  const installation = new Installation(place, files);
  const file = path.join(temporaryFolder(), 'settings.json');
  await installation.carryOut(await installation.planInstall(file, ['Stop']));
  const dialogs = new Dialogs({
    log,
    installation,
    place,
    shipped,
    namedFile: () => '',
    storeFile: () => Promise.resolve(),
  });
  later(() => dialogs.dispose());
  const deps: CheckDeps = {
    log,
    place,
    installation,
    events,
    shipped,
    format: new Formatter('en'),
    isListening: () => true,
    unusable: () => readOutgoing({ Stop: [{ type: 'command', command: 'x' }] }).problems,
    repair: () => dialogs.repair(),
  };
  const rows = async (): Promise<string[]> =>
    (await examine(deps)).map(({ icon, label }) => `${icon}: ${label}`);
  return { ...deps, installation, file, rows };
}

function listen({ place: { spool }, events }: Scene): void {
  const inbox = new Inbox({
    spool,
    events,
    folders: () => Promise.resolve([]),
    isFocused: () => true,
    stepMs: 0,
    isShown: () => Promise.resolve(),
    take: () => undefined,
    onProblem: unexpected,
  });
  later(() => inbox.dispose());
}

describe('the check of hooks', function () {
  beforeEach(() => told.splice(0));
  afterEach(async () => {
    answers.clear();
    await cleanUp();
  });

  it('finds everything in order after a test event went all the way, and what of the person’s own hooks is unusable', async () => {
    const at = await scene();
    listen(at);
    await showTest(at, '/w');
    assert.match(told.join(), /^The test event arrived after [\d,]+ ms\. Hooks work\.$/);
    assert.equal([...at.events.values.values()][0]?.cwd, '/w');
    const rows = await at.rows();
    assert.match(rows.splice(4, 1)[0] ?? '', /^pass: Last event .* ago$/);
    assert.deepEqual(rows, [
      'pass: Settings file found',
      'pass: Hook present for Stop',
      'pass: Command can run',
      'pass: This window listens',
      'error: Some of your own commands cannot be used: Stop[0]',
    ]);
  });

  it('finds each broken link of the chain', async () => {
    const at = await scene();
    const written = fs.readFileSync(at.file, 'utf8');
    for (const [spoil, row] of [
      [() => fs.writeFileSync(at.file, '{"hooks":{}}'), 'error: Hook missing or out of date for Stop'],
      [
        () => fs.writeFileSync(at.file, written.replace(/"timeout": ?\d+/, '"timeout": 0.01')),
        'error: Hook missing or out of date for Stop',
      ],
      [() => fs.writeFileSync(at.file, '{'), 'error: Settings file cannot be changed'],
      [() => fs.rmSync(at.file), 'error: Settings file is missing'],
      [
        () => fs.writeFileSync(at.place.script, ''),
        'error: The script of the hook command is not the one of this version',
      ],
      [() => fs.rmSync(at.place.script), 'error: The script of the hook command is gone'],
      [() => undefined, 'info: No event has arrived yet'],
    ] as const) {
      spoil();
      assert.ok((await at.rows()).includes(row), row);
    }
    await at.installation.carryOut(await at.installation.planUninstall(at.file));
    assert.equal((await at.rows())[0], 'error: No hooks have been installed from here');
    const deaf = await examine({ ...at, isListening: () => false });
    assert.ok(deaf.some(({ label }) => label === 'This window does not listen'));
  });

  it('repairs what is broken after a question, and says so only of files that were written', async () => {
    const at = await scene();
    fs.rmSync(at.place.script);
    fs.writeFileSync(at.file, '{"hooks":{}}');
    answers.set('showInformationMessage', Promise.resolve('Cancel' as unknown as undefined));
    await at.repair();
    assert.deepEqual(told, ['Repair the hooks in settings.json?']);
    assert.equal(fs.readFileSync(at.file, 'utf8'), '{"hooks":{}}');
    answers.set('showInformationMessage', Promise.resolve('Write change' as unknown as undefined));
    await at.repair();
    assert.equal(told.at(-1), `Repaired the hooks in ${at.file}.`);
    assert.deepEqual((await at.rows()).slice(0, 3), [
      'pass: Settings file found',
      'pass: Hook present for Stop',
      'pass: Command can run',
    ]);
  });

  it('tells a command that fails from an event that is lost', async () => {
    const at = await scene();
    const broken = {
      files: () => at.installation.files(),
      look: (file: string) => at.installation.look(file),
      command: 'echo broken; exit 7',
    };
    await showTest({ ...at, installation: broken }, '/w');
    await showTest(at, '/w', 1_000);
    assert.deepEqual(told, [
      'The hook command failed with exit status 7. broken',
      'The hook command ran, but its event did not arrive within 10 seconds.',
    ]);
    await until(() => jsonFiles(at.place.spool).length === 1);
  });
});
