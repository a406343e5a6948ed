import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { examine, sendTest, type CheckDeps, type Finding } from '../../../src/hooks/install/check';
import { Installation, installedFile } from '../../../src/hooks/install/installation';
import { placeScript } from '../../../src/hooks/install/place';
import { hookEvent } from '../../../src/hooks/model';
import { Inbox } from '../../../src/hooks/receive/inbox';
import { readOutgoing } from '../../../src/hooks/run/outgoing';
import { Formatter } from '../../../src/util/format';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import {
  cleanUp,
  jsonFiles,
  later,
  shipped,
  temporaryFolder,
  temporaryPlace,
  until,
  writeEvent,
  unexpected,
} from './support';

interface Scene extends CheckDeps {
  readonly installation: Installation;
  readonly file: string;
}

async function scene(): Promise<Scene> {
  const place = await temporaryPlace();
  const log = silentLog();
  const storage = openStorage({ root: temporaryFolder(), log });
  later(() => storage.dispose());
  const files = storage.collection({ path: 'hook-files', version: 1, schema: installedFile });
  const events = storage.collection({ path: 'hook-events', version: 1, schema: hookEvent });
  const installation = new Installation(place, files, () => []);
  const file = path.join(temporaryFolder(), 'settings.json');
  await installation.carryOut(await installation.planInstall(file, ['Stop']));
  return {
    log,
    place,
    installation,
    file,
    events,
    shipped,
    format: new Formatter('en'),
    isListening: () => true,
    unusable: () => [],
    lastOutgoing: () => undefined,
    repair: () => Promise.resolve(),
  };
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

const rows = (findings: readonly Finding[]): string[] =>
  findings.map(({ label, state }) => `${state}: ${label}`);

describe('the check of hooks', function () {
  afterEach(cleanUp);

  it('finds everything in order, and the last event', async () => {
    const at = await scene();
    listen(at);
    writeEvent(at.place, { hook_event_name: 'Stop', session_id: 's' });
    await until(() => at.events.values.size > 0);
    const findings = await examine(at);
    assert.deepEqual(rows(findings).slice(0, 5), [
      'fine: Settings file found',
      'fine: Hook present for Stop',
      'fine: Command can run',
      'fine: Events can be written',
      'fine: This window listens',
    ]);
    assert.match(rows(findings)[5]!, /^fine: Last event .* ago$/);
    assert.equal(findings[5]?.detail, 's, finished');
    assert.deepEqual(fs.readdirSync(at.place.spool), [], 'nothing of the trial is left');
  });

  it('finds each broken link of the chain', async () => {
    const at = await scene();
    fs.writeFileSync(at.file, '{"hooks":{}}');
    fs.rmSync(at.place.script);
    fs.rmdirSync(at.place.spool);
    assert.deepEqual(rows(await examine({ ...at, isListening: () => false })), [
      'fine: Settings file found',
      'broken: Hook missing or out of date for Stop',
      'broken: The script of the hook command is gone',
      'broken: Events cannot be written',
      'broken: This window does not listen',
      'attention: No event has arrived yet',
    ]);
    fs.writeFileSync(at.file, '{');
    assert.match((await examine(at))[0]?.detail ?? '', /Line 1 is not valid JSON/);
    fs.rmSync(at.file);
    assert.equal(rows(await examine(at))[0], 'broken: Settings file is missing');
    await at.installation.carryOut(await at.installation.planUninstall(at.file));
    assert.equal(rows(await examine(at))[0], 'broken: No hooks have been installed from here');
  });

  it('finds a script that ends well and hands nothing over', async () => {
    const at = await scene();
    for (const other of ['', '#!/bin/sh\nexit 0\n']) {
      fs.writeFileSync(at.place.script, other);
      assert.ok(
        rows(await examine(at)).includes(
          'broken: The script of the hook command is not the one of this version',
        ),
      );
    }
    await placeScript(at.place, shipped);
    assert.ok(rows(await examine(at)).includes('fine: Command can run'));
  });

  it('names what of the person’s own hooks cannot be used', async () => {
    const at = await scene();
    const { problems } = readOutgoing({ Stop: [{ type: 'command', command: 'x' }] });
    const findings = await examine({ ...at, unusable: () => problems });
    assert.equal(rows(findings).at(-1), 'broken: Some of your own commands cannot be used: Stop[0]');
  });

  it('finds a hook that would be ended before it has done anything', async () => {
    const at = await scene();
    fs.writeFileSync(at.file, fs.readFileSync(at.file, 'utf8').replace(/"timeout": ?\d+/, '"timeout": 0.01'));
    assert.match(rows(await examine(at))[1]!, /^broken: Hook missing or out of date/);
    await at.installation.carryOut(await at.installation.planInstall(at.file, ['Stop']));
    assert.equal(rows(await examine(at))[1], 'fine: Hook present for Stop');
  });

  it('names events that nobody takes', async () => {
    const at = await scene();
    for (let count = 0; count < 11; count++) writeEvent(at.place, { hook_event_name: 'Stop' });
    assert.ok(rows(await examine(at)).includes('attention: 11 events have not been taken by any window yet'));
  });

  it('sends a test event through the real command and sees it arrive', async () => {
    const at = await scene();
    listen(at);
    const outcome = await sendTest(at, '/w');
    assert.equal(outcome.kind, 'arrived');
    assert.equal([...at.events.values.values()][0]?.cwd, '/w');
  });

  it('tells a command that fails from an event that is lost', async () => {
    const at = await scene();
    const installation = { ...bound(at), command: 'echo broken; exit 7' };
    assert.deepEqual(await sendTest({ ...at, installation }, '/w'), {
      kind: 'failed',
      exitCode: 7,
      output: 'broken\n',
    });
    assert.deepEqual(await sendTest(at, '/w', 1_000), { kind: 'lost' });
    assert.equal(jsonFiles(at.place.spool).length, 1);
  });
});

function bound({ installation }: Scene): Pick<Installation, 'files' | 'look'> {
  return { files: () => installation.files(), look: file => installation.look(file) };
}
