import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { examine, showTest, type CheckContext } from '../../../src/hooks/install/check';
import { Dialogs } from '../../../src/hooks/install/dialogs';
import { Installation } from '../../../src/hooks/install/installation';
import { Inbox } from '../../../src/hooks/receive/inbox';
import { Formatter } from '../../../src/util/format';
import { silentLog } from '../../fakes/log';
import { executed, told } from '../../fakes/vscode';
import {
  cleanUp,
  eventsIn,
  filesIn,
  jsonFiles,
  later,
  temporaryFolder,
  temporaryPlace,
  unexpected,
  until,
} from './support';

interface Scene extends CheckContext {
  readonly installation: Installation;
  readonly file: string;
  readonly rows: () => Promise<string[]>;
}

async function scene(): Promise<Scene> {
  const installation = new Installation(await temporaryPlace(), filesIn());
  const file = path.join(temporaryFolder(), 'settings.json');
  await installation.carryOut(await installation.planInstall(file, ['Stop']));
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

function listen({ installation: { place }, events }: Scene): void {
  const inbox = new Inbox({
    spool: place.spool,
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
  afterEach(cleanUp);

  it('finds what works, each broken link of the chain, and what of the person’s own hooks is unusable', async () => {
    const at = await scene();
    listen(at);
    await showTest(at, '/w');
    assert.match(told.join(), /^The test event arrived after [\d,]+ ms\. Hooks work\.$/);
    const rows = await at.rows();
    assert.match(rows.splice(4, 1)[0] ?? '', /^pass: Last event .* ago$/);
    assert.deepEqual(rows, [
      'pass: Settings file found',
      'pass: Hook present for Stop',
      'pass: Command can run',
      'pass: This window listens',
      'error: Some of your own commands cannot be used: Stop[0]',
    ]);
    const { place } = at.installation;
    const noScript = 'error: The script of the hook command is missing or from another version';
    const changed = 'error: Hook missing or out of date for Stop';
    const written = fs.readFileSync(at.file, 'utf8');
    for (const [spoil, row] of [
      [() => fs.writeFileSync(at.file, '{"hooks":{}}'), changed],
      [() => fs.writeFileSync(at.file, written.replace(/"timeout": ?\d+/, '"timeout": 0.01')), changed],
      [() => fs.writeFileSync(at.file, '{'), 'error: Settings file cannot be changed'],
      [() => fs.rmSync(at.file), 'error: Settings file is missing'],
      [() => fs.writeFileSync(place.script, ''), noScript],
      [() => fs.rmSync(place.script), noScript],
    ] as const) {
      spoil();
      assert.ok((await at.rows()).includes(row), row);
    }
    await at.installation.carryOut(await at.installation.planUninstall(at.file));
    assert.equal((await at.rows())[0], 'error: No hooks have been installed from here');
    const deaf = await examine({ ...at, isListening: () => false, events: eventsIn() });
    for (const finding of ['This window does not listen', 'No event has arrived yet'])
      assert.ok(deaf.some(({ label }) => label === finding));
  });

  it('leads from a hook that is missing to its own file, with all events it is to have', async () => {
    const at = await scene();
    const another = path.join(path.dirname(at.file), 'another.json');
    for (const [file, events] of [
      [another, ['Stop']],
      [at.file, ['Stop', 'SessionEnd']],
    ] as const)
      await at.installation.carryOut(await at.installation.planInstall(file, events));
    const written = fs.readFileSync(at.file, 'utf8');
    fs.writeFileSync(at.file, written.replace('"SessionEnd"', '"Other"'));
    const row = (await examine(at)).find(({ label }) => label.includes('out of date for SessionEnd'));
    assert.equal(row?.detail, at.file);
    await row.value();
    const [command, file] = executed.at(-1)!.split(' ');
    assert.deepEqual([command, file], ['agentConsole.hooks.install', at.file]);

    const window = vscode.window as { createInputBox?: unknown; showQuickPick: unknown };
    const { showQuickPick } = window;
    later(() => {
      delete window.createInputBox;
      window.showQuickPick = showQuickPick;
    });
    const asked: string[] = [];
    let accept = (): void => undefined;
    const box = {
      value: '',
      onDidChangeValue: () => undefined,
      onDidTriggerButton: () => undefined,
      onDidHide: () => undefined,
      onDidAccept: (listener: () => void) => (accept = listener),
      show: () => {
        asked.push(box.value);
        accept();
      },
      dispose: () => undefined,
    };
    window.createInputBox = () => box;
    window.showQuickPick = (rows: readonly { label: string; picked: boolean }[]) =>
      asked.push(...rows.filter(({ picked }) => picked).map(({ label }) => label)) && undefined;
    await new Dialogs(at as never).install(file);
    assert.deepEqual(asked, [at.file, 'Stop', 'SessionEnd']);
  });

  it('tells a command that fails from an event that is lost', async () => {
    const at = await scene();
    const broken = {
      files: () => at.installation.files(),
      look: (file: string) => at.installation.look(file),
      command: 'echo broken; exit 7',
      place: at.installation.place,
    };
    await showTest({ ...at, installation: broken }, '/w');
    await showTest(at, '/w', 1_000);
    assert.deepEqual(told, [
      'The hook command failed (exit status 7). broken',
      'The hook command ran, but its event did not arrive within 10 seconds.',
    ]);
    await until(() => jsonFiles(at.installation.place.spool).length === 1);
  });
});
