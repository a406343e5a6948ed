import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { examine, sharedPlace, showTest, uninstall, type CheckContext } from '../../../src/hooks/dialogs';
import { Installation } from '../../../src/hooks/installation';
import { Formatter } from '../../../src/util/format';
import { silentLog } from '../../fakes/log';
import { acts, executed, told } from '../../fakes/vscode';
import {
  cleanUp,
  eventsIn,
  filesIn,
  inboxOf,
  jsonFiles,
  openFolder,
  temporaryFolder,
  temporaryPlace,
  until,
} from './support';

async function scene() {
  const installation = new Installation(await temporaryPlace(), filesIn());
  const file = path.join(temporaryFolder(), 'settings.json');
  await installation.carryOut(await installation.planInstall(file, ['Stop', 'SessionEnd']));
  const context: CheckContext = {
    log: silentLog(),
    installation,
    events: eventsIn(),
    format: new Formatter('en'),
    isListening: () => true,
    settings: { hooksOutgoing: () => ({ Stop: [{ type: 'command', command: 'x' }] }) },
  };
  const rows = async (): Promise<string[]> =>
    (await examine(context)).map(({ icon, label }) => `${icon}: ${label}`);
  return { ...context, installation, file, rows };
}

describe('the check of hooks', function () {
  beforeEach(() => told.splice(0));
  afterEach(cleanUp);

  it('finds what works, each broken link of the chain and what mends it, and unusable own commands', async () => {
    const at = await scene();
    const { place } = at.installation;
    inboxOf(place, { events: at.events });
    await showTest(at, '/w');
    assert.match(told.join(), /^The test event arrived after [\d,]+ ms\. Hooks work\.$/);
    const rows = await at.rows();
    assert.match(rows.splice(2, 1)[0] ?? '', /^pass: Last event .* ago$/);
    assert.deepEqual(rows, [
      'pass: Hook present for Stop, SessionEnd',
      'pass: This window listens',
      'error: Some of your own commands cannot be used: Stop[0]',
    ]);
    for (const [spoil, row] of [
      [() => fs.writeFileSync(at.file, '{"hooks":{}}'), 'error: Hook missing'],
      [() => fs.writeFileSync(at.file, '{'), 'error: Settings file cannot be changed'],
      [() => fs.rmSync(at.file), 'error: Settings file is missing'],
    ] as const) {
      spoil();
      assert.ok((await at.rows()).includes(row), row);
    }
    for (const spoil of [() => fs.writeFileSync(place.script, ''), () => fs.rmSync(place.script)]) {
      spoil();
      await at.rows();
      assert.ok(fs.readFileSync(place.script).length > 0, 'a script that is spoilt is mended');
    }
    fs.rmSync(place.script);
    fs.mkdirSync(place.script);
    const label = 'error: The script of the hook command is missing or from another version';
    const others = ['error: Settings file is missing', 'pass: This window listens'];
    assert.deepEqual((await at.rows()).slice(0, 3), [others[0], label, others[1]]);
    fs.rmdirSync(place.script);
    const [missing] = await examine(at);
    await missing?.value();
    assert.equal(executed.at(-1), `agentConsole.hooks.install ${at.file}`);
    await at.installation.carryOut(await at.installation.planUninstall(at.file));
    assert.equal((await at.rows())[0], 'error: No hooks have been installed from here');
    const deaf = await examine({ ...at, isListening: () => false, events: eventsIn() });
    for (const finding of ['This window does not listen', 'No event has arrived yet'])
      assert.ok(deaf.some(({ label }) => label === finding));
  });

  it('tells a command that fails from an event that is lost', async () => {
    const at = await scene();
    const broken = Object.defineProperty(Object.create(at.installation) as Installation, 'command', {
      value: 'echo broken; exit 7',
    });
    await showTest({ ...at, installation: broken }, '/w');
    await showTest(at, '/w', 1_000);
    assert.deepEqual(told, [
      'The hook command failed (exit status 7). broken',
      'The hook command ran, but its event did not arrive within 10 seconds.',
    ]);
    await until(() => jsonFiles(at.installation.place.spool).length === 1);
  });

  it('of none to remove is no failure: a notice says that there are none', async () => {
    const installation = new Installation(await temporaryPlace(), filesIn());
    acts.length = 0;
    const details = { compare: () => Promise.reject(new Error('There is nothing to compare.')) };
    await uninstall({ installation, details, log: silentLog() });
    assert.deepEqual(
      [acts, told],
      [['window.showInformationMessage'], ['No hooks have been installed here.']],
    );
  });
});

describe('a settings file that others may share', () => {
  afterEach(cleanUp);

  it('is one in a repository or in a folder of this window, wherever its folder really is', async () => {
    const home = temporaryFolder();
    const shop = path.join(home, 'shop');
    fs.mkdirSync(path.join(shop, '.client'), { recursive: true });
    fs.symlinkSync(path.join(shop, '.client'), path.join(home, '.client'));
    const files = [path.join(shop, '.client/settings.json'), path.join(home, '.client/settings.json')];
    assert.deepEqual(await Promise.all(files.map(sharedPlace)), [undefined, undefined]);
    openFolder(shop);
    assert.deepEqual(await Promise.all(files.map(sharedPlace)), [shop, shop]);
    openFolder(path.join(home, 'elsewhere'));
    fs.writeFileSync(path.join(shop, '.git'), 'gitdir: elsewhere');
    assert.deepEqual(await Promise.all(files.map(sharedPlace)), [shop, shop]);
    assert.equal(await sharedPlace(path.join(home, '.gone', 'settings.json')), undefined);
  });
});
