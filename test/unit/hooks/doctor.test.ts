import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { examine, sendTest, type DoctorDeps, type Finding } from '../../../src/hooks/doctor';
import { Handover } from '../../../src/hooks/handover';
import { History } from '../../../src/hooks/history';
import { decodeInstalledFile, Installation } from '../../../src/hooks/installation';
import { readOutgoing } from '../../../src/hooks/outgoing';
import { placeScript } from '../../../src/hooks/place';
import { openStorage } from '../../../src/storage';
import { silentLog } from '../../fakes/log';
import {
  cleanUp,
  jsonFiles,
  later,
  shipped,
  temporaryFolder,
  temporaryPlace,
  writeEvent,
  unexpected,
} from './support';

interface Scene extends DoctorDeps {
  readonly installation: Installation;
  readonly file: string;
}

async function scene(): Promise<Scene> {
  const place = await temporaryPlace();
  const storage = openStorage({ root: temporaryFolder(), log: silentLog() });
  const files = storage.collection({ path: 'hook-files', version: 1, decode: decodeInstalledFile });
  const installation = new Installation({ place, files, folders: () => [] });
  const file = path.join(temporaryFolder(), 'settings.json');
  await installation.carryOut(await installation.planInstall(file, ['Stop']));
  const history = new History(place.history);
  later(() => {
    history.dispose();
    storage.dispose();
  });
  return { place, installation, file, history, shipped, isListening: () => true, unusable: () => [] };
}

function listen({ place }: Scene): void {
  const handover = new Handover({
    place,
    id: 'w',
    windows: () => Promise.resolve([{ id: 'w', folders: [], focused: true, focusedAt: 0 }]),
    isShown: () => Promise.resolve(),
    take: () => undefined,
    onProblem: unexpected,
  });
  later(() => handover.dispose());
}

const states = (findings: readonly Finding[]): string[] =>
  findings.map(({ kind, state }) => `${kind} ${state}`);

describe('the doctor of hooks', function () {
  afterEach(cleanUp);

  it('finds everything in order, and the last event', async () => {
    const at = await scene();
    listen(at);
    writeEvent(at.place, { hook_event_name: 'Stop', session_id: 's' });
    await new Promise<void>(resolve => at.history.onDidChange(resolve));
    const findings = await examine(at);
    assert.deepEqual(states(findings), [
      'file fine',
      'hook fine',
      'script fine',
      'spool fine',
      'listening fine',
      'lastEvent fine',
    ]);
    assert.equal(findings.at(-1)?.event?.sessionId, 's');
    assert.deepEqual(fs.readdirSync(at.place.spool), [], 'nothing of the trial is left');
  });

  it('finds each broken link of the chain', async () => {
    const at = await scene();
    fs.writeFileSync(at.file, '{"hooks":{}}');
    fs.rmSync(at.place.script);
    fs.rmdirSync(at.place.spool);
    const findings = await examine({ ...at, isListening: () => false });
    assert.deepEqual(states(findings), [
      'file fine',
      'hook broken',
      'script broken',
      'spool broken',
      'listening broken',
      'lastEvent attention',
    ]);
    assert.deepEqual(findings[1]?.events, ['Stop']);
    fs.writeFileSync(at.file, '{');
    assert.ok((await examine(at))[0]?.error instanceof Error);
    fs.rmSync(at.file);
    assert.deepEqual(states(await examine(at))[0], 'file broken');
    await at.installation.carryOut(await at.installation.planUninstall(at.file));
    assert.deepEqual((await examine(at))[0], { kind: 'file', state: 'broken' });
  });

  it('finds a script that ends well and hands nothing over', async () => {
    const at = await scene();
    for (const other of ['', '#!/bin/sh\nexit 0\n']) {
      fs.writeFileSync(at.place.script, other);
      const script = (await examine(at)).find(({ kind }) => kind === 'script');
      assert.deepEqual(script, { kind: 'script', state: 'broken' }, other);
    }
    await placeScript(at.place, shipped);
    assert.ok(states(await examine(at)).includes('script fine'));
  });

  it('names what of the person’s own hooks cannot be used', async () => {
    const at = await scene();
    const { problems } = readOutgoing({ Stop: [{ type: 'command', command: 'x' }] });
    const findings = await examine({ ...at, unusable: () => problems });
    assert.deepEqual(findings.at(-1), { kind: 'outgoing', state: 'broken', unusable: ['Stop[0]'] });
  });

  it('finds a hook that would be ended before it has done anything', async () => {
    const at = await scene();
    fs.writeFileSync(at.file, fs.readFileSync(at.file, 'utf8').replace(/"timeout": \d+/, '"timeout": 0.01'));
    assert.deepEqual(states(await examine(at)).slice(0, 2), ['file fine', 'hook broken']);
    await at.installation.carryOut(await at.installation.planInstall(at.file, ['Stop']));
    assert.deepEqual(states(await examine(at)).slice(0, 2), ['file fine', 'hook fine']);
  });

  it('names events that nobody takes', async () => {
    const at = await scene();
    for (let count = 0; count < 11; count++) writeEvent(at.place, { hook_event_name: 'Stop' });
    assert.ok(states(await examine(at)).includes('backlog attention'));
  });

  it('sends a test event through the real command and sees it arrive', async () => {
    const at = await scene();
    listen(at);
    const outcome = await sendTest(at, '/w');
    assert.equal(outcome.kind, 'arrived');
    assert.equal(at.history.events[0]?.cwd, '/w');
  });

  it('tells a command that fails from an event that is lost', async () => {
    const at = await scene();
    const failing = { ...at, installation: { ...bound(at), command: 'echo broken; exit 7' } };
    assert.deepEqual(await sendTest(failing, '/w'), { kind: 'failed', exitCode: 7, output: 'broken\n' });
    assert.deepEqual(await sendTest(at, '/w', 500), { kind: 'lost' });
    assert.equal(jsonFiles(at.place.spool).length, 1);
  });
});

function bound({ installation }: Scene): Pick<Installation, 'files' | 'look'> {
  return { files: () => installation.files(), look: file => installation.look(file) };
}
